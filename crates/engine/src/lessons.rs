//! Tutorials: what a learner is told with a question.
//!
//! Lessons come in order. One is told with every question it belongs to until
//! the event that ends it has been told to the learner; one that nothing ends is
//! told with one question.

use intermezzo_ruleset::{EventId, Lesson, NULL, Seat, Word, word};

use crate::datum::{Datum, Text};
use crate::fold::Payload;
use crate::input::InputId;
use crate::request::Pending;
use crate::witness::{Viewer, Witness};

/// A seat that learns the game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Learner {
    pub(crate) seat: Seat,
    /// The lesson that is next.
    pub(crate) next: usize,
    /// The question it was told with, if nothing else ends it.
    pub(crate) told_with: Option<InputId>,
}

impl Learner {
    pub(crate) fn new(seat: Seat) -> Learner {
        Learner { seat, next: 0, told_with: None }
    }
}

impl Witness {
    /// Tells a seat the ruleset's lessons with its questions, from the first.
    pub fn teach(&mut self, seat: Seat) {
        self.memory.learners.retain(|learner| learner.seat != seat);
        self.memory.learners.push(Learner::new(seat));
    }

    /// What a learner is told with a question: `id` and `say` of the lesson, and the things it is about.
    pub(crate) fn lesson(&mut self, pending: &Pending<'_>) -> Option<Datum> {
        let place = self.memory.learners.iter().position(|learner| learner.seat == pending.seat())?;
        let learner = self.memory.learners[place];
        if learner.told_with.is_some_and(|question| question != pending.id()) {
            self.end_lesson(place);
        }
        let program = std::sync::Arc::clone(&self.program);
        let lesson = program.lessons.get(self.memory.learners[place].next)?;
        let is_meant = |question: &String| *question == pending.choice().name;
        let you = [word::player(pending.seat()); 2];
        if !lesson.question.as_ref().is_none_or(is_meant)
            || !lesson.condition.is_none_or(|condition| self.test(condition, &you))
        {
            return None;
        }
        if lesson.until.is_none() {
            self.memory.learners[place].told_with = Some(pending.id());
        }
        let about = self.highlighted(lesson, pending.seat());
        let entries = [
            ("id", Datum::text(&lesson.name)),
            ("say", self.text(lesson.say)),
            ("highlight", Datum::List(about)),
        ];
        Some(Datum::Map(entries.map(|(name, value)| (Text::new_static(name), value)).into()))
    }

    /// The things a lesson is about, as far as they are in sight.
    fn highlighted(&mut self, lesson: &Lesson, seat: Seat) -> Vec<Datum> {
        let Some(routine) = lesson.highlight else { return Vec::new() };
        let heap = self.board.heap.len();
        let you = [word::player(seat); 2];
        let list = self.folder.with_core(&mut self.board, |core| core.evaluate(routine, NULL, &you));
        let found = list.ok().and_then(|list| self.board.heap.list(list)).unwrap_or(&[]).to_vec();
        self.board.heap.truncate(heap);
        let names = found.into_iter().map(|entity| self.reference(Viewer::Seat(seat), entity));
        names.filter(|name| *name != Datum::Null).collect()
    }

    /// A viewer has been told of an event, which may end a lesson.
    pub(crate) fn learn(&mut self, viewer: Viewer, event: EventId, payload: &Payload) {
        let is_learner = |learner: &Learner| Viewer::Seat(learner.seat) == viewer;
        let Some(place) = self.memory.learners.iter().position(is_learner) else { return };
        let lesson = self.program.lessons.get(self.memory.learners[place].next);
        let Some(until) = lesson.and_then(|lesson| lesson.until).filter(|until| until.event == event) else {
            return;
        };
        let args: Vec<Word> = [word::player(self.memory.learners[place].seat); 2]
            .into_iter()
            .chain(payload.fields.iter().copied())
            .collect();
        if until.condition.is_none_or(|condition| self.test(condition, &args)) {
            self.end_lesson(place);
        }
    }

    fn end_lesson(&mut self, place: usize) {
        let learner = &mut self.memory.learners[place];
        (learner.next, learner.told_with) = (learner.next + 1, None);
    }
}
