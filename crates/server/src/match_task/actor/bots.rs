//! Bots on seats.

use std::pin::Pin;

use intermezzo_engine::{Input, LeaveCause};
use intermezzo_program::{Seat, Takeover};
use intermezzo_session::SessionEntry;

use super::{MatchActor, StepError};
use crate::match_task::bot::{BotPlayer, BotQuestion};
use crate::match_task::fold::CommandSender;

/// Failed attempts after which a bot gives up.
const MAX_BOT_ATTEMPTS: u32 = 20;

/// A bot choosing an answer, with its seat.
pub(super) type ThinkingBot =
    (Seat, Pin<Box<dyn Future<Output = (Option<BotPlayer>, Option<SessionEntry>)> + Send>>);

impl MatchActor {
    pub(super) fn bot_has_prompt(&self) -> bool {
        let Some(state) = self.state.as_ref().filter(|state| !state.clocks.is_paused()) else { return false };
        self.thinking_bot.is_none()
            && self.bots.iter().any(Option::is_some)
            && (self.bot_to_consent().is_some()
                || state.session.game().pending().any(|pending| self.has_bot(pending.seat())))
    }

    /// Returns a bot's seat whose consent to an undo is requested. Bots always consent.
    fn bot_to_consent(&self) -> Option<Seat> {
        let (_, open) = self.state.as_ref()?.session.undo_request()?;
        open.into_iter().find(|seat| self.has_bot(*seat))
    }

    /// Returns the bots that the match started with, by seat.
    pub(super) fn bot_names(&self) -> &[Option<String>] {
        self.details.as_ref().map_or(&[], |details| &details.bots)
    }

    /// Returns the ruleset's bot for players whose time is over.
    pub(super) fn takeover(&self) -> Option<Takeover> {
        self.details.as_ref()?.config.program.clock?.takeover
    }

    /// Returns the name of the bot that should play a seat now.
    fn wanted_bot(&self, seat: Seat) -> Option<&str> {
        let began = self.bot_names().get(usize::from(seat.0)).and_then(|name| name.as_deref());
        let is_replaced = || self.state.as_ref().is_some_and(|state| state.clocks.is_replaced(seat));
        began.or_else(|| self.takeover().filter(|_| is_replaced()).map(Takeover::name))
    }

    /// Puts bots on the seats they should play, and removes them where a player has returned.
    pub(super) fn seat_bots(&mut self) {
        let (Some(state), Some(details)) = (&self.state, &self.details) else { return };
        let is_settled = self.bots.len() == usize::from(details.config.setup.seats);
        if is_settled && self.takeover().is_none() {
            return;
        }
        let seed = u64::from_le_bytes(details.config.setup.seed.0[..8].try_into().unwrap_or_default());
        let (version, seats) = (state.version, details.config.setup.seats);
        self.bots.resize_with(usize::from(seats), || None);
        for seat in (0..seats).map(Seat) {
            let is_busy = self.thinking_bot.as_ref().is_some_and(|(thinks, _)| *thinks == seat);
            let wanted = self.wanted_bot(seat).filter(|_| !is_busy).map(str::to_owned);
            let slot = &mut self.bots[usize::from(seat.0)];
            match (wanted, &slot) {
                (Some(name), None) => {
                    *slot = Some(BotPlayer::from_name(&name, seed.wrapping_add(version + u64::from(seat.0))));
                }
                (None, Some(_)) => *slot = None,
                _ => {}
            }
        }
    }

    fn has_bot(&self, seat: Seat) -> bool {
        self.bots.get(usize::from(seat.0)).is_some_and(Option::is_some)
    }

    /// Starts one bot. The match continues meanwhile: others may answer, and deadlines may expire.
    pub(super) async fn start_bot(&mut self) -> Result<(), StepError> {
        let Some(state) = &self.state else { return Ok(()) };
        if let Some(seat) = self.bot_to_consent() {
            let bot = self.bots.get_mut(usize::from(seat.0)).and_then(Option::take);
            let agrees = std::future::ready((bot, Some(SessionEntry::AgreeToUndo { seat })));
            self.thinking_bot = Some((seat, Box::pin(agrees)));
            return Ok(());
        }
        let pending = state.session.game().pending().map(|pending| pending.seat());
        let Some(seat) = pending.into_iter().find(|seat| self.has_bot(*seat)) else { return Ok(()) };
        let playing = self.compute(|state| state.session.game().clone()).await?;
        let Some(bot) = self.bots.get_mut(usize::from(seat.0)).and_then(Option::take) else { return Ok(()) };
        let threads = self.registry.bot_threads.clone();
        let asks = BotQuestion { playing, seat, owner: self.owner(), is_slow: self.computes_elsewhere() };
        self.thinking_bot = Some((seat, Box::pin(bot.answer(asks, threads))));
        Ok(())
    }

    /// Applies the answer of a bot. If its prompt is no longer open, the bot starts again on the next one.
    pub(super) async fn on_bot_answer(
        &mut self,
        seat: Seat,
        bot: Option<BotPlayer>,
        entry: Option<SessionEntry>,
    ) -> Result<(), StepError> {
        let (has_failed, has_answer) = (bot.is_none(), entry.is_some());
        let agrees = matches!(entry, Some(SessionEntry::AgreeToUndo { .. }));
        self.bots[usize::from(seat.0)] = bot;
        if self.state.is_none() || self.wanted_bot(seat).is_none() {
            return Ok(());
        }
        if let Some(entry) = entry
            && self.apply_entry(CommandSender::default(), &entry, None).await?.is_ok()
        {
            self.failed_bot_attempts = 0;
            tokio::task::yield_now().await;
            return Ok(());
        }
        // The consent is no longer requested, or the entries to undo cannot be read now.
        if agrees {
            return self
                .apply_entry(CommandSender::default(), &SessionEntry::DeclineUndo { seat }, None)
                .await
                .map(drop);
        }
        self.failed_bot_attempts += 1;
        if has_answer && !has_failed && self.failed_bot_attempts < MAX_BOT_ATTEMPTS {
            return Ok(());
        }
        tracing::error!(r#match = %self.id, seat = seat.0, "a bot found no valid answer and concedes");
        let leave = SessionEntry::Input(Input::Leave { seat, cause: LeaveCause::Concede });
        self.bots[usize::from(seat.0)] = None;
        self.apply_entry(CommandSender::default(), &leave, None).await.map(drop)
    }
}

/// Waits for the running bot's answer; forever if none is running.
pub(super) async fn next_bot_answer(
    thinking: &mut Option<ThinkingBot>,
) -> (Seat, Option<BotPlayer>, Option<SessionEntry>) {
    let Some((seat, answer)) = thinking else { return std::future::pending().await };
    let (seat, (bot, entry)) = (*seat, answer.await);
    *thinking = None;
    (seat, bot, entry)
}
