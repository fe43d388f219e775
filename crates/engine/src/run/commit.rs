//! Commit of an event: fills in the fields that are only known now, changes the board and appends to the log.

use intermezzo_program::{EventId, FaultCode, InitialValue, NULL, Reg, Word, native};

use crate::optimize::program_index::symbol_word;
use crate::run::effects::{EventHeader, Machine, Result};
use crate::run::evaluator::Evaluator;
use crate::run::frames::EventFrame;
use crate::run::log::EventStatus;
use crate::storage::fold::field_type;
use crate::storage::zones::NOWHERE;
use crate::values::typed::Shapes;

impl Machine<'_> {
    /// Applies and logs an event without a frame.
    pub(crate) fn apply_at_once(
        &mut self,
        header: EventHeader,
        payload: &[Word],
        with: &[Word],
    ) -> Result<()> {
        self.apply_alone(header, payload, with)?;
        self.update_grants()
    }

    /// Does the same, and leaves what follows for the grants to the caller.
    pub(crate) fn apply_alone(&mut self, header: EventHeader, payload: &[Word], with: &[Word]) -> Result<()> {
        let (id, parent) = (self.core.meter.next_event()?, self.cause());
        let mut fields = [NULL; 7];
        let fields = fields.get_mut(..payload.len()).ok_or(FaultCode::Missing)?;
        fields.copy_from_slice(payload);
        match self.complete_payload(header.event, fields, header.detail) {
            Err(FaultCode::ZoneFull) => return self.prevent_at_once(header, (id, parent), payload, with),
            completed => completed?,
        }
        let subject = fields.first().copied();
        self.core.fold_native(header.event, fields, header.detail, with)?;
        self.core.board.count_event(header.event);
        let new = swap_subject(header.event, fields, subject);
        self.record(header.event, id, parent, fields, header.detail, with)?;
        swap_subject(header.event, fields, new);
        if header.event == native::MATCH_ENDED {
            self.clear_for_end();
            return Ok(());
        }
        // Where entities can become copies, a new object gets its traits with `replace_printed_traits`.
        let is_renewed = self.core.program.copies.is_empty() && self.core.is_renewal(header.event, fields);
        let is_new = header.event == native::CREATED || is_renewed;
        self.deliver_result(header.result, header.ret, fields, true)?;
        for number in 0..if is_new { self.initial_trait_count(fields[0]) } else { 0 } {
            self.attach_initial_trait(fields[0], number)?;
        }
        Ok(())
    }

    /// Logs that an event without a frame is prevented, because its zone is full.
    fn prevent_at_once(
        &mut self,
        header: EventHeader,
        origin: (u32, u32),
        payload: &[Word],
        with: &[Word],
    ) -> Result<()> {
        self.record_as(EventStatus::Prevented, header.event, origin, payload, header.detail, with)?;
        self.deliver_result(header.result, header.ret, payload, false)?;
        let name = symbol_word(self.core.program.events[header.event.index()].symbol);
        self.begin(EventHeader::of(native::EVENT_PREVENTED), &[Word::from(origin.0), name, NULL], &[])
    }

    /// Returns the number of traits an entity starts with.
    pub(crate) fn initial_trait_count(&self, entity: Word) -> usize {
        let def = self.core.board.entity(entity).map_or(crate::storage::board::NO_DEF, |entity| entity.def);
        self.core.program.defs.get(usize::from(def)).map_or(0, |def| def.traits.len())
    }

    /// Attaches one of the traits an entity starts with.
    pub(crate) fn attach_initial_trait(&mut self, entity: Word, number: usize) -> Result<()> {
        let (payload, with) = self.initial_trait(entity, number)?;
        self.begin(EventHeader::of(native::CREATED), &payload, &with)
    }

    /// Returns the payload and properties of the event that attaches it.
    pub(crate) fn initial_trait(&mut self, entity: Word, number: usize) -> Result<([Word; 7], Vec<Word>)> {
        let program = self.core.program;
        let def = self.core.board.live(entity)?.def;
        let (given, props) = &program.defs[usize::from(def)].traits[number];
        let mut with = Vec::with_capacity(2 * props.len() + 2);
        if let Some(columns) = self.core.board.grant_columns(program.defs[given.index()].kind) {
            with.extend([Word::from(columns.given_by_prop.0), entity]);
        }
        for (prop, initial) in props {
            let value = match *initial {
                InitialValue::Word(value) => value,
                InitialValue::Computed(routine) => self.core.evaluate(routine, NULL, &[entity])?,
            };
            with.extend([Word::from(prop.0), value]);
        }
        let name = symbol_word(program.defs[given.index()].name);
        Ok(([NULL, name, NULL, NULL, NULL, entity, NULL], with))
    }

    /// Applies and logs the event on top.
    pub(crate) fn apply(&mut self) -> Result<()> {
        let frame = *self.top_event()?;
        let kind = &self.core.program.events[frame.event.index()];
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        let (end, is_created) = (first + kind.fields.len(), frame.event == native::CREATED);
        let mut payload = std::mem::take(&mut self.core.frames.scratch);
        payload.clear();
        payload.extend_from_slice(&self.core.frames.regs[first..end]);
        let count = payload.len();
        if is_created {
            let extra = self.with_start(&frame);
            payload.extend_from_slice(&self.core.frames.regs[extra..]);
        }
        let (fields, with) = payload.split_at_mut(count);
        let outcome = self.apply_payload(&frame, fields, with);
        if outcome.is_ok() && !self.core.frames.stack.is_empty() {
            self.core.frames.regs[first..end].copy_from_slice(fields);
        }
        self.core.frames.scratch = payload;
        outcome
    }

    /// Returns the first register of the `with` pairs of a `Created` event.
    pub(crate) fn with_start(&self, frame: &EventFrame) -> usize {
        frame.base as usize + self.core.tables.window(frame.event)
    }

    fn apply_payload(&mut self, frame: &EventFrame, fields: &mut [Word], with: &[Word]) -> Result<()> {
        let looks = self.core.tables.looks_back(frame.event);
        if looks {
            self.remember_before(frame.event, frame.id, fields[0])?;
        }
        let subject = fields.first().copied();
        if frame.event.index() < native::EVENTS.len() {
            self.complete_payload(frame.event, fields, frame.detail)?;
            self.core.fold_native(frame.event, fields, frame.detail, with)?;
        }
        if let (true, Some(subject)) = (looks, subject) {
            self.remember_after(frame.event, frame.id, subject, fields[0]);
        }
        if let Some(apply) = self.core.program.events[frame.event.index()].apply {
            self.core.run_event_code(apply)?;
        }
        self.core.board.count_event(frame.event);
        let new = swap_subject(frame.event, fields, subject);
        self.record(frame.event, frame.id, frame.parent, fields, frame.detail, with)?;
        swap_subject(frame.event, fields, new);
        if frame.event == native::MATCH_ENDED {
            self.clear_for_end();
        }
        Ok(())
    }

    /// Fills in the fields of a native event that are only known when it happens: where an entity comes from, its new
    /// index, the old value of a property, the order of a shuffle.
    pub(crate) fn complete_payload(
        &mut self,
        event: EventId,
        fields: &mut [Word],
        detail: u16,
    ) -> Result<()> {
        match event {
            native::MOVED => {
                let zone = self.core.board.instance(fields[2])?;
                fields[1] = self.core.board.live(fields[0]).map(|entity| zone_word(entity.zone))?;
                fields[3] = self.target_index(zone, fields[0], detail != 0)?;
            }
            native::CREATED if fields[3] != NULL => {
                let zone = self.core.board.instance(fields[3])?;
                fields[4] = self.target_index(zone, NULL, detail != 0)?;
            }
            native::CREATED => fields[4] = 0,
            native::CHANGED => {
                let prop = intermezzo_program::PropId(detail);
                fields[3] = self.core.clamp(fields[0], prop, fields[3])?;
                let column = self.core.program.props[prop.index()].column;
                fields[2] = self.core.board.cell(self.core.board.live(fields[0])?, column)?;
            }
            native::SHUFFLED => {
                let count = self.core.board.zones.rows(self.core.board.instance(fields[0])?).len();
                self.core.meter.charge_steps(count)?;
                let mut order = std::mem::take(&mut self.core.frames.scratch);
                order.clear();
                order.extend(0..count as Word);
                self.chance.shuffle(&mut order);
                let list = self.core.board.heap.new_list(&order);
                self.core.frames.scratch = order;
                fields[1] = list?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Fills in the same fields for the reactions before the event on top, as things are now. They are computed
    /// again when the event happens. The order of a shuffle is not decided before that.
    pub(crate) fn preview_payload(&mut self, frame: &EventFrame) -> Result<()> {
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        let field = |at: usize| self.core.frames.regs[first + at];
        match frame.event {
            native::MOVED => {
                let Some(entity) = self.core.board.entity(field(0)) else { return Ok(()) };
                let zone = self.core.board.instance(field(2))?;
                let (from, index) =
                    (zone_word(entity.zone), self.next_index(zone, field(0), frame.detail != 0));
                self.core.frames.regs[first + 1] = from;
                self.core.frames.regs[first + 3] = index;
            }
            native::CREATED => {
                let index = match field(3) {
                    NULL => 0,
                    zone => self.next_index(self.core.board.instance(zone)?, NULL, frame.detail != 0),
                };
                self.core.frames.regs[first + 4] = index;
            }
            native::CHANGED => {
                let Some(entity) = self.core.board.entity(field(0)) else { return Ok(()) };
                let column = self.core.program.props[usize::from(frame.detail)].column;
                self.core.frames.regs[first + 2] = self.core.board.cell(entity, column)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the index an entity gets in a zone.
    ///
    /// # Errors
    ///
    /// Returns an error if the zone is full.
    fn target_index(&self, zone: u32, entity: Word, top: bool) -> Result<Word> {
        if !self.core.board.has_room(self.core.program, zone, entity) {
            return Err(FaultCode::ZoneFull);
        }
        Ok(self.next_index(zone, entity, top))
    }

    /// Returns the index an entity gets in a zone, if the zone has room.
    fn next_index(&self, zone: u32, entity: Word, top: bool) -> Word {
        if top {
            return 0;
        }
        let inside = self.core.board.entity(entity).is_some_and(|entity| entity.zone == zone);
        let len = self.core.board.zones.rows(zone).len();
        (len - usize::from(inside)) as Word
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
            // The guard must not depend on whether the log is recorded.
            let extra = if with.is_empty() { 0 } else { 1 + with.len() };
            return self.core.meter.charge_words(fields.len() + extra);
        }
        self.record_as(EventStatus::Applied, event, (id, parent), fields, detail, with)
    }

    /// Logs an event. `origin` is its id and that of its cause.
    pub(crate) fn record_as(
        &mut self,
        status: EventStatus,
        event: EventId,
        (id, parent): (u32, u32),
        fields: &[Word],
        detail: u16,
        with: &[Word],
    ) -> Result<()> {
        let program = self.core.program;
        let kind = &program.events[event.index()];
        // The payload is measured even if it is not recorded.
        let mut unkept = self.core.frames.borrow_buffer();
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
        self.core.frames.return_buffer(unkept);
        // Words that only some payloads have are not charged, so that the cost is the same with and without a log.
        let extra =
            usize::from(event == native::CHANGED) + usize::from(event == native::CREATED && with.is_empty());
        self.core.meter.charge_words(count - extra)?;
        if is_kept {
            self.log.close(event, id, cause, status, start);
        }
        // A caller that set a stop point treats this fault as the stop, not as a failure.
        if self.log.has_stopped() { Err(FaultCode::Missing) } else { Ok(()) }
    }

    /// Clears all frames and questions, because nothing follows the end of a match.
    fn clear_for_end(&mut self) {
        self.core.frames.clear();
        self.requests.clear();
    }
}

impl Evaluator<'_> {
    /// Returns true if every value of an event is a single word.
    #[inline]
    fn is_flat(&self, event: EventId, detail: u16, with: &[Word]) -> bool {
        let is_heaped = |prop: usize| self.tables.is_heaped(self.program.props[prop].ty);
        match event {
            native::CHANGED => !is_heaped(usize::from(detail)),
            _ => self.tables.is_flat(event) && !with.chunks_exact(2).any(|pair| is_heaped(pair[0] as usize)),
        }
    }
}

/// Swaps the reference a `Moved` event uses for its entity and returns the previous one.
///
/// A move may turn an entity into a new object. The log names the old object; reactions see the new one.
pub(crate) fn swap_subject(event: EventId, fields: &mut [Word], subject: Option<Word>) -> Option<Word> {
    match (event, fields.first_mut(), subject) {
        (native::MOVED, Some(place), Some(subject)) => Some(std::mem::replace(place, subject)),
        _ => None,
    }
}

fn zone_word(zone: u32) -> Word {
    if zone == NOWHERE { NULL } else { Word::from(zone) }
}
