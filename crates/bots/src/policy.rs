//! Answers without lookahead.

use intermezzo_engine::{Answer, Input, PendingQuestion};
use intermezzo_program::{AnswerShape, InputKind, Type};

use crate::random::Random;

/// Returns a random legal answer; `None` if the question has none.
pub fn random_answer(pending: &PendingQuestion<'_>, random: &mut Random) -> Option<Answer> {
    let mut answer = Answer::Pass;
    pending.nth_answer(random.below(pending.answer_count()), &mut answer).then_some(answer)
}

/// Returns the answer that does nothing, if there is one: passing, saying no, picking none.
pub(crate) fn declining_answer(pending: &PendingQuestion<'_>) -> Option<Answer> {
    let choice = pending.choice();
    if choice.pass {
        return Some(Answer::Pass);
    }
    let is_yes_or_no = pending.program().types[choice.item.index()] == Type::Bool;
    if choice.kind == InputKind::Confirm && is_yes_or_no {
        let no = pending.options().iter().position(|option| *option == 0)?;
        return Some(Answer::Picks(vec![no as i32]));
    }
    let may_be_empty =
        matches!(choice.shape, AnswerShape::Pick | AnswerShape::Path) && pending.bounds().0 == 0;
    may_be_empty.then(|| Answer::Picks(Vec::new()))
}

/// Returns the input expected from a player about whom nothing is known: doing nothing, a timeout with its
/// default, or a random answer.
pub(crate) fn default_input(pending: &PendingQuestion<'_>, random: &mut Random) -> Option<Input> {
    let (input, seat) = (pending.id(), pending.seat());
    if let Some(answer) = declining_answer(pending) {
        return Some(Input::Answer { input, seat, answer });
    }
    if pending.deadline_ms().is_some() && pending.has_default() {
        return Some(Input::Timeout { input });
    }
    Some(Input::Answer { input, seat, answer: random_answer(pending, random)? })
}
