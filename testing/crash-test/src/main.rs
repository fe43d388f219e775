//! Runs the crash test: `crash-test PROGRAM FOLDER [--kills N] [--matches N] [--servers N] [--seed N]`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use intermezzo_crash_test::{CrashTestPlan, run};

const USAGE: &str = "usage: crash-test PROGRAM FOLDER [--kills N] [--matches N] [--servers N] [--seed N]";

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (program, folder) = args.next().zip(args.next()).ok_or(USAGE)?;
    let mut plan = CrashTestPlan::new(PathBuf::from(program), PathBuf::from(folder));
    while let Some(flag) = args.next() {
        let value: u64 = args.next().ok_or(USAGE)?.parse()?;
        match flag.as_str() {
            "--kills" => plan.kills = value as usize,
            "--matches" => plan.matches = value as usize,
            "--servers" => plan.servers = value as usize,
            "--seed" => plan.seed = value,
            _ => return Err(USAGE.into()),
        }
    }
    let report = run(&plan)?;
    write!(std::io::stdout(), "{report}")?;
    Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
