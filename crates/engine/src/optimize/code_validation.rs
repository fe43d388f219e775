//! Validation that a program's code stays within its registers, code and tables.

use intermezzo_program::{
    Action, ActionParam, AnswerShape, BranchContent, Choice, EventType, Instr, KindId, PhaseBlock, Program,
    Reaction, Reg, RoutineId, Type, native,
};

/// Greatest nesting of types, because values are walked recursively.
const MAX_TYPE_DEPTH: u32 = 32;

/// Returns the routine of each instruction, and the first problem of the program, if any.
pub(crate) fn check(program: &Program) -> (Vec<u16>, Option<&'static str>) {
    let mut owner = vec![u16::MAX; program.code.len()];
    let problem = check_tables(program).or_else(|| check_code(program, &mut owner));
    (owner, problem)
}

fn check_tables(program: &Program) -> Option<&'static str> {
    let enough_events = program.events.len() >= native::EVENTS.len();
    let enough_symbols = program.symbols.len() >= native::SYMBOLS.len();
    if !enough_events || !enough_symbols || program.kinds.len() < 2 {
        return Some("the native tables are missing");
    }
    if (0..program.types.len()).any(|ty| type_depth(program, ty, 0) > MAX_TYPE_DEPTH) {
        return Some("types nest too deeply");
    }
    if let Some(problem) = program.choices.iter().find_map(|choice| check_branches(program, choice)) {
        return Some(problem);
    }
    let kinds_fit = program.kinds.iter().all(|kind| {
        kind.props.iter().all(|prop| prop.index() < program.props.len())
            && kind.zones.iter().all(|zone| zone.index() < program.zones.len())
            && kind.parent.is_none_or(|parent| parent.index() < program.kinds.len())
    });
    let actions_fit = program.actions.iter().all(|action| action_fits(program, action));
    if !actions_fit {
        return Some("an action refers to a missing entry");
    }
    if !program.reactions.iter().all(|reaction| reaction_fits(program, reaction)) {
        return Some("a reaction refers to a missing entry");
    }
    let types_fit = program.props.iter().all(|prop| prop.ty.index() < program.types.len());
    (!kinds_fit || !types_fit).then_some("a table refers to a missing entry")
}

/// Checks that branches are not too many, that each follows its parent or another descendant of it, and that
/// the value type has room for them.
fn check_branches(program: &Program, choice: &Choice) -> Option<&'static str> {
    let branches = &choice.branches;
    if branches.len() > Choice::MAX_BRANCHES {
        return Some("a choice has too many branches");
    }
    let is_placed = |at: usize| {
        let Some(parent) = branches[at].parent else { return true };
        let is_before =
            usize::from(parent) < at && branches[usize::from(parent)].inner == BranchContent::Branches;
        is_before && (usize::from(parent) + 1 == at || choice.is_within(at - 1, parent))
    };
    if !(0..branches.len()).all(is_placed) {
        return Some("a branch is in the wrong position");
    }
    let levels = choice.levels();
    if levels > Choice::MAX_LEVELS {
        return Some("branches nest too deeply");
    }
    let fits =
        choice.shape != AnswerShape::Branches || levels == 0 || holds_branches(program, choice, levels);
    (!fits).then_some("the value type of a choice does not fit its branches")
}

fn holds_branches(program: &Program, choice: &Choice, levels: usize) -> bool {
    let mut ty = program.types.get(choice.value.index());
    if !choice.single {
        ty = item_type(program, ty);
    }
    for level in 1..=levels {
        let Some(Type::Record(fields)) = ty else { return false };
        if fields.len() != if level < levels { 3 } else { 2 } {
            return false;
        }
        ty = fields.last().and_then(|(_, chosen)| item_type(program, program.types.get(chosen.index())));
    }
    true
}

fn item_type<'p>(program: &'p Program, ty: Option<&Type>) -> Option<&'p Type> {
    match ty {
        Some(Type::List(item)) => program.types.get(item.index()),
        _ => None,
    }
}

fn action_fits(program: &Program, action: &Action) -> bool {
    let routines = [Some(action.offers), Some(action.why), Some(action.take), Some(action.perform)];
    let others = [Some(action.pay), action.gate, action.recheck, action.finally, action.refund];
    let mut all = routines.into_iter().chain(others).flatten();
    let params = Reg::CONTEXT + 1 + action.params.len() as u16;
    let room = |routine: RoutineId| program.routines.get(routine.index()).map_or(0, |found| found.registers);
    all.all(|routine| routine.index() < program.routines.len())
        && room(action.perform) >= params
        && program.kinds.len() >= usize::from(KindId::NATIVE)
        && program.defs.get(action.def.index()).is_some_and(|def| {
            let kind = &program.kinds[def.kind.index()];
            program.is_kind(def.kind, KindId::ACTION)
                && action.params.iter().all(|param| kind.props.contains(&param.prop))
                && action.payment.is_none_or(|payment| kind.props.contains(&payment))
        })
        && action.params.iter().all(|param| param.ty.index() < program.types.len())
}

/// Checks the targets that a reaction chooses when it goes on the stack.
fn reaction_fits(program: &Program, reaction: &Reaction) -> bool {
    let room = |routine: RoutineId| program.routines.get(routine.index()).map(|found| found.registers);
    let params = Reg::CONTEXT + reaction.targets.len() as u16;
    let item = reaction.item.and_then(|item| program.defs.get(item.index()));
    let holds = |param: &ActionParam| {
        param.ty.index() < program.types.len()
            && item.is_some_and(|item| program.kinds[item.kind.index()].props.contains(&param.prop))
    };
    let [aim, recheck] = [reaction.aim, reaction.recheck];
    let own = params + u16::from(reaction.lists_batch);
    (own == Reg::CONTEXT || room(reaction.effects).is_some_and(|registers| registers >= own))
        && reaction.targets.iter().all(holds)
        && aim.is_none_or(|aim| room(aim).is_some_and(|registers| registers > Reg::CONTEXT))
        && recheck.is_none_or(|recheck| room(recheck).is_some_and(|registers| registers >= params))
}

fn type_depth(program: &Program, ty: usize, depth: u32) -> u32 {
    if depth > MAX_TYPE_DEPTH {
        return depth;
    }
    match program.types.get(ty) {
        None => MAX_TYPE_DEPTH + 1,
        Some(Type::List(item) | Type::PlayerMap(item) | Type::EnumMap(_, item)) => {
            type_depth(program, item.index(), depth + 1)
        }
        Some(Type::Record(fields)) => fields
            .iter()
            .map(|(_, field)| type_depth(program, field.index(), depth + 1))
            .max()
            .unwrap_or(depth),
        Some(_) => depth,
    }
}

fn check_code(program: &Program, owner: &mut [u16]) -> Option<&'static str> {
    for (index, routine) in program.routines.iter().enumerate() {
        let context_fits = routine.registers >= Reg::CONTEXT + routine.params
            && routine.locals.len() <= usize::from(routine.registers)
            && routine.locals.iter().all(|ty| ty.index() < program.types.len());
        if !context_fits {
            return Some("a routine has too few registers");
        }
        let is_event = program.events.iter().any(|event| event.routine == Some(RoutineId(index as u16)));
        if !is_event && let Some(problem) = check_from(program, owner, index, routine.entry) {
            return Some(problem);
        }
    }
    let of_events = program.events.iter().find_map(|event| check_event(program, owner, event));
    of_events
        .or_else(|| program.choices.iter().find_map(|choice| check_next(program, owner, choice)))
        .or_else(|| program.choices.iter().find_map(|choice| check_texts(program, owner, choice)))
        .or_else(|| program.choices.iter().find_map(|choice| check_tests(program, owner, choice)))
        .or_else(|| program.phase_blocks.iter().find_map(|block| check_block(program, owner, block)))
}

/// Checks that the block of a phase lies in its routine.
fn check_block(program: &Program, owner: &mut [u16], block: &PhaseBlock) -> Option<&'static str> {
    let is_there = block.routine.index() < program.routines.len()
        && block.start <= block.end
        && matches!(program.code.get(block.end as usize), Some(Instr::CloseInner { .. }));
    match is_there {
        true => check_from(program, owner, block.routine.index(), block.end),
        false => Some("a phase refers to a missing entry"),
    }
}

/// Checks that the tests of a selection belong to the asking routine and read its locals.
fn check_tests(program: &Program, owner: &mut [u16], choice: &Choice) -> Option<&'static str> {
    let tests = choice.tests.as_ref()?;
    let fits = program.routines.get(tests.routine.index()).is_some_and(|routine| {
        usize::from(tests.selection.0) < routine.locals.len()
            && usize::from(Reg::CONTEXT) <= routine.locals.len()
    });
    if !fits || !matches!(choice.shape, AnswerShape::Pick | AnswerShape::Order) {
        return Some("a test of a selection refers to a missing entry");
    }
    check_from(program, owner, tests.routine.index(), tests.entry)
}

/// Checks that the code for the placeholders of a choice belongs to the asking routine.
fn check_texts(program: &Program, owner: &mut [u16], choice: &Choice) -> Option<&'static str> {
    let texts = choice.texts.as_ref()?;
    let routine = program.routines.get(texts.routine.index());
    if routine.is_none_or(|routine| usize::from(Reg::CONTEXT) > routine.locals.len()) {
        return Some("a text refers to a missing entry");
    }
    check_from(program, owner, texts.routine.index(), texts.entry)
}

/// Checks that the code for the next options of a path belongs to the asking routine and reads its locals.
fn check_next(program: &Program, owner: &mut [u16], choice: &Choice) -> Option<&'static str> {
    let is_path = choice.shape == AnswerShape::Path;
    let Some(next) = choice.next else {
        return is_path.then_some("a path has no code for its next options");
    };
    let fits = program.routines.get(next.routine.index()).is_some_and(|routine| {
        usize::from(next.prefix.0) < routine.locals.len() && usize::from(Reg::CONTEXT) <= routine.locals.len()
    });
    if !fits || !is_path {
        return Some("a path refers to a missing entry");
    }
    check_from(program, owner, next.routine.index(), next.entry)
}

fn check_event(program: &Program, owner: &mut [u16], event: &EventType) -> Option<&'static str> {
    let entries = [event.unless, event.apply, event.then];
    let Some(routine) = event.routine else {
        return entries.iter().any(Option::is_some).then_some("an event has code but no routine");
    };
    let Some(found) = program.routines.get(routine.index()) else {
        return Some("an event refers to a missing routine");
    };
    if usize::from(found.registers) < usize::from(Reg::CONTEXT) + event.fields.len() {
        return Some("a routine has too few registers");
    }
    entries.into_iter().flatten().find_map(|entry| check_from(program, owner, routine.index(), entry))
}

/// Follows the code from `entry` along all branches.
fn check_from(program: &Program, owner: &mut [u16], routine: usize, entry: u32) -> Option<&'static str> {
    let registers = program.routines[routine].registers;
    let mut todo = vec![entry];
    while let Some(mut at) = todo.pop() {
        loop {
            let Some(place) = owner.get_mut(at as usize) else {
                return Some("code runs past its end");
            };
            if usize::from(*place) == routine {
                break;
            }
            *place = routine as u16;
            let mut instr = program.code[at as usize];
            if let Some(skip) = instr.skip_mut() {
                todo.push(at + 1 + u32::from(*skip));
            }
            if registers_needed(program, instr).is_none_or(|top| top > registers) {
                return Some("an instruction refers to a missing entry");
            }
            match instr {
                Instr::Jump { to } => {
                    at = to;
                    continue;
                }
                Instr::Return { .. } | Instr::Done {} | Instr::Fail { .. } => break,
                _ => todo.extend(instr.target_mut().copied()),
            }
            at += 1;
        }
    }
    None
}

/// Returns the number of registers an instruction needs; `None` if it refers to a missing table entry.
fn registers_needed(program: &Program, instr: Instr) -> Option<u16> {
    let mut top = 0u32;
    let mut copy = instr;
    copy.renumber(|reg| {
        if *reg != Reg::NONE {
            top = top.max(u32::from(reg.0) + 1);
        }
    });
    let mut row = |first: Reg, count: usize| top = top.max(u32::from(first.0) + count as u32);
    let exists = |index: usize, len: usize| (index < len).then_some(());
    match instr {
        Instr::NextItem { iter, .. } | Instr::NextInZone { iter, .. } | Instr::NextCount { iter, .. } => {
            row(iter, 3);
        }
        instr if instr.is_of_engine() => return None,
        Instr::Replace { args, .. } => row(args, 2),
        Instr::Record { first, count, .. } => row(first, usize::from(count)),
        Instr::Const { index, .. } => exists(index as usize, program.constants.len())?,
        Instr::OfType { ty } => exists(ty.index(), program.types.len())?,
        Instr::Collect { event } => exists(event.index(), program.events.len())?,
        Instr::EnumIndex { of, .. } => exists(of.index(), program.enums.len())?,
        Instr::IsKind { kind, .. } => exists(kind.index(), program.kinds.len())?,
        Instr::ZoneOf { zone, .. }
        | Instr::TheZone { zone, .. }
        | Instr::IsZone { zone, .. }
        | Instr::AllInZone { zone, .. } => exists(zone.index(), program.zones.len())?,
        Instr::Call { routine, args, .. } => {
            row(args, usize::from(program.routines.get(routine.index())?.params));
        }
        Instr::Chain { chain, .. } => exists(usize::from(chain), program.chains.len())?,
        Instr::Write { prop, .. }
        | Instr::Change { prop, .. }
        | Instr::Increase { prop, .. }
        | Instr::Modified { prop, .. } => {
            exists(prop.index(), program.props.len())?;
        }
        Instr::ModifiedBelow { prop, args, .. } => {
            exists(prop.index(), program.props.len())?;
            row(args, 2);
        }
        Instr::Emit { event, args, .. } => {
            row(args, program.events.get(event.index())?.fields.len());
        }
        Instr::Create { create, args, .. }
        | Instr::Duplicate { create, args, .. }
        | Instr::Become { create, args, .. } => {
            row(args, 5 + program.creates.get(create.index())?.with.len());
        }
        Instr::Roll { roll, args, .. } | Instr::Draw { roll, args, .. } => {
            program.rolls.get(roll.index())?;
            row(args, 3 + usize::from(program.hides_rolls()));
        }
        Instr::Offer { action, params } => {
            let action = program.actions.get(action.index())?;
            row(params, action.params.iter().filter(|param| param.offered).count());
        }
        Instr::Perform { action, params } | Instr::Stack { action, params } => {
            row(params, program.actions.get(action.index())?.params.len());
        }
        Instr::Announce { action, .. } | Instr::Announced { action, .. } => {
            exists(action.index(), program.actions.len())?;
        }
        Instr::Afford { routine, args, .. } => {
            row(args, usize::from(program.routines.get(routine.index())?.params));
        }
        Instr::Usable { args, .. } => row(args, 2),
        Instr::Invoke { args, .. } => row(args, 3),
        Instr::EnterPhase { phase, .. } | Instr::ExitPhase { phase } | Instr::CloseInner { phase } => {
            exists(phase.index(), program.phases.len())?;
        }
        Instr::TryPhase { phase, args, .. } => {
            exists(phase.index(), program.phases.len())?;
            row(args, 2);
        }
        Instr::End { args } => row(args, 4 + usize::from(program.score_type().is_some())),
        Instr::Open { choice } | Instr::Await { choice, .. } => {
            program.choices.get(choice.index())?;
        }
        Instr::Ask { choice, args } => {
            row(args, usize::from(program.choices.get(choice.index())?.ask_width()));
        }
        _ => {}
    }
    u16::try_from(top).ok()
}
