//! Tutorials: lessons shown to a learner with questions.
//!
//! Lessons come in order. A lesson is shown with every question it belongs to until the learner has seen the
//! event that ends it; a lesson without such an event is shown with one question.

use intermezzo_program::{EventId, Lesson, NULL, Seat, Word, word};

use crate::ask::input::InputId;
use crate::ask::request::PendingQuestion;
use crate::storage::fold::EventPayload;
use crate::values::datum::{Datum, ShortText};
use crate::view::observer::{Observer, Viewer};

/// A seat that plays the tutorial.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Learner {
    pub(crate) seat: Seat,
    /// Index of the current lesson.
    pub(crate) next: usize,
    /// The question it was shown with, if no event ends it.
    pub(crate) shown_with: Option<InputId>,
}

impl Learner {
    pub(crate) fn new(seat: Seat) -> Learner {
        Learner { seat, next: 0, shown_with: None }
    }
}

impl Observer {
    /// Starts the tutorial of a seat at the first lesson.
    pub fn start_tutorial(&mut self, seat: Seat) {
        self.viewer_names.learners.retain(|learner| learner.seat != seat);
        self.viewer_names.learners.push(Learner::new(seat));
    }

    /// Describes the lesson for a question: its `id` and `say`, and the entities to highlight.
    pub(crate) fn lesson(&mut self, pending: &PendingQuestion<'_>) -> Option<Datum> {
        let place = self.viewer_names.learners.iter().position(|learner| learner.seat == pending.seat())?;
        let learner = self.viewer_names.learners[place];
        if learner.shown_with.is_some_and(|question| question != pending.id()) {
            self.end_lesson(place);
        }
        let program = std::sync::Arc::clone(&self.program);
        let lesson = program.lessons.get(self.viewer_names.learners[place].next)?;
        let is_meant = |question: &String| *question == pending.choice().name;
        let you = [word::player(pending.seat()); 2];
        if !lesson.question.as_ref().is_none_or(is_meant)
            || !lesson.condition.is_none_or(|condition| self.test(condition, &you))
        {
            return None;
        }
        if lesson.until.is_none() {
            self.viewer_names.learners[place].shown_with = Some(pending.id());
        }
        let about = self.highlighted(lesson, pending.seat());
        let entries = [
            ("id", Datum::text(&lesson.name)),
            ("say", self.text(lesson.say)),
            ("highlight", Datum::List(about)),
        ];
        Some(Datum::Map(entries.map(|(name, value)| (ShortText::new_static(name), value)).into()))
    }

    /// Lists the visible entities a lesson is about.
    fn highlighted(&mut self, lesson: &Lesson, seat: Seat) -> Vec<Datum> {
        let Some(routine) = lesson.highlight else { return Vec::new() };
        let heap = self.board.heap.len();
        let you = [word::player(seat); 2];
        let list = self.folder.with_evaluator(&mut self.board, |core| core.evaluate(routine, NULL, &you));
        let found = list.ok().and_then(|list| self.board.heap.list(list)).unwrap_or(&[]).to_vec();
        self.board.heap.truncate(heap);
        let names = found.into_iter().map(|entity| self.reference(Viewer::Seat(seat), entity));
        names.filter(|name| *name != Datum::Null).collect()
    }

    /// Ends the current lesson if the event a viewer has seen ends it.
    pub(crate) fn advance_tutorial(&mut self, viewer: Viewer, event: EventId, payload: &EventPayload) {
        let is_learner = |learner: &Learner| Viewer::Seat(learner.seat) == viewer;
        let Some(place) = self.viewer_names.learners.iter().position(is_learner) else { return };
        let lesson = self.program.lessons.get(self.viewer_names.learners[place].next);
        let Some(until) = lesson.and_then(|lesson| lesson.until).filter(|until| until.event == event) else {
            return;
        };
        let args: Vec<Word> = [word::player(self.viewer_names.learners[place].seat); 2]
            .into_iter()
            .chain(payload.fields.iter().copied())
            .collect();
        if until.condition.is_none_or(|condition| self.test(condition, &args)) {
            self.end_lesson(place);
        }
    }

    fn end_lesson(&mut self, place: usize) {
        let learner = &mut self.viewer_names.learners[place];
        (learner.next, learner.shown_with) = (learner.next + 1, None);
    }
}
