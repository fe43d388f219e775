//! Branches of undone inputs: list, replay and compare them. Start with [`MatchFile::line_inputs`].

use std::sync::Arc;

use intermezzo_program::{Program, Seat};

use crate::compare;
use crate::file::{InputRecord, MatchFile, UndoBranch};
use crate::mismatch::{MismatchKind, MismatchLocation, ReplayMismatch};
use crate::recorder::Recorder;

/// Maximum number of branches in one file.
pub const MAX_BRANCHES: usize = 1000;

impl MatchFile {
    /// Returns all inputs from the start of the match to the end of a branch, or of the main line if `branch`
    /// is `None`.
    ///
    /// `None` if the branch does not exist, or leaves its parent after the parent's last input.
    #[must_use]
    pub fn line_inputs(&self, branch: Option<usize>) -> Option<Vec<&InputRecord>> {
        let Some(at) = branch else { return Some(self.inputs.iter().collect()) };
        let found = self.branches.get(at)?;
        // A branch is older than the branch it leaves, so this recursion ends.
        if found.parent.is_some_and(|parent| parent <= at) {
            return None;
        }
        let mut line = self.line_inputs(found.parent)?;
        let common = found.from as usize;
        if common > line.len() {
            return None;
        }
        line.truncate(common);
        line.extend(&found.inputs);
        Some(line)
    }

    /// Returns the number of inputs two lines have in common.
    #[must_use]
    pub fn common_inputs(&self, one: Option<usize>, other: Option<usize>) -> Option<usize> {
        let (one, other) = (self.line_inputs(one)?, self.line_inputs(other)?);
        Some(one.iter().zip(&other).take_while(|(a, b)| a.chain == b.chain).count())
    }

    /// Returns a new match file with the first inputs of a line of this one.
    ///
    /// # Errors
    ///
    /// If the branch or the input does not exist.
    pub fn fork(&self, branch: Option<usize>, inputs: u32) -> Result<MatchFile, ReplayMismatch> {
        let wrong = |problem: String| {
            let location = MismatchLocation { input: Some(inputs), ..MismatchLocation::default() };
            ReplayMismatch::new(location, MismatchKind::BadInput { problem })
        };
        let line = self.line_inputs(branch).ok_or_else(|| wrong("the branch does not exist".to_owned()))?;
        if inputs as usize > line.len() {
            return Err(wrong(format!("this branch has only {} inputs", line.len())));
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
    pub(crate) fn move_to_branch(&mut self, from: u32, by: u8, agreed: Vec<u8>) {
        let inputs = self.inputs.split_off((from as usize).min(self.inputs.len()));
        let new = self.branches.len();
        for branch in &mut self.branches {
            // Branches that left the line at a later point now leave the new branch.
            if branch.parent.is_none() && branch.from > from {
                branch.parent = Some(new);
            }
        }
        self.branches.push(UndoBranch { parent: None, from, by, agreed, inputs });
    }

    /// Verifies all branches; returns the number of their inputs.
    pub(crate) fn verify_branches(&self, program: &Arc<Program>) -> Result<usize, ReplayMismatch> {
        let mut inputs = 0;
        for (at, branch) in self.branches.iter().enumerate() {
            let on_branch = |mut mismatch: ReplayMismatch| {
                mismatch.location.branch = Some(at);
                mismatch
            };
            let end = self.line_inputs(Some(at)).map_or(0, |line| line.len() as u32);
            let line = self.fork(Some(at), end).map_err(on_branch)?;
            let recorder = line.verify_line(program).map_err(on_branch)?;
            branch.check_undo(&recorder).map_err(on_branch)?;
            inputs += branch.inputs.len();
        }
        Ok(inputs)
    }
}

impl UndoBranch {
    /// Checks that the recorded seat could undo at that point, with the recorded consent.
    fn check_undo(&self, then: &Recorder) -> Result<(), ReplayMismatch> {
        let location = MismatchLocation { input: Some(self.from + 1), ..MismatchLocation::default() };
        let undo = then.plan_undo(Seat(self.by)).map_err(|refusal| {
            let location = MismatchLocation { field: Some("by".to_owned()), ..location.clone() };
            ReplayMismatch::new(location, MismatchKind::UndoRefused(refusal))
        })?;
        let needs: Vec<u8> = undo.needs.iter().map(|seat| seat.0).collect();
        let difference = compare::values(&location, "from", &self.from, &(undo.number - 1))
            .or_else(|| compare::values(&location, "agreed", &self.agreed, &needs));
        difference.map_or(Ok(()), |(location, problem)| Err(ReplayMismatch::new(location, problem)))
    }
}

impl Recorder {
    /// Resumes a recorded match where it stopped.
    ///
    /// # Errors
    ///
    /// If the file does not verify, or was recorded with another ruleset.
    pub fn resume(file: &MatchFile, program: &Arc<Program>) -> Result<Recorder, ReplayMismatch> {
        // The ending is not compared: a fork does not have one.
        let mut recorder = file.verify_line(program)?;
        file.verify_branches(program)?;
        recorder.set_branches(file.branches.clone());
        Ok(recorder)
    }
}
