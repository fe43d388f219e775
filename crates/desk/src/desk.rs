//! The desk itself. Start with [`Desk::open`] and [`Desk::take`].

use std::sync::Arc;

use intermezzo_engine::{Datum, InputId, Match, Setup, StartError, Viewer};
use intermezzo_journal::{MatchFile, Mismatch, Recorder};
use intermezzo_ruleset::{Program, Seat};

use crate::entry::Entry;
use crate::fold::Fold;
use crate::reference::Reference;
use crate::refusal::DeskRefusal;
use crate::running::{Light, Run};
use crate::shown::{Sheets, Taken, look};

/// Where a match takes what its seats send.
///
/// It keeps little: the match, what its viewers have been told, and the entries so far unless it is told to
/// [forget](Desk::forget_past) them.
#[derive(Debug)]
pub struct Desk {
    pub(crate) fold: Fold<Light>,
    pub(crate) setup: Setup,
    /// All entries so far; nothing if somebody else keeps them.
    pub(crate) past: Option<Vec<Entry>>,
    /// The same match with everything written down, if something was taken back lately.
    pub(crate) reference: Option<Box<Reference>>,
    /// Questions letters were written about, while letters are wanted.
    pub(crate) asked: Vec<InputId>,
}

/// An open question, for whoever keeps its clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The engine's name of it.
    pub input: InputId,
    /// Who is asked.
    pub seat: Seat,
    /// The number by which that seat knows it.
    pub question: u32,
    /// How long there is to answer.
    pub deadline_ms: Option<i64>,
}

impl Desk {
    /// Begins a match.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset, or a rule fails.
    pub fn open(program: &Arc<Program>, setup: &Setup) -> Result<(Desk, Taken), StartError> {
        let mut sheets = Sheets::new(setup.seats);
        let light = Light::start(program, setup, &mut |viewer, event| sheets.happened(viewer, event))?;
        let (fold, taken) = Fold::begin(light, sheets);
        Ok((
            Desk { fold, setup: setup.clone(), past: Some(Vec::new()), reference: None, asked: Vec::new() },
            taken,
        ))
    }

    /// Goes on with a recorded match. What was taken back in it stays in its file.
    ///
    /// # Errors
    ///
    /// If the file does not tell the truth, or another ruleset is at hand.
    pub fn resume(file: &MatchFile, program: &Arc<Program>) -> Result<Desk, Mismatch> {
        Recorder::resume(file, program)?;
        let setup = file.setup(program)?;
        let (mut desk, _) = Desk::open(program, &setup).expect("a match that was proved begins");
        for entry in &file.inputs {
            let input = entry.input.to_input(program).expect("what was proved can be read");
            desk.take(&Entry::Input(input), None).expect("what was proved is taken");
        }
        Ok(desk)
    }

    /// Takes the next entry. `past` are all entries so far, in order; it is only looked at if the entry
    /// [needs it](Desk::needs_past) and may be left out while the desk keeps its entries itself.
    ///
    /// # Errors
    ///
    /// If it cannot be taken. Then nothing has changed.
    pub fn take(&mut self, entry: &Entry, past: Option<&[Entry]>) -> Result<Taken, DeskRefusal> {
        let mut taken = match self.needs_past(entry) {
            true => self.take_with_past(entry, past)?,
            false => self.fold.take(entry)?,
        };
        self.ask_by_letter(&mut taken);
        self.past.iter_mut().for_each(|own| own.push(entry.clone()));
        Ok(taken)
    }

    /// Whether all entries so far are needed to take this one: to take back, and to agree as the last one to it.
    #[must_use]
    pub fn needs_past(&self, entry: &Entry) -> bool {
        match entry {
            Entry::TakeBack { seat } => self.fold.check_seat(*seat).is_ok(),
            Entry::Agree { seat } => {
                self.fold.consent.as_ref().is_some_and(|consent| consent.is_completed_by(*seat))
            }
            _ => false,
        }
    }

    /// Stops keeping the entries: from now on they are to be given where they are needed.
    pub fn forget_past(&mut self) {
        self.past = None;
    }

    /// All entries so far, if the desk keeps them.
    #[must_use]
    pub fn past(&self) -> Option<&[Entry]> {
        self.past.as_deref()
    }

    /// Gives back what is not needed while the match waits. The next entry, or the next look, takes it again.
    pub fn compact(&mut self) {
        self.reference = None;
        self.fold.sheets.compact();
        self.fold.ahead.compact();
        self.fold.run.compact();
    }

    /// The match as it stands.
    #[must_use]
    pub fn playing(&self) -> &Match {
        self.fold.playing()
    }

    /// What the match began with.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The questions that are open, in the order of the engine.
    #[must_use]
    pub fn pending(&self) -> Vec<Asked> {
        let memory = self.fold.run.memory();
        let asked = self.playing().pending().map(|pending| Asked {
            input: pending.id(),
            seat: pending.seat(),
            question: memory.number_of(Viewer::Seat(pending.seat()), pending.id()).unwrap_or(0),
            deadline_ms: pending.deadline_ms(),
        });
        asked.collect()
    }

    /// All a viewer may see.
    #[must_use]
    pub fn view(&self, viewer: Viewer) -> &Datum {
        &self.before(viewer).0
    }

    /// What a viewer is asked.
    #[must_use]
    pub fn prompts(&self, viewer: Viewer) -> &Datum {
        &self.before(viewer).1
    }

    fn before(&self, viewer: Viewer) -> &(Datum, Datum) {
        // Whatever can be seen now has been named: looking again leaves no trace, so a copy may do it.
        let look = || look(viewer, &mut self.fold.run.onlooker(), self.playing());
        self.fold.sheets.before(viewer, look)
    }

    /// How many entries a viewer has noticed anything of, the start included.
    #[must_use]
    pub fn version(&self, viewer: Viewer) -> u64 {
        self.fold.sheets.version(viewer)
    }

    /// Whether a viewer has seen the match as it is.
    ///
    /// # Errors
    ///
    /// If it has gone on since.
    pub fn expect(&self, viewer: Viewer, version: u64) -> Result<(), DeskRefusal> {
        let now = self.version(viewer);
        if version == now { Ok(()) } else { Err(DeskRefusal::Stale { version: now }) }
    }

    /// How many answers a seat has sent ahead that were not used yet.
    #[must_use]
    pub fn ahead_of(&self, seat: Seat) -> usize {
        self.fold.ahead.of(seat)
    }

    /// The seat that would like to take back, and those that have not agreed yet.
    #[must_use]
    pub fn consent(&self) -> Option<(Seat, Vec<Seat>)> {
        self.fold.consent.as_ref().map(|consent| (consent.by, consent.open()))
    }

    fn take_with_past(&mut self, entry: &Entry, past: Option<&[Entry]>) -> Result<Taken, DeskRefusal> {
        let own = self.past.take();
        let taken = match past.or(own.as_deref()) {
            Some(past) => self.decide(entry, past),
            None => Err(DeskRefusal::NeedsPast),
        };
        self.past = own;
        taken
    }

    /// Lets the reference decide, and goes on from where that leads.
    fn decide(&mut self, entry: &Entry, past: &[Entry]) -> Result<Taken, DeskRefusal> {
        let mut reference = self.caught_up(past)?;
        let taken = reference.take(entry);
        if taken.is_ok() {
            let letters = self.fold.run.letters.take();
            self.fold = lighten(&mut reference.fold);
            self.fold.run.letters = letters;
        }
        self.reference = Some(reference);
        taken
    }

    /// The reference after all that was taken so far.
    fn caught_up(&mut self, past: &[Entry]) -> Result<Box<Reference>, DeskRefusal> {
        let mut reference = match self.reference.take().filter(|old| old.entries <= past.len()) {
            Some(reference) => reference,
            None => {
                let begun = Reference::open(self.playing().program(), &self.setup);
                Box::new(begun.map_err(|_| DeskRefusal::WrongPast)?.0)
            }
        };
        for entry in &past[reference.entries..] {
            reference.take(entry).map_err(|_| DeskRefusal::WrongPast)?;
        }
        let (there, here) = (&reference.fold, &self.fold);
        let is_same = there.playing().state_hash() == here.playing().state_hash()
            && there.sheets.versions().eq(here.sheets.versions());
        if is_same { Ok(reference) } else { Err(DeskRefusal::WrongPast) }
    }
}

/// The same without the past.
fn lighten<R: Run>(fold: &mut Fold<R>) -> Fold<Light> {
    let (witness, playing) = fold.run.witness();
    let mut witness = witness.clone();
    witness.look_away();
    Fold {
        run: Light::awake(playing.clone(), witness),
        ahead: fold.ahead.clone(),
        consent: fold.consent.clone(),
        sheets: fold.sheets.clone(),
        changed: fold.changed,
    }
}
