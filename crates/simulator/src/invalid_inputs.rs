//! Invalid inputs, which every match must refuse without harm.

use intermezzo_bots::Random;
use intermezzo_engine::{
    Answer, Input, InputId, LeaveCause, Match, PassUntil, PendingQuestion, Refusal, Rejection,
};
use intermezzo_program::{AnswerShape, Seat, Symbol};

/// Returns an input to this question that is usually invalid.
pub(crate) fn malformed(pending: &PendingQuestion<'_>, random: &mut Random) -> Input {
    let (input, seat) = (pending.id(), pending.seat());
    let mut answer = Answer::Pass;
    pending.nth_answer(random.below(pending.answer_count().min(1 << 20)), &mut answer);
    match random.below(9) {
        0 => Input::Answer { input, seat: Seat(seat.0.wrapping_add(1)), answer },
        1 => Input::Answer { input, seat: Seat(u8::MAX), answer },
        2 => Input::Answer { input: InputId(u32::MAX), seat, answer },
        3 => Input::Answer { input, seat, answer: other_shape(pending) },
        4 => Input::Answer { input, seat, answer: Answer::Pass },
        5 => Input::Draft { input, seat, answer: damage(answer, random) },
        6 => Input::Timeout { input: InputId(input.0.wrapping_sub(1)) },
        _ => Input::Answer { input, seat, answer: damage(answer, random) },
    }
}

/// Damages an answer: an unknown pick, one too many, one too few, or a duplicate.
pub(crate) fn damage(mut answer: Answer, random: &mut Random) -> Answer {
    let picks = match &mut answer {
        Answer::Pass => return Answer::Picks(vec![-1]),
        Answer::Picks(picks) => picks,
        Answer::Branches(branches) => match random.index(branches.len() + 1) {
            place if place < branches.len() && random.happens(500) => &mut branches[place].1,
            // Drop a branch of the tree, or change the order of branches.
            place if branches.len() > 1 && random.happens(300) => {
                match random.happens(500) {
                    true => drop(branches.remove(place % branches.len())),
                    false => branches.rotate_left(1),
                }
                return answer;
            }
            place if place < branches.len() => {
                branches[place].0 = random.below(1 << 16) as u16;
                return answer;
            }
            _ => {
                branches.push((random.below(4) as u16, vec![0]));
                return answer;
            }
        },
    };
    match random.below(5) {
        0 => picks.push(random.below(5) as i32),
        1 => drop(picks.pop()),
        2 => picks.push(*[i32::MIN, -2, -1, 1000, i32::MAX].get(random.index(5)).unwrap_or(&-3)),
        3 => picks.extend(picks.first().copied()),
        _ => {
            let place = random.index(picks.len());
            if let Some(pick) = picks.get_mut(place) {
                *pick = pick.wrapping_add(1 + random.below(9) as i32);
            }
        }
    }
    answer
}

fn other_shape(pending: &PendingQuestion<'_>) -> Answer {
    match pending.choice().shape {
        AnswerShape::Branches => Answer::Picks(vec![0]),
        _ => Answer::Branches(vec![(0, vec![0])]),
    }
}

/// Returns inputs that must be refused now in any ruleset, each with the reason.
pub(crate) fn refused(state: &Match) -> Vec<(Input, &'static str)> {
    let seats = state.board().seats();
    let nobody = Seat(seats);
    let answer = Answer::Picks(vec![0]);
    let mut inputs = vec![
        (
            Input::Answer { input: InputId(0), seat: Seat(0), answer: answer.clone() },
            "question 0 does not exist",
        ),
        (
            Input::Answer { input: InputId(u32::MAX), seat: Seat(0), answer: answer.clone() },
            "no such question",
        ),
        (
            Input::Draft { input: InputId(u32::MAX), seat: Seat(0), answer: answer.clone() },
            "no such question",
        ),
        (Input::Timeout { input: InputId(u32::MAX) }, "no such question"),
        (Input::Leave { seat: nobody, cause: LeaveCause::Disconnect }, "no such seat"),
        (Input::AutoPass { seat: nobody, until: PassUntil::Always, stops: false }, "no such seat"),
        (
            Input::Moderate { winners: vec![nobody], pot: intermezzo_program::native::POT_BURN },
            "no such seat",
        ),
        (Input::Moderate { winners: Vec::new(), pot: Symbol(u32::MAX) }, "no such pot"),
        (Input::Moderate { winners: Vec::new(), pot: intermezzo_program::native::KNOWN }, "no such pot"),
    ];
    let open: Vec<PendingQuestion<'_>> = state.pending().collect();
    let oldest = open.iter().map(|pending| pending.id().0).min().unwrap_or(1);
    for id in oldest.saturating_sub(3)..oldest {
        inputs.push((
            Input::Answer { input: InputId(id), seat: Seat(0), answer: answer.clone() },
            "a stale question",
        ));
        inputs.push((Input::Timeout { input: InputId(id) }, "a stale question"));
    }
    open.iter().for_each(|pending| refused_about(pending, seats, &mut inputs));
    inputs
}

fn refused_about(pending: &PendingQuestion<'_>, seats: u8, inputs: &mut Vec<(Input, &'static str)>) {
    let (input, seat, choice) = (pending.id(), pending.seat(), pending.choice());
    let mut legal = Answer::Pass;
    let has_answer = pending.nth_answer(0, &mut legal);
    for other in (0..=seats).map(Seat).filter(|other| *other != seat && has_answer) {
        inputs.push((Input::Answer { input, seat: other, answer: legal.clone() }, "another seat's question"));
        inputs.push((Input::Draft { input, seat: other, answer: legal.clone() }, "another seat's question"));
    }
    let mut wrong = |answer: Answer, why| inputs.push((Input::Answer { input, seat, answer }, why));
    wrong(other_shape(pending), "wrong shape");
    if !choice.pass {
        wrong(Answer::Pass, "passing is not allowed");
    }
    let (min, max) = pending.bounds();
    let options = pending.option_count() as i32;
    if choice.shape == AnswerShape::Branches {
        wrong(Answer::Branches(vec![(u16::MAX, Vec::new())]), "no such branch");
        let many = choice.branches.len() + 1;
        wrong(Answer::Branches(vec![(0, vec![0]); many]), "duplicate branch");
        let inner = (0..choice.branches.len()).filter(|at| choice.branches[*at].parent.is_some());
        for at in inner {
            wrong(Answer::Branches(vec![(at as u16, Vec::new())]), "a branch without its parent");
        }
    } else {
        for pick in [options, i32::MAX, i32::MIN, -2] {
            let picks = (0..max.max(1)).map(|place| if place == 0 { pick } else { place as i32 }).collect();
            wrong(Answer::Picks(picks), "no such option");
        }
        let count = max as usize + 1;
        let twice = if choice.shape == AnswerShape::Path { "too far" } else { "duplicate option" };
        wrong(Answer::Picks(vec![0; count.max(2)]), twice);
        wrong(Answer::Picks((0..count as i32).collect()), "too many");
        if min > 0 {
            wrong(Answer::Picks((0..min as i32 - 1).collect()), "too few");
        }
    }
    if choice.draft.is_none() && has_answer {
        inputs.push((Input::Draft { input, seat, answer: legal }, "drafts are not accepted"));
    }
    if pending.deadline_ms().is_none() {
        inputs.push((Input::Timeout { input }, "no deadline"));
    }
}

/// Checks that an answer is legal now, as far as the question itself can tell.
pub(crate) fn check(state: &Match, input: &Input) -> Result<(), Refusal> {
    let Input::Answer { input, seat, answer } = input else { return Ok(()) };
    let pending = state.pending().find(|pending| pending.id() == *input);
    match pending {
        Some(pending) if pending.seat() == *seat => pending.check(answer),
        _ => Err(Rejection::InputClosed { input: *input }.into()),
    }
}
