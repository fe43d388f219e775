//! Compares the strength of two bots: `ladder RULESET FIRST SECOND MATCHES [OPTION=JSON …]`, e.g.
//! `ladder mages mcts:200 greedy 100` or `ladder orcain greedy random 100 prep_ms=null`. MATCHES is a number of matches
//! or a range of match numbers such as `100..200`.

use std::io::Write as _;
use std::ops::Range;
use std::time::{Duration, Instant};

use intermezzo_bots::BotKind;
use intermezzo_engine::{Datum, ShortText};
use intermezzo_matchfile::from_json;
use intermezzo_simulator::fixtures;
use intermezzo_simulator::ladder::{LadderResult, duel};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [ruleset, first, second, matches, options @ ..] = &args[..] else {
        return Err("usage: ladder RULESET FIRST SECOND MATCHES [OPTION=JSON …], e.g. `ladder mages mcts:200 greedy 100`".into());
    };
    let fixture = fixtures::all().into_iter().find(|fixture| fixture.name == *ruleset);
    let fixture = fixture.ok_or_else(|| format!("unknown ruleset `{ruleset}`"))?;
    let (first, second): (BotKind, BotKind) = (first.parse()?, second.parse()?);
    let matches = numbers(matches)?;
    let options = options.iter().map(|given| option(given)).collect::<Result<Vec<_>, _>>()?;
    let began = Instant::now();
    let mut total = LadderResult::default();
    for number in matches.clone() {
        total = total.and(duel(&fixture, &options, first, second, number, &mut clock()));
        let is_last = number + 1 == matches.end;
        if is_last || (number + 1) % 10 == 0 {
            let (low, high) = total.interval();
            let mut out = std::io::stdout().lock();
            writeln!(
                out,
                "{ruleset}: {first} against {second}: {} won, {} lost, {} drawn; wins {:.1} % to {:.1} %{} ({:.1} s, {} answers)",
                total.won,
                total.lost,
                total.drawn,
                f64::from(low) / 10.0,
                f64::from(high) / 10.0,
                if total.is_stronger() { ", stronger" } else { "" },
                began.elapsed().as_secs_f64(),
                total.answers,
            )?;
            out.flush()?;
        }
    }
    Ok(())
}

/// Parses the match numbers: a count, or `from..to`.
fn numbers(given: &str) -> Result<Range<u64>, std::num::ParseIntError> {
    let (from, to) = given.split_once("..").unwrap_or(("0", given));
    Ok(from.parse()?..to.parse()?)
}

/// Parses an option `name=value`.
fn option(given: &str) -> Result<(ShortText, Datum), String> {
    let value = |value: &str| from_json(&serde_json::from_str(value).ok()?);
    let read = given.split_once('=').and_then(|(name, text)| Some((name.into(), value(text)?)));
    read.ok_or_else(|| format!("`{given}` is not an option; write `name=value` with the value in JSON"))
}

/// Returns a function that says if an answer's time is up. The time starts with the first call after the last `true`.
fn clock() -> impl FnMut(u32) -> bool {
    let mut began: Option<Instant> = None;
    move |milliseconds| {
        let since = *began.get_or_insert_with(Instant::now);
        let is_up = since.elapsed() >= Duration::from_millis(u64::from(milliseconds));
        if is_up {
            began = None;
        }
        is_up
    }
}
