//! Who reacts to an event, in which order, and how often.
//!
//! Discovery is a loop: each reaction may make another applicable or take its
//! reason away, so candidates are looked for anew after each. The order is
//! total: priority, distance of the controller from the active player, id of
//! the rule, source.

use intermezzo_ruleset::{FaultCode, NULL, Reaction, ReactionId, Reg, RuleHost, When, Word, native, word};

use crate::agenda::{Due, Fate, Frame, Stage};
use crate::board::{Entity, NOBODY};
use crate::happening::{Happening, Machine, Result};
use crate::log::Status;
use crate::past::batch_of;
use crate::values::holds;

impl Machine<'_> {
    /// All reactions to the event on top, in order, whether or not their conditions hold.
    pub(crate) fn candidates(&mut self, frame: &Frame, when: When) -> Vec<Due> {
        let (program, tables) = (self.core.program, self.core.tables);
        let listeners = match when {
            When::Before => &tables.before[frame.event.index()],
            When::After => &tables.after[frame.event.index()],
        };
        let mut found = Vec::new();
        for id in listeners {
            let reaction = &program.reactions[id.index()];
            match reaction.host {
                RuleHost::Game => found.push(Due { reaction: *id, source: NULL }),
                RuleHost::Def(def) if reaction.looks_back => {
                    let sources = self.core.sources_before(reaction, batch_of(frame), def.0);
                    found.extend(sources.into_iter().map(|source| Due { reaction: *id, source }));
                }
                RuleHost::Def(def) => self.hosts(frame, *id, reaction, def.0, &mut found),
            }
        }
        if found.len() > 1 {
            let batch = batch_of(frame);
            found.sort_by_cached_key(|due| self.order_of(*due, batch));
        }
        found
    }

    fn order_of(&self, due: Due, batch: u32) -> (i64, u8, u16, u32) {
        let looks_back = self.core.program.reactions[due.reaction.index()].looks_back;
        let batch = if looks_back { batch } else { 0 };
        let owner = match self.core.context_before(due.source, NULL, batch)[usize::from(Reg::YOU.0)] {
            NULL => NOBODY,
            you => word::seat(you).0,
        };
        self.place_in_order(due.reaction, due.source, owner)
    }

    /// What decides which of two reactions comes first.
    pub(crate) fn place_in_order(&self, id: ReactionId, source: Word, owner: u8) -> (i64, u8, u16, u32) {
        let reaction = &self.core.program.reactions[id.index()];
        let distance = match self.core.program.active_last && owner != NOBODY {
            true => self.core.board.seats - self.distance(owner),
            false => self.distance(owner),
        };
        let row = if source == NULL { 0 } else { word::row(source) };
        (-i64::from(reaction.priority), distance, reaction.rank, row)
    }

    /// How many seats a player sits after the active one.
    fn distance(&self, owner: u8) -> u8 {
        let seats = self.core.board.seats;
        let active =
            crate::reading::flow(self.core.program, self.core.board, intermezzo_ruleset::FlowInfo::Active);
        let first = if active == NULL { 0 } else { word::seat(active).0 };
        if owner == NOBODY || seats == 0 { 0 } else { (owner + seats - first % seats) % seats }
    }

    /// The entities of a def whose rule is in force.
    fn hosts(&self, frame: &Frame, id: ReactionId, reaction: &Reaction, def: u16, found: &mut Vec<Due>) {
        let board = &self.core.board;
        let mut consider = |row: u32, entity: &Entity| {
            // A trait's rules hold where its host is.
            let Some((at, place)) = self.core.decisive(row, entity) else { return };
            let is_in_force = self.core.is_everywhere(at) || self.is_in_force(frame, reaction, at, place);
            if entity.alive && entity.def == def && is_in_force {
                let source = word::entity(entity.generation, row);
                found.push(Due { reaction: id, source });
            }
        };
        if let Some(key) = reaction.key {
            let at = frame.base as usize + usize::from(Reg::CONTEXT + key);
            let host = self.core.agenda.regs.get(at).copied().unwrap_or(NULL);
            if self.core.program.defs[usize::from(def)].is_trait {
                let rows = board.sources.of(def).iter().map(|row| (*row, &board.rows[*row as usize]));
                let attached = rows.filter(|(_, entity)| entity.host == host && host != NULL);
                attached.for_each(|(row, entity)| consider(row, entity));
            } else if let Some(entity) = board.entity(host) {
                consider(word::row(host), entity);
            }
            return;
        }
        for row in board.sources.of(def) {
            consider(*row, &board.rows[*row as usize]);
        }
    }

    /// Whether a rule of the entity counts: it is where it must be, or has just left there by this very event.
    fn is_in_force(&self, frame: &Frame, reaction: &Reaction, row: u32, entity: &Entity) -> bool {
        if self.core.is_active(&reaction.zones, entity.zone) {
            return true;
        }
        let payload = frame.base as usize + usize::from(Reg::CONTEXT);
        let regs = &self.core.agenda.regs;
        frame.event == native::MOVED
            && regs[payload] == word::entity(entity.generation, row)
            && u32::try_from(regs[payload + 1]).is_ok_and(|from| self.core.is_active(&reaction.zones, from))
    }

    /// Runs the first reaction that was not applied yet and whose condition holds; if there is none, the event happens.
    pub(crate) fn before(&mut self, frame: &Frame) -> Result<()> {
        if frame.fate != Fate::Open {
            return self.does_not_happen(frame);
        }
        let applied = frame.reactions as usize;
        if let Some(ordering) = self.core.program.ordering {
            return self.before_in_chosen_order(frame, ordering.first);
        }
        for due in self.candidates(frame, When::Before) {
            let is_new = !self.core.agenda.reactions[applied..].contains(&due);
            if is_new && self.is_set_off(due, frame)? {
                return self.react_before(due, frame);
            }
        }
        self.core.agenda.reactions.truncate(applied);
        self.happens()
    }

    pub(crate) fn react_before(&mut self, due: Due, frame: &Frame) -> Result<()> {
        self.note_reaction(due, frame.reactions as usize)?;
        self.set_off(due, frame)
    }

    /// Notes a reaction of the event whose reactions begin at `first`.
    pub(crate) fn note_reaction(&mut self, due: Due, first: usize) -> Result<()> {
        if self.core.agenda.reactions.len() - first >= self.core.program.limits.reactions as usize {
            return Err(FaultCode::Reactions);
        }
        self.core.agenda.reactions.push(due);
        Ok(())
    }

    /// Ends the life of an event that was prevented or replaced.
    fn does_not_happen(&mut self, frame: &Frame) -> Result<()> {
        let program = self.core.program;
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        let count = program.events[frame.event.index()].fields.len();
        let mut payload: Vec<Word> = self.core.agenda.regs[first..first + count].to_vec();
        if frame.event == native::CREATED {
            // It never was.
            payload[0] = NULL;
        }
        let with: Vec<Word> = match frame.event {
            native::CREATED => self.core.agenda.regs[self.with_start(frame)..].to_vec(),
            _ => Vec::new(),
        };
        let origin = (frame.id, frame.parent);
        self.record_as(Status::Prevented, frame.event, origin, &payload, frame.detail, &with)?;
        self.finish(false)?;
        if matches!(frame.event, native::ACTION | native::REACTION) {
            self.top().fate = Fate::Prevented;
        }
        if frame.fate == Fate::Replaced {
            return Ok(());
        }
        let name = crate::tables::symbol_word(program.events[frame.event.index()].symbol);
        let told = [Word::from(frame.id), name, frame.by];
        self.begin(Happening::of(native::EVENT_PREVENTED), &told, &[])
    }

    /// The event whose frame `event` names will not happen.
    pub(crate) fn prevent(&mut self, event: Word, silent: bool) -> Result<()> {
        let by = self.reg_of_self();
        let base = u32::try_from(event).map_err(|_| FaultCode::Missing)?;
        let frames = &mut self.core.agenda.frames;
        let found = frames.iter_mut().find(|frame| frame.base == base && frame.is_event());
        let frame = found.ok_or(FaultCode::Missing)?;
        if matches!(frame.stage, Stage::Before | Stage::Planned) && frame.fate == Fate::Open {
            frame.fate = if silent { Fate::Replaced } else { Fate::Prevented };
            frame.by = by;
        }
        Ok(())
    }

    pub(crate) fn is_set_off(&mut self, due: Due, frame: &Frame) -> Result<bool> {
        let reaction = &self.core.program.reactions[due.reaction.index()];
        if self.is_used_up(due, frame) || self.has_fired(due, frame) {
            return Ok(false);
        }
        match reaction.condition {
            None => Ok(true),
            Some(condition) => {
                let batch = if reaction.looks_back { batch_of(frame) } else { 0 };
                let context = self.core.context_before(due.source, Word::from(frame.base), batch);
                Ok(holds(self.core.evaluate_before(condition, &context, &[], batch)?))
            }
        }
    }

    /// Lets a reaction to the event of `frame` happen.
    pub(crate) fn set_off(&mut self, due: Due, frame: &Frame) -> Result<()> {
        self.count_uses(due, frame, false);
        self.note_fired(due, frame);
        let program = self.core.program;
        let reaction = &program.reactions[due.reaction.index()];
        if let Some(item) = reaction.item {
            return self.wait_for_stack(due, frame, item);
        }
        let (routine, batch) = (reaction.effects, if reaction.looks_back { batch_of(frame) } else { 0 });
        let registers = program.routines.get(routine.index()).ok_or(FaultCode::Missing)?.registers;
        self.core.meter.steps(1)?;
        self.core.agenda.trail.note(due.reaction);
        let base = self.core.agenda.grow(usize::from(registers), program.limits.depth)?;
        let context = self.core.context_before(due.source, Word::from(frame.base), batch);
        self.core.agenda.regs[base..base + context.len()].copy_from_slice(&context);
        self.core
            .agenda
            .frames
            .push(Frame { batch, ..Frame::code(program, routine, base, Reg::NONE, frame.id) });
        Ok(())
    }

    /// Runs the after reactions: collected before any of them runs, tested again when its turn comes.
    pub(crate) fn after(&mut self, frame: &Frame) -> Result<()> {
        let first = frame.reactions as usize;
        let mut is_tested = false;
        if frame.step == 0 {
            is_tested = true;
            let tables = self.core.tables;
            match &tables.always[frame.event.index()] {
                Some(always) => always.iter().try_for_each(|due| self.note_reaction(*due, first))?,
                None => {
                    for due in self.candidates(frame, When::After).into_iter().rev() {
                        if self.is_set_off(due, frame)? {
                            self.note_reaction(due, first)?;
                        }
                    }
                }
            }
            if self.core.program.ordering.is_some() {
                // Those for the stack are put in order when they go there.
                let reactions = &self.core.program.reactions;
                self.core.agenda.reactions[first..]
                    .sort_by_key(|due| reactions[due.reaction.index()].item.is_some());
            }
            self.top().step = 1;
        }
        if self.core.program.ordering.is_some() && !self.order_after(first)? {
            return Ok(());
        }
        while self.core.agenda.reactions.len() > first {
            let Some(due) = self.core.agenda.reactions.pop() else { break };
            // Nothing has happened since the first of them was tested.
            if std::mem::take(&mut is_tested) || self.is_set_off(due, frame)? {
                return self.set_off(due, frame);
            }
        }
        self.finish(true)
    }
}
