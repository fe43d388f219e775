//! Turn of one human: what is shown, and the commands that can be typed.

use intermezzo_engine::{Answer, Input, InputId, LeaveCause, PassUntil, PendingQuestion, Refusal, Viewer};
use intermezzo_matchfile::to_json;
use intermezzo_program::Seat;
use serde_json::Value;

use crate::failure::{CliError, fault_text};
use crate::out::{BAD, HEAD, Out, say};
use crate::play::actions::show_unavailable;
use crate::play::keyboard::Keyboard;
use crate::play::paths::PathInput;
use crate::play::question::QuestionView;
use crate::play::screen::{show_thing, show_view};
use crate::play::terminal_match::TerminalMatch;
use intermezzo_matchfile::sentences::clean;

/// Result of a human's turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnOutcome {
    /// An input was accepted.
    Answered,
    /// The seat lets another seat answer first.
    Yielded,
    Quit,
    EndOfInput,
}

const HELP: &str = "\
Commands:
  1 3 -      fill slots with options 1 and 3, leave the last one empty
  1,3        pick several options; `-` alone picks none
  c4 d5      move from square to square; `d5` alone finds the path, `1 3` picks options one after the other
  + 1        take one step of a path and show what follows; `<` goes back, `.` stops there
  1: 2,3; 2  pick branches 1 (with its own options 2 and 3) and 2
  2.1: 3     pick the first branch within branch 2 (with its own option 3)
  p          pass, if allowed
  d ANSWER   draft: the answer that counts on timeout
  t          simulate a timeout
  w          wait: let another asked seat answer first
  v          show the view again
  l          show the log of everything you have seen; `l all` shows every single event
  details    show every event behind the latest news, such as rolls and bonuses
  why        list the actions you cannot take now, and why
  auto       auto-pass until the turn ends or others put something on the stack; `auto off` stops it,
             `auto always` continues after the turn, `pass until turn` passes whatever others do
  show #3    inspect one thing; `show bolt`, `show graveyard` and `show p1.graveyard` also work
  undo       undo your last answer; if others could have learned from it, they must agree
  concede    concede the match
  ?          show this help
  q          quit; asks whether to save the match
Options can be given by name or number. A rejected answer changes nothing.";

impl TerminalMatch {
    /// Shows a seat its view and its question, and reads lines until one is an accepted input.
    pub(crate) fn ask(
        &mut self,
        out: &mut Out,
        keyboard: &mut Keyboard,
        id: InputId,
        seat: Seat,
    ) -> Result<TurnOutcome, CliError> {
        say!(out, "{HEAD}── seat {} ──{HEAD:#}", seat.0);
        self.show_news(out, usize::from(seat.0));
        self.show(out, seat);
        let Some(question) = self.question(id, seat) else { return Ok(TurnOutcome::Yielded) };
        question.show(out, &mut self.hinted[usize::from(seat.0)]);
        self.path_picks.clear();
        loop {
            let Some(line) = keyboard.ask(out, &format!("seat {}> ", seat.0)) else {
                return Ok(TurnOutcome::EndOfInput);
            };
            match self.run_line(out, &question, id, seat, &line) {
                LineAction::Continue => {}
                LineAction::End(turn) => return Ok(turn),
                LineAction::Undo if self.undo(out, keyboard, seat)? => return Ok(TurnOutcome::Answered),
                LineAction::Undo => {}
                LineAction::Submit(input) => match self.submit(&input)? {
                    Ok(()) => return Ok(TurnOutcome::Answered),
                    Err(Refusal::Rejected(rejection)) => {
                        say!(out, "{BAD}rejected{BAD:#}: {}", question.rejection_text(&rejection));
                    }
                    Err(Refusal::Faulted(fault)) => {
                        let text = fault_text(&self.program, &fault);
                        say!(out, "{BAD}rule failed{BAD:#}: {text}; the match has not changed");
                    }
                },
            }
        }
    }

    /// Runs the command on a line, or turns the line into an input.
    fn run_line(
        &mut self,
        out: &mut Out,
        question: &QuestionView,
        id: InputId,
        seat: Seat,
        line: &str,
    ) -> LineAction {
        match line {
            "" => return LineAction::Continue,
            "?" | "help" => {
                out.line(HELP);
                question.show_hints(out);
            }
            "v" | "view" => {
                self.show(out, seat);
                question.show(out, &mut self.hinted[usize::from(seat.0)]);
            }
            "why" => self.show_why(out, seat),
            "show" => say!(out, "show what? Give a thing by number or name, e.g. `show #3`, or a zone"),
            line if line.starts_with("show ") => self.show_thing(out, seat, &line["show ".len()..]),
            "l" | "log" => self.show_log(out, seat),
            "l all" | "log all" => self.show_full_log(out, seat),
            "details" => self.show_details(out, seat),
            "q" | "quit" => return LineAction::End(TurnOutcome::Quit),
            "w" | "wait" if self.open_questions() > 1 => return LineAction::End(TurnOutcome::Yielded),
            "w" | "wait" => say!(out, "no other seat is asked"),
            "t" | "time" if question.has_deadline() => {
                return LineAction::Submit(Input::Timeout { input: id });
            }
            "t" | "time" => say!(out, "this question has no time limit"),
            "auto" | "auto turn" => return LineAction::Submit(auto_pass(seat, PassUntil::TurnEnds, true)),
            "pass until turn" => return LineAction::Submit(auto_pass(seat, PassUntil::TurnEnds, false)),
            "auto always" => return LineAction::Submit(auto_pass(seat, PassUntil::Always, true)),
            "auto off" => return LineAction::Submit(auto_pass(seat, PassUntil::Off, false)),
            "p" | "pass" => {
                return LineAction::Submit(Input::Answer { input: id, seat, answer: Answer::Pass });
            }
            "undo" => return LineAction::Undo,
            "concede" => return LineAction::Submit(Input::Leave { seat, cause: LeaveCause::Concede }),
            line => match line.strip_prefix("d ") {
                Some(_) if !question.takes_drafts => say!(out, "this question does not accept drafts"),
                Some(draft) => match self.parse(question, id, draft.trim()) {
                    Ok(answer) => return LineAction::Submit(Input::Draft { input: id, seat, answer }),
                    Err(problem) => say!(out, "{BAD}invalid input{BAD:#}: {problem}"),
                },
                None if question.is_path() && (line == "<" || line.starts_with('+')) => {
                    if let Err(problem) = self.extend_path(out, id, line) {
                        say!(out, "{BAD}invalid input{BAD:#}: {problem}");
                    }
                }
                None => match self.parse(question, id, line) {
                    Ok(answer) => return LineAction::Submit(Input::Answer { input: id, seat, answer }),
                    Err(problem) => say!(out, "{BAD}invalid input{BAD:#}: {problem}"),
                },
            },
        }
        LineAction::Continue
    }

    /// Parses a typed answer.
    fn parse(&mut self, question: &QuestionView, id: InputId, line: &str) -> Result<Answer, String> {
        if !question.is_path() {
            return question.parse(line);
        }
        let path_picks = self.path_picks.clone();
        let mut path = self.path_input(id, &path_picks)?;
        if line != "." {
            path.walk_line(line)?;
        }
        Ok(path.answer())
    }

    /// Takes one step along a path, or one back, and shows what follows.
    fn extend_path(&mut self, out: &mut Out, id: InputId, line: &str) -> Result<(), String> {
        let path_picks = self.path_picks.clone();
        let mut path = self.path_input(id, &path_picks)?;
        match line.strip_prefix('+') {
            Some(steps) => path.walk_line(steps)?,
            None => path.step_back(),
        }
        path.show(out)?;
        let picks = path.picks();
        self.path_picks = picks;
        Ok(())
    }

    fn path_input(&mut self, id: InputId, path_picks: &[i32]) -> Result<PathInput<'_>, String> {
        let pending = self.recorder.game().pending().find(|pending| pending.id() == id);
        let walk = pending
            .as_ref()
            .and_then(PendingQuestion::start_path)
            .ok_or("the question is not about a path")?;
        let seat = walk.pending().seat();
        PathInput::new(walk, path_picks, &mut self.observer, &self.names[usize::from(seat.0)])
    }

    fn show(&mut self, out: &mut Out, seat: Seat) {
        let view = to_json(&self.observer.view(Viewer::Seat(seat)));
        show_view(out, &view, self.names(seat));
    }

    fn show_thing(&mut self, out: &mut Out, seat: Seat, wanted: &str) {
        let view = to_json(&self.observer.view(Viewer::Seat(seat)));
        if !show_thing(out, &view, wanted, self.names(seat)) {
            say!(out, "nothing visible is called `{}`", clean(wanted));
        }
    }

    /// Shows why the unavailable actions are unavailable.
    fn show_why(&mut self, out: &mut Out, seat: Seat) {
        match self.observer.actions(self.recorder.game(), seat) {
            Ok(actions) => show_unavailable(out, &to_json(&actions), self.names(seat)),
            Err(fault) => say!(out, "{BAD}rule failed{BAD:#}: {}", fault_text(&self.program, &fault)),
        }
    }

    fn question(&mut self, id: InputId, seat: Seat) -> Option<QuestionView> {
        let playing = self.recorder.game();
        let prompts = to_json(&self.observer.prompts(playing, Viewer::Seat(seat)));
        let auto = prompts.get("auto").cloned();
        let prompt =
            prompts["prompts"].as_array().and_then(|prompts| prompts.first()).unwrap_or(&Value::Null);
        let pending = playing.pending().find(|pending| pending.id() == id)?;
        Some(QuestionView::new(&pending, prompt, auto.as_ref(), self.names(seat)))
    }
}

fn auto_pass(seat: Seat, until: PassUntil, stops: bool) -> Input {
    Input::AutoPass { seat, until, stops }
}

/// Effect of a typed line.
enum LineAction {
    Continue,
    End(TurnOutcome),
    Submit(Input),
    Undo,
}
