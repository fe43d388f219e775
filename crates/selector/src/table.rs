//! Where a match that is a function meets its players: [`Table`].

use intermezzo_engine::{Chance, InputId, Rejection, Script};
use intermezzo_ruleset::Seat;

use crate::check::Picked;
use crate::flaw::{Flaw, Misfit, MisfitReason, Stop};
use crate::record::{Entry, Record};
use crate::refusal::Refusal;
use crate::response::{Pick, Response};
use crate::selector::{Question, Selector};

/// What a match that is a function asks its players with, and what it rolls with.
///
/// A request that the record has no response to gives [`Stop::Waiting`]; hand
/// it on with `?`. From then on every request does, so that nothing can happen
/// which players have not answered for.
#[derive(Debug)]
pub struct Table<'r> {
    record: &'r Record,
    /// How many responses of the record have been used.
    used: usize,
    /// How many questions have been asked.
    asked: u32,
    /// How many had been asked before the last request.
    asked_before: u32,
    open: Vec<Open>,
    stop: Option<Stop>,
    chance: Chance,
}

/// A question that waits for a response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Open {
    /// Names it.
    pub input: InputId,
    /// Who is asked.
    pub seat: Seat,
    /// What is asked.
    pub selector: Selector,
    /// Nobody else is to know of it.
    pub is_secret: bool,
}

/// A response that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// Who was asked.
    pub seat: Seat,
    /// What was sent, or taken without asking; with its actor.
    pub response: Response,
    /// The picks as found among the choices. A free-form request has none: see the selection of the response.
    pub picks: Vec<Picked>,
}

impl Accepted {
    /// What was picked, as it was sent.
    #[must_use]
    pub fn selection(&self) -> &[Pick] {
        &self.response.selection
    }
}

impl Open {
    /// Takes a response of the player asked.
    pub(crate) fn accept(&self, response: &Response) -> Result<Accepted, Refusal> {
        let expected = self.selector.actor();
        if let Some(got) = response.actor.as_ref().filter(|got| *got != expected) {
            let (expected, got) = (expected.to_owned(), got.clone());
            return Err(Rejection::WrongActor { expected, got }.into());
        }
        let picks = self.selector.check(response)?;
        let response =
            Response { actor: Some(expected.to_owned()), is_user_response: true, ..response.clone() };
        Ok(Accepted { seat: self.seat, response, picks })
    }
}

/// Whose responses a request waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    First,
}

/// A question of the request under way.
struct Asked {
    open: Open,
    accepted: Option<Accepted>,
}

impl<'r> Table<'r> {
    pub(crate) fn new(record: &'r Record) -> Table<'r> {
        let chance = Chance::new(record.seed(), Script::default());
        Table { record, used: 0, asked: 0, asked_before: 0, open: Vec::new(), stop: None, chance }
    }

    /// Asks one player.
    ///
    /// # Errors
    ///
    /// If the player must answer first, or nobody of that name plays.
    pub fn request_single(&mut self, question: impl Into<Question>) -> Result<Accepted, Stop> {
        let accepted = self.request(vec![question.into()], Wanted::All)?;
        Ok(accepted.into_iter().next().expect("one was asked and has answered"))
    }

    /// Asks several players and waits for all of them. Gives their responses by seat, whatever the order in which they
    /// arrived.
    ///
    /// # Errors
    ///
    /// If somebody must answer first, does not play, or is asked twice.
    pub fn request_many<Q: Into<Question>>(
        &mut self,
        questions: impl IntoIterator<Item = Q>,
    ) -> Result<Vec<Accepted>, Stop> {
        self.request(questions.into_iter().map(Into::into).collect(), Wanted::All)
    }

    /// Asks several players and takes the response that arrives first; the record says which.
    ///
    /// # Errors
    ///
    /// If somebody must answer first, does not play, or is asked twice, and if nobody is asked.
    pub fn request_any<Q: Into<Question>>(
        &mut self,
        questions: impl IntoIterator<Item = Q>,
    ) -> Result<Accepted, Stop> {
        let questions: Vec<Question> = questions.into_iter().map(Into::into).collect();
        if questions.is_empty() {
            return Err(self.halt(Flaw::NobodyAsked.into()));
        }
        let accepted = self.request(questions, Wanted::First)?;
        Ok(accepted.into_iter().next().expect("the request ends with the first response"))
    }

    /// All who play.
    pub fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..=u8::MAX).take(self.record.players().len()).map(Seat)
    }

    /// The name of a player; empty if there is no such seat.
    #[must_use]
    pub fn name(&self, seat: Seat) -> &'r str {
        self.record.players().get(usize::from(seat.0)).map_or("", String::as_str)
    }

    /// The seat of a player.
    #[must_use]
    pub fn seat(&self, actor: &str) -> Option<Seat> {
        self.seats().find(|seat| self.name(*seat) == actor)
    }

    /// Everything random that follows from the seed of the match.
    pub fn chance(&mut self) -> &mut Chance {
        &mut self.chance
    }

    pub(crate) fn open(&self) -> &[Open] {
        &self.open
    }

    /// How many questions have been asked, before the last request and with it.
    pub(crate) fn asked(&self) -> (u32, u32) {
        (self.asked_before, self.asked)
    }

    /// Why the table hands out nothing any more.
    pub(crate) fn stop(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// The first response nobody has asked for.
    pub(crate) fn left_over(&self) -> Option<usize> {
        (self.used < self.record.responses().len()).then_some(self.used)
    }

    fn halt(&mut self, stop: Stop) -> Stop {
        self.stop.get_or_insert(stop).clone()
    }

    fn request(&mut self, questions: Vec<Question>, wanted: Wanted) -> Result<Vec<Accepted>, Stop> {
        if let Some(stop) = &self.stop {
            return Err(stop.clone());
        }
        let asked = self.ask(questions, wanted).and_then(|asked| self.gather(asked, wanted));
        asked.map_err(|stop| self.halt(stop))
    }

    /// Numbers the questions by seat, and answers those that need no asking.
    fn ask(&mut self, questions: Vec<Question>, wanted: Wanted) -> Result<Vec<Asked>, Stop> {
        let mut seated: Vec<(Seat, Question)> = Vec::with_capacity(questions.len());
        for question in questions {
            let actor = question.selector.actor();
            let unknown = || Flaw::UnknownActor { actor: actor.to_owned() };
            let seat = self.seat(actor).ok_or_else(unknown)?;
            if seated.iter().any(|(other, _)| *other == seat) {
                return Err(Flaw::AskedTwice { actor: actor.to_owned() }.into());
            }
            seated.push((seat, question));
        }
        seated.sort_by_key(|(seat, _)| *seat);
        self.asked_before = self.asked;
        Ok(seated.into_iter().map(|(seat, question)| self.put(seat, question, wanted)).collect())
    }

    fn put(&mut self, seat: Seat, question: Question, wanted: Wanted) -> Asked {
        let forced = question.answers_itself().filter(|_| wanted == Wanted::All);
        let Question { selector, is_secret, .. } = question;
        let accepted = forced.and_then(|response| {
            let picks = selector.check(&response).ok()?;
            Some(Accepted { seat, response, picks })
        });
        if accepted.is_none() {
            self.asked += 1;
        }
        Asked { open: Open { input: InputId(self.asked), seat, selector, is_secret }, accepted }
    }

    /// Goes on through the record until the request has what it wants.
    fn gather(&mut self, mut asked: Vec<Asked>, wanted: Wanted) -> Result<Vec<Accepted>, Stop> {
        let is_answered = |asked: &Asked| asked.accepted.is_some();
        loop {
            let is_done = match wanted {
                Wanted::All => asked.iter().all(is_answered),
                Wanted::First => asked.iter().any(is_answered),
            };
            if is_done {
                return Ok(asked.into_iter().filter_map(|asked| asked.accepted).collect());
            }
            let Some(entry) = self.record.responses().get(self.used) else {
                let waiting = asked.into_iter().filter(|asked| !is_answered(asked));
                self.open = waiting.map(|asked| asked.open).collect();
                return Err(Stop::Waiting);
            };
            self.take(&mut asked, entry)?;
            self.used += 1;
        }
    }

    fn take(&self, asked: &mut [Asked], entry: &Entry) -> Result<(), Stop> {
        let misfit = |reason| Stop::Misfit(Misfit { place: self.used, reason });
        let meant =
            asked.iter_mut().find(|asked| asked.accepted.is_none() && asked.open.input == entry.input());
        let meant = meant.ok_or_else(|| misfit(MisfitReason::NotAsked))?;
        let accepted = meant.open.accept(entry.response()).map_err(|refusal| match refusal {
            Refusal::Invalid(invalid) => misfit(MisfitReason::Invalid(invalid)),
            _ => misfit(MisfitReason::NotAsked),
        })?;
        meant.accepted = Some(accepted);
        Ok(())
    }
}
