//! The transcripts in `docs/transcripts/` are what the program says, but for times and rates.

use std::io::{BufRead, BufReader, Read};

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Place, Said, expect_file};

/// A place with the study of the quick start.
fn place() -> Place {
    let place = Place::new();
    place.write("studies/quickstart.toml", include_str!("../../../../studies/quickstart.toml"));
    place
}

fn ran(place: &Place, words: &str) -> String {
    let Said { code, out, err } = place.run(words);
    let exit = if code == 0 { String::new() } else { format!("[exit code {code}]\n") };
    format!("$ esenas {words}\n{out}{err}{exit}")
}

/// Blanks what differs from run to run: rates and times.
fn blanked(text: &str) -> String {
    let mut table = false;
    let line = |line: &str| {
        table &= !line.is_empty();
        let shown = match line.split_once(" evaluations in ") {
            Some((before, _)) => format!("{before} evaluations in …\n"),
            // The last two columns.
            None if table => {
                format!("{}          …         …\n", line[..line.len() - 21].trim_end())
            }
            None => format!("{line}\n"),
        };
        table |= line.ends_with("evals/s      time");
        shown
    };
    text.lines().map(line).collect()
}

/// Leaves out the rows of tables.
fn without_rows(text: &str) -> String {
    let mut table = false;
    let line = |line: &str| {
        table &= !line.is_empty();
        let shown = if table { String::new() } else { format!("{line}\n") };
        let begins = line.ends_with("evals/s      time");
        table |= begins;
        if begins { shown + "…\n" } else { shown }
    };
    text.lines().map(line).collect()
}

#[test]
fn a_bad_spec() {
    let place = place();
    let study = include_str!("../../../../studies/quickstart.toml");
    let (before, after) = study.split_once("[weights]").expect("the quick start sets weights");
    place.write("bad.toml", &format!("{before}[weights]\nsgima = 0.3{after}"));
    let mut text = ran(&place, "run bad.toml");
    for words in
        ["run studies/quickstart.toml --set controller.kind=evolution", "show runs/quickstart"]
    {
        text += &format!("\n{}", ran(&place, words));
    }
    expect_file("docs/transcripts/bad-spec.txt", &text);
}

#[test]
fn a_good_run_and_a_resume() {
    let (one, other) = (place(), place());
    let mut text = ran(&one, "run studies/quickstart.toml");
    for words in ["list", "show runs/quickstart", "best runs/quickstart --theta best.npy"] {
        text += &format!("\n{}", ran(&one, words));
    }
    expect_file("docs/transcripts/run.txt", &blanked(&text));

    let mut text = interrupted(&other, "run studies/quickstart.toml");
    let resumed = ran(&other, "resume runs/quickstart");
    let (before, after) = resumed.split_once("going on after ").expect("it goes on");
    // Of which there may be one.
    let (_, after) = after.split_once(" iteration").expect("after iterations");
    let after = after.strip_prefix('s').unwrap_or(after);
    let resumed = format!("{before}going on after … iterations{after}");
    text += &format!("\n{}", without_rows(&blanked(&resumed)));
    expect_file("docs/transcripts/resume.txt", &text);
    let best = |place: &Place| place.ok("best runs/quickstart --json");
    assert!(best(&one) == best(&other), "a resumed study is the same study");
}

/// Runs it and presses Ctrl-C. Where that meets it is chance, so what tells is left out.
fn interrupted(place: &Place, words: &str) -> String {
    let mut child = place.command(words).spawn().unwrap();
    let mut stream = BufReader::new(child.stdout.take().unwrap());
    let mut out = String::new();
    while !out.contains("evals/s") {
        assert_ne!(stream.read_line(&mut out).unwrap(), 0, "{out}");
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    stream.read_to_string(&mut out).unwrap();
    let ended = Said::from(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{out}");
    let out = without_rows(&out);
    let (table, end) = out.split_once("\n\ninterrupted: ").expect("it says so");
    let (_, advice) = end.split_once("\nrecords").expect("it gives advice");
    let (table, err) = (table.trim_end(), ended.err);
    format!(
        "$ esenas {words}\n{table}\n^C{err}\ninterrupted: …\n…\n\nrecords{advice}[exit code 130]\n"
    )
}
