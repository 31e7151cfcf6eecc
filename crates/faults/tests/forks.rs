//! A process that forks while it writes a study, as a callback of Python's may.

#![allow(unsafe_code)]

use esenas_store::{Error, Header, Iteration, IterationRecord, Options, Reader, Timings, Writer};

fn commit(writer: &mut Writer, at: u64) -> Result<(), Error> {
    let record = IterationRecord { iteration: at, ..IterationRecord::default() };
    writer.commit(&Iteration {
        record: &record,
        timings: Timings::default(),
        evaluations: &[],
        checkpoint: b"state",
        best: None,
        belief: None,
    })
}

/// Red while the child writes too, panics when it lets go of a thread it does not have, or folds
/// the log away.
#[test]
fn a_fork_neither_writes_nor_harms() {
    let dir = tempfile::tempdir().unwrap();
    let header = Header {
        spec: "seed = 1\n".into(),
        fingerprint: String::new(),
        program: "esenas".into(),
        created: 0,
    };
    let mut writer = Writer::create(dir.path(), &header, Options::default()).unwrap();
    for at in 0..20 {
        commit(&mut writer, at).unwrap();
        if at % 5 != 4 {
            continue;
        }
        // SAFETY: the child calls nothing but what is tested, and leaves without running what this
        // process has set up to run at its end.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let refused = matches!(commit(&mut writer, at + 1), Err(Error::Forked { .. }));
            let held =
                matches!(Writer::open(dir.path(), Options::default()), Err(Error::Locked { .. }));
            let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(writer)));
            let fine = refused && held && dropped.is_ok();
            // SAFETY: ends the child.
            unsafe { libc::_exit(if fine { 0 } else { 1 }) }
        }
        let mut status = 0;
        // SAFETY: waits for the child that was just made.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0, "the child of iteration {at}");
    }
    drop(writer);
    let reader = Reader::open(dir.path()).unwrap();
    reader.verify().unwrap();
    assert_eq!(reader.progress().unwrap().iterations, 20);
}
