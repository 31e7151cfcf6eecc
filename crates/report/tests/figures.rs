//! Figures are files: without fonts of the system, the same bytes for the same data.

use esenas_report::{Axis, Figure, Line, Panel, Stroke};

fn figure() -> Figure {
    let line = |label: &str, stroke, by: f64| Line {
        label: label.to_owned(),
        stroke,
        points: (1..=20).map(|i| (f64::from(i), by / f64::from(i))).collect(),
    };
    let panel = |title: &str| Panel {
        title: title.to_owned(),
        x: Axis { label: "evaluations".to_owned(), ..Axis::default() },
        y: Axis { label: "gap".to_owned(), logarithmic: true, ..Axis::default() },
        lines: vec![
            line("solid", Stroke::solid(0), 1.0),
            line("dashed", Stroke::dashed(1), 2.0),
            line("", Stroke { marked: true, ..Stroke::solid(2) }, 3.0),
        ],
        ..Panel::default()
    };
    Figure {
        title: "A title".to_owned(),
        rows: vec![vec![panel("a"), panel("b")], vec![panel("c")]],
        size: None,
    }
}

#[test]
fn both_files_are_written_and_do_not_change() {
    let place = tempfile::tempdir().unwrap();
    let [svg, png] = figure().save(&place.path().join("one")).unwrap();
    let [again, painted] = figure().save(&place.path().join("two")).unwrap();
    let text = std::fs::read_to_string(&svg).unwrap();
    assert_eq!(text, std::fs::read_to_string(again).unwrap());
    assert_eq!(std::fs::read(&png).unwrap(), std::fs::read(painted).unwrap());
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG\r\n"));
    for words in ["A title", "evaluations", "gap", "solid", "dashed"] {
        assert!(text.contains(words), "{words} is not in the figure");
    }
    assert_eq!(text.matches("solid").count(), 1, "one entry of the legend for all panels");
}

/// Red when text is not painted: then the title makes no difference.
#[test]
fn text_is_painted_without_fonts_of_the_system() {
    let place = tempfile::tempdir().unwrap();
    let paint = |title: &str| {
        let figure = Figure { title: title.to_owned(), ..figure() };
        std::fs::read(&figure.save(&place.path().join("it")).unwrap()[1]).unwrap()
    };
    assert_ne!(paint("one"), paint("two"));
}

#[test]
fn nothing_to_draw_and_nowhere_to_write_are_said() {
    let place = tempfile::tempdir().unwrap();
    let empty = Figure { title: "void".to_owned(), rows: vec![], size: None };
    let said = empty.save(&place.path().join("it")).unwrap_err().to_string();
    assert_eq!(said, "the figure `void` has no panels");
    let said = figure().save(&place.path().join("no/such/place")).unwrap_err().to_string();
    assert!(said.contains("place.svg"), "{said}");
}
