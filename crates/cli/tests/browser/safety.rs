//! What strangers try.

use crate::driver::Browser;
use crate::harness::Place;
use crate::served::Served;

/// Names that are directories here and would be scripts in a careless page.
const HOSTILE: [&str; 4] = [
    "<img src=x onerror=window.hurt=1>",
    "\"><svg onload=window.hurt=2>",
    "' onfocus='window.hurt=3' autofocus='",
    "&lt;b&gt;${window.hurt=4}",
];

/// Red when a name is anywhere taken for HTML: in the list, a study, a comparison, or what is
/// fetched later. The policy would stop such a script and say so on the console, which must be
/// silent.
#[test]
#[ignore = "needs Chromium and ChromeDriver: scripts/test.sh"]
fn a_hostile_name_is_a_name() {
    let place = Place::with_study();
    for (at, name) in HOSTILE.into_iter().enumerate() {
        place.ok(&format!(
            "run study.toml --quiet --out plain --fresh --set weights.sigma=0.{}",
            at + 1
        ));
        std::fs::create_dir_all(place.path("runs")).unwrap();
        std::fs::rename(place.path("plain"), place.path("runs").join(name)).unwrap();
    }
    let (served, browser) = (Served::start(&place, "runs"), Browser::start());
    let unhurt = || {
        // Also what comes with the first news.
        browser.run("if (typeof revision === 'string') revision = ''");
        browser.until("return Number(document.documentElement.dataset.updates) > 0");
        let found = browser.run(
            "return [window.hurt, document.querySelectorAll('img, [onload], [autofocus]').length]",
        );
        assert_eq!(found, serde_json::json!([null, 0]));
        assert_eq!(browser.console(), [""; 0]);
    };
    browser.open(&served.url);
    let names = "return [...document.querySelectorAll('#rows a')].map(a => a.textContent)";
    let mut shown: Vec<String> = serde_json::from_value(browser.until(names)).unwrap();
    let mut known = HOSTILE.map(str::to_owned).to_vec();
    shown.sort();
    known.sort();
    assert_eq!(shown, known);
    unhurt();
    for name in HOSTILE {
        browser.open(&served.url);
        let find = format!(
            "const a = [...document.querySelectorAll('#rows a')].find(a => a.textContent === {name:?}); \
             a.click(); return true"
        );
        browser.until(&find);
        browser.until("return location.pathname === '/study' && document.querySelector('#history svg') && true");
        assert_eq!(browser.run("return document.querySelector('h1').textContent"), name);
        unhurt();
    }
    browser.open(&served.url);
    browser.run("document.querySelectorAll('#rows input').forEach(box => box.click())");
    browser.click("#compare");
    browser.until(
        "return location.pathname === '/study' && document.querySelector('#history svg') && true",
    );
    unhurt();
}

#[test]
#[ignore = "needs Chromium and ChromeDriver: scripts/test.sh"]
fn off_the_loopback_a_token_is_asked_for_once() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet");
    let (served, browser) = (Served::start(&place, "runs --bind 0.0.0.0"), Browser::start());
    let (address, token) = served.url.split_once("/?token=").expect("the address brings the token");
    for path in ["/", "/study?name=study", "/api/list", "/view.js", "/?token=0123456789abcdef"] {
        browser.open(&format!("{address}{path}"));
        let text = browser.text();
        assert!(
            text.contains("a token is needed") && !text.contains("iterations"),
            "{path}: {text}"
        );
    }
    browser.open(&format!("{address}/?token={token}"));
    browser.until("return document.querySelectorAll('#rows tr').length === 1");
    assert!(!browser.url().contains("token"), "{}", browser.url());
    browser.open(&format!("{address}/study?name=study"));
    browser.until("return document.querySelector('#history svg') && true");
}
