//! What is taken back has not happened, and nobody takes back alone what others have seen.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use intermezzo_engine::{Input, Log, Viewer, Witness};
use intermezzo_journal::{MatchFile, Recorder, Undo, UndoRefusal};
use intermezzo_ruleset::{How, Seat, Visibility, Word};

use super::{Broken, Trial, Verdict};
use crate::habits::Habits;
use crate::subjects::Subject;
use intermezzo_bots::Random;

/// A seat takes back its last answer: the match is as it was before, and the same answer leads to the same again.
///
/// It is done alone exactly if chance was not used, nobody else has done anything, and nobody sees what they did not
/// see before.
pub fn taking_back_leaves_no_trace(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits { max_inputs: 60, ..Habits::unruly() })?;
    let mut random = Random::new(seed);
    let begun = Recorder::start(&subject.program, &trial.played.setup);
    let mut recorder = begun.map_err(|error| trial.broken(error.to_string()))?;
    let mut line = Vec::new();
    for input in &trial.played.inputs {
        submit(&trial, &mut recorder, input)?;
        line.push(input.clone());
        if random.below(4) == 0 {
            let seat = Seat(random.below(u64::from(trial.played.setup.seats)) as u8);
            if let Some(undo) = check(&trial, &mut recorder, &line, seat)? {
                // What was taken back was sent again, after what others had sent.
                let taken_back: Vec<Input> = line.drain(places(&undo)).collect();
                line.extend(taken_back);
            }
        }
    }
    let text = recorder.file().to_text();
    let file = MatchFile::parse(text.as_bytes()).map_err(|error| trial.broken(error.to_string()))?;
    trial.claim(&file == recorder.file(), || "the file reads back as another".to_owned())?;
    file.verify(&subject.program).map_err(|mismatch| trial.broken(mismatch.to_string()))?;
    let same = recorder.playing().snapshot() == trial.played.state.snapshot();
    trial.claim(same, || "what was taken back and done again left a trace".to_owned())
}

fn submit(trial: &Trial<'_>, recorder: &mut Recorder, input: &Input) -> Verdict {
    let taken = recorder.submit(input);
    taken.map(|_| ()).map_err(|refusal| trial.broken(format!("{input:?} is refused: {refusal}")))
}

/// What a seat takes back and does again, if it can take back anything.
fn check(
    trial: &Trial<'_>,
    recorder: &mut Recorder,
    inputs: &[Input],
    seat: Seat,
) -> Result<Option<Undo>, Broken> {
    let (snapshot, chain) = (recorder.playing().snapshot(), recorder.file().chain());
    let undo = match recorder.undo_of(seat) {
        Ok(undo) => undo,
        Err(UndoRefusal::NothingToUndo) => {
            let answered = inputs.iter().any(|input| is_answer_of(input, seat));
            trial.claim(!answered, || format!("seat {} has answered something", seat.0))?;
            return Ok(None);
        }
        Err(UndoRefusal::MatchOver) => return Ok(None),
        Err(UndoRefusal::SeatGone) => {
            let has_left = inputs.iter().any(|input| matches!(input, Input::Leave { .. }));
            trial.claim(has_left, || "nobody has left".to_owned())?;
            return Ok(None);
        }
        Err(refusal) => return Err(trial.broken(refusal.to_string())),
    };
    let (at, tail) = (places(&undo).start, &inputs[places(&undo)]);
    trial.claim(is_answer_of(&inputs[at], seat), || "another's answer would be taken back".to_owned())?;
    let is_end = inputs.len() == at + tail.len();
    if is_end {
        let is_final = leaves_traces(trial, inputs, at, seat)?;
        trial.claim(is_final.is_none_or(|is_final| is_final != undo.needs.is_empty()), || {
            format!("{} inputs from {at} on: {:?} must agree", tail.len(), undo.needs)
        })?;
    }
    if !undo.needs.is_empty() {
        let refused = recorder.undo(seat, &[]) == Err(UndoRefusal::NeedsConsent { of: undo.needs.clone() });
        trial.claim(refused, || "it was taken back without consent".to_owned())?;
        trial
            .claim(recorder.playing().snapshot() == snapshot, || "a refusal changed something".to_owned())?;
    }
    take_back(trial, recorder, inputs, seat, &undo)?;
    tail.iter().try_for_each(|input| submit(trial, recorder, input))?;
    let same = recorder.playing().snapshot() == snapshot;
    trial.claim(same, || "the same again leads elsewhere".to_owned())?;
    trial.claim(!is_end || recorder.file().chain() == chain, || "the log is another".to_owned())?;
    Ok(Some(undo))
}

/// Where what is taken back stands among the inputs.
fn places(undo: &Undo) -> Range<usize> {
    let at = undo.number as usize - 1;
    at..at + undo.inputs as usize
}

fn is_answer_of(input: &Input, seat: Seat) -> bool {
    matches!(input, Input::Answer { seat: by, .. } if *by == seat)
}

fn take_back(
    trial: &Trial<'_>,
    recorder: &mut Recorder,
    inputs: &[Input],
    seat: Seat,
    undo: &Undo,
) -> Verdict {
    let done = recorder.undo(seat, &undo.needs);
    trial.claim(done.as_ref() == Ok(undo), || format!("{done:?} is not what was announced: {undo:?}"))?;
    let Range { start, end } = places(undo);
    let begun = Recorder::start(&trial.subject.program, &trial.played.setup);
    let mut without = begun.map_err(|error| trial.broken(error.to_string()))?;
    inputs[..start].iter().chain(&inputs[end..]).try_for_each(|input| submit(trial, &mut without, input))?;
    let same = without.playing().snapshot() == recorder.playing().snapshot();
    trial.claim(same, || "the match is not as if it had not happened".to_owned())
}

/// Whether the inputs from `at` on cannot be taken back by the seat alone; nothing if that is hard to tell from here.
fn leaves_traces(trial: &Trial<'_>, inputs: &[Input], at: usize, seat: Seat) -> Result<Option<bool>, Broken> {
    let mut log = Log::new();
    let mut state = trial.begin(&mut log)?;
    let witness = Witness::new(Arc::clone(&trial.subject.program), &trial.played.setup);
    let mut witness = witness.map_err(|error| trial.broken(error.to_string()))?;
    let mut seen = 0;
    let mut watch = |witness: &mut Witness, log: &Log| {
        let observed = witness.observe(log, seen, |_, _| {});
        seen = log.len();
        observed.map_err(|code| trial.broken(code.to_string()))
    };
    for input in &inputs[..at] {
        state.submit(input, &mut log).map_err(|refusal| trial.broken(refusal.to_string()))?;
    }
    watch(&mut witness, &log)?;
    let (chance, before) = (state.chance_used(), sights(&mut witness));
    let others = (0..trial.played.setup.seats).map(Seat).filter(|other| *other != seat);
    if others.into_iter().all(|other| state.board().has_left(other)) {
        return Ok(None);
    }
    for (number, input) in inputs[at..].iter().enumerate() {
        let is_own = match input {
            Input::Answer { seat: by, .. }
            | Input::Draft { seat: by, .. }
            | Input::AutoPass { seat: by, .. } => *by == seat,
            // The clock, and those who leave, are told apart elsewhere.
            _ => return Ok(None),
        };
        if number > 0 && !is_own {
            return Ok(Some(true));
        }
        // What follows from the answers of all is told apart elsewhere, too.
        let is_joint = state.pending().any(|pending| pending.choice().how == How::Each);
        state.submit(input, &mut log).map_err(|refusal| trial.broken(refusal.to_string()))?;
        if is_joint || !state.passed_by_themselves().is_empty() {
            return Ok(None);
        }
        watch(&mut witness, &log)?;
    }
    if state.chance_used() != chance {
        return Ok(Some(true));
    }
    let learned = before.iter().any(|(viewer, existed, in_sight)| {
        let new = existed.difference(in_sight);
        new.into_iter().any(|entity| witness.name_of(*viewer, *entity).is_some())
    });
    let props = &trial.subject.program.props;
    let is_open = props.iter().all(|prop| matches!(prop.visible, Visibility::All))
        && before.iter().all(|(_, existed, in_sight)| existed == in_sight);
    // Where something is hidden, that nobody sees more than before does not tell that nobody saw more in between,
    // or was offered it.
    Ok(if learned || is_open { Some(learned) } else { None })
}

/// For every viewer what there is, and what of it is in sight.
fn sights(witness: &mut Witness) -> Vec<(Viewer, BTreeSet<Word>, BTreeSet<Word>)> {
    let existed: BTreeSet<Word> = witness.board().entities().collect();
    let viewers: Vec<Viewer> = witness.viewers().collect();
    let mut sights = Vec::new();
    for viewer in viewers {
        let in_sight = existed.iter().filter(|entity| witness.name_of(viewer, **entity).is_some());
        let in_sight: BTreeSet<Word> = in_sight.copied().collect();
        sights.push((viewer, existed.clone(), in_sight));
    }
    sights
}
