//! `intermezzo play`: plays a match in the terminal.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use intermezzo_bots::{BotKind, Budget};
use intermezzo_engine::{Seed, Setup};
use intermezzo_matchfile::{MatchFile, Recorder, ReplayMismatch};
use intermezzo_program::Program;

use crate::Context;
use crate::failure::{CliError, ExitStatus, seats};
use crate::library::load_ruleset;
use crate::out::{DIM, HEAD, say};
use crate::play::{Keyboard, SeatPlayer, TerminalMatch};
use crate::saved;
use crate::setup;
use intermezzo_matchfile::sentences::clean;

#[derive(Args)]
#[command(after_help = "\
Examples:
  intermezzo play orcain                              you at seat 0 against a random bot
  intermezzo play orcain --humans 0,1                 two humans at one terminal
  intermezzo play orcain --seats random,random        watch two bots
  intermezzo play skirmish --seats human,greedy       against a bot that looks one step ahead
  intermezzo play mages --seats human,mcts            against a bot that searches (`mcts:500` playouts, `mcts:200ms`)
  intermezzo play mages --tutorial                    with the lessons of the tutorial
  intermezzo play orcain --option rounds=1 --seed 7 --save match.json
  intermezzo play orcain --from match.json --at 4     continue after input 4 of a saved match
  printf '1 2 -\\n' | intermezzo play orcain            read answers from a pipe

While playing, `?` shows help. Each seat sees only what its player may know. Time limits are shown
but not enforced; `t` simulates a timeout. If several humans share the terminal, the screen is
cleared between them. The match is quit when standard input ends. Exits with 0 on quitting, with 5
if a rule fails.")]
pub(crate) struct PlayArgs {
    /// A ruleset folder, file or name
    #[arg(value_name = "RULESET")]
    ruleset: String,
    /// Player at each seat: `human`, `random`, `greedy` (looks one step ahead) or `mcts` (searches)
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "humans")]
    seats: Vec<String>,
    /// Seats of humans; the others play at random [default: 0]
    #[arg(long, value_name = "SEATS", value_delimiter = ',')]
    humans: Vec<u8>,
    /// Random seed: the same seed gives the same match
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Set an option of the ruleset
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Save the match to this file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Take dice from this file first: a JSON list of {"for", "faces"} objects
    #[arg(long, value_name = "FILE")]
    script_file: Option<PathBuf>,
    /// Show the lessons of the ruleset's tutorial
    #[arg(long)]
    tutorial: bool,
    /// Continue a saved match; the file is not changed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "options", "script_file"])]
    from: Option<PathBuf>,
    /// Continue after this input of the saved match; 0 is its start
    #[arg(long, value_name = "INPUT", requires = "from")]
    at: Option<u32>,
    /// Continue the undone branch with this number
    #[arg(long, value_name = "N", requires = "from")]
    branch: Option<usize>,
}

impl PlayArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let program = load_ruleset(context, &self.ruleset)?.program;
        if self.tutorial && program.lessons.is_empty() {
            let failure = CliError::usage(format!("`{}` has no tutorial", program.id));
            return Err(
                failure.hint("lessons are declared in the section `tutorial` of a ruleset; omit --tutorial")
            );
        }
        let players = self.players(&program)?;
        let seed = self.seed.unwrap_or_else(setup::new_seed);
        let (mut game, origin) = match &self.from {
            Some(path) => (self.resume(path, &program, players, seed)?, format!("from {}", path.display())),
            None => (self.start(&program, players, seed)?, format!("seed {seed}")),
        };
        self.save(game.file())?;
        let out = &mut context.out;
        say!(
            out,
            "{HEAD}{}{HEAD:#} {DIM}{} · {origin}{DIM:#}",
            clean(&program.name),
            clean(&program.version)
        );
        let mut keyboard = Keyboard::new();
        let played = game.play(out, &mut keyboard, |file| self.save(file));
        self.save(game.file())?;
        let played = played.map_err(|failure| match failure.exit {
            ExitStatus::Fault => failure.hint(format!("play it again with --seed {seed}")),
            _ => failure,
        })?;
        game.show_end(out);
        let asks = keyboard.is_terminal() || played.was_quit && !played.is_input_over;
        match &self.save {
            Some(path) => say!(out, "saved to {}", path.display()),
            None if asks && !game.file().inputs.is_empty() => {
                let answer =
                    keyboard.ask(out, "Save the match? Type a file name, or press Enter to discard it: ");
                // People answer yes-or-no questions with `n`, so these are not file names.
                if let Some(path) = answer.filter(|path| !["", "n", "no"].contains(&path.as_str())) {
                    write(Path::new(&path), game.file())?;
                    say!(out, "saved to {path}");
                }
            }
            None => {}
        }
        Ok(if played.had_fault { ExitStatus::Fault } else { ExitStatus::Success })
    }

    /// Starts a new match.
    fn start(
        &self,
        program: &Arc<Program>,
        players: Vec<SeatPlayer>,
        seed: u64,
    ) -> Result<TerminalMatch, CliError> {
        let setup = Setup {
            seats: players.len() as u8,
            options: setup::options(program, &self.options)?,
            seed: Seed::from_number(seed),
            script: self.script_file.as_deref().map(|path| setup::script(program, path)).transpose()?,
        };
        TerminalMatch::new(program, &setup, players, seed, self.tutorial)
    }

    /// Continues a saved match, or a part of it.
    fn resume(
        &self,
        path: &Path,
        program: &Arc<Program>,
        players: Vec<SeatPlayer>,
        seed: u64,
    ) -> Result<TerminalMatch, CliError> {
        let file = saved::read(path)?;
        let file = self.branch.map_or(Ok(file.clone()), |number| saved::branch(&file, number))?;
        let cannot_continue = |mismatch: ReplayMismatch| {
            CliError::new(ExitStatus::Unverified, format!("cannot continue `{}`: {mismatch}", path.display()))
                .hint("`intermezzo verify` checks the whole file")
        };
        let file = self.at.map_or(Ok(file.clone()), |at| file.fork(None, at)).map_err(cannot_continue)?;
        if usize::from(file.seats) != players.len() {
            let wanted = vec!["human"; usize::from(file.seats)].join(",");
            let failure = CliError::usage(format!("the saved match has {} seats", file.seats));
            return Err(failure.hint(format!("use --seats {wanted}")));
        }
        let recorder = Recorder::resume(&file, program).map_err(cannot_continue)?;
        let setup = file.setup(program).map_err(cannot_continue)?;
        TerminalMatch::resume(recorder, &setup, players, seed, self.tutorial)
    }

    fn save(&self, file: &MatchFile) -> Result<(), CliError> {
        self.save.as_deref().map_or(Ok(()), |path| write(path, file))
    }

    /// Returns the player of each seat.
    fn players(&self, program: &Program) -> Result<Vec<SeatPlayer>, CliError> {
        let players = if self.seats.is_empty() { self.humans(program)? } else { self.listed()? };
        let (min, max) = (program.seats.min, program.seats.max);
        if (usize::from(min)..=usize::from(max)).contains(&players.len()) {
            return Ok(players);
        }
        let wanted = seats(min, max);
        let failure = CliError::usage(format!("`{}` is for {wanted}, not {}", program.id, players.len()));
        Err(failure.hint(format!("use --seats {}", vec!["human"; usize::from(min)].join(","))))
    }

    fn listed(&self) -> Result<Vec<SeatPlayer>, CliError> {
        let player = |name: &String| match name.trim() {
            "human" | "h" => Ok(SeatPlayer::Human),
            "random" | "r" => Ok(SeatPlayer::Bot(BotKind::Random)),
            "greedy" | "g" => Ok(SeatPlayer::Bot(BotKind::Greedy)),
            "m" => Ok(SeatPlayer::Bot(BotKind::Mcts(Budget::default()))),
            other => other.parse().map(SeatPlayer::Bot).map_err(|_| {
                CliError::usage(format!("unknown player `{other}`"))
                    .hint("players are `human`, `random`, `greedy` and `mcts`, e.g. --seats human,mcts:500")
            }),
        };
        self.seats.iter().map(player).collect()
    }

    fn humans(&self, program: &Program) -> Result<Vec<SeatPlayer>, CliError> {
        let count = usize::from(program.seats.default);
        let mut players = vec![SeatPlayer::Bot(BotKind::Random); count];
        let humans = if self.humans.is_empty() { &[0][..] } else { &self.humans };
        for seat in humans {
            let place = players.get_mut(usize::from(*seat)).ok_or_else(|| {
                CliError::usage(format!("no seat {seat}"))
                    .hint(format!("seats are numbered 0 to {}", count - 1))
            })?;
            *place = SeatPlayer::Human;
        }
        Ok(players)
    }
}

fn write(path: &Path, file: &MatchFile) -> Result<(), CliError> {
    file.write(path).map_err(|error| {
        CliError::cannot_write(path, error).hint("check that the folder exists and is writable")
    })
}
