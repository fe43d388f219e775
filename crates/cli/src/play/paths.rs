//! Typed paths: options one after the other, or squares. The last square alone is enough; a search finds
//! the way.

use std::collections::{BTreeMap, VecDeque};

use intermezzo_engine::{Answer, Observer, PathWalk};
use intermezzo_matchfile::to_json;

use crate::failure::fault_text;
use crate::out::{DIM, KEY, Out, say};
use crate::play::names::EntityNames;
use crate::play::question::{labels, numbers, squares};
use crate::play::square::Square;

/// Maximum number of positions a search visits.
const MAX_SEARCHED: usize = 4000;
/// Maximum number of visits to a square. Different paths to a square can leave different amounts of
/// movement.
const MAX_WAYS: usize = 6;

/// Path that is being typed.
pub(crate) struct PathInput<'a> {
    walk: PathWalk<'a>,
    observer: &'a mut Observer,
    names: &'a EntityNames,
}

/// Options for the next step, as shown on the screen.
struct PathOptions {
    labels: Vec<String>,
    squares: Vec<Option<Square>>,
}

impl<'a> PathInput<'a> {
    /// Continues a path after the given picks.
    pub(crate) fn new(
        mut walk: PathWalk<'a>,
        picks: &[i32],
        observer: &'a mut Observer,
        names: &'a EntityNames,
    ) -> Result<PathInput<'a>, String> {
        let known = picks.iter().try_for_each(|pick| walk.step(*pick));
        known.map_err(|refusal| refusal.to_string())?;
        Ok(PathInput { walk, observer, names })
    }

    /// Walks along a typed line.
    pub(crate) fn walk_line(&mut self, line: &str) -> Result<(), String> {
        let line = line.trim();
        if line == "-" {
            return Ok(());
        }
        // A label of several words can be typed as a whole, one step at a time.
        if let Some(pick) =
            self.next_options()?.labels.iter().position(|label| label.eq_ignore_ascii_case(line))
        {
            return self.step(pick as i32);
        }
        for word in line.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
            self.walk_word(word)?;
        }
        Ok(())
    }

    fn walk_word(&mut self, word: &str) -> Result<(), String> {
        let shown = self.next_options()?;
        let square = Square::read(word).filter(|_| self.names.presentation().grid().is_some());
        let direct = square.and_then(|square| shown.squares.iter().position(|known| *known == Some(square)));
        if let Some(pick) = direct {
            return self.step(pick as i32);
        }
        match numbers(word, &shown.labels, false) {
            Ok(picks) => picks.into_iter().try_for_each(|pick| self.step(pick)),
            Err(problem) => match square {
                Some(square) => self.walk_to(square),
                None if shown.labels.is_empty() => Err("the path ends there".to_owned()),
                None => Err(problem),
            },
        }
    }

    fn step(&mut self, pick: i32) -> Result<(), String> {
        self.walk.step(pick).map_err(|refusal| refusal.to_string())
    }

    fn next_options(&mut self) -> Result<PathOptions, String> {
        let program = self.names.program();
        let after =
            self.observer.describe_path(&mut self.walk).map_err(|fault| fault_text(program, &fault))?;
        let options = to_json(&after)["options"].take();
        Ok(PathOptions { labels: labels(&options, self.names), squares: squares(&options, self.names) })
    }

    /// Walks the shortest path to a square, if the search finds one.
    fn walk_to(&mut self, goal: Square) -> Result<(), String> {
        let start = self.walk.picks().to_vec();
        // Most paths are straight, so the first search visits every square only once.
        for ways in [1, MAX_WAYS] {
            if let Some(way) = self.find_path(&start, goal, ways)? {
                return self.retrace(&way);
            }
        }
        self.retrace(&start)?;
        Err(format!("no path to {goal} found"))
    }

    fn find_path(&mut self, start: &[i32], goal: Square, ways: usize) -> Result<Option<Vec<i32>>, String> {
        let mut seen: BTreeMap<Square, usize> = BTreeMap::new();
        let mut open = VecDeque::from([start.to_vec()]);
        for _ in 0..MAX_SEARCHED {
            let Some(way) = open.pop_front() else { break };
            self.retrace(&way)?;
            for (pick, square) in self.next_options()?.squares.into_iter().enumerate() {
                let Some(square) = square else { continue };
                let times = seen.entry(square).or_default();
                *times += 1;
                if *times <= ways {
                    let longer: Vec<i32> = way.iter().copied().chain([pick as i32]).collect();
                    if square == goal {
                        return Ok(Some(longer));
                    }
                    open.push_back(longer);
                }
            }
        }
        Ok(None)
    }

    /// Steps back to the common part, then walks along the picks.
    fn retrace(&mut self, picks: &[i32]) -> Result<(), String> {
        let common = self.walk.picks().iter().zip(picks).take_while(|(a, b)| a == b).count();
        while self.walk.picks().len() > common {
            self.walk.step_back();
        }
        picks[common..].iter().try_for_each(|pick| self.step(*pick))
    }

    /// Undoes the last step.
    pub(crate) fn step_back(&mut self) {
        self.walk.step_back();
    }

    pub(crate) fn picks(&self) -> Vec<i32> {
        self.walk.picks().to_vec()
    }

    pub(crate) fn answer(&self) -> Answer {
        self.walk.answer()
    }

    /// Shows the path and the options for the next step.
    pub(crate) fn show(&mut self, out: &mut Out) -> Result<(), String> {
        let picks = self.picks();
        self.retrace(&[])?;
        let mut steps = Vec::new();
        for pick in &picks {
            steps.extend(self.next_options()?.labels.into_iter().nth(*pick as usize));
            self.step(*pick)?;
        }
        let steps = if steps.is_empty() { "empty".to_owned() } else { steps.join(" → ") };
        say!(out, "path: {steps}");
        let labels = self.next_options()?.labels;
        if labels.is_empty() {
            say!(out, "{DIM}no further step; `.` stops here, `<` goes back{DIM:#}");
        }
        for (place, label) in labels.iter().enumerate() {
            say!(out, "  {KEY}{:>2}{KEY:#}  {label}", place + 1);
        }
        Ok(())
    }
}
