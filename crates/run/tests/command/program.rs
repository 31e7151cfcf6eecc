//! A program to try, and what is asked of it.

use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use esenas_run::command::{CommandConfig, CommandPool, Request};
use esenas_run::dispatcher::Limits;
use esenas_run::{Evaluation, Executor, Failure, Outcome};
use serde_json::json;
use tempfile::TempDir;

pub(crate) const ANSWER: &str = r#"echo "{\"id\":$id,\"value\":$n}""#;

/// A program in a directory of its own, which is also where it runs.
pub(crate) struct Program {
    directory: TempDir,
    pub(crate) config: CommandConfig,
}

/// A program that runs `body` for each candidate.
pub(crate) fn looping(body: &str) -> Program {
    script(&format!(
        r#"while IFS= read -r line; do
             id=${{line#*\"id\":}}; id=${{id%%,*}}
             n=${{line##*\"seed\":}}; n=${{n%\}}}}
             {body}
           done"#
    ))
}

/// A program that runs `vice` for candidate 2 and answers for the others.
pub(crate) fn with_vice(vice: &str) -> Program {
    looping(&format!("if [ $n = 2 ]; then {vice}\n else {ANSWER}; fi"))
}

pub(crate) fn script(text: &str) -> Program {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("program.sh"), text).unwrap();
    let mut config = CommandConfig::new(vec!["sh".to_owned(), "program.sh".to_owned()]);
    config.directory = Some(directory.path().to_owned());
    config.workers = NonZeroUsize::new(2).unwrap();
    config.backoff = Duration::from_millis(5);
    config.limits = Limits {
        attempts: NonZeroU32::new(2).unwrap(),
        timeout: Some(Duration::from_secs(20)),
        ..Limits::default()
    };
    Program { directory, config }
}

impl Program {
    pub(crate) fn workers(mut self, workers: usize) -> Self {
        self.config.workers = NonZeroUsize::new(workers).unwrap();
        self
    }

    pub(crate) fn timeout(mut self, millis: u64) -> Self {
        self.config.limits.timeout = Some(Duration::from_millis(millis));
        self
    }

    pub(crate) fn pool(&self) -> CommandPool {
        CommandPool::start(self.config.clone()).unwrap()
    }

    pub(crate) fn run(&self, jobs: usize) -> Vec<Outcome> {
        self.pool().evaluate(jobs, &candidate).unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

pub(crate) fn candidate(index: usize) -> Request {
    Request { model: json!({ "index": index }), theta: vec![0.5; 3], seed: index as u64 }
}

pub(crate) fn value(index: usize) -> Outcome {
    Ok(Evaluation::new(index as f64))
}

/// All is well but candidate 2, whose failure is returned.
pub(crate) fn only_failure(outcomes: &[Outcome]) -> Failure {
    for (index, outcome) in outcomes.iter().enumerate().filter(|(index, _)| *index != 2) {
        assert_eq!(outcome, &value(index));
    }
    outcomes[2].clone().unwrap_err()
}

/// Whether the process ends within a second or so. One that is dead but not yet reaped, which is
/// up to its new parent, has ended.
pub(crate) fn ends(pid: &str) -> bool {
    let ended = |_| {
        std::thread::sleep(Duration::from_millis(10));
        let ps = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
        ps.stdout.is_empty() || ps.stdout.starts_with(b"Z")
    };
    (0..100).any(ended)
}
