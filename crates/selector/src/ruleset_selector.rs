//! Questions of a ruleset as selectors: [`selector_for`] and [`RulesetSelector::answer`].
//!
//! A selector is built only from the seat's prompt, so it reveals nothing else.

use intermezzo_engine::{
    Answer, BranchOffer, Datum, InputId, Match, Observer, PendingQuestion, Rejection, ShortText, Viewer,
};
use intermezzo_program::{AnswerShape, BranchContent, Seat};

use crate::check::ResolvedPick;
use crate::choices::{ChoiceList, PickBounds, SelectorChoice};
use crate::errors::InvalidSelector;
use crate::game_context::OpenRequest;
use crate::name::ChoiceName;
use crate::response::Response;
use crate::response_error::ResponseError;
use crate::selector::Selector;

/// A question of a ruleset as a selector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RulesetSelector {
    request: OpenRequest,
    mapping: ChoiceMapping,
    /// The index of the choice that declines.
    pass: Option<usize>,
    /// True if the real choices are nested in the first one.
    is_wrapped: bool,
}

/// The meaning of the choices for the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
enum ChoiceMapping {
    /// This many options; choices after them are empty slots.
    Options(i32),
    Branches(Vec<BranchMapping>),
}

/// The branch of a choice.
#[derive(Clone, PartialEq, Eq, Debug)]
struct BranchMapping {
    number: u16,
    /// The mappings of the nested choices, if they are branches and not options.
    inner: Option<Vec<BranchMapping>>,
}

/// The reason why a question cannot be expressed as a selector.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SelectorError {
    /// The question is not open.
    #[error(transparent)]
    NotOpen(Rejection),
    /// Its answers have a shape that selectors cannot express.
    #[error("this question cannot be expressed as a selector")]
    UnknownShape,
    /// It cannot be answered.
    #[error(transparent)]
    InvalidSelector(InvalidSelector),
}

/// Builds the selector of an open question, as the asked seat sees it. Players are called `p0`, `p1` and so on.
///
/// * The title of a choice is the label in the prompt; an id distinguishes entities with the same label.
/// * An alternative is a choice with nested choices, to any depth.
/// * Slots are picked in order. If they may stay empty, a choice `Empty` is added for each.
/// * Declining is an exclusive choice `Pass`. If several picks are required, it stands next to one choice that
///   contains all the others.
///
/// # Errors
///
/// If the question is not open, or cannot be expressed as a selector.
pub fn selector_for(
    observer: &mut Observer,
    game: &Match,
    input: InputId,
) -> Result<RulesetSelector, SelectorError> {
    let pending = game.pending().find(|pending| pending.id() == input);
    let pending = pending.ok_or(SelectorError::NotOpen(Rejection::InputClosed { input }))?;
    let prompt = prompt(observer, game, &pending).ok_or(SelectorError::UnknownShape)?;
    let (choices, mapping) = choices(&pending, &prompt)?;
    let title = title(&prompt);
    let (choices, pass, is_wrapped) = match pending.choice().pass {
        true => with_pass(choices, &title),
        false => (choices, None, false),
    };
    let seat = pending.seat();
    let selector =
        Selector::select(format!("p{}", seat.0), title, choices).map_err(SelectorError::InvalidSelector)?;
    let request = OpenRequest { input, seat, selector, is_secret: pending.choice().secret };
    Ok(RulesetSelector { request, mapping, pass, is_wrapped })
}

impl RulesetSelector {
    /// Returns the id of the question.
    #[must_use]
    pub fn input(&self) -> InputId {
        self.request.input
    }

    /// Returns the asked seat.
    #[must_use]
    pub fn seat(&self) -> Seat {
        self.request.seat
    }

    /// Returns the selector.
    #[must_use]
    pub fn selector(&self) -> &Selector {
        &self.request.selector
    }

    /// Converts a response to the engine's answer.
    ///
    /// # Errors
    ///
    /// If the response does not match the selector.
    pub fn answer(&self, response: &Response) -> Result<Answer, ResponseError> {
        let mut picks = self.request.accept(response)?.picks;
        if self.pass.is_some() && picks.first().map(|picked| picked.index) == self.pass {
            return Ok(Answer::Pass);
        }
        if self.is_wrapped {
            picks = picks.into_iter().next().map(|picked| picked.picks).unwrap_or_default();
        }
        Ok(match &self.mapping {
            ChoiceMapping::Options(count) => {
                let option = |index: i32| if index < *count { index } else { -1 };
                Answer::Picks(indices(&picks).into_iter().map(option).collect())
            }
            ChoiceMapping::Branches(branches) => {
                let mut taken = Vec::new();
                collect_branches(branches, &picks, &mut taken);
                Answer::Branches(taken)
            }
        })
    }
}

/// Collects picked branches; the picks within a branch follow it.
fn collect_branches(branches: &[BranchMapping], picks: &[ResolvedPick], taken: &mut Vec<(u16, Vec<i32>)>) {
    for picked in picks {
        let BranchMapping { number, inner } = &branches[picked.index];
        match inner {
            Some(inner) => {
                taken.push((*number, Vec::new()));
                collect_branches(inner, &picked.picks, taken);
            }
            None => taken.push((*number, indices(&picked.picks))),
        }
    }
}

fn indices(picks: &[ResolvedPick]) -> Vec<i32> {
    picks.iter().map(|picked| picked.index as i32).collect()
}

/// Returns the prompt of the asked seat.
fn prompt(observer: &mut Observer, game: &Match, pending: &PendingQuestion<'_>) -> Option<Datum> {
    let viewer = Viewer::Seat(pending.seat());
    let all = observer.prompts(game, viewer);
    let is_meant = |prompt: &&Datum| match prompt.get("inputId") {
        Some(Datum::Int(number)) => {
            let number = u32::try_from(*number).ok();
            number.and_then(|number| observer.input_by_number(viewer, number)) == Some(pending.id())
        }
        _ => false,
    };
    list(&all, "prompts").iter().find(is_meant).cloned()
}

/// Builds the choices, without a way to decline, and their mapping.
fn choices(
    pending: &PendingQuestion<'_>,
    prompt: &Datum,
) -> Result<(ChoiceList, ChoiceMapping), SelectorError> {
    let shape = pending.choice().shape;
    let (min, max) = pending.bounds();
    let mut choices = ChoiceList { list: options(prompt), bounds: PickBounds::between(min, max) };
    let mapping = ChoiceMapping::Options(choices.list.len() as i32);
    if shape == AnswerShape::Branches {
        let (list, mappings) = branches(pending, None, prompt);
        choices.list = list;
        return Ok((choices, ChoiceMapping::Branches(mappings)));
    }
    if shape == (AnswerShape::Slots { empty: true }) {
        let empty = unused_name("Empty", |text| choices.list.iter().any(|choice| choice.title == *text));
        choices.list.extend((0..max).map(|_| SelectorChoice::titled(empty.clone())));
    }
    match shape == AnswerShape::Pick
        || shape == AnswerShape::Order
        || matches!(shape, AnswerShape::Slots { .. })
    {
        true => Ok((choices, mapping)),
        false => Err(SelectorError::UnknownShape),
    }
}

/// Builds the available branches of a parent.
fn branches(
    pending: &PendingQuestion<'_>,
    parent: Option<u16>,
    part: &Datum,
) -> (Vec<SelectorChoice>, Vec<BranchMapping>) {
    let offers = pending.choice().branches_of(parent).filter_map(|number| {
        let offer = pending.branch(number).filter(|offer| offer.available)?;
        Some((number as u16, offer))
    });
    offers
        .zip(list(part, "branches"))
        .map(|((number, offer), part)| branch(pending, number, &offer, part))
        .unzip()
}

fn branch(
    pending: &PendingQuestion<'_>,
    number: u16,
    offer: &BranchOffer<'_>,
    part: &Datum,
) -> (SelectorChoice, BranchMapping) {
    let id = text(part, "id").unwrap_or_default();
    let title = text(part, "title").unwrap_or_else(|| id.clone());
    let bounds = PickBounds::between(offer.min, offer.max);
    let (list, inner) = match offer.inner {
        BranchContent::Nothing => (None, None),
        BranchContent::Options => (Some(options(part)), None),
        BranchContent::Branches => {
            let (list, inner) = branches(pending, Some(number), part);
            (Some(list), Some(inner))
        }
    };
    let choices = list.map(|list| ChoiceList { list, bounds });
    let choice =
        SelectorChoice { title: title.into(), id: Some(id.into()), exclusive: offer.exclusive, choices };
    (choice, BranchMapping { number, inner })
}

fn options(part: &Datum) -> Vec<SelectorChoice> {
    let mut choices: Vec<SelectorChoice> = Vec::new();
    for (number, option) in list(part, "options").iter().enumerate() {
        let mut choice = option_choice(option);
        let is_used = choices.iter().any(|other| choice.id.is_some() && other.id == choice.id);
        let has_no_name =
            !matches!(option.get("value"), Some(Datum::Text(_) | Datum::Int(_) | Datum::Bool(_)));
        if is_used || has_no_name {
            choice.id = Some(ChoiceName::Number(number as i64));
        }
        choices.push(choice);
    }
    choices
}

fn option_choice(option: &Datum) -> SelectorChoice {
    let value = option.get("value").unwrap_or(&Datum::Null);
    let choice = match (value, text(option, "label")) {
        (Datum::Int(number), _) => return SelectorChoice::titled(*number),
        (Datum::Bool(_), _) | (_, None) => SelectorChoice::titled(display_value(value)),
        (_, Some(label)) => SelectorChoice::titled(label),
    };
    match value {
        Datum::Text(name) if choice.title != *name.as_str() => choice.with_id(name.as_str()),
        _ => choice,
    }
}

/// Adds a way to decline. Returns its index, and whether the other choices are nested in the first.
fn with_pass(mut choices: ChoiceList, title: &str) -> (ChoiceList, Option<usize>, bool) {
    let (min, max) = choices.range();
    let has_id =
        |text: &str| choices.list.iter().any(|choice| choice.id.as_ref().is_some_and(|id| *id == *text));
    let pass = SelectorChoice::titled("Pass").with_id(unused_name("pass", has_id)).exclusive();
    if min > max {
        return (ChoiceList::of([pass]), Some(0), false);
    }
    if max == 0 {
        // Picking nothing is an answer, and declining is another one.
        return (ChoiceList::of([pass]).pick(PickBounds::up_to(1)), Some(0), false);
    }
    if min > 1 {
        let all = SelectorChoice::titled(title).with_choices(choices);
        return (ChoiceList::of([all, pass]), Some(1), true);
    }
    choices.list.push(pass);
    let place = choices.list.len() - 1;
    (choices, Some(place), false)
}

/// Returns `preferred`, changed until it is unused.
fn unused_name(preferred: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut found = preferred.to_owned();
    while is_taken(&found) {
        found.push('\'');
    }
    found
}

fn title(prompt: &Datum) -> String {
    text(prompt, "title").or_else(|| text(prompt, "name")).unwrap_or_default()
}

/// Returns a text that is not empty.
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

/// Formats a value for people.
fn display_value(datum: &Datum) -> String {
    match datum {
        Datum::Null => "nothing".to_owned(),
        Datum::Bool(true) => "yes".to_owned(),
        Datum::Bool(false) => "no".to_owned(),
        Datum::Int(number) => number.to_string(),
        Datum::Text(text) => text.to_string(),
        Datum::List(items) => items.iter().map(display_value).collect::<Vec<_>>().join(", "),
        Datum::Map(entries) => {
            let entry = |(name, value): &(ShortText, Datum)| format!("{name}: {}", display_value(value));
            entries.iter().map(entry).collect::<Vec<_>>().join(", ")
        }
    }
}
