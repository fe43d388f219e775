//! Tracking of reads that would reveal hidden information.
//!
//! While functions are compiled, every read that could tell a player more than their view does is noted. Most
//! rules may read anything. Messages to players, and the functions they call, may not.
//!
//! If nothing is noted, every entity an expression reaches is visible to everyone or to `you`: entities come
//! only from zones, and reads of zones that not everyone sees are noted.

use std::collections::{BTreeMap, BTreeSet};

use intermezzo_program::{KindId, Reg, RoutineId, Visibility, ZoneId, native};

use super::Checker;
use super::routine_builder::CodeMode;
use super::symbol_table::PropInfo;
use super::types::Ty;
use crate::expr::{Expr, ExprKind};
use crate::source::Span;

/// Hidden reads of all routines.
#[derive(Default)]
pub(crate) struct HiddenReads {
    /// Routine → its hidden reads.
    reads: BTreeMap<RoutineId, Vec<HiddenRead>>,
    /// Routine → functions it calls, with the span of the call.
    calls: BTreeMap<RoutineId, Vec<(RoutineId, Span)>>,
}

/// A read that tells more than a player's view.
#[derive(Clone)]
pub(crate) struct HiddenRead {
    pub(crate) span: Span,
    pub(crate) reason: String,
    /// Only the contents of the zone are hidden, not their number.
    contents_only: bool,
}

impl Checker<'_> {
    pub(crate) fn note_hidden_read(&mut self, span: Span, why: impl Into<String>) {
        self.push_hidden_read(HiddenRead { span, reason: why.into(), contents_only: false });
    }

    fn push_hidden_read(&mut self, read: HiddenRead) {
        if self.body.mode == CodeMode::Pure {
            self.usage.hidden_reads.reads.entry(self.body.routine).or_default().push(read);
        }
    }

    /// Notes a call. The hidden reads of the callee count as well.
    pub(crate) fn note_function_call(&mut self, callee: RoutineId, span: Span) {
        if self.body.mode == CodeMode::Pure {
            self.usage.hidden_reads.calls.entry(self.body.routine).or_default().push((callee, span));
        }
    }

    /// Notes the read of a property of the entity in `entity`.
    pub(crate) fn note_property(&mut self, entity: Reg, prop: &PropInfo, span: Span) {
        let name = self.symbols.spelling(prop.name).to_owned();
        let is_open = match self.program.props[prop.id.index()].visible {
            _ if prop.name == native::KNOWN => false,
            Visibility::All => true,
            Visibility::Owner => self.body.recipient == Some(entity),
            Visibility::None
            | Visibility::Computed(_)
            | Visibility::ByPosition(_)
            | Visibility::ByContents => false,
        };
        if !is_open {
            self.note_hidden_read(span, format!("not everyone sees the property `{name}`"));
        } else if self.holds_entities(&prop.ty) {
            let why = format!("the property `{name}` may hold something hidden");
            self.note_hidden_read(span, why);
        }
    }

    /// Notes the read of a property of an entity of unknown kind.
    pub(crate) fn note_properties(&mut self, name: &str, span: Span) {
        let props: Vec<PropInfo> = self.symbols.props_named(name).cloned().collect();
        if props.is_empty() {
            self.note_hidden_read(span, format!("not everyone sees the property `{name}`"));
        }
        props.iter().for_each(|prop| self.note_property(Reg::NONE, prop, span));
    }

    /// Notes the read of a zone: that of the entity in `host`, or all instances.
    pub(crate) fn note_zone(&mut self, host: Option<Reg>, zone: ZoneId, span: Span) {
        let is_open = match self.program.zones[zone.index()].visible {
            Visibility::All => true,
            Visibility::Owner => host.is_some() && self.body.recipient == host,
            Visibility::None
            | Visibility::Computed(_)
            | Visibility::ByPosition(_)
            | Visibility::ByContents => false,
        };
        if !is_open {
            let (name, info) = self.symbols.zone_by_id(zone);
            let why = format!("not everyone sees what is in `{name}`");
            // A view shows the number of entities in a zone, unless the zone's host is hidden.
            let is_contents = host.is_some() || info.of.is_none_or(|of| of == KindId::PLAYER);
            self.push_hidden_read(HiddenRead { span, reason: why, contents_only: is_contents });
        }
    }

    /// Removes the hidden read just noted for `list`, because only the number of its items is used, and
    /// everyone may know that.
    pub(crate) fn note_zone_count(&mut self, list: &Expr) {
        let span = match &list.kind {
            ExprKind::Method { name, .. } => name.span,
            _ => list.span,
        };
        let reads = self.usage.hidden_reads.reads.get_mut(&self.body.routine);
        if let Some(reads) = reads
            && reads.last().is_some_and(|read| read.contents_only && read.span == span)
        {
            reads.pop();
        }
    }

    /// Notes the read of a field of the event that a message reports.
    pub(crate) fn note_event_field(&mut self, event: Reg, name: &str, ty: &Ty, span: Span) {
        if self.body.message_event == Some(event) && self.holds_entities(ty) {
            self.note_hidden_read(span, format!("the field `{name}` may hold something hidden"));
        }
    }

    /// Returns true if a value contains entities other than players, or refers to some.
    pub(crate) fn holds_entities(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Entity
            | Ty::SomeEntity
            | Ty::Zone(_)
            | Ty::Family(_)
            | Ty::Event(_)
            | Ty::Ability
            | Ty::Action
            | Ty::Any => true,
            Ty::Kind(kind) => ![KindId::PLAYER, KindId::MATCH].contains(kind),
            Ty::List(inner) | Ty::Maybe(inner) => self.holds_entities(inner),
            Ty::Map(key, value) => self.holds_entities(key) || self.holds_entities(value),
            Ty::Record(record) => record.fields.iter().any(|(_, ty)| self.holds_entities(ty)),
            _ => false,
        }
    }

    /// Returns the hidden reads of a routine and of the functions it calls, each with the place in the
    /// routine itself.
    pub(crate) fn hidden_reads_of(&self, routine: RoutineId) -> Vec<(Span, HiddenRead)> {
        let hidden = &self.usage.hidden_reads;
        let own = hidden.reads.get(&routine).into_iter().flatten();
        let mut found: Vec<(Span, HiddenRead)> = own.map(|read| (read.span, read.clone())).collect();
        let mut known = BTreeSet::from([routine]);
        let calls = hidden.calls.get(&routine).into_iter().flatten();
        let mut open: Vec<(RoutineId, Span)> = calls.copied().collect();
        while let Some((callee, span)) = open.pop() {
            if !known.insert(callee) {
                continue;
            }
            let reads = hidden.reads.get(&callee).into_iter().flatten();
            found.extend(reads.map(|read| (span, read.clone())));
            let further = hidden.calls.get(&callee).into_iter().flatten();
            open.extend(further.map(|(callee, _)| (*callee, span)));
        }
        found
    }
}
