//! What was taken back is kept: every branch can be listed, replayed and compared. Start with [`MatchFile::line`].

use std::sync::Arc;

use intermezzo_ruleset::{Program, Seat};

use crate::compare;
use crate::file::{Branch, Entry, MatchFile};
use crate::mismatch::{Mismatch, Place, Problem};
use crate::recorder::Recorder;

/// More branches than this in one file are no accident.
pub const MAX_BRANCHES: usize = 1000;

impl MatchFile {
    /// All inputs from the start of the match to the end of a branch; of what counts now, if none is named.
    ///
    /// Nothing if there is no such branch, or it leaves another where that has no inputs.
    #[must_use]
    pub fn line(&self, branch: Option<usize>) -> Option<Vec<&Entry>> {
        let Some(at) = branch else { return Some(self.inputs.iter().collect()) };
        let found = self.branches.get(at)?;
        // A branch was taken back before the one it leaves was, so this ends.
        if found.parent.is_some_and(|parent| parent <= at) {
            return None;
        }
        let mut line = self.line(found.parent)?;
        let common = found.from as usize;
        if common > line.len() {
            return None;
        }
        line.truncate(common);
        line.extend(&found.inputs);
        Some(line)
    }

    /// How many inputs two lines have in common.
    #[must_use]
    pub fn common(&self, one: Option<usize>, other: Option<usize>) -> Option<usize> {
        let (one, other) = (self.line(one)?, self.line(other)?);
        Some(one.iter().zip(&other).take_while(|(a, b)| a.chain == b.chain).count())
    }

    /// A match of its own that begins like a line of this one and stops after so many inputs.
    ///
    /// # Errors
    ///
    /// If there is no such branch or input.
    pub fn fork(&self, branch: Option<usize>, inputs: u32) -> Result<MatchFile, Mismatch> {
        let wrong = |problem: String| {
            let place = Place { input: Some(inputs), ..Place::default() };
            Mismatch::new(place, Problem::BadInput { problem })
        };
        let line = self.line(branch).ok_or_else(|| wrong("there is no such branch".to_owned()))?;
        if inputs as usize > line.len() {
            return Err(wrong(format!("there are only {} inputs", line.len())));
        }
        Ok(MatchFile {
            format: self.format,
            ruleset: self.ruleset.clone(),
            seats: self.seats,
            options: self.options.clone(),
            seed: self.seed,
            script: self.script.clone(),
            start: self.start.clone(),
            inputs: line.into_iter().take(inputs as usize).cloned().collect(),
            branches: Vec::new(),
            ending: None,
        })
    }

    /// Moves the inputs from number `from + 1` on to a new branch.
    pub(crate) fn cut(&mut self, from: u32, by: u8, agreed: Vec<u8>) {
        let inputs = self.inputs.split_off((from as usize).min(self.inputs.len()));
        let new = self.branches.len();
        for branch in &mut self.branches {
            // What left the line further on leaves the new branch now.
            if branch.parent.is_none() && branch.from > from {
                branch.parent = Some(new);
            }
        }
        self.branches.push(Branch { parent: None, from, by, agreed, inputs });
    }

    /// Checks everything the file says about branches; gives how many inputs they have.
    pub(crate) fn verify_branches(&self, program: &Arc<Program>) -> Result<usize, Mismatch> {
        let mut inputs = 0;
        for (at, branch) in self.branches.iter().enumerate() {
            let on_branch = |mut mismatch: Mismatch| {
                mismatch.place.branch = Some(at);
                mismatch
            };
            let end = self.line(Some(at)).map_or(0, |line| line.len() as u32);
            let line = self.fork(Some(at), end).map_err(on_branch)?;
            let recorder = line.verify_line(program).map_err(on_branch)?;
            branch.check_taking_back(&recorder).map_err(on_branch)?;
            inputs += branch.inputs.len();
        }
        Ok(inputs)
    }
}

impl Branch {
    /// Whether whoever is said to have taken this back could, where the match stood then, with that consent.
    fn check_taking_back(&self, then: &Recorder) -> Result<(), Mismatch> {
        let place = Place { input: Some(self.from + 1), ..Place::default() };
        let undo = then.undo_of(Seat(self.by)).map_err(|refusal| {
            let place = Place { field: Some("by".to_owned()), ..place.clone() };
            Mismatch::new(place, Problem::NotTakenBack(refusal))
        })?;
        let needs: Vec<u8> = undo.needs.iter().map(|seat| seat.0).collect();
        let difference = compare::values(&place, "from", &self.from, &(undo.number - 1))
            .or_else(|| compare::values(&place, "agreed", &self.agreed, &needs));
        difference.map_or(Ok(()), |(place, problem)| Err(Mismatch::new(place, problem)))
    }
}

impl Recorder {
    /// Goes on with a recorded match where it stopped.
    ///
    /// # Errors
    ///
    /// If the file does not tell the truth about the match, or another ruleset is at hand.
    pub fn resume(file: &MatchFile, program: &Arc<Program>) -> Result<Recorder, Mismatch> {
        // How it ended is not compared: a fork does not say it.
        let mut recorder = file.verify_line(program)?;
        file.verify_branches(program)?;
        recorder.keep_branches(file.branches.clone());
        Ok(recorder)
    }
}
