use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use esenas_run::{Control, Member, Spec, Study};
use esenas_store::{Options, Reader};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::super::super::Pace;
use super::*;
use crate::models;

const STUDY: &str = "seed = 7\n[stop]\niterations = 12\n[problem]\nkind = \"synthetic\"\ndimension = 5\n\
                     [weights]\nkind = \"es\"\ndirections = 4\n[controller]\nkind = \"regularized-evolution\"\n";

/// A study that ran, as its screen sees it.
fn studied() -> (Numbers, Data) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.toml"), STUDY).unwrap();
    let spec = Spec::load(&dir.path().join("a.toml"), &[]).unwrap();
    let (run, mut pace) = (dir.path().join("run"), Pace::new(spec.stop.clone()));
    let mut numbers = Numbers::new("runs/a".as_ref(), 3);
    let study = Study::built_in(spec, None).unwrap().create(&run, Options::default()).unwrap();
    let ran = study.run(&AtomicBool::new(false), |report| {
        pace.iteration(report);
        numbers.iteration(report, &pace);
        Control::Continue
    });
    ran.unwrap();
    let reader = Reader::open(&run).unwrap();
    let mut data = Data::read("a", &reader).unwrap();
    models::complete(&mut data, &reader).unwrap();
    (numbers, data)
}

fn drawn(width: u16, height: u16, numbers: &Numbers, data: Option<&Data>) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| all(frame, numbers, data)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn the_screen_says_how_far_how_good_and_how_fast() {
    let (mut numbers, data) = studied();
    let text = drawn(120, 36, &numbers, Some(&data));
    let words = [
        "runs/a",
        "best ",
        "12 of 12 iterations",
        " score ",
        "centre",
        " choices ",
        "blocks[0]",
        " search ",
        "sigma",
        " work ",
        "3 workers",
        "evaluations/s",
        "evaluate ",
        "q or Ctrl-C",
    ];
    for word in words {
        assert!(text.contains(word), "no {word}:\n{text}");
    }
    assert!(text.contains(['⠁', '⡇', '⠉', '⣀', '⢀', '⠒', '⠤']), "a curve:\n{text}");
    assert!(text.contains(['░', '▒', '▓', '█']), "a heat map:\n{text}");
    numbers.stopping = true;
    assert!(drawn(120, 36, &numbers, Some(&data)).contains("Ctrl-C again stops at once"));
}

/// Two that are busy and idle, and then more than there is room for.
#[test]
fn every_worker_is_shown_or_counted() {
    let busy = Member {
        evaluations: 1234,
        busy: Duration::from_secs(9),
        since: Some(Instant::now()),
        ..Member::default()
    };
    let idle = Member { evaluations: 20, failures: 3, restarts: 2, ..Member::default() };
    let crew = (vec![busy, idle], Duration::from_secs(10));
    let mut numbers = Numbers { workers: 2, crew, ..Numbers::default() };
    let lines = |numbers: &Numbers| -> Vec<String> {
        let text = drawn(120, 36, numbers, None);
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let has = |numbers: &Numbers, words: &str| lines(numbers).iter().any(|it| it.contains(words));
    assert!(has(&numbers, "# now busy done failed new"), "{:#?}", lines(&numbers));
    assert!(has(&numbers, "0 busy 90 % 1,234 0 0"), "{:#?}", lines(&numbers));
    assert!(has(&numbers, "1 idle 0 % 20 3 2"), "{:#?}", lines(&numbers));
    numbers.crew.0 = vec![busy; 100];
    let rest = lines(&numbers);
    let rest: Vec<_> = rest.iter().filter(|line| line.contains(" busy 9")).collect();
    let counted = format!("+{} {0} busy", 100 - rest.len());
    assert!(1 < rest.len() && has(&numbers, &counted), "{counted}: {:#?}", lines(&numbers));
}

/// Red when a size, or a study without records, makes a widget panic.
#[test]
fn any_size_will_do() {
    let (numbers, data) = studied();
    for (width, height) in [(1, 1), (2, 40), (20, 5), (79, 24), (80, 24), (300, 100)] {
        drawn(width, height, &numbers, Some(&data));
        let text = drawn(width, height, &Numbers::default(), None);
        assert!(width < 20 || text.contains("first iteration"), "{text}");
    }
}
