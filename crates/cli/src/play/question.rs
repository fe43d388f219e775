//! Questions on the screen, and parsing of typed answers.

use std::collections::BTreeSet;

use intermezzo_engine::{Answer, PendingQuestion, Rejection};
use intermezzo_program::{AnswerShape, InputKind};
use serde_json::Value;

use crate::out::{DIM, GOOD, HEAD, KEY, Out, count, say};
use crate::play::actions::{ActionOffer, find_action};
use crate::play::branches::{self, BranchView};
use crate::play::names::EntityNames;
use crate::play::screen::{entity_text, wrap};
use crate::play::square::Square;
use intermezzo_matchfile::sentences::{clean, relabel, sentence, value_text};

/// Question to a seat, ready to be shown.
pub(crate) struct QuestionView {
    title: String,
    /// Event that is about to happen or has just happened.
    about: Option<String>,
    /// Text of the current tutorial lesson.
    lesson: Option<String>,
    kind: InputKind,
    shape: AnswerShape,
    options: Vec<String>,
    /// Squares of the options, if the ruleset has a grid.
    squares: Vec<Option<Square>>,
    /// The options as actions, if they are actions.
    offered: Vec<ActionOffer>,
    branches: Vec<BranchView>,
    bounds: (u32, u32),
    deadline_ms: Option<i64>,
    default: Option<String>,
    draft: Option<String>,
    /// Auto-pass, if set: true if it ends with the turn.
    auto: Option<bool>,
    pub(crate) may_pass: bool,
    pub(crate) takes_drafts: bool,
}

impl QuestionView {
    /// Builds the question from an observer's prompt. `auto` is the seat's auto-pass setting, if any.
    pub(crate) fn new(
        pending: &PendingQuestion<'_>,
        prompt: &Value,
        auto: Option<&Value>,
        names: &EntityNames,
    ) -> QuestionView {
        let choice = pending.choice();
        let title = prompt["title"].as_str().filter(|title| !title.is_empty()).unwrap_or(&choice.name);
        let offered = ActionOffer::all(&prompt["options"], names);
        let options: Vec<String> = match offered.is_empty() {
            true => labels(&prompt["options"], names),
            false => offered.iter().map(|offered| offered.text.clone()).collect(),
        };
        // An action is described like its option, not field by field.
        let as_option = |value: &Value| {
            let mut all = prompt["options"].as_array().into_iter().flatten();
            let place = all.position(|option| value.is_object() && option["value"] == *value)?;
            options.get(place).cloned()
        };
        let text = |value: &Value| {
            let plain = || value_text(&relabel(value, names.known()));
            (!value.is_null()).then(|| as_option(value).unwrap_or_else(plain))
        };
        let (default, draft) = (text(&prompt["default"]), text(&prompt["draft"]));
        let about = relabel(&prompt["about"], names.known());
        let about = about["event"].as_str().zip(about["payload"].as_object());
        let about = about.and_then(|(event, fields)| sentence(pending.program(), event, fields));
        QuestionView {
            title: clean(title),
            about: about.filter(|about| !about.is_empty()),
            lesson: prompt["lesson"]["say"].as_str().map(clean),
            kind: choice.kind,
            shape: choice.shape,
            options,
            squares: squares(&prompt["options"], names),
            offered,
            branches: BranchView::all(pending, None, prompt, names),
            bounds: pending.bounds(),
            deadline_ms: pending.deadline_ms(),
            default,
            draft,
            may_pass: choice.pass,
            auto: auto.map(|auto| auto["until"] == "turn"),
            takes_drafts: choice.draft.is_some(),
        }
    }

    pub(crate) fn has_deadline(&self) -> bool {
        self.deadline_ms.is_some()
    }

    /// Returns whether the question asks for an action.
    pub(crate) fn asks_for_action(&self) -> bool {
        self.kind == InputKind::Action
    }

    /// Shows the hints of all available actions.
    pub(crate) fn show_hints(&self, out: &mut Out) {
        let mut shown: Vec<&str> = Vec::new();
        for offered in &self.offered {
            if let Some(hint) = offered.hint.as_ref().filter(|_| !shown.contains(&offered.title.as_str())) {
                shown.push(&offered.title);
                say!(out, "  {HEAD}{}{HEAD:#}: {hint}", offered.title);
            }
        }
    }

    /// Shows actions with their costs, and each hint the first time its action is available.
    fn show_offered(&self, out: &mut Out, hinted: &mut BTreeSet<String>) {
        let width =
            self.offered.iter().map(|offered| offered.text.chars().count()).max().unwrap_or(0).min(60);
        for (place, offered) in self.offered.iter().enumerate() {
            let (text, number) = (&offered.text, place + 1);
            match offered.costs.as_str() {
                "" => say!(out, "  {KEY}{number:>2}{KEY:#}  {text}"),
                costs => say!(out, "  {KEY}{number:>2}{KEY:#}  {text:<width$}  {DIM}{costs}{DIM:#}"),
            }
            if let Some(hint) = offered.hint.as_ref().filter(|hint| hinted.insert((*hint).clone())) {
                wrap(hint, 90).iter().for_each(|line| say!(out, "      {DIM}{line}{DIM:#}"));
            }
        }
    }

    pub(crate) fn show(&self, out: &mut Out, hinted: &mut BTreeSet<String>) {
        if let Some(about) = &self.about {
            say!(out, "{DIM}{about}{DIM:#}");
        }
        if let Some(lesson) = &self.lesson {
            wrap(lesson, 90).iter().for_each(|line| say!(out, "{GOOD}│{GOOD:#} {line}"));
        }
        say!(out, "{HEAD}{}{HEAD:#}", self.title);
        if let Some(ms) = self.deadline_ms {
            let seconds = ms as f64 / 1000.0;
            say!(out, "{DIM}{seconds} s to answer (not enforced here; `t` simulates a timeout){DIM:#}");
        }
        match self.offered.is_empty() {
            true => show_options(out, "  ", &self.options),
            false => self.show_offered(out, hinted),
        }
        branches::show(out, &self.branches, "  ", "");
        if let Some(draft) = &self.draft {
            say!(out, "{DIM}your draft: {draft}{DIM:#}");
        } else if let Some(default) = &self.default {
            say!(out, "{DIM}on timeout: {default}{DIM:#}");
        }
        if let Some(until_turn_ends) = self.auto {
            let until = if until_turn_ends { " until the turn ends" } else { "" };
            say!(out, "{DIM}auto-pass{until}; `auto off` stops it{DIM:#}");
        }
        say!(out, "{DIM}{}{DIM:#}", self.usage());
    }

    /// Describes how to type an answer.
    fn usage(&self) -> String {
        let (min, max) = self.bounds;
        let pass = if self.may_pass { ", or `p` to pass" } else { "" };
        let picks = match (min, max) {
            (1, 1) => "one number".to_owned(),
            (min, max) if min == max => format!("{}, e.g. `1,3`", count(min as usize, "number")),
            (0, max) => format!("up to {}, e.g. `1,3`, or `-` for none", count(max as usize, "number")),
            (min, max) => format!("{min} to {max} numbers, e.g. `1,3`"),
        };
        match self.shape {
            AnswerShape::Pick if self.options.is_empty() && self.asks_for_action() => {
                "no action is available; `p` passes, `why` explains, `?` shows help".to_owned()
            }
            AnswerShape::Pick if self.options.is_empty() => format!("nothing to pick{pass}; `?` for help"),
            AnswerShape::Pick if self.asks_for_action() => {
                format!("type {picks}{pass}; `why` explains unavailable actions, `?` shows help")
            }
            AnswerShape::Pick => format!("type {picks}{pass}; `?` for help"),
            AnswerShape::Order => format!("type {picks}, in the order you want{pass}; `?` for help"),
            AnswerShape::Slots { empty } => {
                let blank = if empty { ", `-` leaves one empty" } else { "" };
                let example = if empty { "1 3 -" } else { "1 3 2" };
                format!(
                    "type {} for the slots{blank}, e.g. `{example}`{pass}; `?` for help",
                    count(max as usize, "number")
                )
            }
            AnswerShape::Path => self.path_usage(pass),
            AnswerShape::Branches if !self.branches.iter().any(BranchView::has_contents) => {
                format!("type {picks}{pass}; `?` for help")
            }
            AnswerShape::Branches if self.branches.iter().any(|offer| offer.branches.is_some()) => {
                format!(
                    "type {picks}; inner branches after a dot, options after a colon, e.g. `2.1: 3; 2.2`{pass}; \
                     `?` for help"
                )
            }
            AnswerShape::Branches => {
                format!(
                    "type {picks}, each with its own options after a colon, e.g. `1: 2,3; 2`{pass}; `?` for help"
                )
            }
        }
    }

    /// Describes how to type a path.
    fn path_usage(&self, pass: &str) -> String {
        let steps = match self.squares.first() {
            Some(Some(_)) => "squares, e.g. `c4 d5`, or just the last",
            _ => "steps, e.g. `1 3`",
        };
        let none = if self.bounds.0 == 0 { ", `-` for none" } else { "" };
        format!("type {steps}{none}{pass}; `+ 1` shows what follows; `?` for help")
    }

    pub(crate) fn is_path(&self) -> bool {
        self.shape == AnswerShape::Path
    }

    /// Describes why an answer was rejected, with options numbered as on the screen.
    pub(crate) fn rejection_text(&self, rejection: &Rejection) -> String {
        let options = |options: &[String], pick: i64| {
            usize::try_from(pick).ok().and_then(|pick| options.get(pick)).cloned()
        };
        let option = |pick: i64| {
            let branch = || BranchView::numbered(&self.branches, pick).map(|offer| offer.title.clone());
            options(&self.options, pick).or_else(branch).unwrap_or_else(|| (pick + 1).to_string())
        };
        match rejection {
            Rejection::PickedTwice { pick } => format!("`{}` was picked twice", option(*pick)),
            Rejection::SlotEmpty { slot } => format!("slot {} must not be empty", slot + 1),
            Rejection::WrongCount { expected_min, expected_max, got } if expected_min == expected_max => {
                format!("expected {expected_min}, got {got}")
            }
            Rejection::WrongCount { expected_min, expected_max, got } => {
                format!("expected {expected_min} to {expected_max}, got {got}")
            }
            Rejection::InBranch { title, rejection } => {
                let title = clean(title);
                let within = BranchView::find(&self.branches, &|offer| offer.title == title);
                let own = within.filter(|offer| offer.branches.is_none());
                let twice = match (&**rejection, own) {
                    (Rejection::PickedTwice { pick }, Some(own)) => options(&own.options, *pick),
                    _ => None,
                };
                let why = twice.map(|option| format!("`{option}` was picked twice"));
                format!("{title}: {}", why.unwrap_or_else(|| self.rejection_text(rejection)))
            }
            other => other.to_string(),
        }
    }

    /// Parses a typed answer.
    pub(crate) fn parse(&self, line: &str) -> Result<Answer, String> {
        match self.shape {
            AnswerShape::Pick | AnswerShape::Order if line == "-" => Ok(Answer::Picks(Vec::new())),
            AnswerShape::Pick
                if self.asks_for_action() && line.parse::<u64>().is_err() && self.bounds == (1, 1) =>
            {
                find_action(line, &self.options).map(|place| Answer::Picks(vec![place as i32]))
            }
            AnswerShape::Pick | AnswerShape::Order => self.picks(line).map(Answer::Picks),
            AnswerShape::Slots { .. } => numbers(line, &self.options, true).map(Answer::Picks),
            AnswerShape::Path => Err("a path is answered step by step".to_owned()),
            AnswerShape::Branches => branches::parse(&self.branches, line).map(Answer::Branches),
        }
    }

    /// Parses options given by number, name or square.
    fn picks(&self, line: &str) -> Result<Vec<i32>, String> {
        let at = |word: &str| {
            let square = Square::read(word)?;
            let mut here = (0..self.squares.len()).filter(|place| self.squares[*place] == Some(square));
            here.next().filter(|_| here.next().is_none()).map(|place| (place + 1).to_string())
        };
        let words = line.split([',', ' ', '\t']).map(|word| at(word).unwrap_or_else(|| word.to_owned()));
        numbers(&words.collect::<Vec<_>>().join(" "), &self.options, false)
    }
}

pub(crate) fn show_options(out: &mut Out, indent: &str, options: &[String]) {
    if are_numbers(options) {
        return say!(out, "{indent} {KEY}{}{KEY:#}", options.join("  "));
    }
    for (place, option) in options.iter().enumerate() {
        say!(out, "{indent}{KEY}{:>2}{KEY:#}  {option}", place + 1);
    }
}

/// Returns the labels of options: names of entities, or the labels of the prompt.
pub(crate) fn labels(options: &Value, names: &EntityNames) -> Vec<String> {
    let label = |option: &Value| {
        let (value, label) = (&option["value"], &option["label"]);
        match value.as_str() {
            Some(id) if id.starts_with('#') => match names.seen(id) {
                Some(entity) => entity_text(entity, names),
                None => format!("{} {id}", value_text(label)),
            },
            _ if label.is_string() => value_text(label),
            _ => names.describe_placed(value),
        }
    };
    options.as_array().into_iter().flatten().map(label).collect()
}

/// Returns the squares of options: of entities on the grid, and of records that name a square.
pub(crate) fn squares(options: &Value, names: &EntityNames) -> Vec<Option<Square>> {
    let Some(grid) = names.presentation().grid() else { return Vec::new() };
    let square = |option: &Value| match option["value"].as_str() {
        Some(id) => names.square(id),
        None => grid.square(&option["value"]),
    };
    options.as_array().into_iter().flatten().map(square).collect()
}

/// Parses options given by number, counted from 1, or by name. An empty slot is −1.
pub(crate) fn numbers(line: &str, options: &[String], slots: bool) -> Result<Vec<i32>, String> {
    let mut picks = Vec::new();
    for word in line.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
        if slots && word == "-" {
            picks.push(-1);
            continue;
        }
        let number = word.parse::<usize>().ok().filter(|_| !are_numbers(options));
        let by_number = number.and_then(|number| number.checked_sub(1));
        let is_named = |place: &usize| {
            options[*place].split(' ').next().is_some_and(|name| name.eq_ignore_ascii_case(word))
        };
        let by_name =
            || (0..options.len()).find(|place| is_named(place) && !picks.contains(&(*place as i32)));
        match by_number.filter(|place| *place < options.len()).or_else(by_name) {
            Some(place) => picks.push(place as i32),
            None => return Err(no_option(word, options)),
        }
    }
    Ok(picks)
}

/// Returns whether all options are numbers. Such options are typed as they are; numbering them would be
/// confusing.
fn are_numbers(options: &[String]) -> bool {
    !options.is_empty() && options.iter().all(|option| option.parse::<i64>().is_ok())
}

pub(crate) fn no_option(word: &str, options: &[String]) -> String {
    match options.len() {
        _ if are_numbers(options) => format!("`{word}` is not offered; choose from {}", options.join(", ")),
        0 => format!("no option `{word}`"),
        1 => format!("no option `{word}`; the only option is 1"),
        options => format!("no option `{word}`; options are numbered 1 to {options}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Vec<String> {
        ["attack #1", "defense #2", "heal #3"].map(str::to_owned).to_vec()
    }

    #[test]
    fn slots_are_numbers_names_or_empty() {
        assert_eq!(numbers("1 3 -", &options(), true), Ok(vec![0, 2, -1]));
        assert_eq!(numbers("heal,-,Attack", &options(), true), Ok(vec![2, -1, 0]));
        assert!(numbers("1 4", &options(), true).is_err());
        assert!(numbers("0", &options(), true).is_err());
        assert!(numbers("-", &options(), false).is_err());
    }

    #[test]
    fn options_that_are_numbers_are_typed_as_they_are() {
        let options = ["5", "2", "-1"].map(str::to_owned);
        assert_eq!(numbers("2 -1", &options, false), Ok(vec![1, 2]));
        assert!(numbers("1", &options, false).unwrap_err().contains("choose from 5, 2, -1"));
    }

    #[test]
    fn branches_come_with_their_own_picks() {
        let offer = |index, title: &str, options, bounds| {
            let (id, title) = (title.to_owned(), title.to_owned());
            BranchView { index, id, title, options, bounds, branches: None }
        };
        let question = QuestionView {
            about: None,
            lesson: None,
            title: String::new(),
            kind: InputKind::ModePick,
            shape: AnswerShape::Branches,
            options: Vec::new(),
            squares: Vec::new(),
            offered: Vec::new(),
            branches: vec![offer(0, "strike", options(), (1, 2)), offer(2, "rest", Vec::new(), (0, 0))],
            bounds: (1, 2),
            deadline_ms: None,
            default: None,
            draft: None,
            auto: None,
            may_pass: false,
            takes_drafts: false,
        };
        assert_eq!(question.parse("1: 2,3; 2"), Ok(Answer::Branches(vec![(0, vec![1, 2]), (2, vec![])])));
        assert_eq!(question.parse("2"), Ok(Answer::Branches(vec![(2, vec![])])));
        assert!(question.parse("1").unwrap_err().contains("needs 1 to 2"));
        assert!(question.parse("3").unwrap_err().contains("numbered 1 to 2"));
    }
}
