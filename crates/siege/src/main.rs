//! Lays siege to a server: `siege PROGRAM FOLDER [--kills N] [--matches N] [--servers N] [--seed N]`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use intermezzo_siege::{Plan, lay};

const USAGE: &str = "expected PROGRAM FOLDER, then --kills N, --matches N (at a time), --servers N, --seed N";

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (program, folder) = args.next().zip(args.next()).ok_or(USAGE)?;
    let mut plan = Plan::new(PathBuf::from(program), PathBuf::from(folder));
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
    let report = lay(&plan)?;
    write!(std::io::stdout(), "{report}")?;
    Ok(if report.is_fine() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
