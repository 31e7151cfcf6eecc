//! Words, names and places that would do harm: to the terminal, to a study, or to whoever waits for it.

use crate::harness::{Place, STUDY};

/// A study of a program in `argv`.
fn program(argv: &str) -> String {
    format!(
        "[stop]\niterations = 2\n[problem]\nkind = \"command\"\nargv = {argv}\ndimension = 4\n\
         space = {{ oneof = [1, 2] }}\n[weights]\nkind = \"es\"\ndirections = 2\n"
    )
}

/// Red while `check` finds nothing, and `run` makes a directory before it fails with code 1.
#[test]
fn a_program_that_cannot_be_started_is_refused_before_anything_runs() {
    let place = Place::new();
    place.write("text.txt", "no program");
    let cases = [
        ("[\"no-such-program\"]", &["no-such-program", "PATH"][..]),
        ("[\"./nothing\"]", &["./nothing"]),
        ("[\"./text.txt\"]", &["may not be executed"]),
        ("[\"/\"]", &["may not be executed"]),
        ("[\"sh\", \"a\\u0000b\"]", &["zero byte"]),
    ];
    for (argv, words) in cases {
        place.write("bad.toml", &program(argv));
        for command in ["check", "run"] {
            let said = place.run(&format!("{command} bad.toml"));
            said.refused(2, &["bad.toml", "line 5", "problem.argv"]);
            said.refused(2, words);
        }
    }
    let elsewhere = program("[\"sh\"]").replace("dimension", "directory = \"gone\"\ndimension");
    place.write("bad.toml", &elsewhere);
    place.run("run bad.toml").refused(2, &["line 6", "problem.directory", "gone"]);
    place.write("good.toml", &program("[\"sh\"]"));
    let mut command = place.command("check good.toml");
    let said = command.env("TMPDIR", place.path("gone")).output().unwrap();
    assert_eq!(said.status.code(), Some(2), "{said:?}");
    assert!(!place.path("runs").exists(), "refused before anything was written");
    // What was recorded elsewhere is read here.
    place.write("f.sh", "#!/bin/sh\nwhile read l; do echo \"{\\\"id\\\":$(echo $l | grep -o '[0-9]*' | head -1),\\\"value\\\":1}\"; done");
    place.write(
        "moved.toml",
        &program("[\"sh\", \"f.sh\"]").replace("\"command\"", "\"command\"\ndirectory = \"src\""),
    );
    place.write("src/f.sh", &String::from_utf8(place.bytes("f.sh")).unwrap());
    place.ok("run moved.toml --quiet");
    std::fs::remove_dir_all(place.path("src")).unwrap();
    for command in ["show", "best", "export --format jsonl"] {
        place.ok(&format!("{command} runs/moved"));
    }
    place.run("resume runs/moved").refused(2, &["problem.directory"]);
}

#[test]
fn a_place_that_cannot_be_a_directory_is_input() {
    let place = Place::with_study();
    place.write("file", "");
    std::os::unix::fs::symlink("nowhere", place.path("link")).unwrap();
    let long = "x".repeat(300);
    for out in ["file", "file/below", "link", "/proc/x", &long] {
        place.run(&format!("run study.toml --quiet --out {out}")).refused(2, &[out]);
    }
}

/// Red while what an objective says goes to the terminal as it is.
#[test]
fn what_objectives_say_does_not_reach_the_terminal_as_it_is() {
    let place = Place::new();
    let says = r#"while read l; do echo "{\"id\":$(echo $l | grep -o '[0-9]*' | head -1),\"error\":\"\\u001b]0;owned\\u0007\"}"; done"#;
    place.write("f.sh", says);
    place.write(
        "study.toml",
        &format!("{}[failures]\nretries = 0\n", program("[\"sh\", \"f.sh\"]")),
    );
    let said = place.run("run study.toml --workers 1");
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("owned"), "{said:?}");
    let name = "evil\u{1b}[31m";
    std::fs::create_dir(place.path(name)).unwrap();
    place.write(&format!("{name}/study.toml"), STUDY);
    let mut run = place.command("run study.toml --quiet --out a --set problem.kind=synthetic");
    run.arg(format!("--out={name}"));
    let listed = place.run("list .");
    for said in [said.err, said.out, listed.out, listed.err] {
        let control = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!said.contains(control), "{said:?}");
    }
}

/// Red while records are written over, and the command says that all went well.
#[test]
fn nothing_is_written_over_a_study() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet");
    let before = place.bytes("runs/study/esenas.db");
    for file in ["esenas.db", "esenas.db-wal", "esenas.seal", "esenas.lock", "study.toml"] {
        let words = format!("export runs/study --format csv -o runs/../runs/study/{file}");
        place.run(&words).refused(2, &[file, "belongs to a study"]);
    }
    assert_eq!(place.bytes("runs/study/esenas.db"), before);
    place.ok("export runs/study --format csv -o runs/study/records.csv");
    // A file of somebody else's that has the name of a database.
    place.write("mine/esenas.db", "my notes");
    place.run("run study.toml --fresh --out mine").refused(2, &["not a database of esenas"]);
    assert_eq!(place.bytes("mine/esenas.db"), b"my notes");
}

#[test]
fn names_that_lead_out_of_runs_need_a_directory() {
    let place = Place::new();
    for name in ["..toml", "...toml"] {
        place.write(name, STUDY);
        place.run(&format!("run {name}")).refused(2, &[name, "--out"]);
    }
    assert!(!place.path("runs").exists() && !place.path("esenas.db").exists());
    place.ok("run ...toml --quiet --out a");
}
