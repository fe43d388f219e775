//! A match being played, everyone who looks at it, and the laws it must keep.

use std::sync::Arc;

use intermezzo_engine::{
    Answer, Board, Datum, Input, InputId, Log, Match, Pending, Refusal, Rejection, Setup, StartError, Terms,
    Viewer, Witness,
};
use intermezzo_ruleset::{FaultCode, Program, Seat, TypeId, Word, word};

use crate::happened::Happened;
use crate::names::Names;

/// A match with its log and its viewers.
pub(crate) struct Table {
    pub(crate) program: Arc<Program>,
    pub(crate) terms: Terms,
    pub(crate) played: Match,
    log: Log,
    witness: Witness,
    names: Names,
    /// All inputs that were taken.
    inputs: Vec<Input>,
    /// By seat: every question it was asked.
    asked: Vec<Vec<InputId>>,
    /// By seat, spectators last: every event the viewer was told.
    told: Vec<Vec<Datum>>,
}

/// Why an input did not go through.
pub(crate) enum Trouble {
    /// The engine refused it.
    Refused(Refusal),
    /// It was taken, but something that must always hold does not.
    LawBroken(String),
}

/// All that a viewer can know.
#[derive(PartialEq)]
pub(crate) struct Sight {
    /// The view, and in it what is asked as `prompts` and `others`.
    pub(crate) view: Datum,
    pub(crate) told: Vec<Datum>,
}

impl Table {
    /// Begins a match.
    pub(crate) fn start(program: Arc<Program>, setup: &Setup) -> Result<Result<Table, String>, StartError> {
        let mut log = Log::new();
        let played = Match::start(Arc::clone(&program), setup, &mut log)?;
        let witness = Witness::new(Arc::clone(&program), setup)?;
        let terms = Terms::of(&program, setup)?;
        let names = Names::new(&program);
        let asked = vec![Vec::new(); usize::from(setup.seats)];
        let told = vec![Vec::new(); usize::from(setup.seats) + 1];
        let mut table =
            Table { program, terms, played, log, witness, names, inputs: Vec::new(), asked, told };
        Ok(table.follow(0).map(|()| table))
    }

    /// Lets an input into the match.
    pub(crate) fn submit(&mut self, input: &Input) -> Result<(), Trouble> {
        let from_record = self.log.len();
        self.played.submit(input, &mut self.log).map_err(Trouble::Refused)?;
        self.inputs.push(input.clone());
        self.follow(from_record).map_err(Trouble::LawBroken)
    }

    /// Checks that the same inputs give the same match again, also if it is put away and taken out at every wait.
    pub(crate) fn check_replay(&self, setup: &Setup) -> Result<(), String> {
        if !self.is_replayed(setup, |_| true) {
            return Err("a law is broken: the same inputs give another match".to_owned());
        }
        let restored = |played: &mut Match| {
            let restored = Match::restore(Arc::clone(&self.program), &played.snapshot());
            restored.map(|restored| *played = restored).is_ok()
        };
        match self.is_replayed(setup, restored) {
            true => Ok(()),
            false => {
                Err("a law is broken: a match that was restored at every wait goes on otherwise".to_owned())
            }
        }
    }

    /// Whether the same inputs give the same match; `meanwhile` comes before each of them.
    fn is_replayed(&self, setup: &Setup, meanwhile: impl Fn(&mut Match) -> bool) -> bool {
        let mut log = Log::new();
        let Ok(mut again) = Match::start(Arc::clone(&self.program), setup, &mut log) else { return false };
        let mut inputs = self.inputs.iter();
        let taken = inputs.all(|input| meanwhile(&mut again) && again.submit(input, &mut log).is_ok());
        taken && again.snapshot() == self.played.snapshot() && log == self.log
    }

    /// Shows everyone what happened, and checks the laws.
    fn follow(&mut self, from_record: usize) -> Result<(), String> {
        self.names.learn(&self.log, from_record);
        let told = &mut self.told;
        let spectators = told.len() - 1;
        let sink = |viewer, datum: Option<Datum>| {
            let place = match viewer {
                Viewer::Seat(seat) => seat.index(),
                Viewer::Spectator => spectators,
            };
            told[place].extend(datum);
        };
        let observed = self.witness.observe(&self.log, from_record, sink);
        observed.map_err(|code| format!("a law is broken: the log cannot be folded ({})", code.name()))?;
        for pending in self.played.pending() {
            let asked = &mut self.asked[pending.seat().index()];
            if !asked.contains(&pending.id()) {
                asked.push(pending.id());
            }
        }
        self.check_laws()
    }

    fn check_laws(&self) -> Result<(), String> {
        let program = &self.program;
        if self.witness.board().encode(program) != self.played.board().encode(program) {
            return Err("a law is broken: folding the log does not give the board".to_owned());
        }
        let snapshot = self.played.snapshot();
        match Match::restore(Arc::clone(program), &snapshot) {
            Ok(restored) if restored.snapshot() == snapshot => Ok(()),
            Ok(_) => Err("a law is broken: a restored match gives another snapshot".to_owned()),
            Err(error) => Err(format!("a law is broken: a snapshot cannot be restored ({error})")),
        }
    }

    /// How many events there are so far.
    pub(crate) fn event_count(&self) -> usize {
        self.log.len()
    }

    /// What happened since there were that many events.
    pub(crate) fn happened_since(&self, from_record: usize) -> Vec<Happened> {
        let records = self.log.records().iter().skip(from_record);
        let board = self.played.board();
        records.map(|record| Happened::read(&self.program, board, &self.names, &self.log, record)).collect()
    }

    /// What a seat is asked now.
    pub(crate) fn pending(&self, seat: Seat) -> Option<Pending<'_>> {
        self.played.pending().find(|pending| pending.seat() == seat)
    }

    /// The question an input of a seat means: the open one, else the newest it was asked.
    pub(crate) fn question(&self, seat: Seat) -> Option<InputId> {
        let open = self.pending(seat).map(|pending| pending.id());
        open.or_else(|| self.asked[seat.index()].last().copied())
    }

    /// The newest question of a seat that is no longer open.
    pub(crate) fn closed_question(&self, seat: Seat) -> Option<InputId> {
        let open = self.pending(seat).map(|pending| pending.id());
        self.asked[seat.index()].iter().rev().copied().find(|id| Some(*id) != open)
    }

    /// A value as scenario files write it.
    pub(crate) fn describe(&self, value: Word, ty: TypeId) -> Datum {
        self.names.describe(&self.program, self.played.board(), value, ty)
    }

    /// The same for a value on another board.
    pub(crate) fn describe_on(&self, board: &Board, value: Word, ty: TypeId) -> Datum {
        self.names.describe(&self.program, board, value, ty)
    }

    /// The same for a value that has been described without names.
    pub(crate) fn named(&self, datum: Datum) -> Datum {
        self.names.rename(&self.program, self.played.board(), datum)
    }

    /// All that a viewer can know now.
    pub(crate) fn sight(&mut self, viewer: Viewer) -> Sight {
        let mut view = self.witness.view(viewer);
        let prompts = self.witness.prompts(&self.played, viewer);
        if let (Datum::Map(view), Datum::Map(prompts)) = (&mut view, prompts) {
            view.extend(prompts);
        }
        Sight { view, told: self.told(viewer).to_vec() }
    }

    /// What a seat can do and what it cannot, with the names of scenario files.
    pub(crate) fn actions(&mut self, seat: Seat) -> Result<Datum, String> {
        let actions = self.witness.actions(&self.played, seat);
        let actions = actions.map_err(|fault| self.reason(&Refusal::Faulted(fault)))?;
        Ok(self.renamed(Viewer::Seat(seat), actions))
    }

    /// The answer a seat means by dragging one thing onto another, both by its own names.
    pub(crate) fn read_drag(
        &mut self,
        seat: Seat,
        what: &str,
        onto: &str,
    ) -> Result<(InputId, Answer), Rejection> {
        self.witness.read_drag(&self.played, seat, what, onto)
    }

    /// The entities with that name, those of a seat first.
    pub(crate) fn entities_called(&self, name: &str, seat: Seat) -> Vec<Word> {
        let board = self.played.board();
        let mut found = self.names.called(&self.program, board, name);
        found.sort_by_key(|entity| board.owner(*entity) != Some(seat));
        found
    }

    /// What a viewer calls an entity, if it is in sight.
    pub(crate) fn name_for(&mut self, viewer: Viewer, entity: Word) -> Option<String> {
        self.witness.name_of(viewer, entity)
    }

    /// A value in a viewer's names, in those of scenario files.
    fn renamed(&self, viewer: Viewer, datum: Datum) -> Datum {
        let again = |datum| self.renamed(viewer, datum);
        match datum {
            Datum::Text(text) => {
                let entity = self.witness.entity_named(viewer, &text);
                let named = |entity| self.named(Datum::text(format!("#{}", word::row(entity))));
                entity.map_or(Datum::Text(text), named)
            }
            Datum::List(items) => Datum::List(items.into_iter().map(again).collect()),
            Datum::Map(entries) => {
                Datum::Map(entries.into_iter().map(|(key, value)| (key, again(value))).collect())
            }
            plain => plain,
        }
    }

    /// Every event a viewer was told.
    pub(crate) fn told(&self, viewer: Viewer) -> &[Datum] {
        match viewer {
            Viewer::Seat(seat) => &self.told[seat.index()],
            Viewer::Spectator => &self.told[self.told.len() - 1],
        }
    }

    /// Why an input was refused, in words.
    pub(crate) fn reason(&self, refusal: &Refusal) -> String {
        let Refusal::Faulted(fault) = refusal else { return refusal.to_string() };
        let file = fault
            .place
            .map(|place| self.program.files.get(usize::from(place.file)).map_or("", String::as_str));
        let place =
            fault.place.zip(file).map_or(String::new(), |(place, file)| format!(" at {file}:{}", place.line));
        match fault.code {
            FaultCode::Script => format!("the next scripted dice do not fit the roll{place}"),
            code if fault.cycle.is_empty() => format!("a rule failed{place}: {}", code.name()),
            _ => format!("rules set each other off without end: {}", fault.cycle.names()),
        }
    }
}
