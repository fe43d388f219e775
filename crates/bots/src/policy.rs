//! Answers without thinking.

use intermezzo_engine::{Answer, Input, Pending};
use intermezzo_ruleset::{InputKind, Shape, Type};

use crate::random::Random;

/// A legal answer by chance; nothing if the question has none.
pub fn at_random(pending: &Pending<'_>, random: &mut Random) -> Option<Answer> {
    let mut answer = Answer::Pass;
    pending.nth_answer(random.below(pending.answer_count()), &mut answer).then_some(answer)
}

/// The answer that does nothing, if there is one: passing, saying no, picking none.
pub(crate) fn declining(pending: &Pending<'_>) -> Option<Answer> {
    let choice = pending.choice();
    if choice.pass {
        return Some(Answer::Pass);
    }
    let is_yes_or_no = pending.program().types[choice.item.index()] == Type::Bool;
    if choice.kind == InputKind::Confirm && is_yes_or_no {
        let no = pending.options().iter().position(|option| *option == 0)?;
        return Some(Answer::Picks(vec![no as i32]));
    }
    let may_be_empty = matches!(choice.shape, Shape::Pick | Shape::Path) && pending.bounds().0 == 0;
    may_be_empty.then(|| Answer::Picks(Vec::new()))
}

/// What somebody does of whom nothing is known: what happens if they do nothing, else anything.
pub(crate) fn by_default(pending: &Pending<'_>, random: &mut Random) -> Option<Input> {
    let (input, seat) = (pending.id(), pending.seat());
    if let Some(answer) = declining(pending) {
        return Some(Input::Answer { input, seat, answer });
    }
    if pending.deadline_ms().is_some() && pending.has_default() {
        return Some(Input::Timeout { input });
    }
    Some(Input::Answer { input, seat, answer: at_random(pending, random)? })
}
