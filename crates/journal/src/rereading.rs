//! Inputs of one match, understood in another: by what they name, not by number.

use intermezzo_engine::{Answer, Input, Pending};
use intermezzo_ruleset::{Seat, Word};
use serde_json::Value;

use crate::file::{SavedAnswer, SavedBranch, SavedInput, SavedPicks};
use crate::recorder::Recorder;
use crate::sentences::{unnumbered, words};

impl Recorder {
    /// What an input of another recording means in this match as it stands: the rules may have changed since, or what
    /// came before. An answer is one to what the seat is asked now, with options of the same names.
    ///
    /// # Errors
    ///
    /// Why it means nothing here.
    pub fn reread(&self, saved: &SavedInput) -> Result<Input, String> {
        let asked = |seat: u8| {
            let found = self.playing().pending().find(|pending| pending.seat() == Seat(seat));
            found.ok_or_else(|| format!("p{seat} is not asked anything there"))
        };
        Ok(match saved {
            SavedInput::Answer { seat, answer, .. } => {
                let pending = asked(*seat)?;
                let answer = self.answer_again(&pending, answer)?;
                Input::Answer { input: pending.id(), seat: Seat(*seat), answer }
            }
            SavedInput::Draft { seat, answer, .. } => {
                let pending = asked(*seat)?;
                let answer = self.answer_again(&pending, answer)?;
                Input::Draft { input: pending.id(), seat: Seat(*seat), answer }
            }
            SavedInput::Timeout { seat, .. } => Input::Timeout { input: asked(*seat)?.id() },
            other => other.to_input(self.playing().program())?,
        })
    }

    fn answer_again(&self, pending: &Pending<'_>, answer: &SavedAnswer) -> Result<Answer, String> {
        match answer {
            SavedAnswer::Pass => Ok(Answer::Pass),
            SavedAnswer::Picks(picks) if pending.choice().next.is_some() => self.path_again(pending, picks),
            SavedAnswer::Picks(picks) => Ok(Answer::Picks(self.picks_again(
                pending,
                pending.options(),
                &picks.names,
                &picks.indices,
            )?)),
            SavedAnswer::Branches(branches) => {
                let again = branches.iter().map(|branch| self.branch_again(pending, branch));
                Ok(Answer::Branches(again.collect::<Result<_, _>>()?))
            }
        }
    }

    fn branch_again(&self, pending: &Pending<'_>, branch: &SavedBranch) -> Result<(u16, Vec<i32>), String> {
        let program = self.playing().program();
        let is_it = |known: &intermezzo_ruleset::Branch| program.symbol(known.id) == branch.id;
        let branches = &pending.choice().branches;
        let same = branches.get(usize::from(branch.branch)).filter(|known| is_it(known));
        let index = match same {
            Some(_) => branch.branch,
            None => branches
                .iter()
                .position(is_it)
                .map(|index| index as u16)
                .ok_or_else(|| format!("there is no `{}`", branch.id))?,
        };
        let options = pending.branch(usize::from(index)).map_or(&[][..], |offer| offer.options);
        Ok((index, self.picks_again(pending, options, &branch.names, &branch.indices)?))
    }

    fn picks_again(
        &self,
        pending: &Pending<'_>,
        options: &[Word],
        names: &[Value],
        indices: &[i32],
    ) -> Result<Vec<i32>, String> {
        let (board, item) = (self.playing().board(), pending.choice().item);
        let mut shown: Vec<Option<Value>> =
            options.iter().map(|option| Some(self.narrator().plain(board, *option, item))).collect();
        let picks = names.iter().zip(indices).map(|(name, index)| match index {
            -1 => Ok(-1),
            index => {
                let place = find(&shown, name, *index)?;
                shown[place] = None;
                Ok(place as i32)
            }
        });
        picks.collect()
    }

    fn path_again(&self, pending: &Pending<'_>, picks: &SavedPicks) -> Result<Answer, String> {
        let mut walk = pending.walk().ok_or("no path is asked for there")?;
        let mut again = Vec::new();
        for (name, index) in picks.names.iter().zip(&picks.indices) {
            let options = walk.options().map(<[Word]>::to_vec).unwrap_or_default();
            let item = pending.choice().item;
            let shown: Vec<Option<Value>> = options
                .iter()
                .map(|option| Some(self.narrator().plain(walk.board(), *option, item)))
                .collect();
            let place = find(&shown, name, *index)? as i32;
            again.push(place);
            walk.step(place).map_err(|_| format!("the path does not lead to {}", words(name)))?;
        }
        Ok(Answer::Picks(again))
    }
}

/// The option that is called so: preferably the one with the same number, else another, else one that differs only in the
/// numbers of entities, which may have been created in another order.
fn find(shown: &[Option<Value>], name: &Value, index: i32) -> Result<usize, String> {
    let same = usize::try_from(index).ok().filter(|at| shown.get(*at) == Some(&Some(name.clone())));
    let exact = || shown.iter().position(|option| option.as_ref() == Some(name));
    let bare = |value: &Value| unnumbered(&words(value));
    let near =
        || shown.iter().position(|option| option.as_ref().is_some_and(|option| bare(option) == bare(name)));
    same.or_else(exact).or_else(near).ok_or_else(|| format!("{} cannot be chosen there", words(name)))
}
