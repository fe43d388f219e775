//! A ruleset's own protocol at the desk: letters to seats, and messages from them.
//!
//! Letters follow from the entries like everything else, but are only written while somebody wants them.

use intermezzo_engine::{Datum, InputId, Letter, Received, Unread, Viewer};
use intermezzo_ruleset::Seat;

use crate::desk::Desk;
use crate::running::Run;
use crate::shown::Taken;

impl Desk {
    /// From now on [`Taken`] carries letters, or no longer.
    pub fn write_letters(&mut self, wanted: bool) {
        let letters = &mut self.fold.run.letters;
        match wanted {
            true => drop(letters.get_or_insert_default()),
            false => *letters = None,
        }
        self.asked = self.playing().pending().map(|pending| pending.id()).collect();
    }

    /// The letters of the beginning, for all seats.
    pub fn opening_letters(&mut self) -> Vec<Letter> {
        self.fold.run.witness().0.opening_letters()
    }

    /// The letters that come with an open question.
    pub fn question_letters(&mut self, question: InputId) -> Vec<Letter> {
        let (witness, playing) = self.fold.run.witness();
        witness.question_letters(playing, question)
    }

    /// The letters about something a seat sent that was refused.
    pub fn error_letters(&mut self, seat: Seat) -> Vec<Letter> {
        self.fold.run.witness().0.error_letters(seat)
    }

    /// What a message of a seat means; `body` is the message without its type.
    ///
    /// # Errors
    ///
    /// If it means nothing now.
    pub fn read_message(&mut self, seat: Seat, name: &str, body: &Datum) -> Result<Received, Unread> {
        let (witness, playing) = self.fold.run.witness();
        witness.read_message(playing, seat, name, body)
    }

    /// Adds the letters about questions that are new with an entry.
    pub(crate) fn ask_by_letter(&mut self, taken: &mut Taken) {
        if self.fold.run.letters.is_none() {
            return;
        }
        let open: Vec<(InputId, Seat)> =
            self.playing().pending().map(|pending| (pending.id(), pending.seat())).collect();
        for (question, seat) in &open {
            let is_noticed = taken.shown.iter().any(|shown| shown.viewer == Viewer::Seat(*seat));
            if is_noticed && !self.asked.contains(question) {
                let letters = self.question_letters(*question);
                taken.letters.extend(letters);
            }
        }
        self.asked = open.into_iter().map(|(question, _)| question).collect();
    }
}
