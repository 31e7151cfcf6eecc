//! The server over its socket: what is answered, to whom, and what is not.

#[cfg(unix)]
mod hostile;
mod place;

use place::Place;

#[test]
fn the_list_names_every_study_with_progress_best_and_state() {
    let place = Place::new();
    place.study("a", 3, true);
    place.study("group/b", 2, false);
    place.broken("c");
    let page = place.get("/");
    assert_eq!(page.status, 200);
    for word in [
        ">a</a>",
        ">group/b</a>",
        "/study?name=group%2Fb",
        "3 of 10",
        "2 of 10",
        "done",
        "stopped",
        "because it is a test",
        "unreadable",
    ] {
        assert!(page.body.contains(word), "no {word} in {}", page.body);
    }
}

/// Red when a change goes unnoticed, or what is the same is sent again.
#[test]
fn only_news_is_sent() {
    let place = Place::new();
    place.study("a", 3, false);
    for path in ["/api/list?", "/api/study?name=a&"] {
        let first = place.get(path).json();
        let revision = first["revision"].as_str().unwrap();
        let again = format!("{path}since={revision}");
        assert_eq!(place.get(&again).status, 204);
        place.go_on("a");
        let news = place.get(&again);
        assert_eq!(news.status, 200, "{path}");
        assert_ne!(news.json()["html"], first["html"]);
    }
    std::fs::remove_dir_all(place.path("a")).unwrap();
    let gone = place.get("/api/study?name=a").json();
    let html = gone["html"].as_str().unwrap();
    assert!(html.contains("is not there") && html.contains("<svg"), "what was read stays: {html}");
    place.study("a", 1, false);
    let back = place.get("/api/study?name=a").json();
    assert!(!back["html"].as_str().unwrap().contains("is not there"));
}

#[test]
fn a_study_has_its_figures_settings_failures_and_best() {
    let place = Place::new();
    place.study("a", 3, true);
    let page = place.get("/study?name=a&along=time");
    for word in ["<div id=\"history\"", "best model", "[problem]", "it broke &lt;b&gt;", "2 left"] {
        assert!(page.body.contains(word), "no {word} in {}", page.body);
    }
    assert!(!page.body.contains("<b>"), "reasons are words");
    assert!(page.body.contains("class=\"data\">{"), "figures can be looked into");
    assert_eq!(place.get("/study").status, 400);
    assert_eq!(place.get("/study?name=a&along=x").status, 400);
    let many: String = (0..51).map(|at| format!("&name={at}")).collect();
    assert_eq!(place.get(&format!("/study?{many}")).status, 400);
}

#[test]
fn names_are_looked_up_and_never_paths() {
    let place = Place::new();
    place.study("inside/a", 1, false);
    place.study("../outside", 1, false);
    for name in
        ["../outside", "inside/../../outside", "/etc", "inside/a/../../../outside", "..%2Foutside"]
    {
        let page = place.get(&format!("/study?name={name}"));
        assert_eq!(page.status, 404, "{name}");
        assert!(page.body.contains("is not there"), "{name}: {}", page.body);
        assert!(!page.body.contains("[problem]"), "{name}");
    }
    for path in ["/../Cargo.toml", "/view.js/../x", "/%2e%2e/x", "/runs", "/film?name=../outside"] {
        assert_eq!(place.get(path).status, 404, "{path}");
    }
}

#[test]
fn nothing_but_reading_is_possible() {
    let place = Place::new();
    for method in ["POST", "HEAD", "DELETE", "OPTIONS", "PUT"] {
        let said = place.ask(&format!("{method} / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        assert_eq!(said.status, 405, "{method}");
    }
    assert_eq!(place.ask("nonsense\r\n\r\n").status, 400);
    let endless = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(20_000));
    assert_eq!(place.ask(&endless).status, 400);
    assert_eq!(place.get("/").status, 200, "and it lives on");
}

#[test]
fn other_hosts_names_are_refused_and_every_answer_has_its_policy() {
    let place = Place::new();
    let said = place.ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert_eq!(said.status, 421);
    for path in ["/", "/view.js", "/view.css", "/icon.svg", "/api/list", "/nowhere"] {
        let head = place.get(path).head.to_ascii_lowercase();
        assert!(
            head.contains("content-security-policy: default-src 'none'; script-src 'self';"),
            "{head}"
        );
        assert!(!head.contains("unsafe") && head.contains("nosniff"), "{head}");
    }
}

#[test]
fn elsewhere_nothing_is_said_without_the_token() {
    let place = Place::elsewhere();
    place.study("a", 1, false);
    for path in ["/", "/study?name=a", "/api/list", "/film?name=a", "/view.js", "/?token=wrong"] {
        let said = place.get(path);
        assert_eq!(said.status, 401, "{path}");
        assert!(!said.body.contains("name=a"), "{}", said.body);
    }
    let welcome = place.get(&format!("/study?name=a&token={}", place::TOKEN));
    assert_eq!(welcome.status, 303);
    assert!(welcome.head.contains("Location: /study?name=a\r\n"), "{}", welcome.head);
    let cookie = welcome.head.split("Set-Cookie: ").nth(1).unwrap().split(';').next().unwrap();
    let with = format!("GET / HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\n\r\n");
    assert_eq!(place.ask(&with).status, 200);
}

#[test]
fn a_film_is_made_once_and_its_refusal_is_said() {
    let place = Place::new();
    place.study("a", 1, false);
    place.study("b", 1, false);
    let film = place.get("/film?name=a");
    assert!(film.head.contains("image/gif") && film.body.starts_with("film 1 of"), "{film:?}");
    assert_eq!(place.get("/film?name=a").body, film.body);
    place.go_on("a");
    assert!(place.get("/film?name=a").body.starts_with("film 2 of"));
    let none = place.get("/film?name=b");
    assert_eq!((none.status, none.body.trim()), (404, "b is not filmed"));
    assert!(place.get("/study?name=a").body.contains("watch an episode"));
}
