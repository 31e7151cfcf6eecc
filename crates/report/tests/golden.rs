//! Figures and pages of a study that is made here, record by record.
//!
//! The drawings are files in `tests/golden`; `ESENAS_UPDATE=1` writes them anew. Look at them then.

mod made;

use std::path::Path;

use esenas_report::model::{Matrix, Network, Picture};
use esenas_report::{Along, Data, Portrait, charts, page, summary};

fn expect(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("ESENAS_UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let same = known == text;
    assert!(same, "{name} differs; if that is meant, run the test with ESENAS_UPDATE=1");
}

fn portrait(title: &str, picture: Picture) -> Portrait {
    Portrait { title: title.to_owned(), picture }
}

fn names(all: &[&str]) -> Vec<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn the_figures_of_one_study() {
    let mut data = made::study("runs/one", 7, 0.0);
    data.portraits = vec![portrait(
        "Best",
        Picture::Tree(serde_json::json!({
            "layers": [{ "units": 64, "cell": "tanh" }, null],
            "edges": [0, 3, 7],
        })),
    )];
    let drawn = charts(&[data], Along::Iterations);
    let found: Vec<&str> = drawn.iter().map(|chart| chart.name).collect();
    let all = [
        "history",
        "size",
        "model",
        "choices",
        "masks",
        "importance",
        "slices",
        "parallel",
        "weights",
        "controller",
        "effort",
    ];
    assert_eq!(found, all);
    for chart in drawn {
        expect(&format!("{}.svg", chart.name), &chart.svg().unwrap());
    }
}

#[test]
fn the_figures_of_a_comparison() {
    let studies = [
        made::study("runs/a-seed1", 1, 0.0),
        made::study("runs/a-seed2", 2, 0.0),
        made::study("runs/b", 1, 0.5),
    ];
    let drawn = charts(&studies, Along::Time);
    let history = drawn.iter().find(|chart| chart.name == "history").unwrap();
    let svg = history.svg().unwrap();
    assert!(svg.contains("runs/a-seed1 and 1 more seed") && svg.contains("runs/b"));
    assert!(svg.contains("time (s)"));
    expect("comparison.svg", &svg);
    expect("comparison.md", &summary(&studies).markdown());
}

#[test]
fn networks_and_partitions() {
    let network = |weights: bool| Network {
        layers: vec![names(&["s0", "s1"]), names(&["tanh", "sin", "step"]), names(&["a0"])],
        edges: vec![(0, 2, 1.5), (1, 3, -0.5), (2, 5, 0.1), (3, 5, -2.0)]
            .into_iter()
            .map(|(from, to, weight)| (from, to, if weights { weight } else { 0.0 }))
            .collect(),
        possible: 9,
    };
    let matrix = Matrix {
        name: "states → actions".to_owned(),
        sides: ("states".to_owned(), "actions".to_owned()),
        rows: (0..4).map(|row| (0..6).map(|column| (row * 3 + column) % 9).collect()).collect(),
    };
    let mut data = made::study("runs/one", 7, 0.0);
    let drawn = |data: &Data| {
        let all = charts(std::slice::from_ref(data), Along::Iterations);
        all.iter().find(|chart| chart.name == "model").unwrap().svg().unwrap()
    };
    data.portraits = vec![
        portrait("First best", Picture::Network(network(false))),
        portrait("Best", Picture::Network(network(true))),
    ];
    let svg = drawn(&data);
    assert!(svg.contains("weights not kept") && svg.contains("4 of 9 edges"));
    expect("network.svg", &svg);
    data.portraits = vec![portrait("Best", Picture::Partition(vec![matrix]))];
    expect("partition.svg", &drawn(&data));
}

/// Red when any word of a study gets into the page or a drawing without being escaped.
#[test]
fn a_hostile_name_is_only_a_name() {
    let hostile = "</title></svg><script>alert(1)</script><img src=x onerror=\"alert(2)\">'\0&";
    let mut data = made::hostile(hostile);
    data.portraits =
        vec![portrait(hostile, Picture::Tree(serde_json::json!({ hostile: hostile })))];
    let html = page::html(hostile, std::slice::from_ref(&data)).unwrap();
    assert_eq!(html.matches("<script>").count(), 1, "only our own");
    let data = html.matches("<script type=\"application/json\" class=\"data\">").count();
    assert_eq!(html.matches("<script").count(), 1 + data, "and data, which does not run");
    assert_eq!(html.matches("<img").count(), 0);
    assert_eq!(html.matches("</title>").count(), 1);
    assert!(html.matches("&lt;script&gt;alert(1)").count() > 5, "it is there, as text");
    assert!(!html.contains('\0'));
    for outside in ["http://", "https://", "//cdn", "url(", "@import"] {
        // A part of the page itself is not from elsewhere.
        let html = html.replace("http://www.w3.org/2000/svg", "").replace("url(#", "");
        let plain = html.replace(outside, "\u{1}");
        assert!(!plain.contains('\u{1}'), "the page needs {outside}");
    }
}

#[test]
fn a_page_holds_each_figure_against_each_axis() {
    let html = page::html("One", &[made::study("runs/one", 7, 0.0)]).unwrap();
    for along in ["iterations", "evaluations", "time"] {
        let shown = format!(
            "data-name=\"history\" role=\"img\" aria-label=\"Optimization history\" data-shown=\"{along}\""
        );
        assert_eq!(html.matches(&shown).count(), 1, "{along}");
    }
    assert_eq!(html.matches("data-name=\"importance\"").count(), 1, "one axis is enough for it");
    assert!(html.contains("var(--ink)") && !html.contains("\"#282828\""), "dark and light");
    assert!(html.contains("a b &amp; c"), "the reasons of failures");
}

#[test]
fn a_study_without_iterations_has_a_page() {
    let data = made::empty();
    assert!(charts(std::slice::from_ref(&data), Along::Iterations).is_empty());
    assert!(page::html("Nothing", &[data]).unwrap().contains("Nothing"));
}

#[test]
fn reading_on_is_reading_anew() {
    let (place, grown, whole) = made::growing();
    assert_eq!(grown.points, whole.points);
    assert_eq!(grown.progress, whole.progress);
    drop(place);
}
