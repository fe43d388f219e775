//! A question as it stands on the screen, and answers as they are typed.

use std::collections::BTreeSet;

use intermezzo_engine::{Answer, Pending, Rejection};
use intermezzo_ruleset::{InputKind, Shape};
use serde_json::Value;

use crate::out::{DIM, GOOD, HEAD, KEY, Out, count, say};
use crate::play::acting::{Offered, find};
use crate::play::branches::{self, Offer};
use crate::play::names::Names;
use crate::play::screen::{entity_text, wrap};
use crate::play::square::Square;
use intermezzo_journal::sentences::{clean, relabel, sentence, words};

/// What a seat is asked.
pub(crate) struct Question {
    title: String,
    /// What is about to happen, or has just happened.
    about: Option<String>,
    /// What a learner is told.
    lesson: Option<String>,
    kind: InputKind,
    shape: Shape,
    options: Vec<String>,
    /// Where the options are, if there is a grid.
    squares: Vec<Option<Square>>,
    /// What the options do, where they are actions.
    offered: Vec<Offered>,
    branches: Vec<Offer>,
    bounds: (u32, u32),
    deadline_ms: Option<i64>,
    default: Option<String>,
    draft: Option<String>,
    /// Whether the seat passes by itself, and if so, whether only until the turn ends.
    auto: Option<bool>,
    pub(crate) may_pass: bool,
    pub(crate) takes_drafts: bool,
}

impl Question {
    /// The question as the prompt of a witness tells it.
    ///
    /// `auto` tells how the seat passes by itself, if it does.
    pub(crate) fn new(
        pending: &Pending<'_>,
        prompt: &Value,
        auto: Option<&Value>,
        names: &Names,
    ) -> Question {
        let choice = pending.choice();
        let text = |value: &Value| (!value.is_null()).then(|| words(&relabel(value, names.known())));
        let title = prompt["title"].as_str().filter(|title| !title.is_empty()).unwrap_or(&choice.name);
        let offered = Offered::all(&prompt["options"], names);
        let options = match offered.is_empty() {
            true => labels(&prompt["options"], names),
            false => offered.iter().map(|offered| offered.text.clone()).collect(),
        };
        let about = relabel(&prompt["about"], names.known());
        let about = about["event"].as_str().zip(about["payload"].as_object());
        let about = about.and_then(|(event, fields)| sentence(pending.program(), event, fields));
        Question {
            title: clean(title),
            about: about.filter(|about| !about.is_empty()),
            lesson: prompt["lesson"]["say"].as_str().map(clean),
            kind: choice.kind,
            shape: choice.shape,
            options,
            squares: squares(&prompt["options"], names),
            offered,
            branches: Offer::all(pending, None, prompt, names),
            bounds: pending.bounds(),
            deadline_ms: pending.deadline_ms(),
            default: text(&prompt["default"]),
            draft: text(&prompt["draft"]),
            may_pass: choice.pass,
            auto: auto.map(|auto| auto["until"] == "turn"),
            takes_drafts: choice.draft.is_some(),
        }
    }

    pub(crate) fn has_deadline(&self) -> bool {
        self.deadline_ms.is_some()
    }

    /// Whether it asks what to do.
    pub(crate) fn is_about_actions(&self) -> bool {
        self.kind == InputKind::Action
    }

    /// The hints of all actions that can be taken.
    pub(crate) fn show_hints(&self, out: &mut Out) {
        let mut shown: Vec<&str> = Vec::new();
        for offered in &self.offered {
            if let Some(hint) = offered.hint.as_ref().filter(|_| !shown.contains(&offered.title.as_str())) {
                shown.push(&offered.title);
                say!(out, "  {HEAD}{}{HEAD:#}: {hint}", offered.title);
            }
        }
    }

    /// Actions with their costs, and each hint the first time it is of use.
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
            say!(out, "{DIM}{seconds} s to answer; not enforced here, `t` lets the time run out{DIM:#}");
        }
        match self.offered.is_empty() {
            true => show_options(out, "  ", &self.options),
            false => self.show_offered(out, hinted),
        }
        branches::show(out, &self.branches, "  ", "");
        if let Some(draft) = &self.draft {
            say!(out, "{DIM}your draft: {draft}{DIM:#}");
        } else if let Some(default) = &self.default {
            say!(out, "{DIM}if the time runs out: {default}{DIM:#}");
        }
        if let Some(until_turn_ends) = self.auto {
            let until = if until_turn_ends { " until the turn ends" } else { "" };
            say!(out, "{DIM}you pass by yourself{until}; `auto off` ends that{DIM:#}");
        }
        say!(out, "{DIM}{}{DIM:#}", self.how_to());
    }

    /// How to type an answer.
    fn how_to(&self) -> String {
        let (min, max) = self.bounds;
        let pass = if self.may_pass { ", or `p` to pass" } else { "" };
        let picks = match (min, max) {
            (1, 1) => "one number".to_owned(),
            (min, max) if min == max => format!("{}, e.g. `1,3`", count(min as usize, "number")),
            (0, max) => format!("up to {}, e.g. `1,3`, or `-` for none", count(max as usize, "number")),
            (min, max) => format!("{min} to {max} numbers, e.g. `1,3`"),
        };
        match self.shape {
            Shape::Pick if self.options.is_empty() && self.is_about_actions() => {
                "there is nothing you can do; `p` passes, `why` tells why, `?` is for help".to_owned()
            }
            Shape::Pick if self.options.is_empty() => format!("there is nothing to pick{pass}; `?` for help"),
            Shape::Pick if self.is_about_actions() => {
                format!("type {picks}{pass}; `why` tells what cannot be done, `?` is for help")
            }
            Shape::Pick => format!("type {picks}{pass}; `?` for help"),
            Shape::Order => format!("type {picks}, in the order you want{pass}; `?` for help"),
            Shape::Slots { empty } => {
                let blank = if empty { ", `-` leaves one empty" } else { "" };
                let example = if empty { "1 3 -" } else { "1 3 2" };
                format!(
                    "type {} for the slots{blank}, e.g. `{example}`{pass}; `?` for help",
                    count(max as usize, "number")
                )
            }
            Shape::Path => self.how_to_go(pass),
            Shape::Branches if !self.branches.iter().any(Offer::has_more) => {
                format!("type {picks}{pass}; `?` for help")
            }
            Shape::Branches if self.branches.iter().any(|offer| offer.branches.is_some()) => {
                format!(
                    "type {picks}, what is within after a dot, options after a colon, e.g. `2.1: 3; 2.2`{pass}; \
                     `?` for help"
                )
            }
            Shape::Branches => {
                format!("type {picks}, each with its own after a colon, e.g. `1: 2,3; 2`{pass}; `?` for help")
            }
        }
    }

    /// How to type a path.
    fn how_to_go(&self, pass: &str) -> String {
        let steps = match self.squares.first() {
            Some(Some(_)) => "squares, e.g. `c4 d5`, or only the last",
            _ => "steps, e.g. `1 3`",
        };
        let none = if self.bounds.0 == 0 { ", `-` for none" } else { "" };
        format!("type {steps}{none}{pass}; `+ 1` shows what follows; `?` for help")
    }

    /// Whether it asks for a path.
    pub(crate) fn is_path(&self) -> bool {
        self.shape == Shape::Path
    }

    /// Why an answer was refused, with options counted as on the screen.
    pub(crate) fn refusal(&self, rejection: &Rejection) -> String {
        let options = |options: &[String], pick: i64| {
            usize::try_from(pick).ok().and_then(|pick| options.get(pick)).cloned()
        };
        let option = |pick: i64| {
            let branch = || Offer::numbered(&self.branches, pick).map(|offer| offer.title.clone());
            options(&self.options, pick).or_else(branch).unwrap_or_else(|| (pick + 1).to_string())
        };
        match rejection {
            Rejection::PickedTwice { pick } => format!("`{}` was picked twice", option(*pick)),
            Rejection::SlotEmpty { slot } => format!("slot {} must not be empty", slot + 1),
            Rejection::WrongCount { expected_min, expected_max, got } if expected_min == expected_max => {
                format!("{expected_min} expected, but {got} given")
            }
            Rejection::WrongCount { expected_min, expected_max, got } => {
                format!("{expected_min} to {expected_max} expected, but {got} given")
            }
            Rejection::InBranch { title, rejection } => {
                let title = clean(title);
                let within = Offer::find(&self.branches, &|offer| offer.title == title);
                let own = within.filter(|offer| offer.branches.is_none());
                let twice = match (&**rejection, own) {
                    (Rejection::PickedTwice { pick }, Some(own)) => options(&own.options, *pick),
                    _ => None,
                };
                let why = twice.map(|option| format!("`{option}` was picked twice"));
                format!("{title}: {}", why.unwrap_or_else(|| self.refusal(rejection)))
            }
            other => other.to_string(),
        }
    }

    /// The answer that was typed.
    pub(crate) fn parse(&self, line: &str) -> Result<Answer, String> {
        match self.shape {
            Shape::Pick | Shape::Order if line == "-" => Ok(Answer::Picks(Vec::new())),
            Shape::Pick
                if self.is_about_actions() && line.parse::<u64>().is_err() && self.bounds == (1, 1) =>
            {
                find(line, &self.options).map(|place| Answer::Picks(vec![place as i32]))
            }
            Shape::Pick | Shape::Order => self.picks(line).map(Answer::Picks),
            Shape::Slots { .. } => numbers(line, &self.options, true).map(Answer::Picks),
            Shape::Path => Err("paths are gone step by step".to_owned()),
            Shape::Branches => branches::parse(&self.branches, line).map(Answer::Branches),
        }
    }

    /// Options by number or name, or by the square they are at.
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

/// What options are called: by the names of entities, or as the prompt labels them.
pub(crate) fn labels(options: &Value, names: &Names) -> Vec<String> {
    let label = |option: &Value| {
        let (value, label) = (&option["value"], &option["label"]);
        match value.as_str() {
            Some(id) if id.starts_with('#') => match names.seen(id) {
                Some(entity) => entity_text(entity, names),
                None => format!("{} {id}", words(label)),
            },
            _ if label.is_string() => words(label),
            _ => names.placed(value),
        }
    };
    options.as_array().into_iter().flatten().map(label).collect()
}

/// The squares of options: of entities on the grid, and of records that name one.
pub(crate) fn squares(options: &Value, names: &Names) -> Vec<Option<Square>> {
    let Some(grid) = names.look().grid() else { return Vec::new() };
    let square = |option: &Value| match option["value"].as_str() {
        Some(id) => names.square(id),
        None => grid.square(&option["value"]),
    };
    options.as_array().into_iter().flatten().map(square).collect()
}

/// Numbers of options, counted from 1 on the screen; −1 for an empty slot. Options can be named, too.
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

/// Options that are numbers themselves are typed as they are; counting them would only confuse.
fn are_numbers(options: &[String]) -> bool {
    !options.is_empty() && options.iter().all(|option| option.parse::<i64>().is_ok())
}

pub(crate) fn no_option(word: &str, options: &[String]) -> String {
    match options.len() {
        _ if are_numbers(options) => format!("`{word}` is not offered; there are {}", options.join(", ")),
        0 => format!("there is no option `{word}`"),
        1 => format!("there is no option `{word}`; the only one is 1"),
        options => format!("there is no option `{word}`; they are numbered from 1 to {options}"),
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
        assert!(numbers("1", &options, false).unwrap_err().contains("there are 5, 2, -1"));
    }

    #[test]
    fn branches_come_with_their_own_picks() {
        let offer = |index, title: &str, options, bounds| {
            let (id, title) = (title.to_owned(), title.to_owned());
            Offer { index, id, title, options, bounds, branches: None }
        };
        let question = Question {
            about: None,
            lesson: None,
            title: String::new(),
            kind: InputKind::ModePick,
            shape: Shape::Branches,
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
        assert!(question.parse("1").unwrap_err().contains("takes 1 to 2"));
        assert!(question.parse("3").unwrap_err().contains("numbered from 1 to 2"));
    }
}
