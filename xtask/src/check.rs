//! Every check that CI runs, step by step, with a summary at the end.
//!
//! All steps run even if one fails, so that the summary is complete.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{cargo, page, succeeds, target};

struct FinishedStep {
    name: &'static str,
    result: StepResult,
    duration: Duration,
}

/// The result of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepResult {
    Passed,
    Failed,
    /// The step could not run on this machine, for this reason.
    Skipped(&'static str),
}

impl From<bool> for StepResult {
    fn from(has_passed: bool) -> StepResult {
        if has_passed { StepResult::Passed } else { StepResult::Failed }
    }
}

/// A step and its name.
type CheckStep = (&'static str, fn() -> StepResult);

const STEPS: &[CheckStep] = &[
    ("format", || succeeds(cargo().args(["fmt", "--all", "--check"])).into()),
    ("lints", || lints().into()),
    ("tidy", || crate::tidy::run(&[]).into()),
    ("services", crate::services::check),
    ("tests", || tests().into()),
    ("doc tests", || succeeds(cargo().args(["test", "--quiet", "--workspace", "--doc"])).into()),
    ("deny", crate::deny::check),
    ("schemathesis", crate::schemathesis::run),
    ("python", crate::python::check),
    ("instructions", crate::instructions::check),
    ("documentation", || documentation().into()),
    ("image", || crate::image::check().into()),
    ("page", || page::check().into()),
    ("browser", page::browse),
];

/// The server for the page is built after this step.
const SERVER_BUILT: &str = "tests";
/// Steps that run in parallel with the others once the server is built: npm and browsers leave a processor idle half of
/// the time.
const PARALLEL: [&str; 2] = ["page", "browser"];
const SUMMARY: &str = "── summary\n";

/// Runs the named steps, or all. Returns true if none failed.
pub(crate) fn run(names: &[&str]) -> bool {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|(known, _)| known != *name)) {
        let known: Vec<&str> = STEPS.iter().map(|(name, _)| *name).collect();
        println!("unknown step `{unknown}`; the steps are {}", known.join(", "));
        return false;
    }
    let mut parallel = None;
    let mut steps = Vec::new();
    for (name, run) in STEPS {
        if names.contains(name) || names.is_empty() && !PARALLEL.contains(name) {
            steps.push(run_step(name, run));
        }
        if names.is_empty() && *name == SERVER_BUILT {
            parallel = ParallelSteps::start();
        }
    }
    let parallel = match parallel {
        Some(parallel) => Some(parallel.finish()),
        None if names.is_empty() => {
            Some((false, format!("{} could not be started\n", PARALLEL.join(" and "))))
        }
        None => None,
    };
    print_summary(&steps, parallel)
}

/// Steps in a separate process. Its output goes to a file and is printed when it ends.
struct ParallelSteps {
    process: Child,
    output: PathBuf,
}

impl ParallelSteps {
    fn start() -> Option<ParallelSteps> {
        let output = target().join("check-parallel.txt");
        let file = File::create(&output).ok()?;
        let mut command = cargo();
        command.args(["xtask", "check"]).args(PARALLEL).stdout(file.try_clone().ok()?).stderr(file);
        Some(ParallelSteps { process: command.spawn().ok()?, output })
    }

    /// Waits for the process and prints its output. Returns true if no step failed, and the lines of its summary.
    fn finish(mut self) -> (bool, String) {
        let has_passed = self.process.wait().is_ok_and(|status| status.success());
        let output = std::fs::read(&self.output).unwrap_or_default();
        let output = String::from_utf8_lossy(&output);
        let (details, lines) =
            output.rsplit_once(SUMMARY).unwrap_or((&output, "the parallel steps ended early\n"));
        print!("{details}");
        let lines = lines.lines().filter(|line| *line != ALL_PASSED && *line != SOME_FAILED);
        (has_passed, lines.map(|line| format!("{line}\n")).collect())
    }
}

fn lints() -> bool {
    let lints = ["clippy", "--quiet", "--workspace", "--all-targets", "--", "--deny", "warnings"];
    let with_traces = ["clippy", "--quiet", "--package", "intermezzo-cli", "--features", "otlp"];
    succeeds(cargo().args(lints)) && succeeds(cargo().args(with_traces).args(["--", "--deny", "warnings"]))
}

fn documentation() -> bool {
    let mut doc = cargo();
    doc.args(["doc", "--quiet", "--workspace", "--no-deps", "--document-private-items"]);
    succeeds(doc.env("RUSTDOCFLAGS", "--deny warnings"))
}

fn run_step(name: &'static str, run: impl FnOnce() -> StepResult) -> FinishedStep {
    println!("── {name}");
    let start = Instant::now();
    let result = run();
    FinishedStep { name, result, duration: start.elapsed() }
}

/// Runs all tests except doc tests, with nextest if it is installed.
fn tests() -> bool {
    let mut nextest = cargo();
    nextest.args(["nextest", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    if nextest.status().is_ok_and(|status| status.success()) {
        return succeeds(cargo().args(["nextest", "run", "--workspace", "--all-targets", "--no-fail-fast"]));
    }
    let mut plain: Command = cargo();
    succeeds(plain.args(["test", "--quiet", "--workspace", "--all-targets", "--no-fail-fast"]))
}

const ALL_PASSED: &str = "all checks passed";
const SOME_FAILED: &str = "some checks failed, see above";

/// Prints the results of all steps, the parallel ones last. Returns true if none failed.
fn print_summary(steps: &[FinishedStep], parallel: Option<(bool, String)>) -> bool {
    print!("\n{SUMMARY}");
    for step in steps {
        let (result, reason) = match step.result {
            StepResult::Passed => ("ok", ""),
            StepResult::Failed => ("FAILED", ""),
            StepResult::Skipped(reason) => ("skipped", reason),
        };
        println!("{:<15} {result:<8} {:>7.1} s  {reason}", step.name, step.duration.as_secs_f64());
    }
    let (have_parallel_passed, lines) = parallel.unwrap_or((true, String::new()));
    print!("{lines}");
    let have_all_passed = have_parallel_passed && steps.iter().all(|step| step.result != StepResult::Failed);
    println!("{}", if have_all_passed { ALL_PASSED } else { SOME_FAILED });
    have_all_passed
}
