//! What players can do: finding offers, and why there are none. Nothing here changes anything.
//!
//! An offer is a list of words on the heap: action, player, host, trait, the
//! number of changes when it was made, and its targets.

use intermezzo_ruleset::{
    Action, ActionHost, ActionId, ActionTiming, FaultCode, Instr, KindId, NULL, Program, Reg, RoutineId,
    Word, ZoneId, native, word,
};

use crate::core::{Core, Window};
use crate::interpret::{self, Host};
use crate::reading;
use crate::rules::Context;
use crate::tables::symbol_word;
use crate::values::{holds, present};

type Result<T> = std::result::Result<T, FaultCode>;

/// Words of an offer before its targets.
pub(crate) const OFFER_HEAD: usize = 5;
/// Where among them the number of changes stands.
pub(crate) const OFFER_STAMP: usize = 4;

/// Where an action can be found: its number, its host and the trait it comes from.
#[derive(Clone, Copy)]
struct Found {
    action: ActionId,
    host: Word,
    via: Word,
}

/// An action that cannot be taken now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Closed {
    pub(crate) action: ActionId,
    pub(crate) host: Word,
    /// Number of the reason; nothing if a rule fails that would tell.
    pub(crate) reason: Option<usize>,
}

/// The ability with that name.
pub(crate) fn ability(program: &Program, name: Word) -> Option<ActionId> {
    let is_it = |action: &Action| action.timing == ActionTiming::Called && symbol_word(action.name) == name;
    program.actions.iter().position(is_it).map(|at| ActionId(at as u16))
}

impl Core<'_> {
    /// All that a player could do now.
    pub(crate) fn offers(&mut self, player: Word) -> Result<Word> {
        self.find_offers(player, false)
    }

    /// The same for someone who merely asks: actions whose rules fail are left out.
    pub(crate) fn sound_offers(&mut self, player: Word) -> Result<Word> {
        self.find_offers(player, true)
    }

    fn find_offers(&mut self, player: Word, lenient: bool) -> Result<Word> {
        if !self.board.is_player(player) {
            return Err(FaultCode::Missing);
        }
        let (mark, heap) = (self.agenda.building.len(), self.board.heap.len());
        let (frames, regs) = (self.agenda.frames.len(), self.agenda.regs.len());
        let Some(discovery) = self.tables.linked.discovery else { return self.walk_offers(player, lenient) };
        let (nesting, candidates) = (self.meter.nesting, self.agenda.candidates.len());
        if self.run_piece(discovery, player).is_err() {
            // What fails, and where, is told by going from action to action.
            self.agenda.frames.truncate(frames);
            self.agenda.regs.truncate(regs);
            self.agenda.building.truncate(mark);
            self.agenda.candidates.truncate(candidates);
            self.board.heap.truncate(heap);
            self.meter.nesting = nesting;
            return self.walk_offers(player, lenient);
        }
        let offers = crate::lists::finish(&mut self.board.heap, &mut self.agenda.building, mark as Word)?;
        debug_assert!(self.is_walked(player, offers), "going from action to action finds the same");
        Ok(offers)
    }

    /// Whether going from action to action finds the same offers. Leaves no trace.
    fn is_walked(&mut self, player: Word, offers: Word) -> bool {
        let (heap, steps) = (self.board.heap.len(), self.meter.steps);
        let walked = self.walk_offers(player, false);
        let items = |list: Word| self.board.heap.list(list).unwrap_or_default().iter();
        let is_same = walked.is_ok_and(|walked| {
            items(walked)
                .map(|offer| self.board.heap.list(*offer))
                .eq(items(offers).map(|offer| self.board.heap.list(*offer)))
        });
        self.board.heap.truncate(heap);
        self.meter.steps = steps;
        is_same
    }

    /// The same from action to action.
    pub(crate) fn walk_offers(&mut self, player: Word, lenient: bool) -> Result<Word> {
        let mark = self.agenda.building.len();
        let mut gates = self.fresh_gates();
        let window = self.open_window(self.tables.offering.registers)?;
        let found = self.each_found(player, |core, found| match lenient {
            true => {
                let made = core.try_asking(|core| core.offers_of(window, &mut gates, player, found));
                made.map(|_| ())
            }
            false => core.offers_of(window, &mut gates, player, found),
        });
        self.agenda.give_back(gates);
        found?;
        self.close_window(window);
        crate::lists::finish(&mut self.board.heap, &mut self.agenda.building, mark as Word)
    }

    /// Asks something of the rules; nothing if one of them fails. A guard that trips is passed on.
    fn try_asking<T>(&mut self, ask: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        let (frames, regs) = (self.agenda.frames.len(), self.agenda.regs.len());
        let building = self.agenda.building.len();
        match ask(self) {
            Ok(answer) => Ok(Some(answer)),
            Err(code) if code.is_guard() => Err(code),
            Err(_) => {
                self.agenda.frames.truncate(frames);
                self.agenda.regs.truncate(regs);
                self.agenda.building.truncate(building);
                Ok(None)
            }
        }
    }

    /// Gates nobody has looked at yet, in memory used before. A gate is null until it is known to be open (1) or shut (0).
    fn fresh_gates(&mut self) -> Vec<Word> {
        let mut gates = self.agenda.borrow();
        gates.resize(self.program.actions.len(), NULL);
        gates
    }

    /// Makes the offers of an action if its gate is open.
    #[inline]
    fn offers_of(&mut self, window: Window, gates: &mut [Word], player: Word, found: Found) -> Result<()> {
        let gate = &mut gates[usize::from(self.tables.gates[found.action.index()])];
        if *gate == NULL {
            *gate = Word::from(self.is_gate_open(window, player, found.action)?);
        }
        if *gate == 1 {
            let offers = self.program.actions[found.action.index()].offers;
            self.ask(window, offers, &[found.host, player, player, NULL, found.via])?;
        }
        Ok(())
    }

    fn is_gate_open(&mut self, window: Window, player: Word, action: ActionId) -> Result<bool> {
        match self.program.actions[action.index()].gate {
            Some(test) => self.ask(window, test, &[NULL, player, player, NULL, NULL]).map(holds),
            None => Ok(true),
        }
    }

    /// Whether an offer could still be made.
    pub(crate) fn is_offered(&mut self, offer: &[Word]) -> Result<bool> {
        let [action, player, host, via, ..] = *offer else { return Ok(false) };
        let found = Found { action: ActionId(action as u16), host, via };
        let Some(known) = self.program.actions.get(found.action.index()) else { return Ok(false) };
        if known.host != ActionHost::Game && self.board.entity(host).is_none() {
            return Ok(false);
        }
        let mark = self.agenda.building.len();
        let window = self.open_window(self.tables.offering.registers)?;
        let mut gates = self.fresh_gates();
        let made = self.offers_of(window, &mut gates, player, found);
        self.agenda.give_back(gates);
        made?;
        self.close_window(window);
        let heap = &self.board.heap;
        let is_same = |made: &Word| {
            heap.list(*made).is_some_and(|made| {
                made.len() == offer.len()
                    && (0..made.len()).all(|at| at == OFFER_STAMP || made[at] == offer[at])
            })
        };
        let is_there = self.agenda.building[mark..].iter().any(is_same);
        self.agenda.building.truncate(mark);
        Ok(is_there)
    }

    /// Calls `each` for every action a player has: those of the game, of the player, then host by host.
    fn each_found(
        &mut self,
        player: Word,
        mut each: impl FnMut(&mut Self, Found) -> Result<()>,
    ) -> Result<()> {
        let (program, tables) = (self.program, self.tables);
        for action in &tables.offering.game {
            let host = match program.actions[action.index()].host {
                ActionHost::Game => NULL,
                _ => player,
            };
            each(self, Found { action: *action, host, via: NULL })?;
        }
        self.each_of_traits(player, &mut each)?;
        for (zone, actions) in &tables.offering.zones {
            let others = self.instances_of_others(*zone);
            let mut number = 0;
            while let Some(instance) = reading::instance_of(tables, self.board, *zone, player, number)
                .or_else(|| others.get(number).copied())
            {
                number += 1;
                let mut at = 0;
                while let Some(row) = self.board.zones.rows(instance).get(at).copied() {
                    at += 1;
                    let entity = &self.board.rows[row as usize];
                    if Word::from(entity.owner) + 1 != player {
                        continue;
                    }
                    self.meter.steps(1)?;
                    let (host, zone) = (word::entity(entity.generation, row), entity.zone);
                    if let Some(actions) = actions.get(usize::from(entity.def)) {
                        for action in actions {
                            each(self, Found { action: *action, host, via: NULL })?;
                        }
                    }
                    if tables.offering.has_traits && self.is_active(&[], zone) {
                        self.each_of_traits(host, &mut each)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The instances of a zone family that belongs to neither players nor nobody.
    fn instances_of_others(&self, zone: ZoneId) -> Vec<u32> {
        if self.tables.single(zone) != NULL || self.tables.slot(KindId::PLAYER, zone).is_some() {
            return Vec::new();
        }
        let is_it = |instance: &u32| self.board.zones.head(*instance).is_some_and(|head| head.family == zone);
        (0..self.board.zones.count() as u32).filter(is_it).collect()
    }

    /// The actions of traits attached to an entity.
    fn each_of_traits(
        &mut self,
        host: Word,
        each: &mut impl FnMut(&mut Self, Found) -> Result<()>,
    ) -> Result<()> {
        let tables = self.tables;
        if !tables.offering.has_traits {
            return Ok(());
        }
        self.meter.steps(self.board.rows.len() / 8)?;
        for row in 0..self.board.rows.len() {
            let attached = self.board.rows[row];
            if !attached.alive || attached.host != host {
                continue;
            }
            let via = word::entity(attached.generation, row as u32);
            let Some(actions) = tables.offering.traits.get(usize::from(attached.def)) else { continue };
            for action in actions {
                each(self, Found { action: *action, host, via })?;
            }
        }
        Ok(())
    }

    /// The actions a player has and cannot take now, with the reason.
    pub(crate) fn closed(&mut self, player: Word) -> Result<Vec<Closed>> {
        let mut closed = Vec::new();
        self.each_found(player, |core, Found { action, host, via }| {
            let why = core.program.actions[action.index()].why;
            let context = [host, player, player, NULL, via];
            let reason = core.try_asking(|core| core.evaluate_in(why, &context, &[]))?;
            match reason.map(usize::try_from) {
                Some(Ok(reason)) => closed.push(Closed { action, host, reason: Some(reason) }),
                Some(Err(_)) => {}
                None => closed.push(Closed { action, host, reason: None }),
            }
            Ok(())
        })?;
        Ok(closed)
    }

    /// Whether an ability could be used; or only whether it could be paid.
    pub(crate) fn usable(&mut self, name: Word, host: Word, actor: Word, costs: bool) -> Result<Word> {
        let id = ability(self.program, present(name)?).ok_or(FaultCode::OutOfRange)?;
        let action = &self.program.actions[id.index()];
        let context = [host, actor, actor, NULL, NULL];
        let mut params = vec![NULL; 1 + action.params.len()];
        params[0] = NULL;
        if costs {
            let pay = action.pay;
            return self.afford(pay, &context, &params).map(Word::from);
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

    /// Whether costs can be paid all together: they are, on the board, and then taken back.
    pub(crate) fn afford(&mut self, routine: RoutineId, context: &Context, args: &[Word]) -> Result<bool> {
        let floor = self.agenda.frames.len();
        let (regs, building) = (self.agenda.regs.len(), self.agenda.building.len());
        let savepoint = self.board.mark();
        let outcome = self.try_paying(routine, context, args);
        self.agenda.frames.truncate(floor);
        self.agenda.regs.truncate(regs);
        self.agenda.building.truncate(building);
        self.board.rollback(savepoint);
        match outcome {
            Ok(()) => Ok(true),
            Err(code) if code.is_guard() => Err(code),
            Err(_) => Ok(false),
        }
    }

    fn try_paying(&mut self, routine: RoutineId, context: &Context, args: &[Word]) -> Result<()> {
        let program = self.program;
        let code = program.routines.get(routine.index()).ok_or(FaultCode::Missing)?;
        let floor = self.agenda.frames.len();
        let base = self.agenda.grow(usize::from(code.registers), program.limits.depth)?;
        self.agenda.regs[base..base + context.len()].copy_from_slice(context);
        let first = base + usize::from(Reg::CONTEXT);
        let count = usize::from(code.params).min(args.len());
        self.agenda.regs[first..first + count].copy_from_slice(&args[..count]);
        self.agenda.frames.push(crate::agenda::Frame::code(program, routine, base, Reg::NONE, 0));
        interpret::run(&mut Trial { core: self }, floor).map(|_| ())
    }
}

/// Lets statements change the board without any event.
struct Trial<'t, 'a> {
    core: &'t mut Core<'a>,
}

impl Trial<'_, '_> {
    fn reg(&self, reg: Reg) -> Word {
        let base = self.core.agenda.frames.last().map_or(0, |frame| frame.base as usize);
        self.core.agenda.regs[base + usize::from(reg.0)]
    }

    fn put(&mut self, entity: Word, zone: Word) -> Result<()> {
        let instance = self.core.board.instance(zone)?;
        if !self.core.board.has_room(self.core.program, instance, entity) {
            return Err(FaultCode::ZoneFull);
        }
        self.core.board.put(self.core.program, entity, zone, u32::MAX)
    }
}

impl<'a> Host<'a> for Trial<'_, 'a> {
    fn core(&mut self) -> &mut Core<'a> {
        self.core
    }

    fn happen(&mut self, instr: Instr) -> Result<bool> {
        match instr {
            Instr::Change { entity, prop, value } => {
                let (entity, value) = (self.reg(entity), self.reg(value));
                self.core.write(entity, prop, value)?;
            }
            Instr::ChangeNamed { entity, name, value } => {
                let (entity, value) = (self.reg(entity), self.reg(value));
                let prop = reading::named(self.core.tables, self.core.board, entity, self.reg(name))?;
                self.core.write(entity, prop, value)?;
            }
            Instr::Move { entity, zone, .. } => self.put(self.reg(entity), self.reg(zone))?,
            Instr::MoveAll { list, zone, .. } => {
                let items = self.core.board.heap.items(self.reg(list))?.to_vec();
                self.core.meter.steps(items.len())?;
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
                    self.core.agenda.regs[base..base + fields.len()].copy_from_slice(&fields);
                    self.core.run_event_code(apply)?;
                    self.core.agenda.drop_top();
                }
            }
            Instr::BeginGroup { .. } | Instr::EndGroup { .. } => {}
            // Making things costs nothing.
            Instr::Create { .. } => {}
            _ => return Err(FaultCode::Group),
        }
        Ok(false)
    }

    fn live(&mut self) -> Result<()> {
        Err(FaultCode::Missing)
    }

    fn applied(&mut self) -> Result<()> {
        Err(FaultCode::Missing)
    }
}

/// Where to look for actions; worked out once for a program.
#[derive(Debug, Default)]
pub(crate) struct Offering {
    /// Actions of the game and of players.
    pub(crate) game: Vec<ActionId>,
    /// For each zone in which hosts may be: by def, the actions offered there.
    pub(crate) zones: Vec<(ZoneId, Vec<Vec<ActionId>>)>,
    /// By def of the trait.
    pub(crate) traits: Vec<Vec<ActionId>>,
    pub(crate) has_traits: bool,
    /// What the code of any of them needs.
    pub(crate) registers: usize,
}

impl Offering {
    pub(crate) fn new(program: &Program) -> Offering {
        let registers = |routine: RoutineId| {
            program.routines.get(routine.index()).map_or(0, |code| usize::from(code.registers))
        };
        let needed = |action: &Action| registers(action.offers).max(action.gate.map_or(0, registers));
        let mut offering = Offering {
            traits: vec![Vec::new(); program.defs.len()],
            registers: program.actions.iter().map(needed).max().unwrap_or(0),
            ..Offering::default()
        };
        let open = || {
            let all = program.actions.iter().enumerate();
            all.filter(|(_, action)| action.timing != ActionTiming::Called)
                .map(|(at, action)| (ActionId(at as u16), action))
        };
        for (id, action) in open() {
            match action.host {
                ActionHost::Game | ActionHost::Kind(KindId::PLAYER) => offering.game.push(id),
                ActionHost::Def(def) if program.defs.get(def.index()).is_some_and(|def| def.is_trait) => {
                    offering.has_traits = true;
                    offering.traits[def.index()].push(id);
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
            let has_traits = offering.has_traits && zone.active;
            if has_traits || by_def.iter().any(|actions| !actions.is_empty()) {
                offering.zones.push((family, by_def));
            }
        }
        offering
    }
}
