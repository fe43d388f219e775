//! Answers as players would write them: options by name, `null` for an empty slot, `pass` to decline.
//!
//! Picks that do not exist are sent all the same, as numbers no option has, so
//! that it is the engine that refuses them.

use intermezzo_compiler::tree::{Node, Value};
use intermezzo_engine::{Answer, Board, Pending, Refusal, Rejection, Walk};
use intermezzo_ruleset::{Inner, Shape, TypeId, Word};

use crate::table::Table;
use crate::values::{fits, show_node};

/// From here on, picks are written ones that no option fits.
const UNKNOWN_PICK: i32 = 1 << 20;
/// The same for branches.
const UNKNOWN_BRANCH: u16 = 1 << 15;

/// An answer, and the words for what is unknown in it.
pub(crate) struct Written {
    pub(crate) answer: Answer,
    unknown: Vec<Unknown>,
}

/// What is written but not offered.
struct Unknown {
    selection: String,
    /// The title of the branch it is written in, where no number would tell.
    within: Option<String>,
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
        if node.as_text().is_some_and(|text| text.as_str() == "pass") && pending.choice().pass {
            return Answer::Pass;
        }
        let mut taken = Vec::new();
        self.level(table, pending, None, node, &mut taken);
        Answer::Branches(taken)
    }

    /// What is taken of the branches of one parent: an object of names and what is picked in each, or names alone.
    fn level(
        &mut self,
        table: &Table,
        pending: &Pending<'_>,
        parent: Option<u16>,
        node: &Node,
        taken: &mut Vec<(u16, Vec<i32>)>,
    ) {
        match &node.value {
            Value::Map(entries) => {
                for entry in entries {
                    let index = self.branch(table, pending, parent, entry.key.as_str());
                    let inner = Some(&entry.value).filter(|inner| !matches!(inner.value, Value::Null));
                    self.inner(table, pending, index, inner, taken);
                }
            }
            _ => {
                let one = std::slice::from_ref(node);
                for node in node.as_list().unwrap_or(one) {
                    if matches!(node.value, Value::Map(_)) {
                        self.level(table, pending, parent, node, taken);
                        continue;
                    }
                    let name = node.as_text().map_or_else(|| show_node(node), |text| text.value.clone());
                    taken.push((self.branch(table, pending, parent, &name), Vec::new()));
                }
            }
        }
    }

    fn branch(&mut self, table: &Table, pending: &Pending<'_>, parent: Option<u16>, name: &str) -> u16 {
        let choice = pending.choice();
        let is_meant = |index: &usize| table.program.symbol(choice.branches[*index].id) == name;
        match choice.branches_of(parent).find(is_meant) {
            Some(index) => index as u16,
            None => {
                let title = |parent: u16| choice.branches[usize::from(parent)].title;
                let within = parent.map(|parent| table.program.texts[title(parent).index()].clone());
                self.unknown.push(Unknown { selection: name.to_owned(), within });
                UNKNOWN_BRANCH + self.unknown.len() as u16 - 1
            }
        }
    }

    fn inner(
        &mut self,
        table: &Table,
        pending: &Pending<'_>,
        index: u16,
        node: Option<&Node>,
        taken: &mut Vec<(u16, Vec<i32>)>,
    ) {
        let offer = pending.branch(usize::from(index));
        if offer.is_some_and(|offer| offer.inner == Inner::Branches) {
            taken.push((index, Vec::new()));
            if let Some(node) = node {
                self.level(table, pending, Some(index), node, taken);
            }
            return;
        }
        let options = offer.map_or(&[][..], |offer| offer.options);
        let options = Options::of(table, table.played.board(), options, pending.choice().item);
        taken.push((index, node.map_or_else(Vec::new, |node| self.picks(options, node, false))));
    }

    fn unknown_pick(&mut self, node: &Node) -> i32 {
        let selection = node.as_text().map_or_else(|| show_node(node), |text| text.value.clone());
        self.unknown.push(Unknown { selection, within: None });
        UNKNOWN_PICK + self.unknown.len() as i32 - 1
    }

    /// Why the answer was refused, with unknown picks by the words that were written.
    pub(crate) fn reason(&self, table: &Table, refusal: &Refusal) -> String {
        let Refusal::Rejected(rejection) = refusal else {
            return table.reason(refusal);
        };
        let Rejection::NoSuchOption { pick } = rejection.itself() else {
            return table.reason(refusal);
        };
        let place = match *pick {
            pick if pick >= i64::from(UNKNOWN_PICK) => pick - i64::from(UNKNOWN_PICK),
            pick => pick - i64::from(UNKNOWN_BRANCH),
        };
        match usize::try_from(place).ok().and_then(|place| self.unknown.get(place)) {
            Some(unknown) => {
                let named = Rejection::NoSuchSelection { selection: unknown.selection.clone() };
                match (rejection, &unknown.within) {
                    (Rejection::InBranch { title, .. }, _) | (_, Some(title)) => format!("{title}: {named}"),
                    _ => named.to_string(),
                }
            }
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
