//! Everything that reaches each viewer of a match, as text that can be compared.

use std::fmt::Write as _;
use std::sync::Arc;

use intermezzo_engine::{Input, Log, Match, Refusal, Setup, Viewer, Witness};

use super::{Broken, Trial, Verdict, broken};
use crate::habits::Habits;
use crate::subjects::Subject;

/// A match with what each viewer has been told of it.
///
/// A viewer's stream is, for the start and for every input, the events told,
/// the view, the prompts and what can be done. Everything a client could ever show comes from it.
#[derive(Debug)]
pub struct Streams {
    /// The match.
    pub state: Match,
    /// What happened.
    pub log: Log,
    witness: Witness,
    seen: usize,
    /// By viewer: seats in order, then the spectators.
    steps: Vec<String>,
    /// By viewer: every event told so far, with the number of its record.
    told: Vec<Vec<(usize, String)>>,
}

impl Streams {
    /// A match from its beginning.
    ///
    /// # Errors
    ///
    /// If it cannot begin.
    pub fn begin(subject: &Subject, setup: &Setup, seed: u64) -> Result<Streams, Broken> {
        let mut log = Log::new();
        let failed = |error: intermezzo_engine::StartError| broken(subject, seed, error.to_string());
        let state = Match::start(Arc::clone(&subject.program), setup, &mut log).map_err(failed)?;
        let witness = Witness::new(Arc::clone(&subject.program), setup).map_err(failed)?;
        let viewers = witness.viewers().count();
        let (steps, told) = (vec![String::new(); viewers], vec![Vec::new(); viewers]);
        let mut streams = Streams { state, log, witness, seen: 0, steps, told };
        streams.observe();
        Ok(streams)
    }

    /// Takes an input; the streams then hold what it brought to each viewer.
    ///
    /// # Errors
    ///
    /// If it is refused.
    pub fn submit(&mut self, input: &Input) -> Result<(), Refusal> {
        self.state.submit(input, &mut self.log)?;
        self.observe();
        Ok(())
    }

    /// Takes an input while nobody looks at the board: only events reach the viewers.
    ///
    /// # Errors
    ///
    /// If it is refused.
    pub fn submit_unseen(&mut self, input: &Input) -> Result<(), Refusal> {
        self.state.submit(input, &mut self.log)?;
        self.tell();
        Ok(())
    }

    /// What the last input (or the start) brought to a viewer.
    #[must_use]
    pub fn step(&self, viewer: usize) -> &str {
        &self.steps[viewer]
    }

    /// Every event a viewer was told of, with the number of its record in the log.
    #[must_use]
    pub fn told(&self, viewer: usize) -> &[(usize, String)] {
        &self.told[viewer]
    }

    /// How many viewers there are: the seats, then the spectators.
    #[must_use]
    pub fn viewers(&self) -> usize {
        self.steps.len()
    }

    /// Whether the board that was followed is the board of the match.
    fn board_matches(&self, subject: &Subject) -> bool {
        let program = &subject.program;
        self.witness.board().encode(program) == self.state.board().encode(program)
    }

    /// Looks at the board, after what is new was told.
    pub fn observe(&mut self) {
        self.tell();
        let viewers: Vec<Viewer> = self.witness.viewers().collect();
        for (place, viewer) in viewers.into_iter().enumerate() {
            let view = self.witness.view(viewer);
            let prompts = self.witness.prompts(&self.state, viewer);
            let _ = writeln!(self.steps[place], "{view:?}\n{prompts:?}");
            if let (Viewer::Seat(seat), false) = (viewer, self.state.program().actions.is_empty()) {
                let actions = self.witness.actions(&self.state, seat);
                let _ = writeln!(self.steps[place], "{actions:?}");
            }
        }
    }

    fn tell(&mut self) {
        self.steps.iter_mut().for_each(String::clear);
        let count = self.steps.len();
        let (steps, told) = (&mut self.steps, &mut self.told);
        let mut calls = 0;
        let seen = self.seen;
        let outcome = self.witness.observe(&self.log, seen, |_, event| {
            // Each record is told to every viewer in turn.
            let (record, viewer) = (seen + calls / count, calls % count);
            calls += 1;
            if let Some(event) = event {
                let text = format!("{event:?}");
                let _ = writeln!(steps[viewer], "{text}");
                told[viewer].push((record, text));
            }
        });
        outcome.expect("a witness follows the log of its own match");
        self.seen = self.log.len();
    }
}

/// Whatever happens, everyone can be told and shown what they may see, and the same each time.
pub fn everyone_can_watch_every_match(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits { max_inputs: 80, ..Habits::unruly() })?;
    let mut first = Streams::begin(subject, &trial.played.setup, seed)?;
    let mut second = Streams::begin(subject, &trial.played.setup, seed)?;
    for (at, input) in trial.played.inputs.iter().enumerate() {
        for streams in [&mut first, &mut second] {
            streams.submit(input).map_err(|refusal| trial.broken(format!("input {at}: {refusal}")))?;
        }
        let same = (0..first.viewers()).all(|viewer| first.step(viewer) == second.step(viewer));
        trial.claim(same, || format!("after input {at} somebody is shown something else the second time"))?;
    }
    let same = first.board_matches(subject);
    trial.claim(same, || "the board that is watched is another".to_owned())
}
