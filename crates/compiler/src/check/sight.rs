//! What an expression reads that not everyone may see.
//!
//! While functions are lowered, every read that could tell a player more than the player's view does is noted. Most
//! rules may read what they like; messages to players may not, nor what they call.
//!
//! Where nothing is noted, every entity an expression gets hold of is in sight of everyone, or of `you`: entities come
//! from zones alone, and zones that not everyone sees into are noted.

use std::collections::{BTreeMap, BTreeSet};

use intermezzo_ruleset::{KindId, Reg, RoutineId, Visibility, ZoneId, native};

use super::Checker;
use super::body::Mode;
use super::types::Ty;
use super::world::PropInfo;
use crate::expr::{Expr, ExprKind};
use crate::source::Span;

/// Reads that tell more than a view does.
#[derive(Default)]
pub(crate) struct Sight {
    /// By routine: where, and what is wrong with it.
    secrets: BTreeMap<RoutineId, Vec<Secret>>,
    /// Routine → functions it calls, with the place of the call.
    calls: BTreeMap<RoutineId, Vec<(RoutineId, Span)>>,
}

/// A read that tells more than a view does.
#[derive(Clone)]
pub(crate) struct Secret {
    pub(crate) span: Span,
    pub(crate) why: String,
    /// Only what is in the zone is hidden, not how many.
    is_contents: bool,
}

impl Checker<'_> {
    pub(crate) fn note_secret(&mut self, span: Span, why: impl Into<String>) {
        self.push_secret(Secret { span, why: why.into(), is_contents: false });
    }

    fn push_secret(&mut self, secret: Secret) {
        if self.body.mode == Mode::Pure {
            self.usage.sight.secrets.entry(self.body.routine).or_default().push(secret);
        }
    }

    /// A function is called: what it reads counts as well.
    pub(crate) fn note_function_call(&mut self, callee: RoutineId, span: Span) {
        if self.body.mode == Mode::Pure {
            self.usage.sight.calls.entry(self.body.routine).or_default().push((callee, span));
        }
    }

    /// A property is read, of the entity in that register.
    pub(crate) fn note_property(&mut self, entity: Reg, prop: &PropInfo, span: Span) {
        let name = self.world.spelling(prop.name).to_owned();
        let is_open = match self.program.props[prop.id.index()].visible {
            _ if prop.name == native::KNOWN => false,
            Visibility::All => true,
            Visibility::Owner => self.body.you == Some(entity),
            Visibility::None | Visibility::Computed(_) | Visibility::ByContents => false,
        };
        if !is_open {
            self.note_secret(span, format!("not everyone sees the property `{name}`"));
        } else if self.holds_entities(&prop.ty) {
            let why = format!("what the property `{name}` holds may be out of sight");
            self.note_secret(span, why);
        }
    }

    /// A property is read of an entity whose kind is not known.
    pub(crate) fn note_properties(&mut self, name: &str, span: Span) {
        let props: Vec<PropInfo> = self.world.props_named(name).cloned().collect();
        if props.is_empty() {
            self.note_secret(span, format!("not everyone sees the property `{name}`"));
        }
        props.iter().for_each(|prop| self.note_property(Reg::NONE, prop, span));
    }

    /// A zone is read: that of the entity in the register, or all of that name.
    pub(crate) fn note_zone(&mut self, host: Option<Reg>, zone: ZoneId, span: Span) {
        let is_open = match self.program.zones[zone.index()].visible {
            Visibility::All => true,
            Visibility::Owner => host.is_some() && self.body.you == host,
            Visibility::None | Visibility::Computed(_) | Visibility::ByContents => false,
        };
        if !is_open {
            let (name, info) = self.world.zone_by_id(zone);
            let why = format!("not everyone sees what is in `{name}`");
            // Views count what is in a zone, unless its host is out of sight.
            let is_contents = host.is_some() || info.of.is_none_or(|of| of == KindId::PLAYER);
            self.push_secret(Secret { span, why, is_contents });
        }
    }

    /// How many things are in a zone everyone may know. Takes back what was noted about the contents of `list`.
    pub(crate) fn note_count(&mut self, list: &Expr) {
        let span = match &list.kind {
            ExprKind::Method { name, .. } => name.span,
            _ => list.span,
        };
        let secrets = self.usage.sight.secrets.get_mut(&self.body.routine);
        if let Some(secrets) = secrets
            && secrets.last().is_some_and(|secret| secret.is_contents && secret.span == span)
        {
            secrets.pop();
        }
    }

    /// A field of the event is read that a message is about.
    pub(crate) fn note_event_field(&mut self, event: Reg, name: &str, ty: &Ty, span: Span) {
        if self.body.told == Some(event) && self.holds_entities(ty) {
            self.note_secret(span, format!("what is in the field `{name}` may be out of sight"));
        }
    }

    /// Whether a value has entities in it, players aside, or leads to some.
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

    /// All that a routine reads and should not, by itself or through functions, with the place in the routine itself.
    pub(crate) fn secrets_of(&self, routine: RoutineId) -> Vec<(Span, Secret)> {
        let sight = &self.usage.sight;
        let own = sight.secrets.get(&routine).into_iter().flatten();
        let mut found: Vec<(Span, Secret)> = own.map(|secret| (secret.span, secret.clone())).collect();
        let mut known = BTreeSet::from([routine]);
        let calls = sight.calls.get(&routine).into_iter().flatten();
        let mut open: Vec<(RoutineId, Span)> = calls.copied().collect();
        while let Some((callee, span)) = open.pop() {
            if !known.insert(callee) {
                continue;
            }
            let secrets = sight.secrets.get(&callee).into_iter().flatten();
            found.extend(secrets.map(|secret| (span, secret.clone())));
            let further = sight.calls.get(&callee).into_iter().flatten();
            open.extend(further.map(|(callee, _)| (*callee, span)));
        }
        found
    }
}
