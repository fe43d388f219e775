//! Possible origins of an event in the rules.
//!
//! The log names the cause of an event, and the program knows which code may run for that cause. The
//! statements in that code that make such an event are its origins: often one, sometimes several.

use std::collections::BTreeSet;

use intermezzo_matchfile::SavedEvent;
use intermezzo_program::{Action, EventId, Instr, Program, RoutineId, Symbol, native};

use crate::library::LoadedRuleset;

/// Returns the places an event can have come from. `cause` is the event that caused it, if any.
pub(crate) fn origins(rules: &LoadedRuleset, event: &SavedEvent, cause: Option<&SavedEvent>) -> Vec<String> {
    let program = &rules.program;
    let Some(ty) = program.event_named(&event.event) else { return Vec::new() };
    let mut walk = CodeWalk { program, todo: Vec::new(), seen: BTreeSet::new() };
    if let Some(cause) = cause {
        walk.start_with_rule(cause);
    }
    let cause = cause.and_then(|cause| program.event_named(&cause.event));
    walk.start(cause);
    let mut found = Vec::new();
    while let Some((routine, at)) = walk.next() {
        if program.code.get(at as usize).is_some_and(|instr| makes(program, *instr, ty, event)) {
            let text = describe(rules, routine, at);
            if !found.contains(&text) {
                found.push(text);
            }
        }
    }
    found.extend(reset(program, event, ty, cause));
    found
}

fn describe(rules: &LoadedRuleset, routine: RoutineId, at: u32) -> String {
    let program = &rules.program;
    let name = &program.routines[routine.index()].name;
    let Some(place) = program.location(at) else { return name.clone() };
    let file = program.files.get(usize::from(place.file)).map_or("?", String::as_str);
    let sources = rules.ruleset.sources();
    let source = sources.files().find(|id| sources.name(*id) == file);
    let line = source.and_then(|id| sources.text(id).lines().nth(place.line.saturating_sub(1) as usize));
    format!("{name} ({file}:{}): {}", place.line, line.unwrap_or_default().trim())
}

/// Describes a reset by the cause, which has no statement in the rules.
fn reset(program: &Program, event: &SavedEvent, ty: EventId, cause: Option<EventId>) -> Option<String> {
    let resets = &program.events[cause?.index()].resets;
    let prop = event.words.0.first().filter(|_| ty == native::CHANGED)?;
    let is_meant = |index: &&u16| {
        let reset = program.resets.get(usize::from(**index));
        reset.is_some_and(|reset| i64::from(reset.prop.0) == *prop)
    };
    resets.iter().find(is_meant)?;
    Some(format!("the reset of this property after {}", program.events[cause?.index()].name))
}

/// Returns whether an instruction can make this event.
fn makes(program: &Program, instr: Instr, ty: EventId, event: &SavedEvent) -> bool {
    let says = |field: &str, symbol: Symbol| {
        event.fields.get(field).and_then(|value| value.as_str()) == Some(program.symbol(symbol))
    };
    match instr {
        Instr::Emit { event, .. } => event == ty,
        Instr::Change { prop, .. } | Instr::Increase { prop, .. } => {
            ty == native::CHANGED && event.words.0.first() == Some(&i64::from(prop.0))
        }
        Instr::ChangeNamed { .. } | Instr::IncreaseNamed { .. } => ty == native::CHANGED,
        Instr::Create { .. } => ty == native::CREATED,
        Instr::Move { .. } | Instr::MoveAll { .. } => ty == native::MOVED,
        Instr::Remove { .. } => ty == native::REMOVED,
        Instr::Shuffle { .. } => ty == native::SHUFFLED,
        Instr::Roll { roll, .. } | Instr::Draw { roll, .. } => {
            let label = program.rolls[roll.index()].label;
            ty == native::ROLLED && label.is_none_or(|label| says("for", label))
        }
        Instr::EnterPhase { phase, .. } | Instr::TryPhase { phase, .. } => {
            ty == native::PHASE_STARTED && says("phase", program.phases[phase.index()].name)
        }
        Instr::LeavePhase {} => ty == native::PHASE_ENDED,
        Instr::CloseInner { .. } => ty == native::PHASE_ENDED || ty == native::REMOVED,
        Instr::End { .. } => ty == native::MATCH_ENDED,
        Instr::Announce { action, .. } => {
            ty == native::ANNOUNCED && says("action", program.actions[action.index()].name)
        }
        Instr::Perform { action, .. } => {
            ty == native::ACTION && says("action", program.actions[action.index()].name)
        }
        Instr::Stack { action, .. } => {
            let def = program.actions[action.index()].def;
            ty == native::CREATED && says("def", program.defs[def.index()].name)
        }
        Instr::Resolve {} => [native::ACTION, native::REACTION].contains(&ty),
        _ => false,
    }
}

/// Traversal of all code that can run for a cause.
struct CodeWalk<'a> {
    program: &'a Program,
    todo: Vec<(RoutineId, u32)>,
    seen: BTreeSet<u32>,
}

impl CodeWalk<'_> {
    /// Starts with the consequences and reactions of an event, or with setup and flow.
    fn start(&mut self, cause: Option<EventId>) {
        let program = self.program;
        let Some(cause) = cause else {
            program.setup.into_iter().chain(program.flow).for_each(|routine| self.call(routine));
            return;
        };
        let event = &program.events[cause.index()];
        if let (Some(routine), Some(then)) = (event.routine, event.then) {
            self.todo.push((routine, then));
        }
        for reaction in event.before.iter().chain(&event.after) {
            self.call(program.reactions[reaction.index()].effects);
        }
    }

    /// Adds the effects of the action or reaction whose event is the cause.
    fn start_with_rule(&mut self, cause: &SavedEvent) {
        let program = self.program;
        let is_called = |field: &str, name: Symbol| {
            cause.fields.get(field).and_then(|value| value.as_str()) == Some(program.symbol(name))
        };
        for action in program.actions.iter().filter(|action| is_called("action", action.name)) {
            self.call(action.perform);
        }
        for reaction in program.reactions.iter().filter(|reaction| is_called("reaction", reaction.name)) {
            self.call(reaction.effects);
        }
    }

    /// Adds the selected routines of every action.
    fn call_actions(&mut self, routines: impl Fn(&Action) -> [Option<RoutineId>; 2]) {
        for action in &self.program.actions {
            routines(action).into_iter().flatten().for_each(|routine| self.call(routine));
        }
    }

    fn call(&mut self, routine: RoutineId) {
        if let Some(found) = self.program.routines.get(routine.index()) {
            self.todo.push((routine, found.entry));
        }
    }

    /// Returns the next unvisited instruction with its routine.
    fn next(&mut self) -> Option<(RoutineId, u32)> {
        loop {
            let (routine, at) = self.todo.pop()?;
            if !self.seen.insert(at) {
                continue;
            }
            let mut instr = *self.program.code.get(at as usize)?;
            self.follow(routine, at, &mut instr);
            return Some((routine, at));
        }
    }

    /// Queues the successors of an instruction.
    fn follow(&mut self, routine: RoutineId, at: u32, instr: &mut Instr) {
        match *instr {
            Instr::Return { .. } | Instr::Done {} | Instr::Fail { .. } => return,
            Instr::Jump { to } => return self.todo.push((routine, to)),
            Instr::Call { routine, .. } => self.call(routine),
            Instr::Take { .. } => self.call_actions(|action| [Some(action.take), None]),
            Instr::Resolve {} | Instr::Settle { .. } | Instr::Perform { .. } => {
                self.call_actions(|action| [action.finally, action.refund]);
            }
            Instr::Invoke { .. } => {
                self.call_actions(|action| [Some(action.perform), Some(action.pay)]);
            }
            _ => {}
        }
        self.todo.extend(instr.target_mut().map(|to| (routine, *to)));
        self.todo.extend(instr.skip_mut().map(|skip| (routine, at + 1 + u32::from(*skip))));
        self.todo.push((routine, at + 1));
    }
}
