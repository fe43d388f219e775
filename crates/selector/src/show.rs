//! Questions of a ruleset as selectors, and responses as answers to them: [`show()`] and [`Shown::answer`].
//!
//! A selector is made of what the seat's prompt shows and of nothing else, so
//! it tells nothing that the prompt does not.

use std::fmt;

use intermezzo_engine::{
    Answer, BranchOffer, Datum, InputId, Match, Pending, Rejection, Text, Viewer, Witness,
};
use intermezzo_ruleset::{Inner, Seat, Shape};

use crate::check::Picked;
use crate::choices::{Bounds, Choice, Choices};
use crate::flaw::Impossible;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::response::Response;
use crate::selector::Selector;
use crate::table::Open;

/// A question of a ruleset as a selector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    open: Open,
    meaning: Meaning,
    /// Where the choice stands that declines.
    pass: Option<usize>,
    /// The choices proper are within the first one.
    is_wrapped: bool,
}

/// What the choices stand for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Meaning {
    /// So many options; whatever comes after them is an empty slot.
    Options(i32),
    /// These branches.
    Branches(Vec<Meant>),
}

/// The branch that a choice stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Meant {
    number: u16,
    /// What the choices within it stand for, if they are branches and not options.
    own: Option<Vec<Meant>>,
}

/// Why a question cannot be shown as a selector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotShown {
    /// It is not open.
    NotOpen(Rejection),
    /// Its answers have a shape that selectors have not.
    UnknownShape,
    /// Nobody could answer it.
    Impossible(Impossible),
}

/// Makes a selector of an open question, as the seat asked sees it. Players are called `p0`, `p1` and so on.
///
/// * What is picked has the label of the prompt as its title; an id tells entities with the same label apart.
/// * An alternative is a choice with choices of its own, to any depth.
/// * Slots are picked in their order. Those that may stay empty come with a choice `Empty` for each.
/// * Declining is a choice `Pass` that goes with no other. Where several must be picked, it stands beside one choice
///   that holds all of them.
///
/// # Errors
///
/// If the question is not open, or nothing a selector could say.
pub fn show(witness: &mut Witness, playing: &Match, input: InputId) -> Result<Shown, NotShown> {
    let pending = playing.pending().find(|pending| pending.id() == input);
    let pending = pending.ok_or(NotShown::NotOpen(Rejection::InputClosed { input }))?;
    let prompt = prompt(witness, playing, &pending).ok_or(NotShown::UnknownShape)?;
    let (choices, meaning) = choices(&pending, &prompt)?;
    let title = title(&prompt);
    let (choices, pass, is_wrapped) = match pending.choice().pass {
        true => with_pass(choices, &title),
        false => (choices, None, false),
    };
    let seat = pending.seat();
    let selector = Selector::select(format!("p{}", seat.0), title, choices).map_err(NotShown::Impossible)?;
    let open = Open { input, seat, selector, is_secret: pending.choice().secret };
    Ok(Shown { open, meaning, pass, is_wrapped })
}

impl Shown {
    /// Names the question.
    #[must_use]
    pub fn input(&self) -> InputId {
        self.open.input
    }

    /// Who is asked.
    #[must_use]
    pub fn seat(&self) -> Seat {
        self.open.seat
    }

    /// What the player is sent.
    #[must_use]
    pub fn selector(&self) -> &Selector {
        &self.open.selector
    }

    /// What a response means to the engine.
    ///
    /// # Errors
    ///
    /// If the response does not fit the selector.
    pub fn answer(&self, response: &Response) -> Result<Answer, Refusal> {
        let mut picks = self.open.accept(response)?.picks;
        if self.pass.is_some() && picks.first().map(|picked| picked.index) == self.pass {
            return Ok(Answer::Pass);
        }
        if self.is_wrapped {
            picks = picks.into_iter().next().map(|picked| picked.picks).unwrap_or_default();
        }
        Ok(match &self.meaning {
            Meaning::Options(count) => {
                let option = |index: i32| if index < *count { index } else { -1 };
                Answer::Picks(indices(&picks).into_iter().map(option).collect())
            }
            Meaning::Branches(branches) => {
                let mut taken = Vec::new();
                take(branches, &picks, &mut taken);
                Answer::Branches(taken)
            }
        })
    }
}

/// Writes what is taken, what is within a branch right after it.
fn take(branches: &[Meant], picks: &[Picked], taken: &mut Vec<(u16, Vec<i32>)>) {
    for picked in picks {
        let Meant { number, own } = &branches[picked.index];
        match own {
            Some(own) => {
                taken.push((*number, Vec::new()));
                take(own, &picked.picks, taken);
            }
            None => taken.push((*number, indices(&picked.picks))),
        }
    }
}

fn indices(picks: &[Picked]) -> Vec<i32> {
    picks.iter().map(|picked| picked.index as i32).collect()
}

/// The prompt of the seat asked.
fn prompt(witness: &mut Witness, playing: &Match, pending: &Pending<'_>) -> Option<Datum> {
    let viewer = Viewer::Seat(pending.seat());
    let all = witness.prompts(playing, viewer);
    let is_meant = |prompt: &&Datum| match prompt.get("inputId") {
        Some(Datum::Int(number)) => {
            let number = u32::try_from(*number).ok();
            number.and_then(|number| witness.input_named(viewer, number)) == Some(pending.id())
        }
        _ => false,
    };
    list(&all, "prompts").iter().find(is_meant).cloned()
}

/// The choices without a way to decline, and what they stand for.
fn choices(pending: &Pending<'_>, prompt: &Datum) -> Result<(Choices, Meaning), NotShown> {
    let shape = pending.choice().shape;
    let (min, max) = pending.bounds();
    let mut choices = Choices { list: options(prompt), bounds: Bounds::between(min, max) };
    let meaning = Meaning::Options(choices.list.len() as i32);
    if shape == Shape::Branches {
        let (list, meant) = branches(pending, None, prompt);
        choices.list = list;
        return Ok((choices, Meaning::Branches(meant)));
    }
    if shape == (Shape::Slots { empty: true }) {
        let empty = unused("Empty", |text| choices.list.iter().any(|choice| choice.title == *text));
        choices.list.extend((0..max).map(|_| Choice::titled(empty.clone())));
    }
    match shape == Shape::Pick || shape == Shape::Order || matches!(shape, Shape::Slots { .. }) {
        true => Ok((choices, meaning)),
        false => Err(NotShown::UnknownShape),
    }
}

/// The branches of that parent that can be picked now.
fn branches(pending: &Pending<'_>, parent: Option<u16>, shown: &Datum) -> (Vec<Choice>, Vec<Meant>) {
    let offers = pending.choice().branches_of(parent).filter_map(|number| {
        let offer = pending.branch(number).filter(|offer| offer.available)?;
        Some((number as u16, offer))
    });
    offers
        .zip(list(shown, "branches"))
        .map(|((number, offer), shown)| branch(pending, number, &offer, shown))
        .unzip()
}

fn branch(pending: &Pending<'_>, number: u16, offer: &BranchOffer<'_>, shown: &Datum) -> (Choice, Meant) {
    let id = text(shown, "id").unwrap_or_default();
    let title = text(shown, "title").unwrap_or_else(|| id.clone());
    let bounds = Bounds::between(offer.min, offer.max);
    let (list, own) = match offer.inner {
        Inner::Nothing => (None, None),
        Inner::Options => (Some(options(shown)), None),
        Inner::Branches => {
            let (list, own) = branches(pending, Some(number), shown);
            (Some(list), Some(own))
        }
    };
    let choices = list.map(|list| Choices { list, bounds });
    let choice = Choice { title: title.into(), id: Some(id.into()), exclusive: offer.exclusive, choices };
    (choice, Meant { number, own })
}

fn options(shown: &Datum) -> Vec<Choice> {
    let mut choices: Vec<Choice> = Vec::new();
    for (number, option) in list(shown, "options").iter().enumerate() {
        let mut choice = option_shown(option);
        let is_used = choices.iter().any(|other| choice.id.is_some() && other.id == choice.id);
        let has_no_name =
            !matches!(option.get("value"), Some(Datum::Text(_) | Datum::Int(_) | Datum::Bool(_)));
        if is_used || has_no_name {
            choice.id = Some(Name::Number(number as i64));
        }
        choices.push(choice);
    }
    choices
}

fn option_shown(option: &Datum) -> Choice {
    let value = option.get("value").unwrap_or(&Datum::Null);
    let choice = match (value, text(option, "label")) {
        (Datum::Int(number), _) => return Choice::titled(*number),
        (Datum::Bool(_), _) | (_, None) => Choice::titled(plain(value)),
        (_, Some(label)) => Choice::titled(label),
    };
    match value {
        Datum::Text(name) if choice.title != *name.as_str() => choice.with_id(name.as_str()),
        _ => choice,
    }
}

/// Adds a way to decline. Gives its place, and whether the other choices stand within the first.
fn with_pass(mut choices: Choices, title: &str) -> (Choices, Option<usize>, bool) {
    let (min, max) = choices.range();
    let has_id =
        |text: &str| choices.list.iter().any(|choice| choice.id.as_ref().is_some_and(|id| *id == *text));
    let pass = Choice::titled("Pass").with_id(unused("pass", has_id)).exclusive();
    if min > max {
        return (Choices::of([pass]), Some(0), false);
    }
    if max == 0 {
        // Picking nothing is an answer and declining another.
        return (Choices::of([pass]).pick(Bounds::up_to(1)), Some(0), false);
    }
    if min > 1 {
        let all = Choice::titled(title).with_choices(choices);
        return (Choices::of([all, pass]), Some(1), true);
    }
    choices.list.push(pass);
    let place = choices.list.len() - 1;
    (choices, Some(place), false)
}

/// A text like `wish` that is not taken.
fn unused(wish: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut found = wish.to_owned();
    while is_taken(&found) {
        found.push('\'');
    }
    found
}

fn title(prompt: &Datum) -> String {
    text(prompt, "title").or_else(|| text(prompt, "name")).unwrap_or_default()
}

/// A text that is not empty.
fn text(datum: &Datum, name: &str) -> Option<String> {
    match datum.get(name) {
        Some(Datum::Text(text)) if !text.is_empty() => Some(text.to_string()),
        _ => None,
    }
}

fn list<'d>(datum: &'d Datum, name: &str) -> &'d [Datum] {
    match datum.get(name) {
        Some(Datum::List(items)) => items,
        _ => &[],
    }
}

/// A value as people read it.
fn plain(datum: &Datum) -> String {
    match datum {
        Datum::Null => "nothing".to_owned(),
        Datum::Bool(true) => "yes".to_owned(),
        Datum::Bool(false) => "no".to_owned(),
        Datum::Int(number) => number.to_string(),
        Datum::Text(text) => text.to_string(),
        Datum::List(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Datum::Map(entries) => {
            let entry = |(name, value): &(Text, Datum)| format!("{name}: {}", plain(value));
            entries.iter().map(entry).collect::<Vec<_>>().join(", ")
        }
    }
}

impl fmt::Display for NotShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotShown::NotOpen(rejection) => rejection.fmt(f),
            NotShown::UnknownShape => f.write_str("this question cannot be shown as a selector"),
            NotShown::Impossible(impossible) => impossible.fmt(f),
        }
    }
}

impl std::error::Error for NotShown {}
