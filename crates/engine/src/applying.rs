//! The moment an event happens: what it can only know now is filled in, the board changes, the log grows.

use intermezzo_ruleset::{EventId, FaultCode, Initial, NULL, Reg, Word, native};

use crate::agenda::Frame;
use crate::core::Core;
use crate::fold::field_type;
use crate::happening::{Happening, Machine, Result};
use crate::log::Status;
use crate::typed::Shapes;
use crate::zones::NOWHERE;

impl Machine<'_> {
    /// Applies and logs an event without a frame.
    pub(crate) fn apply_at_once(
        &mut self,
        happening: Happening,
        payload: &[Word],
        with: &[Word],
    ) -> Result<()> {
        let (id, parent) = (self.core.meter.next_event()?, self.cause());
        let mut fields = [NULL; 7];
        let fields = fields.get_mut(..payload.len()).ok_or(FaultCode::Missing)?;
        fields.copy_from_slice(payload);
        self.settle(happening.event, fields, happening.detail)?;
        let subject = fields.first().copied();
        self.core.fold_native(happening.event, fields, happening.detail, with)?;
        self.core.board.count_event(happening.event);
        let new = name_subject(happening.event, fields, subject);
        self.record(happening.event, id, parent, fields, happening.detail, with)?;
        name_subject(happening.event, fields, new);
        if happening.event == native::MATCH_ENDED {
            self.drop_everything();
            return Ok(());
        }
        let is_new = happening.event == native::CREATED || self.core.is_renewal(happening.event, fields);
        self.give(happening.gives, happening.ret, fields, true)?;
        for number in 0..if is_new { self.given_traits(fields[0]) } else { 0 } {
            self.give_trait(fields[0], number)?;
        }
        Ok(())
    }

    /// How many traits an entity begins with.
    pub(crate) fn given_traits(&self, entity: Word) -> usize {
        let def = self.core.board.entity(entity).map_or(crate::board::NO_DEF, |entity| entity.def);
        self.core.program.defs.get(usize::from(def)).map_or(0, |def| def.traits.len())
    }

    /// Attaches one of the traits an entity begins with.
    pub(crate) fn give_trait(&mut self, entity: Word, number: usize) -> Result<()> {
        let program = self.core.program;
        let def = self.core.board.live(entity)?.def;
        let (given, props) = &program.defs[usize::from(def)].traits[number];
        let mut with = Vec::with_capacity(2 * props.len());
        for (prop, initial) in props {
            let value = match *initial {
                Initial::Word(value) => value,
                Initial::Computed(routine) => self.core.evaluate(routine, NULL, &[entity])?,
            };
            with.extend([Word::from(prop.0), value]);
        }
        let name = crate::tables::symbol_word(program.defs[given.index()].name);
        let payload = [NULL, name, NULL, NULL, NULL, entity, NULL];
        self.begin(Happening::of(native::CREATED), &payload, &with)
    }

    /// Applies and logs the event on top.
    pub(crate) fn apply(&mut self) -> Result<()> {
        let frame = *self.top();
        let kind = &self.core.program.events[frame.event.index()];
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        let (end, is_created) = (first + kind.fields.len(), frame.event == native::CREATED);
        let mut payload = std::mem::take(&mut self.core.agenda.scratch);
        payload.clear();
        payload.extend_from_slice(&self.core.agenda.regs[first..end]);
        let count = payload.len();
        if is_created {
            let extra = self.with_start(&frame);
            payload.extend_from_slice(&self.core.agenda.regs[extra..]);
        }
        let (fields, with) = payload.split_at_mut(count);
        let outcome = self.apply_payload(&frame, fields, with);
        if outcome.is_ok() && !self.core.agenda.frames.is_empty() {
            self.core.agenda.regs[first..end].copy_from_slice(fields);
        }
        self.core.agenda.scratch = payload;
        outcome
    }

    /// First register of the `with` pairs of a `Created` event.
    pub(crate) fn with_start(&self, frame: &Frame) -> usize {
        frame.base as usize + self.core.tables.window(frame.event)
    }

    fn apply_payload(&mut self, frame: &Frame, fields: &mut [Word], with: &[Word]) -> Result<()> {
        let looks = self.core.tables.looks_back(frame.event);
        if looks {
            self.look_before(frame.event, frame.id, fields[0])?;
        }
        let subject = fields.first().copied();
        if frame.event.index() < native::EVENTS.len() {
            self.settle(frame.event, fields, frame.detail)?;
            self.core.fold_native(frame.event, fields, frame.detail, with)?;
        }
        if let (true, Some(subject)) = (looks, subject) {
            self.look_after(frame.event, frame.id, subject, fields[0]);
        }
        if let Some(apply) = self.core.program.events[frame.event.index()].apply {
            self.core.run_event_code(apply)?;
        }
        self.core.board.count_event(frame.event);
        let new = name_subject(frame.event, fields, subject);
        self.record(frame.event, frame.id, frame.parent, fields, frame.detail, with)?;
        name_subject(frame.event, fields, new);
        if frame.event == native::MATCH_ENDED {
            self.drop_everything();
        }
        Ok(())
    }

    /// Fills in what a native event can only know now that it happens.
    pub(crate) fn settle(&mut self, event: EventId, fields: &mut [Word], detail: u16) -> Result<()> {
        match event {
            native::MOVED => {
                let zone = self.core.board.instance(fields[2])?;
                fields[1] = self.core.board.live(fields[0]).map(|entity| zone_word(entity.zone))?;
                fields[3] = self.place(zone, fields[0], detail != 0)?;
            }
            native::CREATED if fields[3] != NULL => {
                let zone = self.core.board.instance(fields[3])?;
                fields[4] = self.place(zone, NULL, detail != 0)?;
            }
            native::CREATED => fields[4] = 0,
            native::CHANGED => {
                let prop = intermezzo_ruleset::PropId(detail);
                fields[3] = self.core.clamp(fields[0], prop, fields[3])?;
                let column = self.core.program.props[prop.index()].column;
                fields[2] = self.core.board.cell(self.core.board.live(fields[0])?, column)?;
            }
            native::SHUFFLED => {
                let count = self.core.board.zones.rows(self.core.board.instance(fields[0])?).len();
                self.core.meter.steps(count)?;
                let mut order = std::mem::take(&mut self.core.agenda.scratch);
                order.clear();
                order.extend(0..count as Word);
                self.chance.shuffle(&mut order);
                let list = self.core.board.heap.new_list(&order);
                self.core.agenda.scratch = order;
                fields[1] = list?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The place an entity gets in a zone, which must have room for it.
    fn place(&self, zone: u32, entity: Word, top: bool) -> Result<Word> {
        if !self.core.board.has_room(self.core.program, zone, entity) {
            return Err(FaultCode::ZoneFull);
        }
        if top {
            return Ok(0);
        }
        let inside = self.core.board.entity(entity).is_some_and(|entity| entity.zone == zone);
        let len = self.core.board.zones.rows(zone).len();
        Ok((len - usize::from(inside)) as Word)
    }

    /// Logs an event that has been applied.
    #[inline]
    pub(crate) fn record(
        &mut self,
        event: EventId,
        id: u32,
        parent: u32,
        fields: &[Word],
        detail: u16,
        with: &[Word],
    ) -> Result<()> {
        if self.log.is_off() && self.core.is_flat(event, detail, with) {
            // The guard must not depend on whether anyone keeps the log.
            let extra = if with.is_empty() { 0 } else { 1 + with.len() };
            return self.core.meter.words(fields.len() + extra);
        }
        self.record_as(Status::Applied, event, (id, parent), fields, detail, with)
    }

    /// Logs an event, `origin` being its id and that of what caused it.
    pub(crate) fn record_as(
        &mut self,
        status: Status,
        event: EventId,
        (id, parent): (u32, u32),
        fields: &[Word],
        detail: u16,
        with: &[Word],
    ) -> Result<()> {
        let program = self.core.program;
        let kind = &program.events[event.index()];
        // Measured even if nobody keeps it.
        let mut unkept = self.core.agenda.borrow();
        let (cause, is_kept) = (self.logged_cause(parent), !self.log.is_off());
        let words = if is_kept { self.log.words() } else { &mut unkept };
        let start = words.len();
        let limit = start + self.core.meter.words as usize + 1;
        let shapes = Shapes { program, seats: self.core.board.seats };
        let heap = &self.core.board.heap;
        if event == native::CHANGED {
            words.push(Word::from(detail));
        }
        for (field, value) in kind.fields.iter().zip(fields) {
            shapes.flatten(heap, field_type(program, field.ty, detail), *value, limit, words);
        }
        if event == native::CREATED {
            words.push(with.len() as Word / 2);
            for pair in with.chunks_exact(2) {
                words.push(pair[0]);
                shapes.flatten(heap, program.props[pair[0] as usize].ty, pair[1], limit, words);
            }
        }
        let count = words.len() - start;
        self.core.agenda.give_back(unkept);
        // What is not part of every payload is not counted, so that it costs the same kept or not.
        let extra =
            usize::from(event == native::CHANGED) + usize::from(event == native::CREATED && with.is_empty());
        self.core.meter.words(count - extra)?;
        if is_kept {
            self.log.close(event, id, cause, status, start);
        }
        // Whoever stops a match knows that this is no failure.
        if self.log.has_stopped() { Err(FaultCode::Missing) } else { Ok(()) }
    }

    /// Nothing comes after the end of a match.
    fn drop_everything(&mut self) {
        self.core.agenda.clear();
        self.requests.clear();
    }
}

impl Core<'_> {
    /// Whether every value of an event is one word.
    #[inline]
    fn is_flat(&self, event: EventId, detail: u16, with: &[Word]) -> bool {
        let is_heaped = |prop: usize| self.tables.is_heaped(self.program.props[prop].ty);
        match event {
            native::CHANGED => !is_heaped(usize::from(detail)),
            _ => self.tables.is_flat(event) && !with.chunks_exact(2).any(|pair| is_heaped(pair[0] as usize)),
        }
    }
}

/// Lets a `Moved` event speak of its entity by another reference; gives the one it had.
///
/// What moves may become a new object by it. The log names what moved, and reactions what it has become.
pub(crate) fn name_subject(event: EventId, fields: &mut [Word], subject: Option<Word>) -> Option<Word> {
    match (event, fields.first_mut(), subject) {
        (native::MOVED, Some(place), Some(subject)) => Some(std::mem::replace(place, subject)),
        _ => None,
    }
}

fn zone_word(zone: u32) -> Word {
    if zone == NOWHERE { NULL } else { Word::from(zone) }
}
