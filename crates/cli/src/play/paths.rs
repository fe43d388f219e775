//! Paths as they are typed: options one after the other, or squares, of which the last alone will do.

use std::collections::{BTreeMap, VecDeque};

use intermezzo_engine::{Answer, Walk, Witness};
use intermezzo_journal::to_json;

use crate::failure::fault_text;
use crate::out::{DIM, KEY, Out, say};
use crate::play::names::Names;
use crate::play::question::{labels, numbers, squares};
use crate::play::square::Square;

/// Looking for a way ends after so many places.
const MAX_SEARCHED: usize = 4000;
/// A place is looked at again if the way to it is another: some ways cost more than others.
const MAX_WAYS: usize = 6;

/// A path that is being typed.
pub(crate) struct Typing<'a> {
    walk: Walk<'a>,
    witness: &'a mut Witness,
    names: &'a Names,
}

/// What may come next, as it stands on the screen.
struct Shown {
    labels: Vec<String>,
    squares: Vec<Option<Square>>,
}

impl<'a> Typing<'a> {
    /// Goes on with what was typed before.
    pub(crate) fn new(
        mut walk: Walk<'a>,
        so_far: &[i32],
        witness: &'a mut Witness,
        names: &'a Names,
    ) -> Result<Typing<'a>, String> {
        let known = so_far.iter().try_for_each(|pick| walk.step(*pick));
        known.map_err(|refusal| refusal.to_string())?;
        Ok(Typing { walk, witness, names })
    }

    /// Goes where a line says.
    pub(crate) fn go(&mut self, line: &str) -> Result<(), String> {
        let line = line.trim();
        if line == "-" {
            return Ok(());
        }
        // Options whose labels have several words can be typed as they stand there, one at a time.
        if let Some(pick) = self.shown()?.labels.iter().position(|label| label.eq_ignore_ascii_case(line)) {
            return self.step(pick as i32);
        }
        for word in line.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
            self.go_to(word)?;
        }
        Ok(())
    }

    fn go_to(&mut self, word: &str) -> Result<(), String> {
        let shown = self.shown()?;
        let square = Square::read(word).filter(|_| self.names.look().grid().is_some());
        let direct = square.and_then(|square| shown.squares.iter().position(|known| *known == Some(square)));
        if let Some(pick) = direct {
            return self.step(pick as i32);
        }
        match numbers(word, &shown.labels, false) {
            Ok(picks) => picks.into_iter().try_for_each(|pick| self.step(pick)),
            Err(problem) => match square {
                Some(square) => self.search(square),
                None if shown.labels.is_empty() => Err("the path cannot go on from there".to_owned()),
                None => Err(problem),
            },
        }
    }

    fn step(&mut self, pick: i32) -> Result<(), String> {
        self.walk.step(pick).map_err(|refusal| refusal.to_string())
    }

    fn shown(&mut self) -> Result<Shown, String> {
        let program = self.names.program();
        let after = self.witness.after(&mut self.walk).map_err(|fault| fault_text(program, &fault))?;
        let options = to_json(&after)["options"].take();
        Ok(Shown { labels: labels(&options, self.names), squares: squares(&options, self.names) })
    }

    /// Goes the shortest way to a square, as far as one is found.
    fn search(&mut self, goal: Square) -> Result<(), String> {
        let start = self.walk.picks().to_vec();
        // Most ways are straight: at first every place is looked at once.
        for ways in [1, MAX_WAYS] {
            if let Some(way) = self.find(&start, goal, ways)? {
                return self.retrace(&way);
            }
        }
        self.retrace(&start)?;
        Err(format!("no way to {goal} was found from here"))
    }

    fn find(&mut self, start: &[i32], goal: Square, ways: usize) -> Result<Option<Vec<i32>>, String> {
        let mut seen: BTreeMap<Square, usize> = BTreeMap::new();
        let mut open = VecDeque::from([start.to_vec()]);
        for _ in 0..MAX_SEARCHED {
            let Some(way) = open.pop_front() else { break };
            self.retrace(&way)?;
            for (pick, square) in self.shown()?.squares.into_iter().enumerate() {
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

    /// Goes back as far as it must and then along the picks.
    fn retrace(&mut self, picks: &[i32]) -> Result<(), String> {
        let common = self.walk.picks().iter().zip(picks).take_while(|(a, b)| a == b).count();
        while self.walk.picks().len() > common {
            self.walk.step_back();
        }
        picks[common..].iter().try_for_each(|pick| self.step(*pick))
    }

    /// Takes the last step back.
    pub(crate) fn back(&mut self) {
        self.walk.step_back();
    }

    pub(crate) fn picks(&self) -> Vec<i32> {
        self.walk.picks().to_vec()
    }

    pub(crate) fn answer(&self) -> Answer {
        self.walk.answer()
    }

    /// Shows where the path has come to and what may follow.
    pub(crate) fn show(&mut self, out: &mut Out) -> Result<(), String> {
        let picks = self.picks();
        self.retrace(&[])?;
        let mut so_far = Vec::new();
        for pick in &picks {
            so_far.extend(self.shown()?.labels.into_iter().nth(*pick as usize));
            self.step(*pick)?;
        }
        let so_far = if so_far.is_empty() { "nothing".to_owned() } else { so_far.join(" → ") };
        say!(out, "so far: {so_far}");
        let labels = self.shown()?.labels;
        if labels.is_empty() {
            say!(out, "{DIM}nothing follows; `.` stops here, `<` goes back{DIM:#}");
        }
        for (place, label) in labels.iter().enumerate() {
            say!(out, "  {KEY}{:>2}{KEY:#}  {label}", place + 1);
        }
        Ok(())
    }
}
