//! Undo restores the earlier match, and nobody can undo alone what others have seen.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use intermezzo_engine::{EventLog, Input, Observer, Viewer};
use intermezzo_matchfile::{MatchFile, Recorder, UndoPlan, UndoRefusal};
use intermezzo_program::{AnswerMode, Seat, Visibility, Word};

use super::{LawResult, LawRun, LawViolation};
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;
use intermezzo_bots::Random;

/// Checks that undoing an answer restores the match, and that the same answer leads to the same state again.
///
/// A seat can undo alone only if no random number was drawn, nobody else has acted, and nobody has seen anything new.
pub fn undo_leaves_no_trace(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix { max_inputs: 60, ..InputMix::chaotic() })?;
    let mut random = Random::new(seed);
    let begun = Recorder::start(&fixture.program, &run.played.setup);
    let mut recorder = begun.map_err(|error| run.violation(error.to_string()))?;
    let mut line = Vec::new();
    for input in &run.played.inputs {
        submit(&run, &mut recorder, input)?;
        line.push(input.clone());
        if random.below(4) == 0 {
            let seat = Seat(random.below(u64::from(run.played.setup.seats)) as u8);
            if let Some(undo) = check(&run, &mut recorder, &line, seat)? {
                // The undone inputs were sent again, after the inputs of others.
                let undone: Vec<Input> = line.drain(undone_range(&undo)).collect();
                line.extend(undone);
            }
        }
    }
    let text = recorder.file().to_text();
    let file = MatchFile::parse(text.as_bytes()).map_err(|error| run.violation(error.to_string()))?;
    run.claim(&file == recorder.file(), || "the file changes when it is read back".to_owned())?;
    file.verify(&fixture.program).map_err(|mismatch| run.violation(mismatch.to_string()))?;
    let same = recorder.game().snapshot() == run.played.state.snapshot();
    run.claim(same, || "undoing and repeating inputs left a trace".to_owned())
}

fn submit(run: &LawRun<'_>, recorder: &mut Recorder, input: &Input) -> LawResult {
    let taken = recorder.submit(input);
    taken.map(|_| ()).map_err(|refusal| run.violation(format!("{input:?} is refused: {refusal}")))
}

/// Lets a seat undo and repeat its last answer. Returns the undo, if it could undo anything.
fn check(
    run: &LawRun<'_>,
    recorder: &mut Recorder,
    inputs: &[Input],
    seat: Seat,
) -> Result<Option<UndoPlan>, LawViolation> {
    let (snapshot, chain) = (recorder.game().snapshot(), recorder.file().chain());
    let undo = match recorder.plan_undo(seat) {
        Ok(undo) => undo,
        Err(UndoRefusal::NothingToUndo) => {
            let answered = inputs.iter().any(|input| is_answer_of(input, seat));
            run.claim(!answered, || format!("seat {} has answered something", seat.0))?;
            return Ok(None);
        }
        Err(UndoRefusal::MatchOver) => return Ok(None),
        Err(UndoRefusal::SeatGone) => {
            let has_left = inputs.iter().any(|input| matches!(input, Input::Leave { .. }));
            run.claim(has_left, || "nobody has left".to_owned())?;
            return Ok(None);
        }
        Err(refusal) => return Err(run.violation(refusal.to_string())),
    };
    let (at, tail) = (undone_range(&undo).start, &inputs[undone_range(&undo)]);
    run.claim(is_answer_of(&inputs[at], seat), || "the undo would remove another seat's answer".to_owned())?;
    let is_end = inputs.len() == at + tail.len();
    if is_end {
        let is_final = leaves_traces(run, inputs, at, seat)?;
        run.claim(is_final.is_none_or(|is_final| is_final != undo.needs.is_empty()), || {
            format!("{} inputs from {at} on: {:?} must agree", tail.len(), undo.needs)
        })?;
    }
    if !undo.needs.is_empty() {
        let refused = recorder.undo(seat, &[]) == Err(UndoRefusal::NeedsConsent { of: undo.needs.clone() });
        run.claim(refused, || "the undo worked without consent".to_owned())?;
        run.claim(recorder.game().snapshot() == snapshot, || "a refused undo changed the match".to_owned())?;
    }
    undo_and_compare(run, recorder, inputs, seat, &undo)?;
    tail.iter().try_for_each(|input| submit(run, recorder, input))?;
    let same = recorder.game().snapshot() == snapshot;
    run.claim(same, || "repeating the inputs leads to a different state".to_owned())?;
    run.claim(!is_end || recorder.file().chain() == chain, || "the log differs".to_owned())?;
    Ok(Some(undo))
}

/// Returns the range of the undone inputs.
fn undone_range(undo: &UndoPlan) -> Range<usize> {
    let at = undo.number as usize - 1;
    at..at + undo.inputs as usize
}

fn is_answer_of(input: &Input, seat: Seat) -> bool {
    matches!(input, Input::Answer { seat: by, .. } if *by == seat)
}

fn undo_and_compare(
    run: &LawRun<'_>,
    recorder: &mut Recorder,
    inputs: &[Input],
    seat: Seat,
    undo: &UndoPlan,
) -> LawResult {
    let done = recorder.undo(seat, &undo.needs);
    run.claim(done.as_ref() == Ok(undo), || format!("{done:?} differs from the plan {undo:?}"))?;
    let Range { start, end } = undone_range(undo);
    let begun = Recorder::start(&run.fixture.program, &run.played.setup);
    let mut without = begun.map_err(|error| run.violation(error.to_string()))?;
    inputs[..start].iter().chain(&inputs[end..]).try_for_each(|input| submit(run, &mut without, input))?;
    let same = without.game().snapshot() == recorder.game().snapshot();
    run.claim(same, || "the match differs from one without the undone inputs".to_owned())
}

/// Returns true if the seat cannot undo the inputs from `at` on alone; `None` if this law cannot tell.
fn leaves_traces(
    run: &LawRun<'_>,
    inputs: &[Input],
    at: usize,
    seat: Seat,
) -> Result<Option<bool>, LawViolation> {
    let mut log = EventLog::new();
    let mut state = run.begin(&mut log)?;
    let observer = Observer::new(Arc::clone(&run.fixture.program), &run.played.setup);
    let mut observer = observer.map_err(|error| run.violation(error.to_string()))?;
    let mut seen = 0;
    let mut observe = |observer: &mut Observer, log: &EventLog| {
        let observed = observer.observe(log, seen, |_, _| {});
        seen = log.len();
        observed.map_err(|code| run.violation(code.to_string()))
    };
    for input in &inputs[..at] {
        state.submit(input, &mut log).map_err(|refusal| run.violation(refusal.to_string()))?;
    }
    observe(&mut observer, &log)?;
    let (chance, before) = (state.chance_used(), sights(&mut observer));
    let others = (0..run.played.setup.seats).map(Seat).filter(|other| *other != seat);
    if others.into_iter().all(|other| state.board().has_left(other)) {
        return Ok(None);
    }
    for (number, input) in inputs[at..].iter().enumerate() {
        let is_own = match input {
            Input::Answer { seat: by, .. }
            | Input::Draft { seat: by, .. }
            | Input::AutoPass { seat: by, .. } => *by == seat,
            // Other tests cover timeouts and seats that leave.
            _ => return Ok(None),
        };
        if number > 0 && !is_own {
            return Ok(Some(true));
        }
        // Other tests cover joint answers too.
        let is_joint = state.pending().any(|pending| pending.choice().mode == AnswerMode::Each);
        state.submit(input, &mut log).map_err(|refusal| run.violation(refusal.to_string()))?;
        if is_joint || !state.auto_passed().is_empty() {
            return Ok(None);
        }
        observe(&mut observer, &log)?;
    }
    if state.chance_used() != chance {
        return Ok(Some(true));
    }
    let learned = before.iter().any(|(viewer, existed, in_sight)| {
        let new = existed.difference(in_sight);
        new.into_iter().any(|entity| observer.name_of(*viewer, *entity).is_some())
    });
    let props = &run.fixture.program.props;
    let is_open = props.iter().all(|prop| matches!(prop.visible, Visibility::All))
        && before.iter().all(|(_, existed, in_sight)| existed == in_sight);
    // With hidden information, the final view does not prove that nobody saw or was offered more in between.
    Ok(if learned || is_open { Some(learned) } else { None })
}

/// Returns for every viewer all entities, and those it can see.
fn sights(observer: &mut Observer) -> Vec<(Viewer, BTreeSet<Word>, BTreeSet<Word>)> {
    let existed: BTreeSet<Word> = observer.board().entities().collect();
    let viewers: Vec<Viewer> = observer.viewers().collect();
    let mut sights = Vec::new();
    for viewer in viewers {
        let in_sight = existed.iter().filter(|entity| observer.name_of(viewer, **entity).is_some());
        let in_sight: BTreeSet<Word> = in_sight.copied().collect();
        sights.push((viewer, existed.clone(), in_sight));
    }
    sights
}
