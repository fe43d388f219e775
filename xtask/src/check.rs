//! Everything CI checks, step by step, with a summary at the end.
//!
//! All steps run even if one fails: whoever reads the summary wants to know all of it.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{cargo, page, succeeds, target};

struct Step {
    name: &'static str,
    verdict: Verdict,
    took: Duration,
}

/// What a step has come to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Fine,
    Wrong,
    /// It could not be done here, for that reason.
    LeftOut(&'static str),
}

impl From<bool> for Verdict {
    fn from(is_fine: bool) -> Verdict {
        if is_fine { Verdict::Fine } else { Verdict::Wrong }
    }
}

/// A step by its name.
type Work = (&'static str, fn() -> Verdict);

const STEPS: &[Work] = &[
    ("format", || succeeds(cargo().args(["fmt", "--all", "--check"])).into()),
    ("lints", || lints().into()),
    ("layering", || {
        let layering = ["--package", "intermezzo-simulator", "--test", "layering"];
        succeeds(cargo().args(["test", "--quiet"]).args(layering)).into()
    }),
    ("services", crate::services::check),
    ("tests", || tests().into()),
    ("doc tests", || succeeds(cargo().args(["test", "--quiet", "--workspace", "--doc"])).into()),
    ("deny", deny),
    ("schemathesis", crate::schemathesis::run),
    ("python", crate::python::check),
    ("instructions", crate::instructions::check),
    ("documentation", || documentation().into()),
    ("page", || page::check().into()),
    ("browser", page::browse),
];

/// After this step there is a server for the page …
const SERVER_BUILT: &str = "tests";
/// … so that the last steps can run beside the others: npm and browsers leave a processor idle half of the time.
const BESIDE: [&str; 2] = ["page", "browser"];
const SUMMARY: &str = "── summary\n";

/// Runs the steps of these names, or all; true if all are fine.
pub(crate) fn run(names: &[&str]) -> bool {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|(known, _)| known != *name)) {
        let known: Vec<&str> = STEPS.iter().map(|(name, _)| *name).collect();
        println!("there is no step `{unknown}`; there are {}", known.join(", "));
        return false;
    }
    let mut beside = None;
    let mut steps = Vec::new();
    for (name, work) in STEPS {
        if names.contains(name) || names.is_empty() && !BESIDE.contains(name) {
            steps.push(step(name, work));
        }
        if names.is_empty() && *name == SERVER_BUILT {
            beside = Beside::begin();
        }
    }
    let beside = match beside {
        Some(beside) => Some(beside.end()),
        None if names.is_empty() => Some((false, format!("{} could not be begun\n", BESIDE.join(" and ")))),
        None => None,
    };
    summary(&steps, beside)
}

/// Steps in a process of their own. What it prints is kept until it ends.
struct Beside {
    process: Child,
    printed: PathBuf,
}

impl Beside {
    fn begin() -> Option<Beside> {
        let printed = target().join("check-beside.txt");
        let file = File::create(&printed).ok()?;
        let mut command = cargo();
        command.args(["xtask", "check"]).args(BESIDE).stdout(file.try_clone().ok()?).stderr(file);
        Some(Beside { process: command.spawn().ok()?, printed })
    }

    /// Waits for it and shows what it has printed; true if all is fine, and the lines of its summary.
    fn end(mut self) -> (bool, String) {
        let is_fine = self.process.wait().is_ok_and(|status| status.success());
        let printed = std::fs::read(&self.printed).unwrap_or_default();
        let printed = String::from_utf8_lossy(&printed);
        let (told, lines) = printed.rsplit_once(SUMMARY).unwrap_or((&printed, "it ended early\n"));
        print!("{told}");
        let lines = lines.lines().filter(|line| *line != WELL && *line != WRONG);
        (is_fine, lines.map(|line| format!("{line}\n")).collect())
    }
}

fn lints() -> bool {
    let lints = ["clippy", "--quiet", "--workspace", "--all-targets", "--", "--deny", "warnings"];
    succeeds(cargo().args(lints))
}

/// What dependencies bring with them, by cargo-deny if it is there; the tests have read the same list without it.
fn deny() -> Verdict {
    let mut asked = cargo();
    asked.args(["deny", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !asked.status().is_ok_and(|status| status.success()) {
        return Verdict::LeftOut(
            "cargo-deny is not installed; tests have looked at licences, sources and bans",
        );
    }
    succeeds(cargo().args(["deny", "--offline", "check", "bans", "licenses", "sources"])).into()
}

fn documentation() -> bool {
    let mut doc = cargo();
    doc.args(["doc", "--quiet", "--workspace", "--no-deps", "--document-private-items"]);
    succeeds(doc.env("RUSTDOCFLAGS", "--deny warnings"))
}

fn step(name: &'static str, work: impl FnOnce() -> Verdict) -> Step {
    println!("── {name}");
    let begun = Instant::now();
    let verdict = work();
    Step { name, verdict, took: begun.elapsed() }
}

/// All tests but those in documentation, with nextest if it is there.
fn tests() -> bool {
    let mut nextest = cargo();
    nextest.args(["nextest", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    if nextest.status().is_ok_and(|status| status.success()) {
        return succeeds(cargo().args(["nextest", "run", "--workspace", "--all-targets", "--no-fail-fast"]));
    }
    let mut plain: Command = cargo();
    succeeds(plain.args(["test", "--quiet", "--workspace", "--all-targets", "--no-fail-fast"]))
}

const WELL: &str = "all is well";
const WRONG: &str = "something is wrong, see above";

/// Tells what all steps have come to, those that ran beside them last.
fn summary(steps: &[Step], beside: Option<(bool, String)>) -> bool {
    print!("\n{SUMMARY}");
    for step in steps {
        let (verdict, why) = match step.verdict {
            Verdict::Fine => ("ok", ""),
            Verdict::Wrong => ("FAILED", ""),
            Verdict::LeftOut(why) => ("left out", why),
        };
        println!("{:<15} {verdict:<8} {:>7.1} s  {why}", step.name, step.took.as_secs_f64());
    }
    let (is_beside_fine, lines) = beside.unwrap_or((true, String::new()));
    print!("{lines}");
    let is_fine = is_beside_fine && steps.iter().all(|step| step.verdict != Verdict::Wrong);
    println!("{}", if is_fine { WELL } else { WRONG });
    is_fine
}
