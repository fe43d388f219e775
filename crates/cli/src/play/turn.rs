//! One human's turn: what is shown, and what can be typed.

use intermezzo_engine::{Answer, Input, InputId, LeaveCause, PassUntil, Pending, Refusal, Viewer};
use intermezzo_journal::to_json;
use intermezzo_ruleset::Seat;
use serde_json::Value;

use crate::failure::{Failure, fault_text};
use crate::out::{BAD, HEAD, Out, say};
use crate::play::acting::show_why;
use crate::play::keyboard::Keyboard;
use crate::play::paths::Typing;
use crate::play::question::Question;
use crate::play::screen::{show_thing, show_view};
use crate::play::table::Table;
use intermezzo_journal::sentences::clean;

/// How a turn went.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The match went on.
    Taken,
    /// Another seat shall answer first.
    Waits,
    Quit,
    EndOfInput,
}

const HELP: &str = "\
What can be typed:
  1 3 -      fill slots with options 1 and 3, leave the last one empty
  1,3        pick several options; `-` alone picks none
  c4 d5      walk from square to square; `d5` alone finds the way, `1 3` takes options one after the other
  + 1        go one step of a path and show what follows; `<` goes back, `.` stops there
  1: 2,3; 2  take branches 1 (with its own options 2 and 3) and 2
  2.1: 3     take the first of those within branch 2 (with its own option 3)
  p          pass, where that is offered
  d ANSWER   draft: what counts if the time runs out
  t          let the time run out
  w          wait: let another seat that is asked answer first
  v          show the view again
  l          the log of all you have seen
  why        what you cannot do now, and why
  auto       pass by yourself until the turn ends, unless others put something on the stack; `auto off` ends it,
             `auto always` goes on after the turn, `pass until turn` passes whatever others do
  show #3    all about one thing; `show bolt`, `show graveyard` and `show p1.graveyard` work as well
  undo       take back your last answer; where others could have learned from it they have to agree
  concede    give up
  ?          this help
  q          quit; asks whether to save
Options can be named as well as numbered. What is refused changes nothing.";

impl Table {
    /// Shows a seat what it sees and is asked, until it has answered.
    pub(crate) fn ask(
        &mut self,
        out: &mut Out,
        keyboard: &mut Keyboard,
        id: InputId,
        seat: Seat,
    ) -> Result<Turn, Failure> {
        say!(out, "{HEAD}── seat {} ──{HEAD:#}", seat.0);
        self.show_news(out, usize::from(seat.0));
        self.show(out, seat);
        let Some(question) = self.question(id, seat) else { return Ok(Turn::Waits) };
        question.show(out, &mut self.hinted[usize::from(seat.0)]);
        self.so_far.clear();
        loop {
            let Some(line) = keyboard.ask(out, &format!("seat {}> ", seat.0)) else {
                return Ok(Turn::EndOfInput);
            };
            match self.obey(out, &question, id, seat, &line) {
                Step::Again => {}
                Step::Turn(turn) => return Ok(turn),
                Step::TakeBack if self.take_back(out, keyboard, seat)? => return Ok(Turn::Taken),
                Step::TakeBack => {}
                Step::Send(input) => match self.submit(&input)? {
                    Ok(()) => return Ok(Turn::Taken),
                    Err(Refusal::Rejected(rejection)) => {
                        say!(out, "{BAD}refused{BAD:#}: {}", question.refusal(&rejection));
                    }
                    Err(Refusal::Faulted(fault)) => {
                        let text = fault_text(&self.program, &fault);
                        say!(out, "{BAD}fault{BAD:#}: {text}; the match is as it was before");
                    }
                },
            }
        }
    }

    /// Does what a line says, if that is not an answer; else makes an input of it.
    fn obey(&mut self, out: &mut Out, question: &Question, id: InputId, seat: Seat, line: &str) -> Step {
        match line {
            "" => return Step::Again,
            "?" | "help" => {
                out.line(HELP);
                question.show_hints(out);
            }
            "v" | "view" => {
                self.show(out, seat);
                question.show(out, &mut self.hinted[usize::from(seat.0)]);
            }
            "why" => self.show_why(out, seat),
            "show" => say!(out, "show what? A thing by its number or name, e.g. `show #3`, or a zone"),
            line if line.starts_with("show ") => self.show_thing(out, seat, &line["show ".len()..]),
            "l" | "log" => self.show_log(out, seat),
            "q" | "quit" => return Step::Turn(Turn::Quit),
            "w" | "wait" if self.open_questions() > 1 => return Step::Turn(Turn::Waits),
            "w" | "wait" => say!(out, "nobody else is asked"),
            "t" | "time" if question.has_deadline() => return Step::Send(Input::Timeout { input: id }),
            "t" | "time" => say!(out, "there is no time limit here"),
            "auto" | "auto turn" => return Step::Send(passing(seat, PassUntil::TurnEnds, true)),
            "pass until turn" => return Step::Send(passing(seat, PassUntil::TurnEnds, false)),
            "auto always" => return Step::Send(passing(seat, PassUntil::Always, true)),
            "auto off" => return Step::Send(passing(seat, PassUntil::Off, false)),
            "p" | "pass" => {
                return Step::Send(Input::Answer { input: id, seat, answer: Answer::Pass });
            }
            "undo" => return Step::TakeBack,
            "concede" => return Step::Send(Input::Leave { seat, cause: LeaveCause::Concede }),
            line => match line.strip_prefix("d ") {
                Some(_) if !question.takes_drafts => say!(out, "drafts are not taken here"),
                Some(draft) => match self.parse(question, id, draft.trim()) {
                    Ok(answer) => return Step::Send(Input::Draft { input: id, seat, answer }),
                    Err(problem) => say!(out, "{BAD}not understood{BAD:#}: {problem}"),
                },
                None if question.is_path() && (line == "<" || line.starts_with('+')) => {
                    if let Err(problem) = self.go_on(out, id, line) {
                        say!(out, "{BAD}not understood{BAD:#}: {problem}");
                    }
                }
                None => match self.parse(question, id, line) {
                    Ok(answer) => return Step::Send(Input::Answer { input: id, seat, answer }),
                    Err(problem) => say!(out, "{BAD}not understood{BAD:#}: {problem}"),
                },
            },
        }
        Step::Again
    }

    /// The answer that was typed.
    fn parse(&mut self, question: &Question, id: InputId, line: &str) -> Result<Answer, String> {
        if !question.is_path() {
            return question.parse(line);
        }
        let so_far = self.so_far.clone();
        let mut path = self.typing(id, &so_far)?;
        if line != "." {
            path.go(line)?;
        }
        Ok(path.answer())
    }

    /// Goes one step of a path, or back, and shows what follows.
    fn go_on(&mut self, out: &mut Out, id: InputId, line: &str) -> Result<(), String> {
        let so_far = self.so_far.clone();
        let mut path = self.typing(id, &so_far)?;
        match line.strip_prefix('+') {
            Some(steps) => path.go(steps)?,
            None => path.back(),
        }
        path.show(out)?;
        let picks = path.picks();
        self.so_far = picks;
        Ok(())
    }

    fn typing(&mut self, id: InputId, so_far: &[i32]) -> Result<Typing<'_>, String> {
        let pending = self.recorder.playing().pending().find(|pending| pending.id() == id);
        let walk = pending.as_ref().and_then(Pending::walk).ok_or("nobody is asked for a path")?;
        let seat = walk.pending().seat();
        Typing::new(walk, so_far, &mut self.witness, &self.names[usize::from(seat.0)])
    }

    fn show(&mut self, out: &mut Out, seat: Seat) {
        let view = to_json(&self.witness.view(Viewer::Seat(seat)));
        show_view(out, &view, self.names(seat));
    }

    fn show_thing(&mut self, out: &mut Out, seat: Seat, wanted: &str) {
        let view = to_json(&self.witness.view(Viewer::Seat(seat)));
        if !show_thing(out, &view, wanted, self.names(seat)) {
            say!(out, "nothing in sight is called `{}`", clean(wanted));
        }
    }

    /// Why what is not offered is not.
    fn show_why(&mut self, out: &mut Out, seat: Seat) {
        match self.witness.actions(self.recorder.playing(), seat) {
            Ok(actions) => show_why(out, &to_json(&actions), self.names(seat)),
            Err(fault) => say!(out, "{BAD}fault{BAD:#}: {}", fault_text(&self.program, &fault)),
        }
    }

    fn question(&mut self, id: InputId, seat: Seat) -> Option<Question> {
        let playing = self.recorder.playing();
        let prompts = to_json(&self.witness.prompts(playing, Viewer::Seat(seat)));
        let auto = prompts.get("auto").cloned();
        let prompt =
            prompts["prompts"].as_array().and_then(|prompts| prompts.first()).unwrap_or(&Value::Null);
        let pending = playing.pending().find(|pending| pending.id() == id)?;
        Some(Question::new(&pending, prompt, auto.as_ref(), self.names(seat)))
    }
}

fn passing(seat: Seat, until: PassUntil, stops: bool) -> Input {
    Input::AutoPass { seat, until, stops }
}

/// What a line that was typed comes to.
enum Step {
    Again,
    Turn(Turn),
    Send(Input),
    TakeBack,
}
