//! Answers as players write them: options by name, `null` for an empty slot, `pass` to decline.
//!
//! Names that match nothing are sent as well, so that the engine rejects them.

use intermezzo_compiler::tree::{NodeValue, SourceNode};
use intermezzo_engine::{
    Answer, Board, Datum, PathWalk, PendingQuestion, Refusal, WrittenAnswer, quoted_selection,
};
use intermezzo_program::{AnswerShape, BranchContent, TypeId, Word};

use crate::running_match::RunningMatch;
use crate::values::{datum, fits, unwritten_parts};

/// Reads an answer to a question. Without a question, its contents do not matter.
pub(crate) fn read(
    running: &RunningMatch,
    pending: Option<&PendingQuestion<'_>>,
    node: &SourceNode,
) -> WrittenAnswer {
    let mut reader = AnswerReader { written: WrittenAnswer::default() };
    if let Some(pending) = pending {
        reader.written.answer = reader.answer_to(running, pending, node);
    }
    reader.written
}

/// Returns the refusal of a written answer with the names that were written.
pub(crate) fn explain(written: Option<&WrittenAnswer>, refusal: Refusal) -> Refusal {
    match (written, refusal) {
        (Some(written), Refusal::Rejected(rejection)) => Refusal::Rejected(written.explain(rejection)),
        (_, refusal) => refusal,
    }
}

struct AnswerReader {
    written: WrittenAnswer,
}

impl AnswerReader {
    fn answer_to(
        &mut self,
        running: &RunningMatch,
        pending: &PendingQuestion<'_>,
        node: &SourceNode,
    ) -> Answer {
        let choice = pending.choice();
        if choice.shape == AnswerShape::Branches {
            return self.branches(running, pending, node);
        }
        let means_pass = |options: &NamedOptions| {
            let is_word = node.as_text().is_some_and(|text| text.as_str() == "pass");
            let is_nothing = choice.pass && matches!(node.value, NodeValue::Null);
            is_nothing || is_word && !options.shown.iter().any(|option| fits(node, option))
        };
        let has_empty = matches!(choice.shape, AnswerShape::Slots { .. });
        let options = NamedOptions::of(running, running.game.board(), pending.options(), choice.item);
        if means_pass(&options) {
            return Answer::Pass;
        }
        if let Some(consent) = node.as_bool().and_then(|accepts| pending.consent(accepts)) {
            return consent;
        }
        if let Some(walk) = pending.start_path() {
            return Answer::Picks(self.path(running, walk, choice.item, node));
        }
        Answer::Picks(self.picks(options, node, has_empty))
    }

    fn picks(&mut self, mut options: NamedOptions, node: &SourceNode, has_empty: bool) -> Vec<i32> {
        let one = std::slice::from_ref(node);
        let nodes = node.as_list().unwrap_or(one);
        let mut pick = |node: &SourceNode| match &node.value {
            NodeValue::Null if has_empty => -1,
            _ => self.pick(&mut options, node),
        };
        nodes.iter().map(&mut pick).collect()
    }

    /// Reads a path step by step.
    fn path(
        &mut self,
        running: &RunningMatch,
        mut walk: PathWalk<'_>,
        item: TypeId,
        node: &SourceNode,
    ) -> Vec<i32> {
        let one = std::slice::from_ref(node);
        let mut picks = Vec::new();
        for node in node.as_list().unwrap_or(one) {
            let options = walk.options().map(<[Word]>::to_vec).unwrap_or_default();
            let mut options = NamedOptions::of(running, walk.board(), &options, item);
            let pick = self.pick(&mut options, node);
            picks.push(pick);
            // If no step leads on or a rule fails, the engine reports it on submit.
            let _ = walk.step(pick);
        }
        picks
    }

    fn branches(
        &mut self,
        running: &RunningMatch,
        pending: &PendingQuestion<'_>,
        node: &SourceNode,
    ) -> Answer {
        let is_word = node.as_text().is_some_and(|text| text.as_str() == "pass");
        let is_called_pass = |index: usize| self.is_branch_called(running, pending, index, "pass");
        let has_pass = pending.choice().branches_of(None).any(is_called_pass);
        let is_nothing = pending.choice().pass && matches!(node.value, NodeValue::Null);
        if is_nothing || is_word && (pending.choice().pass || !has_pass) {
            return Answer::Pass;
        }
        let mut taken = Vec::new();
        self.level(running, pending, None, node, &mut taken);
        Answer::Branches(taken)
    }

    /// Reads the branches below one parent: an object of names and picks, or a list of names.
    fn level(
        &mut self,
        running: &RunningMatch,
        pending: &PendingQuestion<'_>,
        parent: Option<u16>,
        node: &SourceNode,
        taken: &mut Vec<(u16, Vec<i32>)>,
    ) {
        match &node.value {
            NodeValue::Map(_) if node.get("id").or_else(|| node.get("title")).is_some() => {
                let name =
                    node.get("id").or_else(|| node.get("title")).map_or_else(String::new, written_name);
                let index = self.branch(running, pending, parent, &name);
                self.inner(running, pending, index, node.get("selection"), taken);
            }
            NodeValue::Map(entries) => {
                for entry in entries {
                    let index = self.branch(running, pending, parent, entry.key.as_str());
                    self.inner(running, pending, index, Some(&entry.value), taken);
                }
            }
            _ => {
                let one = std::slice::from_ref(node);
                for node in node.as_list().unwrap_or(one) {
                    if matches!(node.value, NodeValue::Map(_)) {
                        self.level(running, pending, parent, node, taken);
                        continue;
                    }
                    taken.push((self.branch(running, pending, parent, &written_name(node)), Vec::new()));
                }
            }
        }
    }

    fn branch(
        &mut self,
        running: &RunningMatch,
        pending: &PendingQuestion<'_>,
        parent: Option<u16>,
        name: &str,
    ) -> u16 {
        let is_meant = |index: &usize| self.is_branch_called(running, pending, *index, name);
        match pending.choice().branches_of(parent).find(is_meant) {
            Some(index) => index as u16,
            None => {
                let title = |parent: u16| pending.choice().branches[usize::from(parent)].title;
                let within = parent.map(|parent| running.program.texts[title(parent).index()].clone());
                self.written.unknown_branch(name.to_owned(), within)
            }
        }
    }

    /// Returns whether this is the id or the title of a branch.
    fn is_branch_called(
        &self,
        running: &RunningMatch,
        pending: &PendingQuestion<'_>,
        index: usize,
        name: &str,
    ) -> bool {
        let branch = &pending.choice().branches[index];
        running.program.symbol(branch.id) == name || running.program.texts[branch.title.index()] == *name
    }

    fn inner(
        &mut self,
        running: &RunningMatch,
        pending: &PendingQuestion<'_>,
        index: u16,
        node: Option<&SourceNode>,
        taken: &mut Vec<(u16, Vec<i32>)>,
    ) {
        let node = node.filter(|node| !matches!(node.value, NodeValue::Null));
        let offer = pending.branch(usize::from(index));
        if offer.is_some_and(|offer| offer.inner == BranchContent::Branches) {
            taken.push((index, Vec::new()));
            if let Some(node) = node {
                self.level(running, pending, Some(index), node, taken);
            }
            return;
        }
        let options = offer.map_or(&[][..], |offer| offer.options);
        let options = NamedOptions::of(running, running.game.board(), options, pending.choice().item);
        taken.push((index, node.map_or_else(Vec::new, |node| self.picks(options, node, false))));
    }

    /// Returns the pick that a node means: an option number or a free option, else a pick that the engine rejects.
    fn pick(&mut self, options: &mut NamedOptions, node: &SourceNode) -> i32 {
        if let Some(number) = option_number(node) {
            return number;
        }
        match options.take(node) {
            Ok(Some(place)) => place,
            Ok(None) => self.written.unknown_pick(written_name(node)),
            Err(count) => self.written.ambiguous_pick(written_name(node), count),
        }
    }
}

/// Returns a name or value as messages quote it.
fn written_name(node: &SourceNode) -> String {
    quoted_selection(&datum(node))
}

/// Reads an option number: `"@0"`, or `{n: 0}` as clients send it. It is sent as it is, even twice.
fn option_number(node: &SourceNode) -> Option<i32> {
    match node.as_map() {
        Some([entry]) if entry.key.value == "n" => match entry.value.value {
            NodeValue::Int(number) => i32::try_from(number).ok(),
            _ => None,
        },
        _ => node.as_text()?.as_str().strip_prefix('@')?.parse().ok(),
    }
}

/// Options of a question by name, and which of them are taken.
struct NamedOptions {
    shown: Vec<Datum>,
    taken: Vec<bool>,
}

impl NamedOptions {
    fn of(running: &RunningMatch, board: &Board, options: &[Word], item: TypeId) -> NamedOptions {
        let shown: Vec<_> = options.iter().map(|option| running.describe_on(board, *option, item)).collect();
        NamedOptions { taken: vec![false; shown.len()], shown }
    }

    /// Takes the first matching option that is not taken yet. A name written twice needs two matching
    /// options.
    ///
    /// # Errors
    ///
    /// Returns the number of matching actions if they differ in a part that the short form leaves open, as on the wire.
    fn take(&mut self, node: &SourceNode) -> Result<Option<i32>, u32> {
        let is_number = |shown: &Datum| match (node.as_text(), shown) {
            (Some(text), Datum::Int(number)) => text.value == number.to_string(),
            _ => false,
        };
        let is_meant = |place: &usize| {
            let shown = &self.shown[*place];
            !self.taken[*place] && (fits(node, shown) || is_number(shown))
        };
        let mut places = (0..self.shown.len()).filter(is_meant);
        let Some(place) = places.next() else { return Ok(None) };
        if let Some(open) = unwritten_parts(node, &self.shown[place]) {
            let others =
                places.filter(|other| unwritten_parts(node, &self.shown[*other]).as_ref() != Some(&open));
            match others.count() {
                0 => {}
                others => return Err(others as u32 + 1),
            }
        }
        self.taken[place] = true;
        Ok(Some(place as i32))
    }
}
