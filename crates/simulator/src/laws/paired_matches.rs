//! Pairs of matches that get different inputs, and their comparison as viewers see them.

use intermezzo_engine::{Answer, Input, InputId, Match, PendingQuestion};
use intermezzo_program::{ChoiceId, Seat};

use super::viewer_streams::ViewerStreams;
use super::{LawRun, LawViolation};
use crate::fixtures::Fixture;

/// Number of questions in a row that one match of a pair may ask alone.
const MAX_PAUSES: usize = 8;

/// Two matches whose viewers are compared.
pub(crate) struct PairedMatches {
    pub(crate) left: ViewerStreams,
    pub(crate) right: ViewerStreams,
}

impl PairedMatches {
    pub(crate) fn at(
        run: &LawRun<'_>,
        fixture: &Fixture,
        seed: u64,
        inputs: usize,
    ) -> Result<PairedMatches, LawViolation> {
        let mut both = Vec::new();
        for _ in 0..2 {
            let mut streams = ViewerStreams::begin(fixture, &run.played.setup, seed)?;
            for input in &run.played.inputs[..inputs] {
                streams.submit_unseen(input).map_err(|refusal| run.violation(refusal.to_string()))?;
            }
            streams.observe();
            both.push(streams);
        }
        match (both.pop(), both.pop()) {
            (Some(left), Some(right)) => Ok(PairedMatches { left, right }),
            _ => Err(run.violation("the pair is incomplete")),
        }
    }

    /// Returns the first other viewer who sees a difference as an error.
    pub(crate) fn same_for_all_but(&self, seat: Seat) -> Result<(), usize> {
        let others = (0..self.left.viewers()).filter(|viewer| *viewer != usize::from(seat.0));
        match others.into_iter().find(|viewer| self.left.step(*viewer) != self.right.step(*viewer)) {
            Some(viewer) => Err(viewer),
            None => Ok(()),
        }
    }

    /// Returns how many events a viewer has received in the left and the right match.
    pub(crate) fn event_counts(&self, viewer: usize) -> (usize, usize) {
        (self.left.events(viewer).len(), self.right.events(viewer).len())
    }

    /// Describes what a viewer can distinguish: the events since `mark`, or anything it sees now.
    pub(crate) fn difference_since(&self, mark: (usize, usize), viewer: usize) -> Option<String> {
        let text = |streams: &ViewerStreams, mark: usize| {
            let events = streams.events(viewer)[mark..].iter().map(|event| event.1.as_str());
            let mut text: String = events.flat_map(|event| [event, "\n"]).collect();
            text.push_str(streams.current(viewer));
            text
        };
        let (left, right) = (text(&self.left, mark.0), text(&self.right, mark.1));
        (left != right).then(|| difference(&left, &right))
    }

    /// Returns an input of the left match as the right match takes it: the ids of questions differ after a pause.
    pub(crate) fn on_the_right(&self, input: &Input) -> Input {
        let id = |id: InputId| {
            let asked = open_questions(&self.left.state).position(|question| question.0 == id);
            asked.and_then(|at| open_questions(&self.right.state).nth(at)).map_or(id, |question| question.0)
        };
        match input.clone() {
            Input::Answer { input, seat, answer } => Input::Answer { input: id(input), seat, answer },
            Input::Draft { input, seat, answer } => Input::Draft { input: id(input), seat, answer },
            Input::Timeout { input } => Input::Timeout { input: id(input) },
            other => other,
        }
    }

    /// Declines the questions that only one of the matches asks, until both ask the same. Returns how many there were.
    ///
    /// A question to the viewer itself, or one that cannot be declined, is left open: then the rules reveal the
    /// difference.
    ///
    /// # Errors
    ///
    /// Fails if the viewer sees who is asked.
    pub(crate) fn end_pauses(&mut self, viewer: Seat) -> Result<usize, String> {
        for pauses in 0..MAX_PAUSES {
            let asked = |state: &Match| -> Vec<(Seat, ChoiceId)> {
                open_questions(state).map(|(_, seat, choice)| (seat, choice)).collect()
            };
            if asked(&self.left.state) == asked(&self.right.state) {
                return Ok(pauses);
            }
            // The match in which the viewer sees nobody asked has come less far.
            let at = usize::from(viewer.0);
            let sees_question = |streams: &mut ViewerStreams| {
                streams.state.pending().any(|question| question.seat() == viewer)
                    || !streams.seats_seen_asked(at).is_empty()
            };
            let is_left_paused = match (sees_question(&mut self.left), sees_question(&mut self.right)) {
                (true, false) => false,
                (false, true) => true,
                _ => self.left.log.len() <= self.right.log.len(),
            };
            let paused = if is_left_paused { &mut self.left } else { &mut self.right };
            let Some(decline) = paused.state.pending().next().filter(|asked| asked.seat() != viewer) else {
                return Ok(pauses);
            };
            let Some(decline) = declining_input(&decline) else { return Ok(pauses) };
            let seen = paused.seats_seen_asked(at);
            if !seen.is_empty() {
                return Err(format!(
                    "who is asked in a question that the other match does not ask: {seen:?}"
                ));
            }
            if paused.submit(&decline).is_err() {
                return Ok(pauses);
            }
        }
        Ok(MAX_PAUSES)
    }
}

fn open_questions(state: &Match) -> impl Iterator<Item = (InputId, Seat, ChoiceId)> + '_ {
    state.pending().map(|pending| (pending.id(), pending.seat(), pending.choice_id()))
}

/// Returns the input that declines a question: passing, picking nothing, or the option `false`.
fn declining_input(question: &PendingQuestion<'_>) -> Option<Input> {
    let is_confirm = question.choice().kind == intermezzo_program::InputKind::Confirm;
    let answer = match question.bounds() {
        _ if question.choice().pass => Answer::Pass,
        (0, _) => Answer::Picks(Vec::new()),
        _ if is_confirm => {
            Answer::Picks(vec![question.options().iter().position(|option| *option == 0)? as i32])
        }
        _ => return None,
    };
    Some(Input::Answer { input: question.id(), seat: question.seat(), answer })
}

/// Describes the first difference of two texts.
pub(crate) fn difference(left: &str, right: &str) -> String {
    let at = left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count();
    let part = |text: &str| {
        let from = text.floor_char_boundary(at.saturating_sub(80));
        let to = text.floor_char_boundary((at + 80).min(text.len()));
        text[from..to].to_owned()
    };
    format!("…{}… against …{}…", part(left), part(right))
}
