//! Figures are looked into: values under the pointer, parts enlarged, lines switched off.

use serde_json::{Value, json};

use crate::driver::Browser;
use crate::harness::Place;
use crate::served::Served;

const PLOT: &str = "const it = document.querySelector('#history .plot');";

/// The mouse, at shares of the width and height of the first chart.
fn mouse(browser: &Browser, kind: &str, across: f64, down: f64) {
    let middle = format!(
        "{PLOT} it.scrollIntoView({{ block: 'center' }}); const box = it.getBoundingClientRect(); \
         return [box.left + {across} * box.width, box.top + {down} * box.height]"
    );
    let at = browser.run(&middle);
    let buttons = u8::from(kind != "mouseReleased");
    browser.devtools(
        "Input.dispatchMouseEvent",
        &json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "buttons": buttons, "clickCount": 1 }),
    );
}

fn text(found: &Value) -> &str {
    found.as_str().expect("a text")
}

#[test]
#[ignore = "needs Chromium and ChromeDriver: scripts/test.sh"]
fn figures_are_looked_into() {
    let place = Place::with_study();
    for seed in ["1", "2"] {
        let scale = if seed == "1" { "0.05" } else { "0.5" };
        place.ok(&format!(
            "run study.toml --quiet --out runs/s{seed} --set weights.sigma={scale} --set seed={seed}"
        ));
    }
    let (served, browser) = (Served::start(&place, "runs"), Browser::start());
    browser.open(&served.at("/study?name=s1&name=s2"));
    browser.until("return document.querySelectorAll('#history .plot svg').length > 0");

    // Hover: one line of the tip for each study, with a number.
    mouse(&browser, "mouseMoved", 0.6, 0.5);
    let tip = "const tip = [...document.querySelectorAll('#history .tip')].find((it) => !it.hidden); \
               return tip && tip.innerText";
    let said = browser.until(tip);
    assert!(
        text(&said).contains("iterations")
            && text(&said).contains("s1 ")
            && text(&said).contains("s2 "),
        "{said}"
    );

    // Drag: what is between is all that is shown, until it is shown whole again.
    let ticks = "return [...document.querySelectorAll('#history .panel:first-child .plot text')].map((it) => it.textContent).join()";
    let before = browser.run(ticks);
    mouse(&browser, "mousePressed", 0.4, 0.5);
    mouse(&browser, "mouseMoved", 0.5, 0.5);
    mouse(&browser, "mouseReleased", 0.6, 0.5);
    browser.until(&format!("const now = (() => {{ {ticks} }})(); return now !== {before}"));
    browser.click("#history .panel:first-child .panel-head button:last-child");
    assert_eq!(browser.run(ticks), before);

    // Keys alone do it too.
    browser.run(&format!("{PLOT} it.focus()"));
    browser.press("\u{e014}");
    assert!(browser.until(tip).is_string(), "an arrow reads a value");
    browser.press("+");
    assert_ne!(browser.run(ticks), before);
    browser.press("0");
    assert_eq!(browser.run(ticks), before);

    // A logarithmic axis, and a line that is switched off, stay so along another axis' data.
    let paths = "return document.querySelectorAll('#history .plot path[stroke]').length";
    let all = browser.run(paths).as_f64().expect("a number");
    browser.click("#history .legend button");
    assert!(browser.run(paths).as_f64().expect("a number") < all);
    assert_eq!(
        browser.run("return document.querySelector('#history .legend button').ariaPressed"),
        "false"
    );
    assert_eq!(browser.console(), [""; 0]);
}
