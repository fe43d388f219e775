//! Search for offers, and reasons for missing ones. Nothing here changes the match.
//!
//! An offer is a list of words on the heap: action, player, host, trait, the number of changes when it was
//! made, and its targets.

use intermezzo_program::{
    Action, ActionHost, ActionId, ActionTiming, FaultCode, Instr, KindId, NULL, Program, Reg, RoutineId,
    Word, ZoneId, native, word,
};

use crate::optimize::program_index::symbol_word;
use crate::react::modifiers::RuleContext;
use crate::run::evaluator::{Evaluator, ScratchFrame};
use crate::run::interpreter::{self, Executor};
use crate::run::state_reads;
use crate::values::arithmetic::{holds, present};

type Result<T> = std::result::Result<T, FaultCode>;

/// Number of words before the targets of an offer.
pub(crate) const OFFER_HEAD: usize = 5;
/// Index of the number of changes among them.
pub(crate) const OFFER_STAMP: usize = 4;

/// An action with its host and the trait it comes from.
#[derive(Clone, Copy)]
struct ActionSource {
    action: ActionId,
    host: Word,
    via: Word,
}

/// An action that cannot be taken now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct UnavailableAction {
    pub(crate) action: ActionId,
    pub(crate) host: Word,
    /// Index of the reason; `None` if the rule that computes it fails.
    pub(crate) reason: Option<usize>,
}

/// Finds the ability with that name.
pub(crate) fn find_ability(program: &Program, name: Word) -> Option<ActionId> {
    let is_it = |action: &Action| action.timing == ActionTiming::Called && symbol_word(action.name) == name;
    program.actions.iter().position(is_it).map(|at| ActionId(at as u16))
}

impl Evaluator<'_> {
    /// Lists all offers open to a player now.
    pub(crate) fn offers(&mut self, player: Word) -> Result<Word> {
        self.find_offers(player, false)
    }

    /// Lists all offers for a query: actions whose rules fail are left out.
    pub(crate) fn lenient_offers(&mut self, player: Word) -> Result<Word> {
        self.find_offers(player, true)
    }

    fn find_offers(&mut self, player: Word, lenient: bool) -> Result<Word> {
        if !self.board.is_player(player) {
            return Err(FaultCode::Missing);
        }
        let (mark, heap) = (self.frames.building.len(), self.board.heap.mark());
        let (frames, regs) = (self.frames.stack.len(), self.frames.regs.len());
        let Some(offer_search) = self.tables.specialized.offer_search else {
            return self.walk_offers(player, lenient);
        };
        let (nesting, candidates) = (self.meter.nesting, self.frames.candidates.len());
        if self.run_piece(offer_search, player).is_err() {
            // The specialized search does not report faults; the walk over the actions does.
            self.frames.stack.truncate(frames);
            self.frames.regs.truncate(regs);
            self.frames.building.truncate(mark);
            self.frames.candidates.truncate(candidates);
            self.board.heap.rollback(heap);
            self.meter.nesting = nesting;
            return self.walk_offers(player, lenient);
        }
        let offers =
            crate::values::lists::finish(&mut self.board.heap, &mut self.frames.building, mark as Word)?;
        debug_assert!(self.matches_walk(player, offers), "going from action to action finds the same");
        Ok(offers)
    }

    /// Tells whether walking over the actions finds the same offers. Restores heap and meter.
    fn matches_walk(&mut self, player: Word, offers: Word) -> bool {
        let (heap, steps) = (self.board.heap.mark(), self.meter.steps_left());
        self.meter.grant_all_steps(self.program);
        let walked = self.walk_offers(player, false);
        let items = |list: Word| self.board.heap.list(list).unwrap_or_default().iter();
        let is_same = walked.is_ok_and(|walked| {
            items(walked)
                .map(|offer| self.board.heap.list(*offer))
                .eq(items(offers).map(|offer| self.board.heap.list(*offer)))
        });
        self.board.heap.rollback(heap);
        self.meter.restore_steps(steps);
        is_same || self.meter.is_interrupted
    }

    /// Lists all offers by evaluating each action by itself.
    pub(crate) fn walk_offers(&mut self, player: Word, lenient: bool) -> Result<Word> {
        let mark = self.frames.building.len();
        let mut gates = self.fresh_gates();
        let window = self.open_scratch_frame(self.tables.offer_sources.registers)?;
        let found = self.for_each_action(player, |core, found| match lenient {
            true => {
                let made = core.try_evaluate(|core| core.offers_of(window, &mut gates, player, found));
                made.map(|_| ())
            }
            false => core.offers_of(window, &mut gates, player, found),
        });
        self.frames.return_buffer(gates);
        found?;
        self.close_scratch_frame(window);
        crate::values::lists::finish(&mut self.board.heap, &mut self.frames.building, mark as Word)
    }

    /// Evaluates rules; returns `None` if one of them fails. A tripped guard is passed on as an error.
    fn try_evaluate<T>(&mut self, ask: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        let (frames, regs) = (self.frames.stack.len(), self.frames.regs.len());
        let building = self.frames.building.len();
        match ask(self) {
            Ok(answer) => Ok(Some(answer)),
            Err(code) if code.is_guard() => Err(code),
            Err(_) => {
                self.frames.stack.truncate(frames);
                self.frames.regs.truncate(regs);
                self.frames.building.truncate(building);
                Ok(None)
            }
        }
    }

    /// Returns untested gates, in recycled memory. A gate is null until it is known to be open (1) or shut
    /// (0).
    fn fresh_gates(&mut self) -> Vec<Word> {
        let mut gates = self.frames.borrow_buffer();
        gates.resize(self.program.actions.len(), NULL);
        gates
    }

    /// Makes the offers of an action if its gate is open.
    #[inline]
    fn offers_of(
        &mut self,
        window: ScratchFrame,
        gates: &mut [Word],
        player: Word,
        found: ActionSource,
    ) -> Result<()> {
        let gate = &mut gates[usize::from(self.tables.gates[found.action.index()])];
        if *gate == NULL {
            *gate = Word::from(self.is_gate_open(window, player, found.action)?);
        }
        if *gate == 1 {
            let offers = self.program.actions[found.action.index()].offers;
            self.evaluate_in_scratch(window, offers, &[found.host, player, player, NULL, found.via])?;
        }
        Ok(())
    }

    fn is_gate_open(&mut self, window: ScratchFrame, player: Word, action: ActionId) -> Result<bool> {
        match self.program.actions[action.index()].gate {
            Some(test) => {
                self.evaluate_in_scratch(window, test, &[NULL, player, player, NULL, NULL]).map(holds)
            }
            None => Ok(true),
        }
    }

    /// Tells whether an offer could still be made.
    pub(crate) fn is_offered(&mut self, offer: &[Word]) -> Result<bool> {
        let [action, player, host, via, ..] = *offer else { return Ok(false) };
        let found = ActionSource { action: ActionId(action as u16), host, via };
        let Some(known) = self.program.actions.get(found.action.index()) else { return Ok(false) };
        if known.host != ActionHost::Game && self.board.entity(host).is_none() {
            return Ok(false);
        }
        let bearer = if via == NULL { host } else { via };
        let is_own = matches!(known.host, ActionHost::Def(_));
        if is_own && self.board.entity(bearer).is_some_and(|bearer| self.board.is_silenced(bearer)) {
            return Ok(false);
        }
        let mark = self.frames.building.len();
        let window = self.open_scratch_frame(self.tables.offer_sources.registers)?;
        let mut gates = self.fresh_gates();
        let made = self.offers_of(window, &mut gates, player, found);
        self.frames.return_buffer(gates);
        made?;
        self.close_scratch_frame(window);
        let heap = &self.board.heap;
        // The stamp only says when the offer was made.
        let is_same = |made: &Word| {
            heap.list(*made).is_some_and(|made| {
                made.len() == offer.len()
                    && (0..made.len()).all(|at| at == OFFER_STAMP || made[at] == offer[at])
            })
        };
        let is_there = self.frames.building[mark..].iter().any(is_same);
        self.frames.building.truncate(mark);
        Ok(is_there)
    }

    /// Calls `each` for every action a player has: those of the game, of the player, then host by host.
    fn for_each_action(
        &mut self,
        player: Word,
        mut each: impl FnMut(&mut Self, ActionSource) -> Result<()>,
    ) -> Result<()> {
        let (program, tables) = (self.program, self.tables);
        for action in &tables.offer_sources.game {
            let host = match program.actions[action.index()].host {
                ActionHost::Game => NULL,
                _ => player,
            };
            each(self, ActionSource { action: *action, host, via: NULL })?;
        }
        self.for_each_trait_action(player, &mut each)?;
        for (zone, actions) in &tables.offer_sources.zones {
            let others = self.instances_of_others(*zone);
            let mut number = 0;
            while let Some(instance) =
                state_reads::instance_of(tables, (&self.board.rows, self.board.seats), *zone, player, number)
                    .or_else(|| others.get(number).copied())
            {
                number += 1;
                let mut at = 0;
                while let Some(row) = self.board.zones.rows(instance).get(at).copied() {
                    at += 1;
                    let entity = &self.board.rows[row as usize];
                    if Word::from(self.board.controller_of(entity)) + 1 != player {
                        continue;
                    }
                    self.meter.charge_steps(1)?;
                    let (host, zone) = (word::entity(entity.generation, row), entity.zone);
                    let is_silenced = self.board.is_silenced(entity);
                    if let Some(actions) = actions.get(usize::from(entity.def)) {
                        let is_open = |action: &&ActionId| {
                            !is_silenced
                                || !matches!(program.actions[action.index()].host, ActionHost::Def(_))
                        };
                        for action in actions.iter().filter(is_open) {
                            each(self, ActionSource { action: *action, host, via: NULL })?;
                        }
                    }
                    if tables.offer_sources.has_traits && self.is_active(&[], zone) {
                        self.for_each_trait_action(host, &mut each)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Lists the instances of a zone family that belongs neither to players nor to nobody.
    fn instances_of_others(&self, zone: ZoneId) -> Vec<u32> {
        if self.tables.single_zone(zone) != NULL || self.tables.slot(KindId::PLAYER, zone).is_some() {
            return Vec::new();
        }
        let is_it = |instance: &u32| self.board.zones.head(*instance).is_some_and(|head| head.family == zone);
        (0..self.board.zones.count() as u32).filter(is_it).collect()
    }

    /// Calls `each` for the actions of traits attached to an entity.
    fn for_each_trait_action(
        &mut self,
        host: Word,
        each: &mut impl FnMut(&mut Self, ActionSource) -> Result<()>,
    ) -> Result<()> {
        let tables = self.tables;
        if !tables.offer_sources.has_traits {
            return Ok(());
        }
        self.meter.charge_steps(self.board.rows.len() / 8)?;
        for at in 0..self.board.sources.attached().len() {
            let row = self.board.sources.attached()[at];
            let attached = self.board.rows[row as usize];
            if attached.host != host || self.board.is_silenced(&attached) {
                continue;
            }
            let via = word::entity(attached.generation, row);
            let Some(actions) = tables.offer_sources.traits.get(usize::from(attached.def)) else { continue };
            for action in actions {
                each(self, ActionSource { action: *action, host, via })?;
            }
        }
        Ok(())
    }

    /// Lists the actions a player has but cannot take now, with the reasons.
    pub(crate) fn unavailable_actions(&mut self, player: Word) -> Result<Vec<UnavailableAction>> {
        let mut closed = Vec::new();
        self.for_each_action(player, |core, ActionSource { action, host, via }| {
            let why = core.program.actions[action.index()].why;
            let context = [host, player, player, NULL, via];
            let reason = core.try_evaluate(|core| core.evaluate_in(why, &context, &[]))?;
            match reason.map(usize::try_from) {
                Some(Ok(reason)) => closed.push(UnavailableAction { action, host, reason: Some(reason) }),
                Some(Err(_)) => {}
                None => closed.push(UnavailableAction { action, host, reason: None }),
            }
            Ok(())
        })?;
        Ok(closed)
    }

    /// Tells whether an ability could be used; with `costs`, only whether it could be paid.
    pub(crate) fn is_usable(&mut self, name: Word, host: Word, actor: Word, costs: bool) -> Result<Word> {
        let id = find_ability(self.program, present(name)?).ok_or(FaultCode::OutOfRange)?;
        let action = &self.program.actions[id.index()];
        let context = [host, actor, actor, NULL, NULL];
        let mut params = vec![NULL; 1 + action.params.len()];
        params[0] = NULL;
        if costs {
            let pay = action.pay;
            return self.can_afford(pay, &context, &params).map(Word::from);
        }
        let is_open = match action.gate {
            Some(gate) => holds(self.evaluate_in(gate, &context, &[])?),
            None => true,
        };
        if !is_open {
            return Ok(0);
        }
        let why = action.why;
        Ok(Word::from(self.evaluate_in(why, &context, &[])? == NULL))
    }

    /// Tells whether all costs together can be paid, by paying them on the board and rolling back.
    pub(crate) fn can_afford(
        &mut self,
        routine: RoutineId,
        context: &RuleContext,
        args: &[Word],
    ) -> Result<bool> {
        let floor = self.frames.stack.len();
        let (regs, building) = (self.frames.regs.len(), self.frames.building.len());
        let (savepoint, changed) = (self.board.mark(), self.board.changed);
        let was_paused = std::mem::replace(&mut self.board.memo.is_paused, true);
        let outcome = self.try_pay(routine, context, args);
        self.frames.stack.truncate(floor);
        self.frames.regs.truncate(regs);
        self.frames.building.truncate(building);
        self.board.rollback(savepoint);
        (self.board.changed, self.board.memo.is_paused) = (changed, was_paused);
        match outcome {
            Ok(()) => Ok(true),
            Err(code) if code.is_guard() => Err(code),
            Err(_) => Ok(false),
        }
    }

    fn try_pay(&mut self, routine: RoutineId, context: &RuleContext, args: &[Word]) -> Result<()> {
        let program = self.program;
        let code = program.routines.get(routine.index()).ok_or(FaultCode::Missing)?;
        let floor = self.frames.stack.len();
        let base = self.frames.push_registers(usize::from(code.registers), program.limits.depth)?;
        self.frames.regs[base..base + context.len()].copy_from_slice(context);
        let first = base + usize::from(Reg::CONTEXT);
        let count = usize::from(code.params).min(args.len());
        self.frames.regs[first..first + count].copy_from_slice(&args[..count]);
        self.frames.stack.push(crate::run::frames::Frame::code(program, routine, base, Reg::NONE, 0));
        interpreter::run(&mut CostTrial { core: self }, floor).map(|_| ())
    }
}

/// Host that lets statements change the board without emitting events.
struct CostTrial<'t, 'a> {
    core: &'t mut Evaluator<'a>,
}

impl CostTrial<'_, '_> {
    fn reg(&self, reg: Reg) -> Word {
        let base = self.core.frames.stack.last().map_or(0, |frame| frame.base() as usize);
        self.core.frames.regs[base + usize::from(reg.0)]
    }

    fn put(&mut self, entity: Word, zone: Word) -> Result<()> {
        let instance = self.core.board.instance(zone)?;
        if !self.core.board.has_room(self.core.program, instance, entity) {
            return Err(FaultCode::ZoneFull);
        }
        self.core.board.move_to_zone(self.core.program, entity, zone, u32::MAX)
    }
}

impl<'a> Executor<'a> for CostTrial<'_, 'a> {
    fn core(&mut self) -> &mut Evaluator<'a> {
        self.core
    }

    fn execute_effect(&mut self, instr: Instr) -> Result<bool> {
        match instr {
            Instr::Change { entity, prop, value } | Instr::Increase { entity, prop, value } => {
                let (entity, value) = (self.reg(entity), self.reg(value));
                self.core.write(entity, prop, value)?;
            }
            Instr::ChangeNamed { entity, name, value } | Instr::IncreaseNamed { entity, name, value } => {
                let (entity, value) = (self.reg(entity), self.reg(value));
                let prop =
                    state_reads::prop_named(self.core.tables, self.core.board, entity, self.reg(name))?;
                self.core.write(entity, prop, value)?;
            }
            Instr::Move { entity, zone, .. } => self.put(self.reg(entity), self.reg(zone))?,
            Instr::MoveAll { list, zone, .. } => {
                let items = self.core.board.heap.items(self.reg(list))?.to_vec();
                self.core.meter.charge_steps(items.len())?;
                let zone = self.reg(zone);
                items.into_iter().try_for_each(|entity| self.put(entity, zone))?;
            }
            Instr::Remove { entity } => {
                let entity = self.reg(entity);
                self.core.board.remove(entity)?;
            }
            Instr::Emit { event, args, .. } if event.index() >= native::EVENTS.len() => {
                let kind = &self.core.program.events[event.index()];
                if let Some(apply) = kind.apply {
                    let fields: Vec<Word> =
                        (0..kind.fields.len()).map(|at| self.reg(args.offset(at as u16))).collect();
                    let base = self.core.push_event(event, 0)? + usize::from(Reg::CONTEXT);
                    self.core.frames.regs[base..base + fields.len()].copy_from_slice(&fields);
                    self.core.run_event_code(apply)?;
                    self.core.frames.pop_frame();
                }
            }
            Instr::BeginGroup { .. } | Instr::EndGroup { .. } => {}
            // Creating entities costs nothing.
            Instr::Create { .. } => {}
            _ => return Err(FaultCode::Group),
        }
        Ok(false)
    }

    fn advance_frame(&mut self) -> Result<()> {
        Err(FaultCode::Missing)
    }

    fn finish_applied_event(&mut self) -> Result<()> {
        Err(FaultCode::Missing)
    }
}

/// Sources of actions; computed once per program.
#[derive(Debug, Default)]
pub(crate) struct OfferSources {
    /// Actions of the game and of players.
    pub(crate) game: Vec<ActionId>,
    /// For each zone that may contain hosts: by def, the actions offered there.
    pub(crate) zones: Vec<(ZoneId, Vec<Vec<ActionId>>)>,
    /// By def of the trait.
    pub(crate) traits: Vec<Vec<ActionId>>,
    pub(crate) has_traits: bool,
    /// Registers that the code of any action needs.
    pub(crate) registers: usize,
}

impl OfferSources {
    pub(crate) fn new(program: &Program) -> OfferSources {
        let registers = |routine: RoutineId| {
            program.routines.get(routine.index()).map_or(0, |code| usize::from(code.registers))
        };
        let needed = |action: &Action| registers(action.offers).max(action.gate.map_or(0, registers));
        let mut sources = OfferSources {
            traits: vec![Vec::new(); program.defs.len()],
            registers: program.actions.iter().map(needed).max().unwrap_or(0),
            ..OfferSources::default()
        };
        let open = || {
            let all = program.actions.iter().enumerate();
            all.filter(|(_, action)| action.timing != ActionTiming::Called)
                .map(|(at, action)| (ActionId(at as u16), action))
        };
        for (id, action) in open() {
            match action.host {
                ActionHost::Game | ActionHost::Kind(KindId::PLAYER) => sources.game.push(id),
                ActionHost::Def(def) if program.defs.get(def.index()).is_some_and(|def| def.is_trait) => {
                    sources.has_traits = true;
                    sources.traits[def.index()].push(id);
                }
                _ => {}
            }
        }
        for (at, zone) in program.zones.iter().enumerate() {
            let family = ZoneId(at as u16);
            let is_here = |action: &Action| match action.zones.is_empty() {
                true => zone.active,
                false => action.zones.contains(&family),
            };
            let mut by_def = vec![Vec::new(); program.defs.len()];
            for (id, action) in open().filter(|(_, action)| is_here(action)) {
                for (number, def) in program.defs.iter().enumerate().filter(|(_, def)| !def.is_trait) {
                    let has_it = match action.host {
                        ActionHost::Game => false,
                        ActionHost::Kind(kind) => program.is_kind(def.kind, kind),
                        ActionHost::Def(host) => host.index() == number,
                    };
                    if has_it {
                        by_def[number].push(id);
                    }
                }
            }
            let has_traits = sources.has_traits && zone.active;
            if has_traits || by_def.iter().any(|actions| !actions.is_empty()) {
                sources.zones.push((family, by_def));
            }
        }
        sources
    }
}
