//! The connection of a match function to its players: [`GameContext`].

use intermezzo_engine::{Chance, DiceScript, InputId, Rejection};
use intermezzo_program::Seat;

use crate::check::ResolvedPick;
use crate::errors::{LogicError, RecordMismatch, RecordMismatchReason, Suspension};
use crate::record::{RecordedResponse, ResponseRecord};
use crate::response::{Pick, Response};
use crate::response_error::ResponseError;
use crate::selector::{Selector, SelectorRequest};

/// The context in which a match function asks its players and draws random numbers.
///
/// A request without a recorded response returns [`Suspension::Waiting`]; return it with `?`. After that every
/// request fails the same way, so nothing happens that players have not answered.
#[derive(Debug)]
pub struct GameContext<'r> {
    record: &'r ResponseRecord,
    /// Number of recorded responses used.
    used: usize,
    /// Number of questions asked.
    asked: u32,
    /// Number of questions asked before the last request.
    asked_before: u32,
    open: Vec<OpenRequest>,
    stop: Option<Suspension>,
    chance: Chance,
}

/// A request that waits for a response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenRequest {
    /// The id of the request.
    pub input: InputId,
    /// The asked seat.
    pub seat: Seat,
    pub selector: Selector,
    /// True if it is hidden from other players.
    pub is_secret: bool,
}

/// An accepted response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptedResponse {
    /// The asked seat.
    pub seat: Seat,
    /// The response, sent or automatic, with its actor.
    pub response: Response,
    /// The matched picks. Empty for a free-form request: see the selection of the response.
    pub picks: Vec<ResolvedPick>,
}

impl AcceptedResponse {
    /// Returns the selection as it was sent.
    #[must_use]
    pub fn selection(&self) -> &[Pick] {
        &self.response.selection
    }
}

impl OpenRequest {
    /// Validates a response of the asked player.
    pub(crate) fn accept(&self, response: &Response) -> Result<AcceptedResponse, ResponseError> {
        let expected = self.selector.actor();
        if let Some(got) = response.actor.as_ref().filter(|got| *got != expected) {
            let (expected, got) = (expected.to_owned(), got.clone());
            return Err(Rejection::WrongActor { expected, got }.into());
        }
        let picks = self.selector.check(response)?;
        let response =
            Response { actor: Some(expected.to_owned()), is_user_response: true, ..response.clone() };
        Ok(AcceptedResponse { seat: self.seat, response, picks })
    }
}

/// The responses a request waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitFor {
    All,
    First,
}

/// A question of the current request.
struct PendingRequest {
    open: OpenRequest,
    accepted: Option<AcceptedResponse>,
}

impl<'r> GameContext<'r> {
    pub(crate) fn new(record: &'r ResponseRecord) -> GameContext<'r> {
        let chance = Chance::new(record.seed(), DiceScript::default());
        GameContext { record, used: 0, asked: 0, asked_before: 0, open: Vec::new(), stop: None, chance }
    }

    /// Asks one player.
    ///
    /// # Errors
    ///
    /// If the player must answer first, or does not exist.
    pub fn request_single(
        &mut self,
        question: impl Into<SelectorRequest>,
    ) -> Result<AcceptedResponse, Suspension> {
        let accepted = self.request(vec![question.into()], WaitFor::All)?;
        Ok(accepted.into_iter().next().expect("one player was asked and has answered"))
    }

    /// Asks several players and waits for all of them. Returns their responses in seat order, regardless of the
    /// order of arrival.
    ///
    /// # Errors
    ///
    /// If a player must answer first, does not exist, or is asked twice.
    pub fn request_many<Q: Into<SelectorRequest>>(
        &mut self,
        questions: impl IntoIterator<Item = Q>,
    ) -> Result<Vec<AcceptedResponse>, Suspension> {
        self.request(questions.into_iter().map(Into::into).collect(), WaitFor::All)
    }

    /// Asks several players and returns the first response; the record stores which one that was.
    ///
    /// # Errors
    ///
    /// If a player must answer first, does not exist, or is asked twice, or if nobody is asked.
    pub fn request_any<Q: Into<SelectorRequest>>(
        &mut self,
        questions: impl IntoIterator<Item = Q>,
    ) -> Result<AcceptedResponse, Suspension> {
        let questions: Vec<SelectorRequest> = questions.into_iter().map(Into::into).collect();
        if questions.is_empty() {
            return Err(self.stop_with(LogicError::NobodyAsked.into()));
        }
        let accepted = self.request(questions, WaitFor::First)?;
        Ok(accepted.into_iter().next().expect("the request ends with the first response"))
    }

    /// Returns all seats.
    pub fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..=u8::MAX).take(self.record.players().len()).map(Seat)
    }

    /// Returns the name of a player; empty if the seat does not exist.
    #[must_use]
    pub fn name(&self, seat: Seat) -> &'r str {
        self.record.players().get(usize::from(seat.0)).map_or("", String::as_str)
    }

    /// Returns the seat of a player.
    #[must_use]
    pub fn seat(&self, actor: &str) -> Option<Seat> {
        self.seats().find(|seat| self.name(*seat) == actor)
    }

    /// Returns the source of randomness, which follows from the seed of the match.
    pub fn chance(&mut self) -> &mut Chance {
        &mut self.chance
    }

    pub(crate) fn open_requests(&self) -> &[OpenRequest] {
        &self.open
    }

    /// Returns the number of questions asked before the last request and including it.
    pub(crate) fn asked_counts(&self) -> (u32, u32) {
        (self.asked_before, self.asked)
    }

    /// Returns the reason why requests fail, if they do.
    pub(crate) fn stop(&self) -> Option<&Suspension> {
        self.stop.as_ref()
    }

    /// Returns the index of the first unused recorded response.
    pub(crate) fn first_unused(&self) -> Option<usize> {
        (self.used < self.record.responses().len()).then_some(self.used)
    }

    fn stop_with(&mut self, stop: Suspension) -> Suspension {
        self.stop.get_or_insert(stop).clone()
    }

    fn request(
        &mut self,
        questions: Vec<SelectorRequest>,
        wanted: WaitFor,
    ) -> Result<Vec<AcceptedResponse>, Suspension> {
        if let Some(stop) = &self.stop {
            return Err(stop.clone());
        }
        let asked = self.ask(questions, wanted).and_then(|asked| self.collect_responses(asked, wanted));
        asked.map_err(|stop| self.stop_with(stop))
    }

    /// Numbers the questions by seat, and answers those that are forced.
    fn ask(
        &mut self,
        questions: Vec<SelectorRequest>,
        wanted: WaitFor,
    ) -> Result<Vec<PendingRequest>, Suspension> {
        let mut seated: Vec<(Seat, SelectorRequest)> = Vec::with_capacity(questions.len());
        for question in questions {
            let actor = question.selector.actor();
            let unknown = || LogicError::UnknownActor { actor: actor.to_owned() };
            let seat = self.seat(actor).ok_or_else(unknown)?;
            if seated.iter().any(|(other, _)| *other == seat) {
                return Err(LogicError::AskedTwice { actor: actor.to_owned() }.into());
            }
            seated.push((seat, question));
        }
        seated.sort_by_key(|(seat, _)| *seat);
        self.asked_before = self.asked;
        Ok(seated.into_iter().map(|(seat, question)| self.open_request(seat, question, wanted)).collect())
    }

    fn open_request(&mut self, seat: Seat, question: SelectorRequest, wanted: WaitFor) -> PendingRequest {
        let forced = question.forced_response().filter(|_| wanted == WaitFor::All);
        let SelectorRequest { selector, is_secret, .. } = question;
        let accepted = forced.and_then(|response| {
            let picks = selector.check(&response).ok()?;
            Some(AcceptedResponse { seat, response, picks })
        });
        if accepted.is_none() {
            self.asked += 1;
        }
        PendingRequest {
            open: OpenRequest { input: InputId(self.asked), seat, selector, is_secret },
            accepted,
        }
    }

    /// Reads recorded responses until the request has what it waits for.
    fn collect_responses(
        &mut self,
        mut asked: Vec<PendingRequest>,
        wanted: WaitFor,
    ) -> Result<Vec<AcceptedResponse>, Suspension> {
        let is_answered = |asked: &PendingRequest| asked.accepted.is_some();
        loop {
            let is_done = match wanted {
                WaitFor::All => asked.iter().all(is_answered),
                WaitFor::First => asked.iter().any(is_answered),
            };
            if is_done {
                return Ok(asked.into_iter().filter_map(|asked| asked.accepted).collect());
            }
            let Some(entry) = self.record.responses().get(self.used) else {
                let waiting = asked.into_iter().filter(|asked| !is_answered(asked));
                self.open = waiting.map(|asked| asked.open).collect();
                return Err(Suspension::Waiting);
            };
            self.accept_recorded(&mut asked, entry)?;
            self.used += 1;
        }
    }

    fn accept_recorded(
        &self,
        asked: &mut [PendingRequest],
        entry: &RecordedResponse,
    ) -> Result<(), Suspension> {
        let mismatch = |reason| Suspension::RecordMismatch(RecordMismatch { index: self.used, reason });
        let request =
            asked.iter_mut().find(|asked| asked.accepted.is_none() && asked.open.input == entry.input());
        let request = request.ok_or_else(|| mismatch(RecordMismatchReason::NotAsked))?;
        let accepted = request.open.accept(entry.response()).map_err(|error| match error {
            ResponseError::Invalid(invalid) => mismatch(RecordMismatchReason::Invalid(invalid)),
            _ => mismatch(RecordMismatchReason::NotAsked),
        })?;
        request.accepted = Some(accepted);
        Ok(())
    }
}
