//! `kill -9` at random instants, again and again; then the study is finished, and equals one that
//! was never interrupted. `ESENAS_KILLS` says how often (100).

use std::time::Duration;

use esenas_store::Reader;

use crate::harness::Place;

/// Splitmix64: the instants need no quality, and a seed that is printed brings them back.
struct Instants(u64);

impl Instants {
    fn next(&mut self) -> Duration {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // From before the directory is made to well within the loop.
        Duration::from_micros((x ^ (x >> 31)) % 40_000)
    }
}

#[test]
fn killed_at_random_instants_equals_never_stopped() {
    let kills =
        std::env::var("ESENAS_KILLS").map_or(100, |n| n.parse().expect("a number of kills"));
    let place = Place::with_study();
    // Long enough that the last kill meets it running still.
    let settings = format!("--quiet --set stop.iterations={}", 200 * kills);
    place.ok(&format!("run study.toml --out straight {settings}"));
    let seed = u64::from(std::process::id());
    let mut instants = Instants(seed);
    let mut met_running = 0;
    for _ in 0..kills {
        let mut child =
            place.command(&format!("run study.toml --out killed {settings}")).spawn().unwrap();
        std::thread::sleep(instants.next());
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none_or(|status| status.success()), "seed {seed}: {ended:?}");
        met_running += u32::from(ended.is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(met_running * 2 > kills, "only {met_running} of {kills} kills met the study running");
    place.ok(&format!("run study.toml --out killed {settings}"));
    let best = |dir: &str| place.ok(&format!("best {dir} --json"));
    assert!(best("straight") == best("killed"), "seed {seed}: the best models differ");
    let digest = |dir| Reader::open(&place.path(dir)).unwrap().content_digest().unwrap();
    assert_eq!(digest("straight"), digest("killed"), "seed {seed}");
}
