//! Words, names and places that would do harm: to the terminal, to a study, or to whoever waits for
//! it.

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

/// Red while a study writes a study.toml that it cannot read: `resume` and `check` failed for good.
#[test]
fn whatever_can_be_run_can_be_resumed() {
    let place = Place::new();
    let nested = |n: usize| format!("{}1{}", "{\"oneof\":[\"a\",".repeat(n), "]}".repeat(n));
    let text = program("[\"sh\", \"f.sh\"]").replace("{ oneof = [1, 2] }", "\"space.json\"");
    let answers = r#"while read l; do echo "{\"id\":$(echo $l | grep -o '[0-9]*' | head -1),\"value\":1}"; done"#;
    place.write("f.sh", answers);
    place.write("study.toml", &text);
    for (at, space) in [nested(45), nested(49), "null".to_owned()].iter().enumerate() {
        place.write("space.json", space);
        place.ok(&format!("run study.toml --quiet --out {at}"));
        place.ok(&format!("resume {at} --quiet"));
        place.ok(&format!("check {at}/study.toml"));
    }
}

#[test]
fn wrong_shapes_are_refused_by_their_key() {
    let place = Place::with_study();
    let first = |text: &str| format!("{text}\n{}", STUDY.replace("[stop]\niterations = 30\n", ""));
    place.write("a.toml", &first("stop = [3, 2]"));
    place.run("check a.toml").refused(2, &["line 1", "`stop`", "must be a table"]);
    place.write(
        "b.toml",
        &program("[\"sh\"]")
            .replace("dimension = 4", "dimension = 4\nbounds = [-1.7e308, 1.7e308]"),
    );
    let said = place.run("check b.toml");
    said.refused(2, &["line 7", "`problem.bounds` = [-1.7e308, 1.7e308]", "finite"]);
    assert!(said.err.len() < 300, "{}", said.err);
    place.write("twice.json", r#"{"a": {"oneof": [1, 2]}, "a": {"oneof": [3]}}"#);
    let study = program("[\"sh\"]").replace("{ oneof = [1, 2] }", "\"twice.json\"");
    place.write("c.toml", &study);
    place.run("run c.toml").refused(2, &["problem.space", "twice.json"]);
    place.ok("run study.toml --quiet");
    place.run("resume runs/study --rewind 0").refused(2, &["27, 28, 29"]);
}

/// Red while every key counts the lines before it, or each of many unknown keys is taken out in
/// turn: minutes.
#[test]
fn large_studies_are_read_in_the_time_they_are_long() {
    let place = Place::new();
    let space: Vec<String> = (0..30_000).map(|i| format!("\"k{i}\":{{\"oneof\":[1,2]}}")).collect();
    place.write("space.json", &format!("{{{}}}", space.join(",")));
    place.write("wide.toml", &program("[\"sh\"]").replace("{ oneof = [1, 2] }", "\"space.json\""));
    let start = std::time::Instant::now();
    let resolved = place.ok("check wide.toml");
    place.write("resolved.toml", &resolved);
    place.ok("check resolved.toml");
    let unknown: String = (0..30_000).map(|i| format!("x{i} = 1\n")).collect();
    place.write("unknown.toml", &format!("{unknown}{STUDY}"));
    place.run("check unknown.toml").refused(2, &["unknown key"]);
    place.write("long.toml", &"\n".repeat(65 << 20));
    place.run("check long.toml").refused(2, &["longer than 64 MB"]);
    place.run("check /dev/zero").refused(2, &["/dev/zero"]);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}
