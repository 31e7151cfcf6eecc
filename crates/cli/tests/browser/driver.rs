//! As much of WebDriver (<https://www.w3.org/TR/webdriver2/>) as is needed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longer than any of this takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a browser needs to run without a window and without sandbox, as in containers; and to ask
/// nobody for anything.
const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// A browser.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

fn named(variable: &str, otherwise: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| otherwise.to_owned())
}

impl Browser {
    pub(crate) fn start() -> Self {
        let program = named("ESENAS_CHROMEDRIVER", "chromedriver");
        let mut command = Command::new(&program);
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let said = "scripts/test.sh installs it, ESENAS_CHROMEDRIVER names it";
        let mut driver = command.spawn().unwrap_or_else(|e| panic!("{program}: {e}; {said}"));
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines().map(Result::unwrap);
        let port = lines.find_map(|line| {
            line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok()
        });
        // It is not to wait for a reader of what else it says.
        std::thread::spawn(move || lines.for_each(drop));
        let profile = tempfile::tempdir().unwrap();
        let mut flags = FLAGS.map(str::to_owned).to_vec();
        flags.push(format!("--user-data-dir={}", profile.path().display()));
        flags.push("--window-size=1200,900".to_owned());
        let mut options = json!({ "args": flags });
        if let Ok(chromium) = std::env::var("ESENAS_CHROMIUM") {
            options["binary"] = chromium.into();
        }
        let port = port.expect("chromedriver names its port");
        let mut browser = Self { driver, port, session: String::new(), _profile: profile };
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let made = browser.send("POST", "/session", &wanted);
        browser.session = format!("/session/{}", made["sessionId"].as_str().expect("a session"));
        browser
    }

    /// One command; what it answers.
    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}",
            self.port
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            answer.read_line(&mut line).unwrap();
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut text = vec![0; length];
        answer.read_exact(&mut text).unwrap();
        let mut answer: Value = serde_json::from_slice(&text).unwrap();
        assert!(answer["value"]["error"].is_null(), "{method} {path} {body}: {answer}");
        answer["value"].take()
    }

    fn post(&self, what: &str, body: &Value) -> Value {
        self.send("POST", &format!("{}{what}", self.session), body)
    }

    /// Opens an address.
    pub(crate) fn open(&self, url: &str) {
        self.post("/url", &json!({ "url": url }));
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        self.run("return location.href").as_str().unwrap().to_owned()
    }

    /// What a script returns.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until a script returns something true, and returns that.
    pub(crate) fn until(&self, script: &str) -> Value {
        let start = Instant::now();
        loop {
            let found = self.run(script);
            if !matches!(found, Value::Null | Value::Bool(false)) {
                return found;
            }
            assert!(start.elapsed() < PATIENCE, "in vain: {script}\n{}", self.text());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// All that can be read.
    pub(crate) fn text(&self) -> String {
        self.run("return document.body.innerText").as_str().unwrap_or_default().to_owned()
    }

    /// The first element that fits a selector.
    fn element(&self, selector: &str) -> String {
        let wanted = json!({ "using": "css selector", "value": selector });
        let found = self.post("/element", &wanted);
        let id = found.as_object().and_then(|it| it.values().next()).and_then(Value::as_str);
        id.unwrap_or_else(|| panic!("no {selector}: {found}")).to_owned()
    }

    /// Clicks as a person does: where something covers it, this fails.
    pub(crate) fn click(&self, selector: &str) {
        self.post(&format!("/element/{}/click", self.element(selector)), &json!({}));
    }

    /// Types into whatever has the focus.
    pub(crate) fn press(&self, key: &str) {
        let keys: Vec<Value> =
            ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key })).to_vec();
        self.post(
            "/actions",
            &json!({ "actions": [{ "type": "key", "id": "k", "actions": keys }] }),
        );
    }

    pub(crate) fn resize(&self, width: u32, height: u32) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": true });
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    }

    pub(crate) fn devtools(&self, command: &str, parameters: &Value) {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }));
    }

    /// What the console says since it was last asked: errors of scripts, of the policy, of loading.
    pub(crate) fn console(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({ "type": "browser" }));
        let entries = entries.as_array().expect("a list").clone();
        entries.iter().map(|entry| format!("{}: {}", entry["level"], entry["message"])).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.send("DELETE", &self.session.clone(), &Value::Null);
        }
        // ChromeDriver ends its browser when it ends.
        let pid = rustix::process::Pid::from_child(&self.driver);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.driver.wait();
    }
}
