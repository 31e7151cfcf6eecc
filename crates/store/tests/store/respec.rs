//! A study whose text changes: its limits were moved.

use esenas_store::{Reader, State};

use crate::study::{advance, create, header, open};

/// Red when a text is changed by half, a study stays finished though it goes on, or anything that
/// was recorded changes with it.
#[test]
fn a_text_is_changed_whole_and_a_finished_study_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = create(dir.path());
    advance(&mut writer, 3);
    writer.finish("enough").unwrap();
    let longer = format!("{}# longer\n", header().spec);
    let mut writer = open(dir.path());
    writer.set_spec(longer.clone()).unwrap();
    drop(writer);
    let reader = Reader::open(dir.path()).unwrap();
    reader.verify().unwrap();
    assert_eq!(reader.header().unwrap().spec, longer);
    assert_eq!(std::fs::read_to_string(dir.path().join("study.toml")).unwrap(), longer);
    assert!(matches!(reader.progress().unwrap().state, State::Stopped));
    assert_eq!(reader.progress().unwrap().iterations, 3);
    let mut writer = open(dir.path());
    advance(&mut writer, 5);
    assert_eq!(writer.header().fingerprint, header().fingerprint);
}

/// A crash before the new text is there: the database decides.
#[test]
fn a_crash_on_the_way_leaves_one_text() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = create(dir.path());
    writer.set_spec("other = 1\n".to_owned()).unwrap();
    drop(writer);
    std::fs::remove_file(dir.path().join("study.toml")).unwrap();
    assert_eq!(open(dir.path()).header().spec, "other = 1\n");
    assert_eq!(std::fs::read_to_string(dir.path().join("study.toml")).unwrap(), "other = 1\n");
}
