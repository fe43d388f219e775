//! Rules that only accompany a cycle: they run in each of its rounds, but nothing they do triggers another of its rules.

use std::collections::BTreeSet;

use intermezzo_program::{EventId, Instr, Program, ReactionId, RoutineId, native};

/// Keeps the rules that trigger one another. If none does, as far as their code tells, all are kept.
pub(crate) fn without_bystanders(program: &Program, rules: &[ReactionId]) -> Vec<ReactionId> {
    let caused: Vec<CausedEvents> = rules.iter().map(|rule| CausedEvents::of(program, *rule)).collect();
    let mut kept: Vec<usize> = (0..rules.len()).collect();
    loop {
        let triggers = |rule: &usize| kept.iter().any(|other| caused[*rule].triggers(program, rules[*other]));
        let fewer: Vec<usize> = kept.iter().copied().filter(triggers).collect();
        if fewer.is_empty() {
            return rules.to_vec();
        }
        if fewer.len() == kept.len() {
            return kept.into_iter().map(|rule| rules[rule]).collect();
        }
        kept = fewer;
    }
}

/// The events that the code of a rule can cause, directly or through the consequences of others.
#[derive(Default)]
struct CausedEvents {
    events: BTreeSet<EventId>,
    /// The code runs other rules, which nobody knows in advance: it can cause anything.
    is_open: bool,
    visited: BTreeSet<u32>,
}

impl CausedEvents {
    fn of(program: &Program, rule: ReactionId) -> CausedEvents {
        let mut caused = CausedEvents::default();
        caused.add_routine(program, program.reactions[rule.index()].effects);
        caused
    }

    fn triggers(&self, program: &Program, rule: ReactionId) -> bool {
        let event = program.reactions[rule.index()].event;
        // Any change makes the match settle again.
        self.is_open || self.events.contains(&event) || event == native::SETTLED && !self.events.is_empty()
    }

    fn add_routine(&mut self, program: &Program, routine: RoutineId) {
        if let Some(routine) = program.routines.get(routine.index()) {
            self.add_code(program, routine.entry);
        }
    }

    /// Follows the code from an address along all branches.
    fn add_code(&mut self, program: &Program, entry: u32) {
        let mut todo = vec![entry];
        while let Some(mut at) = todo.pop() {
            while self.visited.insert(at) {
                let Some(mut instr) = program.code.get(at as usize).copied() else { break };
                todo.extend(instr.skip_mut().map(|skip| at + 1 + u32::from(*skip)));
                match instr {
                    Instr::Jump { to } => {
                        at = to;
                        continue;
                    }
                    Instr::Return { .. } | Instr::Done {} | Instr::Fail { .. } => break,
                    _ => todo.extend(instr.target_mut().copied()),
                }
                self.add_instr(program, instr);
                at += 1;
            }
        }
    }

    fn add_instr(&mut self, program: &Program, instr: Instr) {
        let native: &[EventId] = match instr {
            Instr::Call { routine, .. } => {
                self.add_routine(program, routine);
                &[]
            }
            Instr::Emit { event, .. } => {
                self.events.insert(event);
                if let Some(then) = program.events.get(event.index()).and_then(|event| event.then) {
                    self.add_code(program, then);
                }
                &[]
            }
            Instr::Change { .. }
            | Instr::ChangeNamed { .. }
            | Instr::Increase { .. }
            | Instr::IncreaseNamed { .. } => &[native::CHANGED],
            Instr::Create { .. } | Instr::Duplicate { .. } => &[native::CREATED, native::MOVED],
            Instr::Move { .. } | Instr::MoveAll { .. } => &[native::MOVED],
            Instr::Remove { .. } => &[native::REMOVED],
            Instr::Shuffle { .. } => &[native::SHUFFLED],
            Instr::Roll { .. } | Instr::Draw { .. } => &[native::ROLLED],
            Instr::EnterPhase { .. } | Instr::TryPhase { .. } | Instr::LeavePhase {} => {
                &[native::PHASE_STARTED, native::PHASE_ENDED, native::CHANGED]
            }
            Instr::ExitPhase { .. } | Instr::CloseInner { .. } => {
                &[native::REMOVED, native::PHASE_ENDED, native::CHANGED]
            }
            Instr::Prevent { .. } | Instr::Counter { .. } => &[native::EVENT_PREVENTED],
            Instr::Take { .. }
            | Instr::Announce { .. }
            | Instr::Announced { .. }
            | Instr::AnnounceReaction { .. }
            | Instr::Perform { .. }
            | Instr::Stack { .. }
            | Instr::Resolve {}
            | Instr::Settle { .. }
            | Instr::Invoke { .. } => {
                self.is_open = true;
                &[]
            }
            _ => &[],
        };
        self.events.extend(native);
    }
}
