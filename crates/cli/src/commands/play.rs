//! `intermezzo play`: a match of any ruleset in the terminal.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use intermezzo_bots::{BotKind, Budget};
use intermezzo_engine::{Seed, Setup};
use intermezzo_journal::{MatchFile, Mismatch, Recorder};
use intermezzo_ruleset::Program;

use crate::Context;
use crate::failure::{Exit, Failure, seats};
use crate::library::playable;
use crate::out::{DIM, HEAD, say};
use crate::play::{Keyboard, Player, Table};
use crate::saved;
use crate::setup;
use intermezzo_journal::sentences::clean;

#[derive(Args)]
#[command(after_help = "\
Examples:
  intermezzo play orcain                              you at seat 0 against chance
  intermezzo play orcain --humans 0,1                 two at one terminal
  intermezzo play orcain --seats random,random        watch
  intermezzo play skirmish --seats human,greedy       against one who looks one step ahead
  intermezzo play mages --seats human,mcts            against one who searches (`mcts:500` playings, `mcts:200ms`)
  intermezzo play mages --tutorial                    with the lessons of its tutorial
  intermezzo play orcain --option rounds=1 --seed 7 --save match.json
  intermezzo play orcain --from match.json --at 4     what if: go on after input 4 of a saved match
  printf '1 2 -\\n' | intermezzo play orcain            answers from a file

While playing, `?` explains what can be typed. Each seat sees only what its player may know.
Time limits are shown but not enforced; `t` lets the time run out. Where several humans share the
terminal, the screen is emptied between them. When standard input ends the match is quit. Quitting
exits with 0; a rule that fails exits with 5.")]
pub(crate) struct Play {
    /// A ruleset folder, file or name
    #[arg(value_name = "RULESET")]
    ruleset: String,
    /// Who sits at each seat: `human`, `random`, `greedy`, who looks one step ahead, or `mcts`, who searches
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "humans")]
    seats: Vec<String>,
    /// The seats of humans; the others play at random [default: 0]
    #[arg(long, value_name = "SEATS", value_delimiter = ',')]
    humans: Vec<u8>,
    /// Where chance comes from: the same number gives the same match
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Set an option of the ruleset
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Save the match here
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Take dice from this file first: a JSON list of {"for", "faces"}
    #[arg(long, value_name = "FILE")]
    script_file: Option<PathBuf>,
    /// Tell humans the lessons of the ruleset's tutorial with their questions
    #[arg(long)]
    tutorial: bool,
    /// Go on with a saved match; the file itself is left as it is
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "options", "script_file"])]
    from: Option<PathBuf>,
    /// Go on after this input of the saved match; 0 is its start
    #[arg(long, value_name = "INPUT", requires = "from")]
    at: Option<u32>,
    /// Go on with what was taken back: the branch with this number
    #[arg(long, value_name = "N", requires = "from")]
    branch: Option<usize>,
}

impl Play {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let program = playable(context, &self.ruleset)?.program;
        if self.tutorial && program.lessons.is_empty() {
            let failure = Failure::usage(format!("`{}` has no tutorial", program.id));
            return Err(failure.hint("its ruleset may have a section `tutorial`; leave --tutorial out"));
        }
        let players = self.players(&program)?;
        let seed = self.seed.unwrap_or_else(setup::new_seed);
        let (mut table, begun) = match &self.from {
            Some(path) => (self.resumed(path, &program, players, seed)?, format!("from {}", path.display())),
            None => (self.begun(&program, players, seed)?, format!("seed {seed}")),
        };
        self.save(table.file())?;
        let out = &mut context.out;
        say!(out, "{HEAD}{}{HEAD:#} {DIM}{} · {begun}{DIM:#}", clean(&program.name), clean(&program.version));
        let mut keyboard = Keyboard::new();
        let played = table.play(out, &mut keyboard, |file| self.save(file));
        self.save(table.file())?;
        let played = played.map_err(|failure| match failure.exit {
            Exit::Fault => failure.hint(format!("play it again with --seed {seed}")),
            _ => failure,
        })?;
        table.show_end(out);
        let asks = keyboard.is_terminal() || played.was_quit && !played.is_input_over;
        match &self.save {
            Some(path) => say!(out, "saved to {}", path.display()),
            None if asks && !table.file().inputs.is_empty() => {
                let answer =
                    keyboard.ask(out, "Save the match? Type a file name, or nothing to throw it away: ");
                // People answer the question before they read how.
                if let Some(path) = answer.filter(|path| !["", "n", "no"].contains(&path.as_str())) {
                    write(Path::new(&path), table.file())?;
                    say!(out, "saved to {path}");
                }
            }
            None => {}
        }
        Ok(if played.had_fault { Exit::Fault } else { Exit::Fine })
    }

    /// A match from its beginning.
    fn begun(&self, program: &Arc<Program>, players: Vec<Player>, seed: u64) -> Result<Table, Failure> {
        let setup = Setup {
            seats: players.len() as u8,
            options: setup::options(program, &self.options)?,
            seed: Seed::from_number(seed),
            script: self.script_file.as_deref().map(|path| setup::script(program, path)).transpose()?,
        };
        Table::new(program, &setup, players, seed, self.tutorial)
    }

    /// A saved match, or a part of it.
    fn resumed(
        &self,
        path: &Path,
        program: &Arc<Program>,
        players: Vec<Player>,
        seed: u64,
    ) -> Result<Table, Failure> {
        let file = saved::read(path)?;
        let file = self.branch.map_or(Ok(file.clone()), |number| saved::branch(&file, number))?;
        let untrue = |mismatch: Mismatch| {
            Failure::new(Exit::Untrue, format!("cannot go on with `{}`: {mismatch}", path.display()))
                .hint("`intermezzo verify` checks the whole file")
        };
        let file = self.at.map_or(Ok(file.clone()), |at| file.fork(None, at)).map_err(untrue)?;
        if usize::from(file.seats) != players.len() {
            let wanted = vec!["human"; usize::from(file.seats)].join(",");
            let failure = Failure::usage(format!("the saved match has {} seats", file.seats));
            return Err(failure.hint(format!("write --seats {wanted}")));
        }
        let recorder = Recorder::resume(&file, program).map_err(untrue)?;
        let setup = file.setup(program).map_err(untrue)?;
        Table::with(recorder, &setup, players, seed, self.tutorial)
    }

    fn save(&self, file: &MatchFile) -> Result<(), Failure> {
        self.save.as_deref().map_or(Ok(()), |path| write(path, file))
    }

    /// Who sits where.
    fn players(&self, program: &Program) -> Result<Vec<Player>, Failure> {
        let players = if self.seats.is_empty() { self.humans(program)? } else { self.listed()? };
        let (min, max) = (program.seats.min, program.seats.max);
        if (usize::from(min)..=usize::from(max)).contains(&players.len()) {
            return Ok(players);
        }
        let wanted = seats(min, max);
        let failure = Failure::usage(format!("`{}` is for {wanted}, not {}", program.id, players.len()));
        Err(failure.hint(format!("write --seats {}", vec!["human"; usize::from(min)].join(","))))
    }

    fn listed(&self) -> Result<Vec<Player>, Failure> {
        let player = |name: &String| match name.trim() {
            "human" | "h" => Ok(Player::Human),
            "random" | "r" => Ok(Player::Bot(BotKind::Random)),
            "greedy" | "g" => Ok(Player::Bot(BotKind::Greedy)),
            "m" => Ok(Player::Bot(BotKind::Mcts(Budget::default()))),
            other => other.parse().map(Player::Bot).map_err(|_| {
                Failure::usage(format!("nobody called `{other}` can sit at a seat"))
                    .hint("seats take `human`, `random`, `greedy` or `mcts`, e.g. --seats human,mcts:500")
            }),
        };
        self.seats.iter().map(player).collect()
    }

    fn humans(&self, program: &Program) -> Result<Vec<Player>, Failure> {
        let count = usize::from(program.seats.usual);
        let mut players = vec![Player::Bot(BotKind::Random); count];
        let humans = if self.humans.is_empty() { &[0][..] } else { &self.humans };
        for seat in humans {
            let place = players.get_mut(usize::from(*seat)).ok_or_else(|| {
                Failure::usage(format!("there is no seat {seat}"))
                    .hint(format!("seats are numbered from 0 to {}", count - 1))
            })?;
            *place = Player::Human;
        }
        Ok(players)
    }
}

fn write(path: &Path, file: &MatchFile) -> Result<(), Failure> {
    file.write(path).map_err(|error| {
        Failure::unwritten(path, error).hint("check that the folder exists and may be written to")
    })
}
