//! The desk itself. Start with [`Desk::open`].

use std::sync::Arc;

use intermezzo_engine::{Datum, Input, InputId, Match, Rejection, Setup, StartError, Viewer};
use intermezzo_journal::{MatchFile, Mismatch, Recorder};
use intermezzo_ruleset::{Program, Seat};

use crate::ahead::Queues;
use crate::consent::Consent;
use crate::refusal::DeskRefusal;

/// Where a match takes what its seats send.
#[derive(Debug)]
pub struct Desk {
    pub(crate) recorder: Recorder,
    pub(crate) ahead: Queues,
    pub(crate) consent: Option<Consent>,
    news: Vec<(Viewer, News)>,
    version: u64,
}

/// Something a viewer is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// An event, as the viewer sees it.
    Happened(Datum),
    /// Something was taken back: the view and the questions are to be asked for anew.
    TakenBack {
        /// Who took back.
        by: Seat,
    },
    /// A seat would like to take something back; the viewer may agree.
    WouldTakeBack {
        /// Who would.
        by: Seat,
    },
    /// It is not taken back: somebody declined, or the match went on.
    NotTakenBack {
        /// Who would have.
        by: Seat,
    },
    /// What the seat sent ahead no longer fits, and is forgotten.
    AheadForgotten,
}

impl Desk {
    /// Begins a match.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset, or a rule fails.
    pub fn open(program: &Arc<Program>, setup: &Setup) -> Result<Desk, StartError> {
        Recorder::start(program, setup).map(Desk::with)
    }

    /// Goes on with a recorded match.
    ///
    /// # Errors
    ///
    /// If the file does not tell the truth, or another ruleset is at hand.
    pub fn resume(file: &MatchFile, program: &Arc<Program>) -> Result<Desk, Mismatch> {
        Recorder::resume(file, program).map(Desk::with)
    }

    fn with(recorder: Recorder) -> Desk {
        let ahead = Queues::new(recorder.playing().board().seats());
        let mut desk = Desk { recorder, ahead, consent: None, news: Vec::new(), version: 0 };
        desk.pass_on();
        desk
    }

    /// The match as it stands.
    #[must_use]
    pub fn playing(&self) -> &Match {
        self.recorder.playing()
    }

    /// The recording so far.
    #[must_use]
    pub fn file(&self) -> &MatchFile {
        self.recorder.file()
    }

    /// Grows with everything that is taken or taken back.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether the sender has seen the match as it is.
    ///
    /// # Errors
    ///
    /// If it has gone on since.
    pub fn expect(&self, version: u64) -> Result<(), DeskRefusal> {
        let is_now = version == self.version;
        if is_now { Ok(()) } else { Err(DeskRefusal::Stale { version: self.version }) }
    }

    /// Tells a seat the lessons of the ruleset's tutorial with its questions, from the first.
    pub fn teach(&mut self, seat: Seat) {
        self.recorder.witness().0.teach(seat);
    }

    /// All a viewer may see.
    pub fn view(&mut self, viewer: Viewer) -> Datum {
        self.recorder.witness().0.view(viewer)
    }

    /// What a viewer is asked.
    pub fn prompts(&mut self, viewer: Viewer) -> Datum {
        let (witness, playing) = self.recorder.witness();
        witness.prompts(playing, viewer)
    }

    /// The news since they were last taken, in order.
    pub fn take_news(&mut self) -> Vec<(Viewer, News)> {
        std::mem::take(&mut self.news)
    }

    /// Takes the answer of a seat to the question it knows by that number, written with the names it knows.
    ///
    /// # Errors
    ///
    /// If it is not a good answer to an open question of that seat.
    pub fn answer(&mut self, seat: Seat, question: u32, answer: &Datum) -> Result<(), DeskRefusal> {
        let input = self.question(seat, question)?;
        let (witness, playing) = self.recorder.witness();
        let answer = witness.read_answer(playing, seat, input, answer)?;
        self.submit(&Input::Answer { input, seat, answer })
    }

    /// Takes an input in the engine's own terms: clocks that run out, seats that leave.
    ///
    /// # Errors
    ///
    /// If the match refuses it.
    pub fn submit(&mut self, input: &Input) -> Result<(), DeskRefusal> {
        self.recorder.submit(input)?;
        self.has_changed();
        self.pass_on();
        self.use_ahead();
        Ok(())
    }

    /// The open question that a seat knows by that number.
    pub(crate) fn question(&mut self, seat: Seat, number: u32) -> Result<InputId, DeskRefusal> {
        let viewer = Viewer::Seat(seat);
        // Questions get their numbers when they are shown.
        self.prompts(viewer);
        let (witness, playing) = self.recorder.witness();
        if seat.0 >= playing.board().seats() {
            return Err(Rejection::NoSuchSeat { seat }.into());
        }
        let input = InputId(number);
        if playing.is_over() {
            return Err(Rejection::MatchOver.into());
        }
        match witness.input_named(viewer, number) {
            Some(found) if playing.pending().any(|pending| pending.id() == found) => Ok(found),
            _ if witness.has_asked(viewer, number) => Err(Rejection::InputClosed { input }.into()),
            _ => Err(Rejection::NoSuchInput { input }.into()),
        }
    }

    /// Something was taken or taken back.
    pub(crate) fn has_changed(&mut self) {
        self.version += 1;
        self.forget_consent();
    }

    /// Tells the viewers what happened last.
    fn pass_on(&mut self) {
        let news = self.recorder.news().iter();
        self.news.extend(news.map(|(viewer, event)| (*viewer, News::Happened(event.clone()))));
    }

    pub(crate) fn tell(&mut self, viewer: Viewer, news: News) {
        self.news.push((viewer, news));
    }

    pub(crate) fn tell_all(&mut self, news: &News) {
        let seats = self.playing().board().seats();
        let viewers = (0..seats).map(|seat| Viewer::Seat(Seat(seat))).chain([Viewer::Spectator]);
        self.news.extend(viewers.map(|viewer| (viewer, news.clone())));
    }
}
