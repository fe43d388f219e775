//! Which bot is stronger: `ladder RULESET FIRST SECOND MATCHES [OPTION=JSON …]`, e.g. `ladder mages mcts:200 greedy 100` or
//! `ladder orcain greedy random 100 prep_ms=null`. Instead of how many, MATCHES may say which: `100..200`.

use std::io::Write as _;
use std::ops::Range;
use std::time::{Duration, Instant};

use intermezzo_bots::BotKind;
use intermezzo_engine::{Datum, Text};
use intermezzo_journal::from_json;
use intermezzo_simulator::ladder::{Rung, duel};
use intermezzo_simulator::subjects;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [ruleset, first, second, matches, options @ ..] = &args[..] else {
        return Err("expected RULESET FIRST SECOND MATCHES, e.g. `ladder mages mcts:200 greedy 100`".into());
    };
    let subject = subjects::all().into_iter().find(|subject| subject.name == *ruleset);
    let subject = subject.ok_or_else(|| format!("there is no ruleset `{ruleset}`"))?;
    let (first, second): (BotKind, BotKind) = (first.parse()?, second.parse()?);
    let matches = numbers(matches)?;
    let options = options.iter().map(|given| option(given)).collect::<Result<Vec<_>, _>>()?;
    let began = Instant::now();
    let mut total = Rung::default();
    for number in matches.clone() {
        total = total.and(duel(&subject, &options, first, second, number, &mut clock()));
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

/// The numbers of the matches, typed as how many or as `from..to`.
fn numbers(given: &str) -> Result<Range<u64>, std::num::ParseIntError> {
    let (from, to) = given.split_once("..").unwrap_or(("0", given));
    Ok(from.parse()?..to.parse()?)
}

/// An option of the matches, typed as `name=value`.
fn option(given: &str) -> Result<(Text, Datum), String> {
    let value = |value: &str| from_json(&serde_json::from_str(value).ok()?);
    let read = given.split_once('=').and_then(|(name, text)| Some((name.into(), value(text)?)));
    read.ok_or_else(|| {
        format!("`{given}` does not set an option; write it as `name=value`, the value in JSON")
    })
}

/// Tells whether an answer has taken as long as it may; an answer begins with the first question after the last yes.
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
