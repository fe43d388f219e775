//! Everything that reaches each viewer of a match, as text that can be compared.

use std::cell::Cell;
use std::fmt::Write as _;
use std::sync::Arc;

use intermezzo_engine::{
    Blank, Content, Datum, Input, InputId, Letter, Log, Match, Refusal, Setup, Viewer, Witness,
};
use intermezzo_ruleset::Seat;

use super::{Broken, Trial, Verdict, broken};
use crate::habits::Habits;
use crate::subjects::Subject;

/// A match with what each viewer has been told of it.
///
/// A viewer's stream is, for the start and for every input, the events told,
/// the view, the prompts, what can be done, and the ruleset's own messages. Everything a client could ever show comes
/// from it.
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
        self.write();
    }

    /// The messages that could go out now. What they say at any time tells no more than what they say at theirs.
    fn write(&mut self) {
        let open: Vec<(Seat, InputId)> =
            self.state.pending().map(|pending| (pending.seat(), pending.id())).collect();
        let mut letters = self.witness.opening_letters();
        for (seat, input) in open {
            // Numbers of questions count what others were asked: a client sees the host's time instead.
            let mut asked = self.witness.question_letters(&self.state, input);
            let fields = asked.iter_mut().flat_map(|letter| &mut letter.fields);
            fields.for_each(|(_, content)| {
                if matches!(content, Content::Blank(Blank::Deadline(_))) {
                    *content = Content::Value(Datum::Null);
                }
            });
            letters.extend(asked.into_iter().chain(self.witness.error_letters(seat)));
        }
        for letter in letters {
            let _ = writeln!(self.steps[usize::from(letter.to.0)], "{letter:?}");
        }
    }

    fn tell(&mut self) {
        self.steps.iter_mut().for_each(String::clear);
        let count = self.steps.len();
        let seen = self.seen;
        let calls = Cell::new(0);
        // Each record is told to every viewer in turn, and by letter before that.
        let place = || (seen + calls.get() / count, calls.get() % count);
        let mut news: Vec<((usize, usize), String)> = Vec::new();
        let mut letters = Vec::new();
        let tell = |_, event: Option<Datum>| {
            news.extend(event.map(|event| (place(), format!("{event:?}"))));
            calls.set(calls.get() + 1);
        };
        let post = |letter: Letter| letters.push((place(), format!("{letter:?}")));
        let outcome = self.witness.observe_with_letters(&self.log, seen, tell, post);
        for ((record, viewer), text) in news.into_iter().chain(letters) {
            let _ = writeln!(self.steps[viewer], "{text}");
            self.told[viewer].push((record, text));
        }
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
