//! Static analysis that finds work a match can skip without a visible difference; runs once per program.

use intermezzo_program::{
    Action, EventId, EventType, InitialValue, Instr, InstrClass, NULL, PerBatch, Program, PropId, Reaction,
    RoutineId, RuleHost, Word, native,
};

use crate::react::reaction_limits::is_state_trigger;
use crate::run::frames::DueReaction;

/// Finds the groups that need not be planned first, by address of their `BeginGroup`.
///
/// If no event that such a group can emit has a listener, nothing comes between planning and committing, no
/// consequence can come too early, and no member is prevented.
pub(crate) fn plain_groups(program: &Program, owner: &[u16], inline: &[bool]) -> Vec<bool> {
    let is_bounded = program.zones.iter().any(|zone| zone.max.is_some());
    let search = PlainGroupSearch { program, owner, inline, is_bounded };
    let is_plain = |(at, instr): (usize, &Instr)| match instr {
        Instr::BeginGroup { simultaneous: false, .. } if owner[at] != u16::MAX => search.is_plain_group(at),
        _ => false,
    };
    program.code.iter().enumerate().map(is_plain).collect()
}

struct PlainGroupSearch<'a> {
    program: &'a Program,
    owner: &'a [u16],
    inline: &'a [bool],
    /// True if a zone can be full, which prevents moves and with them the whole group.
    is_bounded: bool,
}

impl PlainGroupSearch<'_> {
    fn is_plain_group(&self, at: usize) -> bool {
        let mut depth = 0;
        let mut called = Vec::new();
        for (end, instr) in self.program.code.iter().enumerate().skip(at) {
            match instr {
                Instr::BeginGroup { .. } => depth += 1,
                Instr::EndGroup { .. } => depth -= 1,
                _ => {}
            }
            if !self.is_plain(*instr, &mut called) {
                return false;
            }
            if depth == 0 {
                let collects = matches!(self.program.code.get(end + 1), Some(Instr::Collect { .. }));
                return !collects && self.are_plain(called);
            }
        }
        false
    }

    /// Tells whether all these routines, and the routines they call, are plain.
    fn are_plain(&self, mut called: Vec<RoutineId>) -> bool {
        let mut next = 0;
        while let Some(routine) = called.get(next).copied() {
            next += 1;
            let own = self.program.code.iter().zip(self.owner).filter(|(_, owner)| **owner == routine.0);
            if !own.into_iter().all(|(instr, _)| self.is_plain(*instr, &mut called)) {
                return false;
            }
        }
        true
    }

    fn is_plain(&self, instr: Instr, called: &mut Vec<RoutineId>) -> bool {
        let is_inline = |event: EventId| self.inline[event.index()];
        match instr {
            Instr::Change { .. }
            | Instr::ChangeNamed { .. }
            | Instr::Increase { .. }
            | Instr::IncreaseNamed { .. } => is_inline(native::CHANGED),
            Instr::Create { .. } | Instr::Duplicate { .. } | Instr::Become { .. } => {
                !self.is_bounded && is_inline(native::CREATED)
            }
            Instr::Move { .. } | Instr::MoveAll { .. } => !self.is_bounded && is_inline(native::MOVED),
            Instr::Remove { .. } => is_inline(native::REMOVED),
            Instr::Emit { event, .. } => event.index() >= native::EVENTS.len() && is_inline(event),
            Instr::Call { routine, .. } => {
                if !called.contains(&routine) {
                    called.push(routine);
                }
                true
            }
            Instr::BeginGroup { simultaneous, .. } => !simultaneous,
            Instr::Write { .. }
            | Instr::WriteNamed { .. }
            | Instr::SetEventField { .. }
            | Instr::Use {}
            | Instr::Keep { .. }
            | Instr::EndGroup { .. } => true,
            // Its events are only known if the group is planned.
            Instr::Collect { .. } => false,
            instr => instr.is_pure(),
        }
    }
}

/// Finds the replacements that can be planned as part of a group, by address of their `Prevent`: the code after it
/// neither asks nor rolls nor does anything else that a group cannot contain.
pub(crate) fn planned_replacements(program: &Program, owner: &[u16]) -> Vec<bool> {
    let is_planned = |(at, instr): (usize, &Instr)| match instr {
        Instr::Prevent { silent: true, .. } if owner[at] != u16::MAX => {
            is_plannable_after(program, owner, at)
        }
        _ => false,
    };
    program.code.iter().enumerate().map(is_planned).collect()
}

fn is_plannable_after(program: &Program, owner: &[u16], at: usize) -> bool {
    let own = |routine: u16| (0..program.code.len()).filter(move |place| owner[*place] == routine);
    let leads_back = |place: usize| {
        let target = { program.code[place] }.target_mut().map(|to| *to as usize);
        place > at && target.is_some_and(|to| to <= at)
    };
    let first = if own(owner[at]).any(leads_back) { 0 } else { at + 1 };
    let mut places: Vec<usize> = own(owner[at]).filter(|place| *place >= first).collect();
    let mut called = Vec::new();
    let mut next = 0;
    loop {
        // The code of an ability is only known when it runs.
        let is_open =
            |instr: &Instr| instr.class() == InstrClass::Exclusive || matches!(instr, Instr::Invoke { .. });
        if places.iter().any(|place| is_open(&program.code[*place])) {
            return false;
        }
        for place in &places {
            if let Instr::Call { routine, .. } = program.code[*place]
                && !called.contains(&routine)
            {
                called.push(routine);
            }
        }
        let Some(routine) = called.get(next) else { return true };
        places = own(routine.0).collect();
        next += 1;
    }
}

/// Returns, per action, the first action whose gate has the same code, so that each gate is tested once.
pub(crate) fn shared_gates(program: &Program, owner: &[u16]) -> Vec<u16> {
    let same = |a: &Action, b: &Action| match (a.gate, b.gate) {
        (Some(a), Some(b)) => a == b || is_same_code(program, owner, a, b),
        (a, b) => a == b,
    };
    let first = |action| program.actions.iter().position(|other| same(other, action));
    program.actions.iter().map(|action| first(action).unwrap_or_default() as u16).collect()
}

fn is_same_code(program: &Program, owner: &[u16], a: RoutineId, b: RoutineId) -> bool {
    let code = |routine: RoutineId| {
        let found = program.routines.get(routine.index());
        let entry = found.map_or(usize::MAX, |found| found.entry as usize);
        let own = owner.get(entry..).unwrap_or_default().iter().take_while(move |own| **own == routine.0);
        let len = own.count();
        program.code.get(entry..entry.saturating_add(len)).unwrap_or_default()
    };
    // Absolute jumps make equal code look different. Such code is not compared; gates rarely contain jumps.
    let jumps = |instr: &Instr| { *instr }.target_mut().is_some();
    !code(a).is_empty() && code(a) == code(b) && !code(a).iter().any(jumps)
}

/// Returns the after-reactions of an event, last first, if all of them belong to the game and are
/// unconditional.
pub(crate) fn unconditional_reactions(program: &Program, event: &EventType) -> Option<Vec<DueReaction>> {
    let reactions = event.after.iter().map(|id| Some((*id, program.reactions.get(id.index())?)));
    let mut found = reactions.collect::<Option<Vec<_>>>()?;
    let is_always = |reaction: &Reaction| {
        let is_free =
            reaction.condition.is_none() && reaction.limits.is_empty() && !is_state_trigger(reaction);
        reaction.host == RuleHost::Game && is_free && reaction.per == PerBatch::Each && !reaction.looks_back
    };
    if found.is_empty() || !found.iter().all(|(_, reaction)| is_always(reaction)) {
        return None;
    }
    found.sort_by_key(|(_, reaction)| (-i64::from(reaction.priority), reaction.rank));
    Some(found.iter().rev().map(|(id, _)| DueReaction { reaction: *id, source: NULL }).collect())
}

/// Returns the result of a function that always returns the same constant.
pub(crate) fn constant_result(program: &Program, routine: RoutineId) -> Option<Word> {
    let entry = program.routines.get(routine.index())?.entry as usize;
    match program.code.get(entry..entry + 2)? {
        [Instr::Int { dst, value }, Instr::Return { value: given }] if dst == given => {
            Some(Word::from(*value))
        }
        [Instr::Const { dst, index }, Instr::Return { value: given }] if dst == given => {
            program.constants.get(*index as usize).copied()
        }
        _ => None,
    }
}

/// The first cells of a def's entities: constants, and properties that are computed then, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct InitialCells {
    pub(crate) words: Vec<Word>,
    /// Property, its column, and the routine that computes its value.
    pub(crate) computed: Vec<(PropId, u16, RoutineId)>,
}

impl InitialCells {
    /// Returns the cells if none is computed.
    pub(crate) fn constant(&self) -> Option<&[Word]> {
        self.computed.is_empty().then_some(&self.words)
    }
}

/// Finds the first cells of the entities of each def; `None` without optimization.
pub(crate) fn initial_cells(program: &Program) -> Vec<Option<InitialCells>> {
    let cells_of = |def: &intermezzo_program::Def| {
        let kind = program.kinds.get(def.kind.index())?;
        let mut cells = InitialCells { words: vec![NULL; usize::from(kind.columns)], computed: Vec::new() };
        for prop in &kind.props {
            let found = program.props.get(prop.index())?;
            if found.derived.is_some() {
                continue;
            }
            let place = cells.words.get_mut(usize::from(found.column))?;
            let printed = def.props.iter().find(|entry| entry.0 == *prop).map(|entry| entry.1);
            match printed.unwrap_or(found.initial) {
                InitialValue::Word(value) => *place = value,
                InitialValue::Computed(routine) => cells.computed.push((*prop, found.column, routine)),
            }
        }
        Some(cells)
    };
    program.defs.iter().map(|def| cells_of(def).filter(|_| !program.unoptimized)).collect()
}
