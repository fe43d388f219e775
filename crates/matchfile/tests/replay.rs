//! Replays of recorded matches, event by event.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Board, EventLog, Input, LogFold, Seed, Setup, Viewer};
use intermezzo_matchfile::{MatchFile, MatchReplay, Recorder, ReplayViewpoint, to_json};
use intermezzo_program::{Program, Seat};

const GAMES: [&str; 5] = ["orcain", "mages", "skirmish", "draft", "dogma"];

fn program(game: &str) -> Arc<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets").join(game);
    let compiled = Ruleset::load(&folder).unwrap().compile();
    Arc::new(compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics)))
}

/// Plays a match with arbitrary answers, for a number of inputs.
fn play(program: &Arc<Program>, seed: u64, inputs: u64) -> (MatchFile, Setup) {
    let setup = Setup {
        seats: program.seats.default,
        options: Vec::new(),
        seed: Seed::from_number(seed),
        script: None,
    };
    let mut recorder = Recorder::start(program, &setup).unwrap();
    for turn in 0..inputs {
        let Some(pending) = recorder.game().pending().next() else { break };
        let mut answer = Answer::Pass;
        let place = turn.wrapping_mul(0x9E37_79B9).wrapping_add(seed * 31) % pending.answer_count().max(1);
        pending.nth_answer(place, &mut answer);
        let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer };
        if recorder.submit(&input).is_err() {
            break;
        }
    }
    (recorder.file().clone(), setup)
}

/// Returns the board after each event, obtained by folding the log only.
fn boards(program: &Arc<Program>, file: &MatchFile, setup: &Setup) -> Vec<Vec<u8>> {
    let mut log = EventLog::new();
    let mut game = intermezzo_engine::Match::start(Arc::clone(program), setup, &mut log).unwrap();
    for entry in &file.inputs {
        game.submit(&entry.input.to_input(program).unwrap(), &mut log).unwrap();
    }
    let mut folder = LogFold::new(Arc::clone(program));
    let mut board = Board::new(program, setup).unwrap();
    let mut boards = Vec::new();
    for record in log.records() {
        folder.fold(&mut board, &log, record).unwrap();
        boards.push(board.encode(program));
    }
    boards
}

#[test]
fn a_match_that_is_stopped_anywhere_has_the_board_of_its_log() {
    for game in GAMES {
        let program = program(game);
        let (file, setup) = play(&program, 3, 24);
        let replay = MatchReplay::open(&file, &program, ReplayViewpoint::Omniscient).unwrap();
        let boards = boards(&program, &file, &setup);
        assert_eq!(replay.events().len(), boards.len(), "{game}");
        for (n, board) in (1..).zip(&boards) {
            let moment = replay.state_after(n).unwrap().unwrap();
            let stopped = moment.game.expect("an omniscient replay returns the match");
            assert!(stopped.board().encode(&program) == *board, "{game}, event {n}");
        }
        assert!(replay.state_after(boards.len() as u32 + 1).unwrap().is_none());
    }
}

#[test]
fn names_do_not_depend_on_where_a_replay_stops() {
    for game in GAMES {
        let program = program(game);
        let (file, _) = play(&program, 5, 40);
        for who in [
            ReplayViewpoint::Omniscient,
            ReplayViewpoint::Viewer(Viewer::Seat(Seat(0))),
            ReplayViewpoint::Viewer(Viewer::Spectator),
        ] {
            let (once, again) = (
                MatchReplay::open(&file, &program, who).unwrap(),
                MatchReplay::open(&file, &program, who).unwrap(),
            );
            assert_eq!(once.events(), again.events());
            let last = once.events().len() as u32;
            let mut titles = std::collections::BTreeMap::new();
            for n in (0..=last).step_by(7) {
                let view = to_json(&once.state_after(n).unwrap().unwrap().view);
                // Reading another state in between makes no difference.
                again.state_after(last - n).unwrap();
                assert_eq!(view, to_json(&again.state_after(n).unwrap().unwrap().view), "{game} {who:?} {n}");
                if who != ReplayViewpoint::Omniscient {
                    check_names(&view, &mut titles);
                }
            }
        }
    }
}

/// Checks that a name always refers to an entity of the same def.
fn check_names(view: &serde_json::Value, known: &mut std::collections::BTreeMap<String, String>) {
    match view {
        serde_json::Value::Array(items) => items.iter().for_each(|item| check_names(item, known)),
        serde_json::Value::Object(entries) => {
            if let (Some(id), Some(def)) = (view["id"].as_str(), view["def"].as_str())
                && id.starts_with('#')
            {
                let before = known.insert(id.to_owned(), def.to_owned());
                assert!(
                    before.as_deref().is_none_or(|before| before == def),
                    "{id} was {before:?}, is {def}"
                );
            }
            entries.values().for_each(|item| check_names(item, known));
        }
        _ => {}
    }
}

#[test]
fn every_event_names_its_cause() {
    let program = program("mages");
    let (file, _) = play(&program, 11, 80);
    let replay = MatchReplay::open(&file, &program, ReplayViewpoint::Omniscient).unwrap();
    let mut caused = 0;
    for ((_, saved), event) in file.events().zip(replay.events()) {
        assert_eq!((event.id, event.event.as_str()), (saved.id, saved.event.as_str()));
        match saved.cause {
            intermezzo_matchfile::SavedCause::Input(_) => assert_eq!((event.cause, event.depth), (None, 0)),
            intermezzo_matchfile::SavedCause::Event(id) => {
                let cause = event.cause.expect("an event caused by another names it");
                let cause = &replay.events()[cause as usize - 1];
                assert_eq!((cause.id, cause.depth + 1), (id, event.depth));
                caused += 1;
            }
        }
    }
    assert!(caused > 50, "{caused}");
    assert!(replay.events().iter().any(|event| event.stack > 0));
}

#[test]
fn a_seat_replays_what_it_saw() {
    let program = program("orcain");
    let (file, _) = play(&program, 2, 12);
    let replay = MatchReplay::open(&file, &program, ReplayViewpoint::Viewer(Viewer::Seat(Seat(0)))).unwrap();
    let others = replay.inputs().iter().filter(|input| input.kind.is_none());
    assert!(others.clone().count() > 0, "inputs of the other seat are listed by their events");
    assert!(others.clone().all(|input| (input.seat, &input.text) == (None, &None) && input.events.is_some()));
    let own = replay.inputs().iter().find(|input| input.kind == Some("answer")).unwrap();
    assert!(own.text.as_ref().unwrap().starts_with("p0 answers "), "{own:?}");
    for n in 0..=replay.events().len() as u32 {
        let moment = replay.state_after(n).unwrap().unwrap();
        assert_eq!(to_json(&moment.view)["you"], "p0");
        assert!(moment.frames.is_empty() && moment.reactions.is_empty() && moment.game.is_none());
        let asked = moment.prompts.iter().map(to_json);
        assert!(asked.into_iter().all(|prompt| prompt["actor"] == "p0"));
    }
}

#[test]
fn the_middle_of_a_resolution_shows_the_running_frames() {
    let program = program("mages");
    let (file, _) = play(&program, 11, 80);
    let replay = MatchReplay::open(&file, &program, ReplayViewpoint::Omniscient).unwrap();
    let cast = replay.events().iter().find(|event| event.event == "Action").expect("something was cast");
    let moment = replay.state_after(cast.n).unwrap().unwrap();
    assert!(!moment.is_waiting && moment.prompts.is_empty());
    assert!(moment.frames.iter().any(|at| at.kind.name() == "resolving"), "{:?}", moment.frames);
    // At some point an event has just happened and a reaction to it is pending.
    let reacted = replay.events().iter().find_map(|event| {
        let moment = replay.state_after(event.n).unwrap().unwrap();
        let reaction = moment.reactions.first().filter(|reaction| reaction.event == event.id)?;
        let top = moment.frames.last()?;
        assert_eq!((top.event, top.name.as_str()), (event.id, reaction.to.as_str()));
        Some((event, top.stage.map(intermezzo_engine::EventStage::name)))
    });
    let (event, stage) = reacted.expect("some event has a reaction");
    assert_eq!(stage, Some("happened"), "{event:?}");
    let last = replay.inputs().last().unwrap().events.unwrap().1;
    assert!(replay.state_after(last).unwrap().unwrap().is_waiting);
}
