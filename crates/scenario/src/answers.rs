//! Answers as players would write them: options by name, `null` for an empty slot, `pass` to decline.
//!
//! Picks that do not exist are sent all the same, as numbers no option has, so
//! that it is the engine that refuses them.

use intermezzo_compiler::tree::{Node, Value};
use intermezzo_engine::{Answer, Board, Pending, Refusal, Rejection, Walk};
use intermezzo_ruleset::{Shape, TypeId, Word};

use crate::table::Table;
use crate::values::{fits, show_node};

/// From here on, picks are written ones that no option fits.
const UNKNOWN_PICK: i32 = 1 << 20;
/// The same for branches.
const UNKNOWN_BRANCH: u16 = 1 << 15;

/// An answer, and the words for what is unknown in it.
pub(crate) struct Written {
    pub(crate) answer: Answer,
    unknown: Vec<String>,
}

impl Written {
    /// Reads an answer to a question; without a question its contents do not matter.
    pub(crate) fn read(table: &Table, pending: Option<&Pending<'_>>, node: &Node) -> Written {
        let mut written = Written { answer: Answer::Picks(Vec::new()), unknown: Vec::new() };
        if let Some(pending) = pending {
            written.answer = written.answer_to(table, pending, node);
        }
        written
    }

    fn answer_to(&mut self, table: &Table, pending: &Pending<'_>, node: &Node) -> Answer {
        let choice = pending.choice();
        if choice.shape == Shape::Branches {
            return self.branches(table, pending, node);
        }
        let means_pass = |options: &Options| {
            let is_word = node.as_text().is_some_and(|text| text.as_str() == "pass");
            is_word && !options.shown.iter().any(|option| fits(node, option))
        };
        let has_empty = matches!(choice.shape, Shape::Slots { .. });
        let options = Options::of(table, table.played.board(), pending.options(), choice.item);
        if means_pass(&options) {
            return Answer::Pass;
        }
        if let Some(walk) = pending.walk() {
            return Answer::Picks(self.path(table, walk, choice.item, node));
        }
        Answer::Picks(self.picks(options, node, has_empty))
    }

    fn picks(&mut self, mut options: Options, node: &Node, has_empty: bool) -> Vec<i32> {
        let one = std::slice::from_ref(node);
        let nodes = node.as_list().unwrap_or(one);
        let mut pick = |node: &Node| match &node.value {
            Value::Null if has_empty => -1,
            _ => raw_number(node).or_else(|| options.take(node)).unwrap_or_else(|| self.unknown_pick(node)),
        };
        nodes.iter().map(&mut pick).collect()
    }

    /// One step after the other, as far as there is a way.
    fn path(&mut self, table: &Table, mut walk: Walk<'_>, item: TypeId, node: &Node) -> Vec<i32> {
        let one = std::slice::from_ref(node);
        let mut picks = Vec::new();
        for node in node.as_list().unwrap_or(one) {
            let options = walk.options().map(<[Word]>::to_vec).unwrap_or_default();
            let mut options = Options::of(table, walk.board(), &options, item);
            let pick = raw_number(node).or_else(|| options.take(node));
            let pick = pick.unwrap_or_else(|| self.unknown_pick(node));
            picks.push(pick);
            // Where nothing leads on, or a rule fails, the engine says so.
            let _ = walk.step(pick);
        }
        picks
    }

    fn branches(&mut self, table: &Table, pending: &Pending<'_>, node: &Node) -> Answer {
        let choice = pending.choice();
        let number = |written: &mut Written, name: &str| {
            let is_meant = |branch: &intermezzo_ruleset::Branch| table.program.symbol(branch.id) == name;
            match choice.branches.iter().position(is_meant) {
                Some(index) => index as u16,
                None => {
                    written.unknown.push(name.to_owned());
                    UNKNOWN_BRANCH + written.unknown.len() as u16 - 1
                }
            }
        };
        let mut branches = Vec::new();
        match &node.value {
            Value::Text(text) if text.as_str() == "pass" && choice.pass => return Answer::Pass,
            Value::Map(entries) => {
                for entry in entries {
                    let index = number(self, entry.key.as_str());
                    let offer = pending.branch(usize::from(index));
                    let options = Options::of(
                        table,
                        table.played.board(),
                        offer.map_or(&[], |offer| offer.options),
                        choice.item,
                    );
                    let none = matches!(entry.value.value, Value::Null);
                    let picks = if none { Vec::new() } else { self.picks(options, &entry.value, false) };
                    branches.push((index, picks));
                }
            }
            _ => {
                let one = std::slice::from_ref(node);
                for node in node.as_list().unwrap_or(one) {
                    let name = node.as_text().map_or_else(|| show_node(node), |text| text.value.clone());
                    branches.push((number(self, &name), Vec::new()));
                }
            }
        }
        Answer::Branches(branches)
    }

    fn unknown_pick(&mut self, node: &Node) -> i32 {
        self.unknown.push(node.as_text().map_or_else(|| show_node(node), |text| text.value.clone()));
        UNKNOWN_PICK + self.unknown.len() as i32 - 1
    }

    /// Why the answer was refused, with unknown picks by the words that were written.
    pub(crate) fn reason(&self, table: &Table, refusal: &Refusal) -> String {
        let Refusal::Rejected(Rejection::NoSuchOption { pick }) = refusal else {
            return table.reason(refusal);
        };
        let place = match *pick {
            pick if pick >= i64::from(UNKNOWN_PICK) => pick - i64::from(UNKNOWN_PICK),
            pick => pick - i64::from(UNKNOWN_BRANCH),
        };
        match usize::try_from(place).ok().and_then(|place| self.unknown.get(place)) {
            Some(selection) => Rejection::NoSuchSelection { selection: selection.clone() }.to_string(),
            None => table.reason(refusal),
        }
    }
}

/// An option by its number, such as `@0`: sent as it is, even twice.
fn raw_number(node: &Node) -> Option<i32> {
    node.as_text()?.as_str().strip_prefix('@')?.parse().ok()
}

/// The options of a question by name, and which of them are taken.
struct Options {
    shown: Vec<intermezzo_engine::Datum>,
    taken: Vec<bool>,
}

impl Options {
    fn of(table: &Table, board: &Board, options: &[Word], item: TypeId) -> Options {
        let shown: Vec<_> = options.iter().map(|option| table.describe_on(board, *option, item)).collect();
        Options { taken: vec![false; shown.len()], shown }
    }

    /// The first option that fits and was not taken yet: what is written twice needs two such options.
    fn take(&mut self, node: &Node) -> Option<i32> {
        let is_meant = |place: &usize| !self.taken[*place] && fits(node, &self.shown[*place]);
        let place = (0..self.shown.len()).find(is_meant)?;
        self.taken[place] = true;
        Some(place as i32)
    }
}
