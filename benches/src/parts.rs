//! Processor instructions of an action by part, counted with `valgrind`.

use std::path::Path;
use std::process::Command;

use intermezzo_benches::{any_ruleset, duel, minitcg};

const MATCHES: u32 = 60;
const LONG_MATCHES: u32 = 10;

/// Plays matches of MiniTCG, of the duel (`duel`) or of the ruleset at `path`, and prints only the number of actions.
pub(crate) fn play(path: Option<&Path>) {
    let actions: u32 = match path {
        Some(path) if path == Path::new("duel") => {
            let mut player = duel::DuelPlayer::new(&duel::program(), false);
            (1..=10 * MATCHES).map(|seed| player.run(seed)).sum()
        }
        Some(path) => {
            let mut player = any_ruleset::RulesetPlayer::new(any_ruleset::program(path), false);
            (1..=LONG_MATCHES).map(|seed| player.run(seed)).sum()
        }
        None => {
            let mut player = minitcg::MiniTcgPlayer::new(&minitcg::program(), false);
            (1..=MATCHES).map(|seed| player.run(seed)).sum()
        }
    };
    println!("{actions}");
}

/// Runs [`play`] in a separate process under `valgrind` and prints its instructions by part.
pub(crate) fn report(name: &str, path: Option<&Path>) {
    let file = std::env::temp_dir().join(format!("intermezzo-parts-{}", std::process::id()));
    match count(&file, path) {
        Some((actions, annotation)) => print_parts(name, actions, &annotation),
        None => println!("{name} parts: not counted, because `valgrind` is not installed"),
    }
    // A file left in the temporary folder does no harm.
    let _ = std::fs::remove_file(&file);
}

fn count(file: &Path, path: Option<&Path>) -> Option<(u64, String)> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*Player*step*"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(std::env::current_exe().ok()?)
        .arg("play")
        .args(path)
        .output()
        .ok()?;
    let actions = String::from_utf8_lossy(&output.stdout).trim().parse().ok()?;
    let annotation = Command::new("callgrind_annotate")
        .args(["--inclusive=yes", "--threshold=100"])
        .arg(file)
        .output()
        .ok()?;
    Some((actions, String::from_utf8_lossy(&annotation.stdout).into_owned()))
}

fn print_parts(name: &str, actions: u64, annotation: &str) {
    let mut missing = Vec::new();
    let mut of = |function: &'static str| {
        inclusive(annotation, function).unwrap_or_else(|| {
            missing.push(function);
            0
        })
    };
    let step = of("Player::step");
    let input = of("match_instance::Match::apply_input");
    let execution = of("effects::Machine::execute_step");
    let offers = of("Evaluator>::find_offers");
    let (effects, lifecycle) = (of("Executor>::execute_effect"), of("Executor>::advance_frame"));
    if !missing.is_empty() {
        println!("{name} parts: not counted, because the profile has no {}", missing.join(", "));
        return;
    }
    let other_code = execution.saturating_sub(offers + effects + lifecycle);
    println!("{:26} {:7} processor instructions", format!("{name} action:"), step / actions);
    for (part, count) in [
        ("finding legal actions", offers),
        ("applying effects", effects),
        ("event life cycle", lifecycle),
        ("running other rule code", other_code),
        ("accepting an input", input.saturating_sub(execution)),
        ("enumerating and choosing answers", step.saturating_sub(input)),
    ] {
        println!("  {part:32} {:7}  {:4.1} %", count / actions, 100.0 * count as f64 / step as f64);
    }
}

/// Returns the instructions of a function including its callees, if the profile lists it.
fn inclusive(annotation: &str, function: &str) -> Option<u64> {
    let count = |line: &str| {
        let (count, rest) = line.trim_start().split_once(' ')?;
        let name = rest.split(" [").next()?;
        let is_function = name.ends_with(function) && !line.contains("=>");
        count.replace(',', "").parse::<u64>().ok().filter(|_| is_function)
    };
    annotation.lines().filter_map(count).max()
}
