//! Custom messages: the ruleset's own protocol to and from seats.
//!
//! Custom messages follow from the entries like everything else, but are built only while enabled.

use intermezzo_engine::{CustomMessage, Datum, InputId, MessageError, ReceivedMessage, Viewer};
use intermezzo_program::Seat;

use crate::runner::MatchRunner;
use crate::session::Session;
use crate::viewer_updates::SessionUpdate;

impl Session {
    /// Enables or disables custom messages in [`SessionUpdate`].
    pub fn enable_custom_messages(&mut self, wanted: bool) {
        let custom_messages = &mut self.fold.runner.custom_messages;
        match wanted {
            true => drop(custom_messages.get_or_insert_default()),
            false => *custom_messages = None,
        }
        self.announced = self.game().pending().map(|pending| pending.id()).collect();
    }

    /// Returns the custom messages of the start, for all seats.
    pub fn start_messages(&mut self) -> Vec<CustomMessage> {
        self.fold.runner.observer().0.start_messages()
    }

    /// Returns the custom messages for an open question.
    pub fn question_messages(&mut self, question: InputId) -> Vec<CustomMessage> {
        let (observer, game) = self.fold.runner.observer();
        observer.question_messages(game, question)
    }

    /// Returns the custom messages for a rejected message of a seat.
    pub fn error_messages(&mut self, seat: Seat) -> Vec<CustomMessage> {
        self.fold.runner.observer().0.error_messages(seat)
    }

    /// Interprets a custom message of a seat; `body` is the message without its type.
    ///
    /// # Errors
    ///
    /// If the message has no meaning at the moment.
    pub fn read_message(
        &mut self,
        seat: Seat,
        name: &str,
        body: &Datum,
    ) -> Result<ReceivedMessage, MessageError> {
        let (observer, game) = self.fold.runner.observer();
        observer.read_message(game, seat, name, body)
    }

    /// Adds the custom messages for questions that are new with an entry.
    pub(crate) fn add_question_messages(&mut self, update: &mut SessionUpdate) {
        if self.fold.runner.custom_messages.is_none() {
            return;
        }
        let open: Vec<(InputId, Seat)> =
            self.game().pending().map(|pending| (pending.id(), pending.seat())).collect();
        for (question, seat) in &open {
            let is_noticed = update.viewers.iter().any(|viewer| viewer.viewer == Viewer::Seat(*seat));
            if is_noticed && !self.announced.contains(question) {
                let custom_messages = self.question_messages(*question);
                update.custom_messages.extend(custom_messages);
            }
        }
        self.announced = open.into_iter().map(|(question, _)| question).collect();
    }
}
