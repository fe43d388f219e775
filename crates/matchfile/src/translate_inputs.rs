//! Translates inputs of one match to another by name, not by number.

use intermezzo_engine::{Answer, Input, PendingQuestion};
use intermezzo_program::{Seat, Word};
use serde_json::Value;

use crate::file::{SavedAnswer, SavedBranchPick, SavedInput, SavedPicks};
use crate::recorder::Recorder;
use crate::sentences::{value_text, without_entity_numbers};

impl Recorder {
    /// Translates an input of another recording to the current state of this match: the rules or the earlier
    /// inputs may differ. An answer goes to the question that the seat is asked now, with options of the same
    /// names.
    ///
    /// # Errors
    ///
    /// The reason why the input has no meaning here.
    pub fn translate_input(&self, saved: &SavedInput) -> Result<Input, String> {
        let asked = |seat: u8| {
            let found = self.game().pending().find(|pending| pending.seat() == Seat(seat));
            found.ok_or_else(|| format!("p{seat} has no open question there"))
        };
        Ok(match saved {
            SavedInput::Answer { seat, answer, .. } => {
                let pending = asked(*seat)?;
                let answer = self.translate_answer(&pending, answer)?;
                Input::Answer { input: pending.id(), seat: Seat(*seat), answer }
            }
            SavedInput::Draft { seat, answer, .. } => {
                let pending = asked(*seat)?;
                let answer = self.translate_answer(&pending, answer)?;
                Input::Draft { input: pending.id(), seat: Seat(*seat), answer }
            }
            SavedInput::Timeout { seat, .. } => Input::Timeout { input: asked(*seat)?.id() },
            other => other.to_input(self.game().program())?,
        })
    }

    fn translate_answer(
        &self,
        pending: &PendingQuestion<'_>,
        answer: &SavedAnswer,
    ) -> Result<Answer, String> {
        match answer {
            SavedAnswer::Pass => Ok(Answer::Pass),
            SavedAnswer::Picks(picks) if pending.choice().next.is_some() => {
                self.translate_path(pending, picks)
            }
            SavedAnswer::Picks(picks) => Ok(Answer::Picks(self.translate_picks(
                pending,
                pending.options(),
                &picks.names,
                &picks.indices,
            )?)),
            SavedAnswer::Branches(branches) => {
                let again = branches.iter().map(|branch| self.translate_branch(pending, branch));
                Ok(Answer::Branches(again.collect::<Result<_, _>>()?))
            }
        }
    }

    fn translate_branch(
        &self,
        pending: &PendingQuestion<'_>,
        branch: &SavedBranchPick,
    ) -> Result<(u16, Vec<i32>), String> {
        let program = self.game().program();
        let is_it = |known: &intermezzo_program::ChoiceBranch| program.symbol(known.id) == branch.id;
        let branches = &pending.choice().branches;
        let same = branches.get(usize::from(branch.branch)).filter(|known| is_it(known));
        let index = match same {
            Some(_) => branch.branch,
            None => branches
                .iter()
                .position(is_it)
                .map(|index| index as u16)
                .ok_or_else(|| format!("the branch `{}` does not exist", branch.id))?,
        };
        let options = pending.branch(usize::from(index)).map_or(&[][..], |offer| offer.options);
        Ok((index, self.translate_picks(pending, options, &branch.names, &branch.indices)?))
    }

    fn translate_picks(
        &self,
        pending: &PendingQuestion<'_>,
        options: &[Word],
        names: &[Value],
        indices: &[i32],
    ) -> Result<Vec<i32>, String> {
        let (board, item) = (self.game().board(), pending.choice().item);
        let mut option_names: Vec<Option<Value>> =
            options.iter().map(|option| Some(self.narrator().display_value(board, *option, item))).collect();
        let picks = names.iter().zip(indices).map(|(name, index)| match index {
            -1 => Ok(-1),
            index => {
                let index = find_option(&option_names, name, *index)?;
                option_names[index] = None;
                Ok(index as i32)
            }
        });
        picks.collect()
    }

    fn translate_path(&self, pending: &PendingQuestion<'_>, picks: &SavedPicks) -> Result<Answer, String> {
        let mut walk = pending.start_path().ok_or("the question there does not ask for a path")?;
        let mut again = Vec::new();
        for (name, index) in picks.names.iter().zip(&picks.indices) {
            let options = walk.options().map(<[Word]>::to_vec).unwrap_or_default();
            let item = pending.choice().item;
            let option_names: Vec<Option<Value>> = options
                .iter()
                .map(|option| Some(self.narrator().display_value(walk.board(), *option, item)))
                .collect();
            let index = find_option(&option_names, name, *index)? as i32;
            again.push(index);
            walk.step(index).map_err(|_| format!("the path cannot continue to {}", value_text(name)))?;
        }
        Ok(Answer::Picks(again))
    }
}

/// Finds the option with this name: preferably the one with the same index, then any, then one that differs
/// only in entity numbers, which depend on the order of creation.
fn find_option(option_names: &[Option<Value>], name: &Value, index: i32) -> Result<usize, String> {
    let same = usize::try_from(index).ok().filter(|at| option_names.get(*at) == Some(&Some(name.clone())));
    let exact = || option_names.iter().position(|option| option.as_ref() == Some(name));
    let bare = |value: &Value| without_entity_numbers(&value_text(value));
    let near = || {
        option_names
            .iter()
            .position(|option| option.as_ref().is_some_and(|option| bare(option) == bare(name)))
    };
    same.or_else(exact).or_else(near).ok_or_else(|| format!("{} is not an option there", value_text(name)))
}
