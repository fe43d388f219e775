//! Match of a scenario with its observers, and the laws it must obey.

use std::sync::Arc;

use intermezzo_engine::{
    Answer, Board, Datum, EventLog, Input, InputId, Match, MatchTerms, Observer, PendingQuestion, Refusal,
    Rejection, Setup, StartError, Viewer,
};
use intermezzo_program::{FaultCode, Program, Seat, TypeId, Word};

use crate::event_format::LoggedEvent;
use crate::names::EntityLabels;

/// Match with its log and its viewers.
pub(crate) struct RunningMatch {
    pub(crate) program: Arc<Program>,
    pub(crate) terms: MatchTerms,
    pub(crate) game: Match,
    log: EventLog,
    observer: Observer,
    names: EntityLabels,
    /// All accepted inputs.
    inputs: Vec<Input>,
    /// All questions by seat, oldest first.
    asked: Vec<Vec<InputId>>,
    /// All events each viewer received, by seat; spectators come last.
    received: Vec<Vec<Datum>>,
}

/// Reason why an input failed.
pub(crate) enum SubmitError {
    Refused(Refusal),
    /// It was accepted, but an invariant of the engine does not hold.
    LawBroken(String),
}

/// Everything a viewer can know.
#[derive(PartialEq)]
pub(crate) struct ViewerKnowledge {
    /// View, including the questions as `prompts` and `others`.
    pub(crate) view: Datum,
    pub(crate) received: Vec<Datum>,
}

impl RunningMatch {
    /// Starts a match. The inner result is an error if a law is broken.
    pub(crate) fn start(
        program: Arc<Program>,
        setup: &Setup,
    ) -> Result<Result<RunningMatch, String>, StartError> {
        let mut log = EventLog::new();
        let game = Match::start(Arc::clone(&program), setup, &mut log)?;
        let observer = Observer::new(Arc::clone(&program), setup)?;
        let terms = MatchTerms::of(&program, setup)?;
        let names = EntityLabels::new(&program);
        let asked = vec![Vec::new(); usize::from(setup.seats)];
        let received = vec![Vec::new(); usize::from(setup.seats) + 1];
        let mut running =
            RunningMatch { program, terms, game, log, observer, names, inputs: Vec::new(), asked, received };
        Ok(running.observe(0).map(|()| running))
    }

    /// Submits an input, shows the events to all viewers and checks the laws.
    pub(crate) fn submit(&mut self, input: &Input) -> Result<(), SubmitError> {
        let from_record = self.log.len();
        self.game.submit(input, &mut self.log).map_err(SubmitError::Refused)?;
        self.inputs.push(input.clone());
        self.observe(from_record).map_err(SubmitError::LawBroken)
    }

    /// Checks that the same inputs give the same match again, even if it is saved and restored before every
    /// input.
    pub(crate) fn check_replay(&self, setup: &Setup) -> Result<(), String> {
        if !self.replays_equally(setup, |_| true) {
            return Err("law broken: the same inputs give a different match".to_owned());
        }
        let restored = |played: &mut Match| {
            let restored = Match::restore(Arc::clone(&self.program), &played.snapshot());
            restored.map(|restored| *played = restored).is_ok()
        };
        if !self.replays_equally(setup, restored) {
            return Err("law broken: a match restored before every input continues differently".to_owned());
        }
        let unoptimized = Arc::new(Program { unoptimized: true, ..(*self.program).clone() });
        match self.replays_equally_in(unoptimized, setup, |_| true) {
            true => Ok(()),
            false => {
                Err("law broken: without optimizations, the same inputs give a different match".to_owned())
            }
        }
    }

    /// Returns whether the same inputs give the same match. `meanwhile` runs before each of them.
    fn replays_equally(&self, setup: &Setup, meanwhile: impl Fn(&mut Match) -> bool) -> bool {
        self.replays_equally_in(Arc::clone(&self.program), setup, meanwhile)
    }

    fn replays_equally_in(
        &self,
        program: Arc<Program>,
        setup: &Setup,
        meanwhile: impl Fn(&mut Match) -> bool,
    ) -> bool {
        let mut log = EventLog::new();
        let Ok(mut again) = Match::start(program, setup, &mut log) else { return false };
        let mut inputs = self.inputs.iter();
        let taken = inputs.all(|input| meanwhile(&mut again) && again.submit(input, &mut log).is_ok());
        taken && again.snapshot() == self.game.snapshot() && log == self.log
    }

    /// Shows new events to all viewers and checks the laws.
    fn observe(&mut self, from_record: usize) -> Result<(), String> {
        self.names.learn(&self.log, from_record);
        let received = &mut self.received;
        let spectators = received.len() - 1;
        let sink = |viewer, datum: Option<Datum>| {
            let place = match viewer {
                Viewer::Seat(seat) => seat.index(),
                Viewer::Spectator => spectators,
            };
            received[place].extend(datum);
        };
        let observed = self.observer.observe(&self.log, from_record, sink);
        observed.map_err(|code| format!("law broken: the log cannot be folded ({})", code.name()))?;
        for pending in self.game.pending() {
            let asked = &mut self.asked[pending.seat().index()];
            if !asked.contains(&pending.id()) {
                asked.push(pending.id());
            }
        }
        self.check_laws()
    }

    fn check_laws(&self) -> Result<(), String> {
        let program = &self.program;
        if self.observer.board().encode(program) != self.game.board().encode(program) {
            return Err("law broken: folding the log does not give the board".to_owned());
        }
        let snapshot = self.game.snapshot();
        match Match::restore(Arc::clone(program), &snapshot) {
            Ok(restored) if restored.snapshot() == snapshot => Ok(()),
            Ok(_) => Err("law broken: a restored match gives a different snapshot".to_owned()),
            Err(error) => Err(format!("law broken: a snapshot cannot be restored ({error})")),
        }
    }

    /// Returns the number of events.
    pub(crate) fn event_count(&self) -> usize {
        self.log.len()
    }

    /// Returns the events after the first `from_record` ones.
    pub(crate) fn events_since(&self, from_record: usize) -> Vec<LoggedEvent> {
        let records = self.log.records().iter().skip(from_record);
        let board = self.game.board();
        records
            .map(|record| LoggedEvent::read(&self.program, board, &self.names, &self.log, record))
            .collect()
    }

    /// Returns the open question of a seat.
    pub(crate) fn pending(&self, seat: Seat) -> Option<PendingQuestion<'_>> {
        self.game.pending().find(|pending| pending.seat() == seat)
    }

    /// Returns the title of a question, or else its name in the rules.
    pub(crate) fn title<'a>(&'a self, pending: &PendingQuestion<'a>) -> &'a str {
        let choice = pending.choice();
        let title = self.program.texts.get(choice.title.index()).map(String::as_str);
        title.filter(|title| !title.is_empty()).unwrap_or(&choice.name)
    }

    /// Returns the question an input of a seat answers: the open one, or else the newest.
    pub(crate) fn question(&self, seat: Seat) -> Option<InputId> {
        let open = self.pending(seat).map(|pending| pending.id());
        open.or_else(|| self.asked[seat.index()].last().copied())
    }

    /// Returns the newest question of a seat that is no longer open.
    pub(crate) fn closed_question(&self, seat: Seat) -> Option<InputId> {
        let open = self.pending(seat).map(|pending| pending.id());
        self.asked[seat.index()].iter().rev().copied().find(|id| Some(*id) != open)
    }

    /// Describes a value in the form scenario files use.
    pub(crate) fn describe(&self, value: Word, ty: TypeId) -> Datum {
        self.names.describe(&self.program, self.game.board(), value, ty)
    }

    /// Describes a value of another board.
    pub(crate) fn describe_on(&self, board: &Board, value: Word, ty: TypeId) -> Datum {
        self.names.describe(&self.program, board, value, ty)
    }

    /// Adds names to a value that was described without them.
    pub(crate) fn named(&self, datum: Datum) -> Datum {
        self.names.rename(&self.program, self.game.board(), datum)
    }

    /// Returns everything a viewer can know now.
    pub(crate) fn knowledge(&mut self, viewer: Viewer) -> ViewerKnowledge {
        let mut view = self.observer.view(viewer);
        let prompts = self.observer.prompts(&self.game, viewer);
        if let (Datum::Map(view), Datum::Map(prompts)) = (&mut view, prompts) {
            view.extend(prompts);
        }
        ViewerKnowledge { view, received: self.received(viewer).to_vec() }
    }

    /// Returns the available and unavailable actions of a seat, with the names of scenario files.
    pub(crate) fn actions(&mut self, seat: Seat) -> Result<Datum, String> {
        let actions = self.observer.actions(&self.game, seat);
        let actions = actions.map_err(|fault| self.reason(&Refusal::Faulted(fault)))?;
        Ok(self.renamed(Viewer::Seat(seat), actions))
    }

    /// Converts a drag to an answer. Both names are the seat's own.
    pub(crate) fn read_drag(
        &mut self,
        seat: Seat,
        what: &str,
        onto: &str,
    ) -> Result<(InputId, Answer), Rejection> {
        self.observer.read_drag(&self.game, seat, what, onto)
    }

    /// Returns the entities with that name, those of the seat first.
    pub(crate) fn entities_called(&self, name: &str, seat: Seat) -> Vec<Word> {
        let board = self.game.board();
        let mut found = self.names.called(&self.program, board, name);
        found.sort_by_key(|entity| board.owner(*entity) != Some(seat));
        found
    }

    /// Returns a viewer's name for an entity, if it is visible.
    pub(crate) fn name_for(&mut self, viewer: Viewer, entity: Word) -> Option<String> {
        self.observer.name_of(viewer, entity)
    }

    /// Replaces a viewer's names in a value by those of scenario files.
    fn renamed(&self, viewer: Viewer, datum: Datum) -> Datum {
        let again = |datum| self.renamed(viewer, datum);
        match datum {
            Datum::Text(text) => {
                let entity = self.observer.entity_by_name(viewer, &text);
                let named = |entity| self.names.name(&self.program, self.game.board(), entity);
                entity.map_or(Datum::Text(text), named)
            }
            Datum::List(items) => Datum::List(items.into_iter().map(again).collect()),
            Datum::Map(entries) => {
                Datum::Map(entries.into_iter().map(|(key, value)| (key, again(value))).collect())
            }
            plain => plain,
        }
    }

    /// Returns all events a viewer received.
    pub(crate) fn received(&self, viewer: Viewer) -> &[Datum] {
        match viewer {
            Viewer::Seat(seat) => &self.received[seat.index()],
            Viewer::Spectator => &self.received[self.received.len() - 1],
        }
    }

    /// Describes why an input was refused.
    pub(crate) fn reason(&self, refusal: &Refusal) -> String {
        let Refusal::Faulted(fault) = refusal else { return refusal.to_string() };
        let place =
            fault.location.map_or(String::new(), |place| format!(" at {}:{}", fault.file, place.line));
        match fault.code {
            FaultCode::Script => format!("the next scripted dice do not match the roll{place}"),
            code if fault.cycle.is_empty() => format!("a rule failed{place}: {}", code.name()),
            _ => format!("endless loop of rules: {}", fault.cycle.names()),
        }
    }
}
