//! `policy render`: films of what a study found.

use crate::harness::{Place, Said};

const SWIMMER: &str = r#"
seed = 4
[stop]
iterations = 2
[problem]
kind = "rl"
env = "Swimmer"
horizon = 20
policy = { kind = "edge-pruning", hidden = [4], edges = 12 }
[weights]
kind = "es"
directions = 2
[centre]
evaluations = 1
"#;

fn trained() -> Place {
    let place = Place::new();
    place.write("swimmer.toml", SWIMMER);
    place.ok("run swimmer.toml --quiet");
    place
}

/// A program in the place of `ffmpeg`.
const ENCODER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/film/encoder.sh");

fn mp4(place: &Place, encoder: &str, fails: &str) -> Said {
    let mut command = place.command("policy render runs/swimmer -o film.mp4 --width 32");
    command.env("ESENAS_FFMPEG", encoder).env("ENCODER_FAILS", fails);
    Said::from(command.output().unwrap())
}

#[test]
fn films_are_gifs_or_go_to_ffmpeg() {
    let place = trained();
    let said = place.ok("policy render runs/swimmer -o film.gif --width 32 --frames 5");
    assert!(said.starts_with("film.gif: 5 pictures; 20 steps"), "{said}");
    assert!(place.bytes("film.gif").starts_with(b"GIF89a"));

    let said = mp4(&place, ENCODER, "");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.starts_with("film.mp4: 21 pictures"), "{said:?}");
    let given = String::from_utf8(place.bytes("film.mp4")).unwrap();
    let (arguments, bytes) = given.trim().split_once('\n').unwrap();
    assert!(arguments.contains("-s 32x24 -r 100/4 -i -"), "{arguments}");
    assert_eq!(bytes.trim().parse(), Ok(21 * 32 * 24 * 3));
}

#[test]
fn without_an_encoder_it_says_what_to_do() {
    let place = trained();
    let said = mp4(&place, "no-such-program", "");
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("MP4 needs ffmpeg") && said.err.contains(".gif"), "{said:?}");
    let said = mp4(&place, ENCODER, "no such codec");
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("no such codec"), "{said:?}");
    let said = place.run("policy render runs/swimmer -o film.avi");
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("films are .gif or .mp4"), "{said:?}");
}
