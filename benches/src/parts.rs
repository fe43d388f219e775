//! What the time of an action goes to, by counting the processor's instructions with `valgrind`.

use std::path::Path;
use std::process::Command;

use intermezzo_benches::{any, duel, minitcg};

const MATCHES: u32 = 60;
const LONG_MATCHES: u32 = 10;

/// Plays matches (of the duel or the ruleset at `path`, if one is given) and prints nothing but the number of actions.
pub(crate) fn play(path: Option<&Path>) {
    let actions: u32 = match path {
        Some(path) if path == Path::new("duel") => {
            let mut player = duel::Player::new(&duel::program(), false);
            (1..=10 * MATCHES).map(|seed| player.run(seed)).sum()
        }
        Some(path) => {
            let mut player = any::Player::new(any::program(path), false);
            (1..=LONG_MATCHES).map(|seed| player.run(seed)).sum()
        }
        None => {
            let mut player = minitcg::Player::new(&minitcg::program(), false);
            (1..=MATCHES).map(|seed| player.run(seed)).sum()
        }
    };
    println!("{actions}");
}

/// Counts what [`play`] does in a process of its own and prints it by parts.
pub(crate) fn report(name: &str, path: Option<&Path>) {
    let file = std::env::temp_dir().join(format!("intermezzo-parts-{}", std::process::id()));
    match count(&file, path) {
        Some((actions, told)) => print_parts(name, actions, &told),
        None => println!("{name} parts: not counted, `valgrind` is not there"),
    }
    // A leftover in the folder for temporary files does no harm.
    let _ = std::fs::remove_file(&file);
}

fn count(file: &Path, path: Option<&Path>) -> Option<(u64, String)> {
    let played = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*Player*step*"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(std::env::current_exe().ok()?)
        .arg("play")
        .args(path)
        .output()
        .ok()?;
    let actions = String::from_utf8_lossy(&played.stdout).trim().parse().ok()?;
    let told = Command::new("callgrind_annotate")
        .args(["--inclusive=yes", "--threshold=100"])
        .arg(file)
        .output()
        .ok()?;
    Some((actions, String::from_utf8_lossy(&told.stdout).into_owned()))
}

fn print_parts(name: &str, actions: u64, told: &str) {
    let of = |function: &str| inclusive(told, function);
    let step = of("Player::step");
    let submit = of("play::Match::attempt");
    let carried_out = of("happening::Machine::carry_out");
    let (offers, happen, live) = (of("Core>::find_offers"), of("Host>::happen"), of("Host>::live"));
    let running = carried_out.saturating_sub(offers + happen + live);
    println!("{:26} {:7} instructions of the processor", format!("{name} action:"), step / actions);
    for (part, count) in [
        ("finding what can be done", offers),
        ("making events happen", happen),
        ("the lives of events", live),
        ("running the rest of the rules", running),
        ("taking an input", submit.saturating_sub(carried_out)),
        ("numbering and choosing answers", step.saturating_sub(submit)),
    ] {
        println!("  {part:32} {:7}  {:4.1} %", count / actions, 100.0 * count as f64 / step as f64);
    }
}

/// Instructions spent in a function and what it calls.
fn inclusive(told: &str, function: &str) -> u64 {
    let count = |line: &str| {
        let (count, rest) = line.trim_start().split_once(' ')?;
        let name = rest.split(" [").next()?;
        let is_it = name.ends_with(function) && !line.contains("=>");
        count.replace(',', "").parse::<u64>().ok().filter(|_| is_it)
    };
    told.lines().filter_map(count).max().unwrap_or(0)
}
