//! What the time of an action goes to, by counting the processor's instructions with `valgrind`.

use std::path::Path;
use std::process::Command;

use intermezzo_benches::minitcg;

const MATCHES: u32 = 60;

/// Plays matches and prints nothing but the number of actions, for counting.
pub(crate) fn play() {
    let mut player = minitcg::Player::new(&minitcg::program(), false);
    let actions: u32 = (1..=MATCHES).map(|seed| player.run(seed)).sum();
    println!("{actions}");
}

/// Counts what [`play`] does in a process of its own and prints it by parts.
pub(crate) fn report() {
    let file = std::env::temp_dir().join(format!("intermezzo-parts-{}", std::process::id()));
    match count(&file) {
        Some((actions, told)) => print_parts(actions, &told),
        None => println!("minitcg parts: not counted, `valgrind` is not there"),
    }
    // A leftover in the folder for temporary files does no harm.
    let _ = std::fs::remove_file(&file);
}

fn count(file: &Path) -> Option<(u64, String)> {
    let played = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*minitcg*Player*step*"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(std::env::current_exe().ok()?)
        .arg("play")
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

fn print_parts(actions: u64, told: &str) {
    let of = |function: &str| inclusive(told, function);
    let step = of("minitcg::Player::step");
    let submit = of("play::Match::attempt");
    let carried_out = of("happening::Machine::carry_out");
    let (offers, happen, live) = (of("Core>::find_offers"), of("Host>::happen"), of("Host>::live"));
    let running = carried_out.saturating_sub(offers + happen + live);
    println!("minitcg action:            {:7} instructions of the processor", step / actions);
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
