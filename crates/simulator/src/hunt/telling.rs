//! What was found, as a scenario that shows it again.

use intermezzo_engine::{Input, Seed, Setup};
use intermezzo_scenario::{Recording, write_find};

use super::case::Case;
use super::shrink::Shrinking;
use super::{How, Hunt, Kind};

/// Something that goes wrong.
#[derive(Clone, Debug)]
pub struct Find {
    /// What.
    pub kind: Kind,
    /// The seed it was first found with.
    pub seed: u64,
    /// More about it.
    pub detail: String,
    /// How many inputs it takes.
    pub inputs: usize,
    /// A scenario that shows it: it fails until the rules are mended. Where only the hunt can tell, it leads there.
    pub scenario: String,
    /// What a file with it may be called.
    pub file: String,
}

impl Hunt<'_> {
    pub(super) fn made_small(&self, kind: Kind, seed: u64, how: How) -> Find {
        match how {
            How::Law(number) => self.small_law(kind, seed, number),
            how => {
                let (case, _) = self.play(seed, how);
                let case = Shrinking::new(self, &kind, case).smallest();
                let ends = matches!(kind, Kind::Endless | Kind::DeadEnd { .. });
                self.find(kind, seed, String::new(), &case, ends)
            }
        }
    }

    /// A law is tried on shorter and shorter matches.
    fn small_law(&self, kind: Kind, seed: u64, number: usize) -> Find {
        let mut broken = self.broken(number, seed, None);
        let (mut enough, mut too_few) = (broken.as_ref().map_or(0, |broken| broken.inputs.len() as u32), 0);
        while enough > too_few {
            let middle = (enough + too_few) / 2;
            match self.broken(number, seed, Some(middle)) {
                Some(found) => {
                    enough = middle;
                    broken = Some(found);
                }
                None => too_few = middle + 1,
            }
        }
        let (detail, inputs) = broken.map(|broken| (broken.detail, broken.inputs)).unwrap_or_default();
        let moves =
            inputs.into_iter().map(|input| super::case::Move { seat: intermezzo_ruleset::Seat(0), input });
        let case = Case { setup: self.setup(seed), seed, moves: moves.collect() };
        self.find(kind, seed, detail, &case, false)
    }

    fn find(&self, kind: Kind, seed: u64, detail: String, case: &Case, ends: bool) -> Find {
        let inputs: Vec<Input> = case.inputs();
        let setup = Setup { seed: Seed::from_number(case.seed), ..case.setup.clone() };
        let name = kind.to_string();
        let recording = Recording { name: &name, seed: case.seed, setup: &setup, inputs: &inputs };
        let steps = write_find(&self.subject.program, &recording, ends);
        let lines = [
            format!("# {name}."),
            format!("# Found by fuzzing with seed {seed}, and made as small as it goes."),
            match &kind {
                Kind::Law { .. } => format!(
                    "# It may pass as a scenario: `intermezzo simulate {} --fuzz --seed {seed} -n 1` shows it again.",
                    self.subject.name
                ),
                Kind::Fault { alone: true, .. } => {
                    "# It passes as a scenario: what is on the stack fails alone, and play goes on."
                        .to_owned()
                }
                _ => "# It fails until the rules are mended.".to_owned(),
            },
        ];
        let scenario = format!("{}\nscenarios:\n{steps}", lines.join("\n"));
        Find {
            file: format!("{}.yaml", file_name(&kind)),
            inputs: inputs.len(),
            kind,
            seed,
            detail,
            scenario,
        }
    }
}

fn file_name(kind: &Kind) -> String {
    let about = match kind {
        Kind::Fault { code, place, .. } => {
            let place = place.rsplit('/').next().unwrap_or_default();
            format!("-{code}-{place}")
        }
        Kind::DeadEnd { question } => format!("-{question}"),
        Kind::Endless => String::new(),
        Kind::Law { name } => format!("-{name}"),
    };
    let name = format!("{}{about}", kind.word());
    name.replace(|letter: char| !(letter.is_alphanumeric() || letter == '-' || letter == '_'), "-")
}
