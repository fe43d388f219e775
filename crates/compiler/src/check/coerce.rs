//! Type compatibility, and conversion of values to the expected type.

use std::rc::Rc;

use intermezzo_program::{Instr, KindId, Symbol, ZoneId};

use super::types::{RecordTy, Ty};
use super::{Checker, Val};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Compatibility of a value's type with the expected type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fit {
    Yes,
    /// Compatible unless the value is null.
    IfPresent,
    No,
}

/// Members up to which all are listed.
const MAX_LISTED: usize = 40;

impl Checker<'_> {
    pub(crate) fn fits(&self, wanted: &Ty, actual: &Ty) -> Fit {
        match (wanted, actual) {
            (Ty::Error | Ty::Any, _) | (_, Ty::Error | Ty::Never) => Fit::Yes,
            // Values of `Changed` get their type at run time. Lists and records are never accepted unchecked.
            (wanted, Ty::Any) => {
                if wanted.is_compound() {
                    Fit::No
                } else {
                    Fit::Yes
                }
            }
            (Ty::Maybe(_), Ty::Null) => Fit::Yes,
            (Ty::Maybe(wanted), Ty::Maybe(actual)) => self.fits(wanted, actual),
            (Ty::Maybe(wanted), actual) => self.fits(wanted, actual),
            (_, Ty::Null) => Fit::No,
            (wanted, Ty::Maybe(actual)) => match self.fits(wanted, actual) {
                Fit::No => Fit::No,
                _ => Fit::IfPresent,
            },
            _ if wanted == actual => Fit::Yes,
            (wanted, Ty::Name(symbol)) if self.symbols.is_member(*symbol, wanted) => Fit::Yes,
            (Ty::Symbol, actual) if actual.is_name() => Fit::Yes,
            (Ty::Symbol | Ty::ZoneName, Ty::Family(_)) => Fit::Yes,
            (Ty::Entity | Ty::SomeEntity, actual) if actual.is_entity() => Fit::Yes,
            (Ty::Kind(_), Ty::SomeEntity) => Fit::Yes,
            (Ty::Kind(wanted), Ty::Kind(actual)) if self.symbols.extends(*actual, *wanted) => Fit::Yes,
            (Ty::Zone(None), Ty::Zone(_)) => Fit::Yes,
            (Ty::Zone(None), Ty::Family(zone)) if self.is_single(*zone) => Fit::Yes,
            (Ty::Zone(Some(wanted)), Ty::Family(zone)) if wanted == zone && self.is_single(*zone) => Fit::Yes,
            (Ty::Event(None), Ty::Event(_)) => Fit::Yes,
            (Ty::List(wanted), Ty::List(actual)) => self.fits(wanted, actual),
            (Ty::List(wanted), Ty::Zone(_) | Ty::Family(_)) => self.fits(wanted, &self.item_type(actual)),
            (Ty::Map(key, wanted), Ty::Map(other, actual)) if key == other => self.fits(wanted, actual),
            (Ty::Record(wanted), Ty::Record(actual)) => self.record_fits(wanted, actual),
            _ => Fit::No,
        }
    }

    fn record_fits(&self, wanted: &RecordTy, actual: &RecordTy) -> Fit {
        let same_names = wanted.fields.len() == actual.fields.len()
            && wanted.fields.iter().zip(&actual.fields).all(|(a, b)| a.0 == b.0);
        if !same_names {
            return Fit::No;
        }
        let mut fit = Fit::Yes;
        for ((_, wanted), (_, actual)) in wanted.fields.iter().zip(&actual.fields) {
            match self.fits(wanted, actual) {
                Fit::No => return Fit::No,
                Fit::IfPresent => fit = Fit::IfPresent,
                Fit::Yes => {}
            }
        }
        fit
    }

    /// Returns true if a zone has one instance, so that its bare name means that one.
    fn is_single(&self, zone: ZoneId) -> bool {
        self.symbols.zone_by_id(zone).1.of.is_none()
    }

    /// Returns the item type of a list or zone.
    pub(crate) fn item_type(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::List(item) => (**item).clone(),
            Ty::Zone(Some(zone)) | Ty::Family(zone) => self.symbols.zone_by_id(*zone).1.item.clone(),
            Ty::Zone(None) => Ty::Entity,
            _ => Ty::Error,
        }
    }

    pub(crate) fn is_listlike(ty: &Ty) -> bool {
        matches!(ty, Ty::List(_) | Ty::Zone(_) | Ty::Family(_))
    }

    /// Returns the smallest type that includes both, or `None` if they have no common type.
    pub(crate) fn join(&self, a: &Ty, b: &Ty) -> Option<Ty> {
        Some(match (a, b) {
            (Ty::Error, _) | (_, Ty::Error) => Ty::Error,
            (Ty::Never, other) | (other, Ty::Never) => other.clone(),
            (a, b) if a == b => a.clone(),
            (Ty::Null, other) | (other, Ty::Null) => other.clone().maybe(),
            (Ty::Maybe(a), Ty::Maybe(b)) => self.join(a, b)?.maybe(),
            (Ty::Maybe(a), b) | (b, Ty::Maybe(a)) => self.join(a, b)?.maybe(),
            (Ty::Name(a), Ty::Name(b)) => self.shared_set(*a, *b),
            (Ty::Name(symbol), set) | (set, Ty::Name(symbol)) if self.symbols.is_member(*symbol, set) => {
                set.clone()
            }
            (a, b) if a.is_name() && b.is_name() => Ty::Symbol,
            (Ty::SomeEntity, other) | (other, Ty::SomeEntity) if other.is_entity() => other.clone(),
            (Ty::Kind(a), Ty::Kind(b)) => {
                let mut at = Some(*a);
                while let Some(kind) = at {
                    if self.symbols.extends(*b, kind) {
                        return Some(Ty::Kind(kind));
                    }
                    at = self.symbols.kind_info(kind).parent;
                }
                Ty::Entity
            }
            (a, b) if a.is_entity() && b.is_entity() => Ty::Entity,
            (a, b) if Self::is_listlike(a) && Self::is_listlike(b) => {
                Ty::list(self.join(&self.item_type(a), &self.item_type(b))?)
            }
            (Ty::Record(a), Ty::Record(b)) if a.fields.len() == b.fields.len() => {
                let mut fields = Vec::new();
                for ((name, a), (other, b)) in a.fields.iter().zip(&b.fields) {
                    if name != other {
                        return None;
                    }
                    fields.push((*name, self.join(a, b)?));
                }
                Ty::Record(Rc::new(RecordTy { name: a.name.clone(), fields }))
            }
            _ => return None,
        })
    }

    /// Returns the only set that contains both names, or `symbol` if several or none do.
    fn shared_set(&self, a: Symbol, b: Symbol) -> Ty {
        if self.symbols.is_member(a, &Ty::Def) && self.symbols.is_member(b, &Ty::Def) {
            return Ty::Def;
        }
        let mut sets = self
            .symbols
            .enums
            .iter()
            .filter(|(_, (_, members))| members.contains(&a) && members.contains(&b));
        match (sets.next(), sets.next()) {
            (Some((_, (id, _))), None) => Ty::Enum(*id),
            _ => Ty::Symbol,
        }
    }

    /// Converts `value` to `wanted`, or reports why it does not fit.
    pub(crate) fn coerce(&mut self, value: Val, wanted: &Ty, span: Span) -> Val {
        match self.fits(wanted, &value.ty) {
            Fit::Yes => {}
            Fit::IfPresent => self.warn_null(span),
            Fit::No => {
                self.report_mismatch(wanted, &value.ty, span);
                return Val { reg: value.reg, ty: Ty::Error };
            }
        }
        self.convert(value, wanted)
    }

    /// Emits the conversion of a compatible value into the representation of `wanted`.
    fn convert(&mut self, value: Val, wanted: &Ty) -> Val {
        let bare = wanted.present();
        match (&bare, value.ty.present()) {
            (Ty::List(_), Ty::Zone(_) | Ty::Family(_)) => self.as_list(value),
            (Ty::Zone(_), Ty::Family(zone)) => {
                let dst = self.body.new_temp();
                self.emit(Instr::TheZone { dst, zone });
                Val { reg: dst, ty: Ty::Zone(Some(zone)) }
            }
            (Ty::Symbol | Ty::ZoneName, Ty::Family(zone)) => {
                let name = self.symbols.zone_by_id(zone).0.to_owned();
                let symbol = self.intern_symbol(&name);
                let reg = self.constant(i64::from(symbol.0));
                Val { reg, ty: Ty::ZoneName }
            }
            _ => value,
        }
    }

    /// Copies the contents of a zone into a list.
    pub(crate) fn as_list(&mut self, value: Val) -> Val {
        let item = self.item_type(&value.ty.present());
        let dst = self.body.new_temp();
        match value.ty.present() {
            Ty::Zone(_) => {
                self.emit(Instr::ZoneList { dst, zone: value.reg });
            }
            Ty::Family(zone) => {
                if self.symbols.zone_by_id(zone).1.of.is_none() {
                    self.emit(Instr::TheZone { dst, zone });
                    self.emit(Instr::ZoneList { dst, zone: dst });
                } else {
                    self.emit(Instr::AllInZone { dst, zone });
                }
            }
            _ => return value,
        }
        Val { reg: dst, ty: Ty::list(item) }
    }

    pub(crate) fn warn_null(&mut self, span: Span) {
        self.report(
            Diagnostic::warning("W-NULL", span, "this may be null here")
                .hint("test it with `!= null` first, give a substitute with `??`, or assert it with `!`"),
        );
    }

    /// Returns the field of a wanted record that the actual one lacks and has under a similar name.
    pub(crate) fn misspelt_field(&mut self, wanted: &Ty, actual: &Ty) -> Option<String> {
        let (wanted, actual) = match (wanted.present(), actual.present()) {
            (Ty::List(wanted), Ty::List(actual)) => return self.misspelt_field(&wanted, &actual),
            (Ty::Record(wanted), Ty::Record(actual)) => {
                (self.symbols.field_names(&wanted.fields), self.symbols.field_names(&actual.fields))
            }
            _ => return None,
        };
        let missing: Vec<&str> =
            wanted.iter().filter(|field| !actual.contains(field)).map(String::as_str).collect();
        let unknown = actual.iter().find(|field| !wanted.contains(field))?;
        self.suggest(unknown, missing).map(str::to_owned)
    }

    fn report_mismatch(&mut self, wanted: &Ty, actual: &Ty, span: Span) {
        if let Ty::Name(symbol) = actual.present() {
            let members = self.symbols.members(wanted);
            if !members.is_empty() {
                let name = self.symbols.spelling(symbol).to_owned();
                let mut diagnostic = Diagnostic::error(
                    "E-ENUM",
                    span,
                    format!("`{name}` is not a {}", self.symbols.type_name(&wanted.present())),
                );
                diagnostic = match self.suggest(&name, members.iter().map(String::as_str)) {
                    Some(near) => diagnostic.hint(format!("did you mean `{near}`?")),
                    None if members.len() > MAX_LISTED => diagnostic,
                    None => diagnostic.hint(format!("one of: {}", members.join(", "))),
                };
                self.report(diagnostic);
                return;
            }
        }
        if let (Ty::Zone(None), Ty::Family(zone)) = (wanted.present(), actual.present()) {
            let name = self.symbols.zone_by_id(zone).0.to_owned();
            self.report(
                Diagnostic::error("E-TYPE", span, format!("there are several zones `{name}`"))
                    .hint(format!("say whose, such as `p.{name}`")),
            );
            return;
        }
        let message = format!(
            "expected {}, but this is {}",
            self.symbols.type_name(wanted),
            self.symbols.type_name(actual)
        );
        let mut diagnostic = Diagnostic::error("E-TYPE", span, message);
        if *wanted == Ty::Bool && actual.is_maybe() {
            diagnostic = diagnostic.hint("compare it with null: `… != null`");
        } else if *wanted == Ty::Bool && *actual == Ty::Int {
            diagnostic = diagnostic.hint("compare it with a number, such as `… > 0`");
        } else if let Some(field) = self.misspelt_field(wanted, actual) {
            diagnostic = diagnostic.hint(format!("did you mean `{field}`?"));
        } else if matches!(wanted.present(), Ty::Kind(_)) && actual.present() == Ty::Entity {
            diagnostic = diagnostic.hint("test its kind first with `is`");
        } else if let Some(prop) = self.bare_property(actual) {
            diagnostic = diagnostic.hint(format!("say whose property it is, such as `{prop}`"));
        }
        self.report(diagnostic);
    }

    /// Returns an example of how to read a property that was written without its owner.
    fn bare_property(&self, actual: &Ty) -> Option<String> {
        let Ty::Name(symbol) = actual.present() else { return None };
        let name = self.symbols.spelling(symbol);
        let kind = self.symbols.props_named(name).next()?.kind;
        let owner = match kind {
            KindId::MATCH => "match",
            KindId::PLAYER => {
                ["actor", "you"].into_iter().find(|who| self.body.binding(who).is_some()).unwrap_or("player")
            }
            _ => self.symbols.kind_name(kind),
        };
        // Kinds with spaces are those of the compiler.
        (!owner.contains(' ')).then(|| format!("{owner}.{name}"))
    }
}
