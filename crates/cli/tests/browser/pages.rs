//! What people do with the pages.

use serde_json::json;

use crate::driver::Browser;
use crate::harness::Place;
use crate::served::{Running, Served};

/// Two studies that differ in more than their seed.
fn two() -> Place {
    let place = Place::with_study();
    place.ok("run study.toml --quiet --out runs/narrow --set weights.sigma=0.05");
    place.ok("run study.toml --quiet --out runs/wide --set weights.sigma=0.5");
    place
}

#[test]
#[ignore = "needs Chromium and ChromeDriver: scripts/test.sh"]
fn pages_load_without_a_word_from_the_console() {
    let place = two();
    let (served, browser) = (Served::start(&place, "runs"), Browser::start());
    browser.open(&served.url);
    browser.until("return document.querySelectorAll('#rows tr').length === 2");
    browser.until("return document.getElementById('pulse').textContent === 'live'");
    browser.click("tr[data-name=narrow] a");
    browser.until("return document.querySelectorAll('#figures figure svg').length >= 4");
    assert_eq!(browser.run("return document.querySelector('h1').textContent"), "narrow");
    let text = browser.text();
    for word in ["finished: all iterations are done", "best model", "settings"] {
        assert!(text.contains(word), "no {word}:\n{text}");
    }
    let wide = browser.run("return document.querySelector('#history svg').outerHTML");
    browser.click("a.axis:nth-of-type(2)");
    browser.until("return location.search.includes('along=evaluations')");
    let other = browser.until("return document.querySelector('#history svg')?.outerHTML");
    assert_ne!(wide, other, "the axis is another");
    assert_eq!(browser.console(), [""; 0]);
}

#[test]
#[ignore = "needs Chromium and ChromeDriver: scripts/test.sh"]
fn the_list_is_searched_filtered_and_sorted_by_keys_alone() {
    let place = two();
    let (served, browser) = (Served::start(&place, "runs"), Browser::start());
    browser.open(&served.url);
    browser.until("return document.querySelectorAll('#rows tr').length === 2");
    let shown = "return [...document.querySelectorAll('#rows tr:not([hidden])')].map(r => r.dataset.name).join()";
    browser.press("/");
    assert_eq!(browser.run("return document.activeElement.id"), "search");
    for key in ["w", "i", "d"] {
        browser.press(key);
    }
    assert_eq!(browser.run(shown), "wide");
    browser.run("document.getElementById('search').value = ''");
    // Backwards from the search would leave the table: forwards to its heads.
    for _ in 0..4 {
        browser.press("\u{e004}");
        if browser.run("return document.activeElement.dataset.column === '1'") == json!(true) {
            break;
        }
    }
    browser.press("\u{e007}");
    assert_eq!(browser.run(shown), "narrow,wide");
    browser.press("\u{e007}");
    assert_eq!(browser.run(shown), "wide,narrow");
    let state = "const s = document.getElementById('state'); s.value = 'running'; \
                 s.dispatchEvent(new Event('change'))";
    browser.run(state);
    assert_eq!(browser.run(shown), "");
    assert_eq!(browser.console(), [""; 0]);
}

/// Red when the page polls and changes nothing, or loses the study with its process.
#[test]
#[ignore = "needs Chromium and ChromeDriver: scripts/test.sh"]
fn curves_grow_while_a_study_runs_and_the_page_outlives_it() {
    let place = Place::with_study();
    let words = "run study.toml --quiet --set stop.iterations=100000000";
    let (served, browser) = (Served::start(&place, "runs"), Browser::start());
    browser.open(&served.url);
    assert!(browser.text().contains("No studies here yet"), "{}", browser.text());
    let running = Running::start(&place, words);
    browser.until("return document.querySelector('tr[data-name=study] .running') && true");
    browser.click("tr[data-name=study] a");
    let iterations = "return parseInt(document.querySelector('[data-of=iterations]')?.textContent.replaceAll(',', '') || 0)";
    let first = browser.until(&format!("{} || false", iterations)).as_f64().unwrap();
    let curve = "return document.querySelector('#history svg').outerHTML";
    let drawn = browser.until(curve);
    browser.run("document.querySelectorAll('#details-0 details')[1].open = true");
    browser.until(&format!("{} > {first}", iterations));
    browser.until(&format!("{curve} !== {drawn}"));
    let open = browser.run("return document.querySelectorAll('#details-0 details')[1].open");
    assert_eq!(open, json!(true), "what was unfolded stays unfolded");
    // Killed, resumed, removed, begun anew: the page is told nothing and shows all of it.
    let state = "document.querySelector('[data-of=state]').textContent";
    drop(running);
    browser.until(&format!("return {state} === 'stopped'"));
    let running = Running::start(&place, words);
    browser.until(&format!("return {state} === 'running'"));
    drop(running);
    std::fs::remove_dir_all(place.path("runs/study")).unwrap();
    browser.until(
        "return document.querySelector('#notice .notice')?.textContent.includes('not there')",
    );
    assert!(browser.run(curve).is_string(), "what was drawn stays");
    let _running = Running::start(&place, words);
    browser.until(&format!("return {state} === 'running' && !document.querySelector('.notice')"));
    assert_eq!(browser.console(), [""; 0]);
}

#[test]
#[ignore = "needs Chromium and ChromeDriver: scripts/test.sh"]
fn any_selection_is_compared() {
    let place = two();
    let (served, browser) = (Served::start(&place, "runs"), Browser::start());
    browser.open(&served.url);
    browser.until("return document.getElementById('compare').disabled");
    for name in ["narrow", "wide"] {
        browser.click(&format!("tr[data-name={name}] input"));
    }
    assert!(browser.text().contains("2 selected"), "{}", browser.text());
    browser.click("#compare");
    browser.until(
        "return location.pathname === '/study' && document.querySelector('#history svg') && true",
    );
    let legend = browser.run("return document.querySelector('#history svg').textContent");
    for name in ["narrow", "wide"] {
        assert!(legend.as_str().unwrap().contains(name), "{legend}");
    }
    let differences = browser.run("return document.querySelector('#differences').textContent");
    let differences = differences.as_str().unwrap();
    for word in ["weights.sigma", "0.05", "0.5"] {
        assert!(differences.contains(word), "{differences}");
    }
    assert!(!differences.contains("iterations"), "what is the same: {differences}");
    assert_eq!(browser.console(), [""; 0]);
}

/// The pictures are drawn by the program itself, so all it takes is MuJoCo, which is fetched if it
/// is not there. Red when the film is not made, not served as a picture, or refused by the page's
/// own policy.
#[test]
#[ignore = "needs Chromium, ChromeDriver and MuJoCo: scripts/test.sh"]
fn an_episode_is_played() {
    let place = Place::new();
    let study = "[stop]\niterations = 1\n[problem]\nkind = \"rl\"\nenv = \"Swimmer\"\nhorizon = 40\n\
                 policy = { kind = \"edge-pruning\", hidden = [], edges = \"any\" }\n\
                 [weights]\nkind = \"es\"\ndirections = 2\n[centre]\nevaluations = 1\n";
    place.write("swim.toml", study);
    place.ok("run swim.toml --quiet --out runs/swim");
    let (served, browser) = (Served::start(&place, "runs"), Browser::start());
    browser.open(&served.at("/study?name=swim"));
    browser.until("return document.querySelector('details.film summary') && true");
    browser.click("details.film summary");
    let size = "const i = document.querySelector('details.film img'); \
                return i?.complete && i.naturalWidth > 0 && [i.naturalWidth, i.naturalHeight]";
    assert_eq!(browser.until(size), json!([320, 240]));
    browser.click("details.film summary");
    browser.until("return !document.querySelector('details.film img')");
    assert_eq!(browser.console(), [""; 0]);
}

/// Red when anything is wider than the window.
#[test]
#[ignore = "needs Chromium and ChromeDriver: scripts/test.sh"]
fn a_phone_shows_it_without_scrolling_sideways() {
    let place = two();
    let (served, browser) = (Served::start(&place, "runs"), Browser::start());
    browser.resize(390, 800);
    for path in ["/", "/study?name=wide", "/study?name=wide&name=narrow"] {
        browser.open(&served.at(path));
        browser.until("return document.getElementById('pulse').textContent === 'live'");
        if path != "/" {
            // Panels below each other.
            browser.until(
                "const [a, b] = document.querySelectorAll('#history .plot svg'); \
                 return b && b.getBoundingClientRect().top > a.getBoundingClientRect().bottom",
            );
        }
        let width = browser.run("return document.documentElement.scrollWidth");
        assert!(width.as_f64().unwrap() <= 390.0, "{path} is {width} wide");
    }
    let dark = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    let paper = "return getComputedStyle(document.body).backgroundColor";
    let light = browser.run(paper);
    browser.devtools("Emulation.setEmulatedMedia", &dark);
    browser.until(&format!("{paper} !== {light}"));
    assert_eq!(browser.console(), [""; 0]);
}
