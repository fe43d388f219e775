//! The order of answers: it does not matter where all must answer, and decides where the first one counts.

use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Datum, Seed, Setup, Viewer};
use intermezzo_matchfile::MatchFile;
use intermezzo_program::{Program, Seat};
use intermezzo_session::{Session, record};

/// Four players bid in secret, then the fastest takes the rest.
const RULES: &str = r#"
ir: 1
ruleset: {id: bids, version: 0.1.0, name: Bids, uses: [core@1]}
outcomes: [done]
players: {seats: 4, props: {score: {type: int, default: 0}}}
events:
  Bid: {payload: {player: player, amount: int}, apply: [{add: {event.player.score: event.amount}}]}
flow:
  - {choose: bids, by: players, how: each, secret: true, from: "range(1, 9)"}
  - each: players
    as: p
    do: [{emit: Bid, player: p, amount: "bids[p].value"}]
  - {choose: quickest, by: players, how: any, from: "range(10, 19)"}
  - {emit: Bid, player: quickest.actor, amount: quickest.value}
  - {choose: last, by: "players[0]", from: "[1, 2]"}
"#;

fn program() -> Arc<Program> {
    let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), RULES.as_bytes().to_vec())]);
    Arc::new(ruleset.compile().program.expect("the ruleset has no errors"))
}

fn start(program: &Arc<Program>) -> Session {
    let setup = Setup { seats: 4, options: Vec::new(), seed: Seed::from_number(1), script: None };
    Session::start(program, &setup).expect("the match starts").0
}

fn file(session: &Session, program: &Arc<Program>) -> MatchFile {
    record(program, session.setup(), session.history().expect("the session keeps its history"))
        .expect("the entries were accepted")
}

fn question(session: &mut Session, seat: Seat) -> u32 {
    let prompts = session.prompts(Viewer::Seat(seat));
    let Some(Datum::List(prompts)) = prompts.get("prompts") else { panic!("{prompts:?}") };
    match prompts.first().and_then(|prompt| prompt.get("inputId")) {
        Some(Datum::Int(number)) => *number as u32,
        other => panic!("seat {} is not asked: {other:?}", seat.0),
    }
}

fn answer(session: &mut Session, seat: u8, value: i64) {
    let seat = Seat(seat);
    let number = question(session, seat);
    let entry = session.resolve_answer(seat, number, &Datum::Int(value)).expect("the answer is valid");
    session.apply(&entry, None).expect("the answer is accepted");
}

/// Returns all orders of four seats.
fn orders() -> Vec<[u8; 4]> {
    let mut orders = Vec::new();
    for number in 0..256_u32 {
        let order = [0, 2, 4, 6].map(|shift| (number >> shift & 3) as u8);
        if (0..4).all(|seat| order.contains(&seat)) {
            orders.push(order);
        }
    }
    orders
}

#[test]
fn where_all_answer_any_order_leads_to_the_same() {
    let program = program();
    assert_eq!(orders().len(), 24);
    let outcomes = orders().into_iter().map(|order| {
        let mut session = start(&program);
        order.iter().for_each(|seat| answer(&mut session, *seat, i64::from(*seat) + 1));
        let events = file(&session, &program).inputs.last().map(|entry| entry.events.clone());
        (session.game().state_hash(), events)
    });
    let outcomes: Vec<_> = outcomes.collect();
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
}

#[test]
fn where_the_first_counts_the_order_is_in_the_record() {
    let program = program();
    for order in orders() {
        let mut session = start(&program);
        (0..4).for_each(|seat| answer(&mut session, seat, 1));
        let late: Vec<(Seat, u32)> =
            order.iter().map(|seat| (Seat(*seat), question(&mut session, Seat(*seat)))).collect();
        answer(&mut session, order[0], 10);
        for (seat, number) in &late[1..] {
            let refused =
                session.resolve_answer(*seat, *number, &Datum::Int(11)).expect_err("it was not the first");
            assert_eq!(refused.name(), "input_closed");
        }
        let scores: Vec<i64> = (0..4)
            .map(|seat| {
                let view = session.view(Viewer::Spectator);
                let Some(Datum::List(players)) = view.get("players") else { panic!("{view:?}") };
                match players[seat].get("props").and_then(|props| props.get("score")) {
                    Some(Datum::Int(score)) => *score,
                    other => panic!("{other:?}"),
                }
            })
            .collect();
        assert_eq!(scores[usize::from(order[0])], 11, "{order:?}");
        assert_eq!(scores.iter().sum::<i64>(), 14, "nobody else got any");
        let replayed = file(&session, &program).replay(&program).expect("the file verifies");
        assert_eq!(replayed.state_hash(), session.game().state_hash());
    }
}
