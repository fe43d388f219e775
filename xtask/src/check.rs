//! Everything CI checks, step by step, with a summary at the end.
//!
//! All steps run even if one fails: whoever reads the summary wants to know all of it.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{cargo, page, succeeds};

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

/// Runs the steps of these names, or all; true if all are fine.
pub(crate) fn run(names: &[&str]) -> bool {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|(known, _)| known != *name)) {
        let known: Vec<&str> = STEPS.iter().map(|(name, _)| *name).collect();
        println!("there is no step `{unknown}`; there are {}", known.join(", "));
        return false;
    }
    let chosen = STEPS.iter().filter(|(name, _)| names.is_empty() || names.contains(name));
    let steps: Vec<Step> = chosen.map(|(name, work)| step(name, work)).collect();
    summary(&steps)
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

fn summary(steps: &[Step]) -> bool {
    println!("\n── summary");
    for step in steps {
        let (verdict, why) = match step.verdict {
            Verdict::Fine => ("ok", ""),
            Verdict::Wrong => ("FAILED", ""),
            Verdict::LeftOut(why) => ("left out", why),
        };
        println!("{:<15} {verdict:<8} {:>7.1} s  {why}", step.name, step.took.as_secs_f64());
    }
    let is_fine = steps.iter().all(|step| step.verdict != Verdict::Wrong);
    println!("{}", if is_fine { "all is well" } else { "something is wrong, see above" });
    is_fine
}
