//! Scenarios that reproduce the bugs found.

use intermezzo_engine::{Input, Seed, Setup};
use intermezzo_scenario::{ScenarioRecording, write_failing_scenario};

use super::case::TestCase;
use super::shrink::Shrinker;
use super::{BugKind, BugSearch, PlayMode};

/// Minimized bug.
#[derive(Clone, Debug)]
pub struct FoundBug {
    pub kind: BugKind,
    /// First seed that showed it.
    pub seed: u64,
    /// Details of a violated law.
    pub detail: String,
    /// Number of inputs that reproduce it.
    pub inputs: usize,
    /// Scenario that fails until the rules are fixed. For laws, it only plays the inputs that lead to the violation.
    pub scenario: String,
    /// Suggested file name.
    pub file: String,
}

impl BugSearch<'_> {
    pub(super) fn minimize(&self, kind: BugKind, seed: u64, how: PlayMode) -> FoundBug {
        match how {
            PlayMode::Law(number) => self.minimize_law(kind, seed, number),
            how => {
                let (case, _) = self.play(seed, how);
                let case = Shrinker::new(self, &kind, case).smallest();
                let ends = matches!(kind, BugKind::Endless | BugKind::DeadEnd { .. });
                self.find(kind, seed, String::new(), &case, ends)
            }
        }
    }

    /// Finds the shortest match that violates the law, by bisection.
    fn minimize_law(&self, kind: BugKind, seed: u64, number: usize) -> FoundBug {
        let mut violation = self.violation(number, seed, None);
        let (mut enough, mut too_few) =
            (violation.as_ref().map_or(0, |violation| violation.inputs.len() as u32), 0);
        while enough > too_few {
            let middle = (enough + too_few) / 2;
            match self.violation(number, seed, Some(middle)) {
                Some(found) => {
                    enough = middle;
                    violation = Some(found);
                }
                None => too_few = middle + 1,
            }
        }
        let (detail, inputs) =
            violation.map(|violation| (violation.detail, violation.inputs)).unwrap_or_default();
        let moves = inputs
            .into_iter()
            .map(|input| super::case::SentInput { seat: intermezzo_program::Seat(0), input });
        let case = TestCase { setup: self.setup(seed), seed, moves: moves.collect() };
        self.find(kind, seed, detail, &case, false)
    }

    fn find(&self, kind: BugKind, seed: u64, detail: String, case: &TestCase, ends: bool) -> FoundBug {
        let inputs: Vec<Input> = case.inputs();
        let setup = Setup { seed: Seed::from_number(case.seed), ..case.setup.clone() };
        let name = kind.to_string();
        let recording = ScenarioRecording { name: &name, seed: case.seed, setup: &setup, inputs: &inputs };
        let steps = write_failing_scenario(&self.fixture.program, &recording, ends);
        let lines = [
            format!("# {name}."),
            format!("# Found by fuzzing with seed {seed} and minimized."),
            match &kind {
                BugKind::Law { .. } => format!(
                    "# It may pass as a scenario; `intermezzo simulate {} --fuzz --seed {seed} -n 1` reproduces it.",
                    self.fixture.name
                ),
                BugKind::Fault { alone: true, .. } => {
                    "# It passes as a scenario: only the item on the stack fails, and play continues."
                        .to_owned()
                }
                _ => "# It fails until the rules are fixed.".to_owned(),
            },
        ];
        let scenario = format!("{}\nscenarios:\n{steps}", lines.join("\n"));
        FoundBug {
            file: format!("{}.yaml", file_name(&kind)),
            inputs: inputs.len(),
            kind,
            seed,
            detail,
            scenario,
        }
    }
}

fn file_name(kind: &BugKind) -> String {
    let about = match kind {
        BugKind::Fault { code, place, .. } => {
            let place = place.rsplit('/').next().unwrap_or_default();
            format!("-{code}-{place}")
        }
        BugKind::DeadEnd { question } => format!("-{question}"),
        BugKind::Endless => String::new(),
        BugKind::Law { name } => format!("-{name}"),
    };
    let name = format!("{}{about}", kind.slug());
    name.replace(|letter: char| !(letter.is_alphanumeric() || letter == '-' || letter == '_'), "-")
}
