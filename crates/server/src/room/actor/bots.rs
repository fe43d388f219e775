//! Bots on seats: who plays where, and what comes of their thinking.

use std::pin::Pin;

use intermezzo_desk::Entry;
use intermezzo_engine::{Input, LeaveCause};
use intermezzo_ruleset::{Seat, Takeover};

use super::{Actor, Halt};
use crate::room::bot::Bot;
use crate::room::fold::Sender;

/// A bot that finds no legal answer in so many tries gives up.
const MAX_BOT_TRIES: u32 = 20;

/// A bot on its way to an answer.
pub(super) type Thinking = (Seat, Pin<Box<dyn Future<Output = (Option<Bot>, Option<Entry>)> + Send>>);

impl Actor {
    pub(super) fn bot_is_asked(&self) -> bool {
        let Some(room) = self.room.as_ref().filter(|room| !room.clocks.is_paused()) else { return false };
        self.thinking.is_none()
            && self.bots.iter().any(Option::is_some)
            && (self.agreeing_bot().is_some()
                || room.desk.playing().pending().any(|asked| self.has_bot(asked.seat())))
    }

    /// A seat with a bot that is asked whether somebody may take back. Bots have nothing against it.
    fn agreeing_bot(&self) -> Option<Seat> {
        let (_, open) = self.room.as_ref()?.desk.consent()?;
        open.into_iter().find(|seat| self.has_bot(*seat))
    }

    /// By seat, the bots the match began with.
    pub(super) fn bot_names(&self) -> &[Option<String>] {
        self.opening.as_ref().map_or(&[], |opening| &opening.bots)
    }

    /// The bot that plays on for those whose time is over, if the ruleset has one.
    pub(super) fn takeover(&self) -> Option<Takeover> {
        self.opening.as_ref()?.terms.program.clock?.takeover
    }

    /// The name of the bot that is to play at a seat now.
    fn wanted_bot(&self, seat: Seat) -> Option<&str> {
        let began = self.bot_names().get(usize::from(seat.0)).and_then(|name| name.as_deref());
        let is_replaced = || self.room.as_ref().is_some_and(|room| room.clocks.is_replaced(seat));
        began.or_else(|| self.takeover().filter(|_| is_replaced()).map(Takeover::name))
    }

    /// Lets bots sit down where they are to play, and stand up where a player has come back.
    pub(super) fn seat_bots(&mut self) {
        let (Some(room), Some(opening)) = (&self.room, &self.opening) else { return };
        let is_settled = self.bots.len() == usize::from(opening.terms.setup.seats);
        if is_settled && self.takeover().is_none() {
            return;
        }
        let seed = u64::from_le_bytes(opening.terms.setup.seed.0[..8].try_into().unwrap_or_default());
        let (version, seats) = (room.version, opening.terms.setup.seats);
        self.bots.resize_with(usize::from(seats), || None);
        for seat in (0..seats).map(Seat) {
            let is_busy = self.thinking.as_ref().is_some_and(|(thinks, _)| *thinks == seat);
            let wanted = self.wanted_bot(seat).filter(|_| !is_busy).map(str::to_owned);
            let place = &mut self.bots[usize::from(seat.0)];
            match (wanted, &place) {
                (Some(name), None) => {
                    *place = Some(Bot::named(&name, seed.wrapping_add(version + u64::from(seat.0))));
                }
                (None, Some(_)) => *place = None,
                _ => {}
            }
        }
    }

    fn has_bot(&self, seat: Seat) -> bool {
        self.bots.get(usize::from(seat.0)).is_some_and(Option::is_some)
    }

    /// Lets one bot think. The match goes on meanwhile: others may answer, and time may run out.
    pub(super) fn let_bot_think(&mut self) {
        let Some(room) = &self.room else { return };
        if let Some(seat) = self.agreeing_bot() {
            let bot = self.bots.get_mut(usize::from(seat.0)).and_then(Option::take);
            let agrees = std::future::ready((bot, Some(Entry::Agree { seat })));
            self.thinking = Some((seat, Box::pin(agrees)));
            return;
        }
        let asked = room.desk.playing().pending().map(|asked| asked.seat());
        let Some(seat) = asked.into_iter().find(|seat| self.has_bot(*seat)) else { return };
        let playing = room.desk.playing().clone();
        let Some(bot) = self.bots.get_mut(usize::from(seat.0)).and_then(Option::take) else { return };
        let thinkers = self.hub.thinkers.clone();
        self.thinking = Some((seat, Box::pin(bot.answer(playing, seat, thinkers))));
    }

    /// Takes the answer of a bot. One whose question is no longer open thinks again if it is asked.
    pub(super) async fn bot_answers(
        &mut self,
        seat: Seat,
        bot: Option<Bot>,
        entry: Option<Entry>,
    ) -> Result<(), Halt> {
        let (has_failed, has_answer) = (bot.is_none(), entry.is_some());
        let agrees = matches!(entry, Some(Entry::Agree { .. }));
        self.bots[usize::from(seat.0)] = bot;
        if self.room.is_none() || self.wanted_bot(seat).is_none() {
            return Ok(());
        }
        if let Some(entry) = entry
            && self.take(Sender::default(), &entry, None).await?.is_ok()
        {
            self.bot_tries = 0;
            tokio::task::yield_now().await;
            return Ok(());
        }
        // Nobody asks any more, or what is to be taken back cannot be read just now.
        if agrees {
            return self.take(Sender::default(), &Entry::Decline { seat }, None).await.map(drop);
        }
        self.bot_tries += 1;
        if has_answer && !has_failed && self.bot_tries < MAX_BOT_TRIES {
            return Ok(());
        }
        tracing::error!(r#match = %self.id, seat = seat.0, "a bot finds no answer and gives up");
        let leave = Entry::Input(Input::Leave { seat, cause: LeaveCause::Concede });
        self.bots[usize::from(seat.0)] = None;
        self.take(Sender::default(), &leave, None).await.map(drop)
    }
}

/// What a bot has come to; never, if none is thinking.
pub(super) async fn thought(thinking: &mut Option<Thinking>) -> (Seat, Option<Bot>, Option<Entry>) {
    let Some((seat, under_way)) = thinking else { return std::future::pending().await };
    let (seat, (bot, entry)) = (*seat, under_way.await);
    *thinking = None;
    (seat, bot, entry)
}
