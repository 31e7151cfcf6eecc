//! Help, manual pages and completions.

use crate::harness::{Place, expect_file};

const COMMANDS: [&str; 20] = [
    "run",
    "resume",
    "check",
    "schema",
    "list",
    "show",
    "answer",
    "best",
    "front",
    "export",
    "report",
    "view",
    "space",
    "bbob",
    "bench",
    "env",
    "mujoco",
    "policy",
    "completions",
    "man",
];

#[test]
fn the_help_is_the_one_on_file() {
    let place = Place::new();
    let mut text = format!("$ esenas --help\n{}", place.ok("--help"));
    for command in COMMANDS {
        let help = place.ok(&format!("{command} --help"));
        text += &format!("\n$ esenas {command} --help\n{help}");
    }
    expect_file("crates/cli/tests/golden/help.txt", &text);
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Place::new();
    assert!(place.ok("man").contains(".TH esenas 1"));
    assert!(place.ok("man --out pages").contains("man -l pages/esenas.1"));
    for command in COMMANDS {
        let page = String::from_utf8(place.bytes(&format!("pages/esenas-{command}.1"))).unwrap();
        assert!(page.contains(&format!(".TH esenas-{command} 1")), "{page}");
    }
    // Red when a page cites one that is not written.
    let first = String::from_utf8(place.bytes("pages/esenas.1")).unwrap();
    let cited = first.lines().filter_map(|line| line.strip_suffix("(1)"));
    let cited: Vec<String> = cited.map(|page| page.replace('\\', "")).collect();
    assert!(cited.len() >= COMMANDS.len(), "{first}");
    for page in cited {
        assert!(place.path(&format!("pages/{page}.1")).exists(), "{page}");
    }
}

#[test]
fn every_shell_completes_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.ok(&format!("completions {shell}"));
        assert!(COMMANDS.iter().all(|command| script.contains(command)), "{shell}");
    }
}

#[test]
fn the_version_is_printed() {
    let version = format!("esenas {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(Place::new().ok("--version"), version);
}

#[test]
fn the_schema_is_json() {
    let schema: serde_json::Value = serde_json::from_str(&Place::new().ok("schema")).unwrap();
    assert!(schema["properties"]["problem"].is_object(), "{schema}");
}
