//! Static types.

use std::rc::Rc;

use intermezzo_program::{EnumId, EventId, KindId, Symbol, ZoneId};

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Ty {
    /// Already reported. Compatible with every type, so that one mistake gives one diagnostic.
    Error,
    /// The type of `null`.
    Null,
    /// Item type of the empty list; compatible with every item type.
    Never,
    Int,
    Bool,
    Text,
    Dice,
    /// Any name.
    Symbol,
    /// A name written in the rules. It belongs to every set that contains it.
    Name(Symbol),
    Enum(EnumId),
    Def,
    Trait,
    Phase,
    ZoneName,
    Resource,
    Outcome,
    /// An entity of any kind.
    Entity,
    /// The host of a rule whose kind is unknown. It is checked at run time.
    SomeEntity,
    Kind(KindId),
    /// A zone instance, of a known zone or of any.
    Zone(Option<ZoneId>),
    /// A bare zone name: all instances together.
    Family(ZoneId),
    /// An event in progress, of a known type or of any.
    Event(Option<EventId>),
    Ability,
    Action,
    List(Rc<Ty>),
    Map(Rc<Ty>, Rc<Ty>),
    Maybe(Rc<Ty>),
    Record(Rc<RecordTy>),
    /// A value of the event `Changed`; its type depends on the property.
    Any,
}

/// A record type. Equality ignores the name.
#[derive(Clone, Debug)]
pub(crate) struct RecordTy {
    pub(crate) name: Option<String>,
    pub(crate) fields: Vec<(Symbol, Ty)>,
}

impl PartialEq for RecordTy {
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields
    }
}

impl Ty {
    /// Tells whether a value of this type is a single word.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Ty::Maybe(inner) => inner.is_plain(),
            _ => matches!(self, Ty::Int | Ty::Bool | Ty::Symbol | Ty::Enum(_) | Ty::Entity | Ty::Kind(_)),
        }
    }

    pub(crate) const PLAYER: Ty = Ty::Kind(KindId::PLAYER);

    pub(crate) fn list(item: Ty) -> Ty {
        Ty::List(Rc::new(item))
    }

    /// Returns `maybe<self>`. There is only one null, so `maybe<maybe<T>>` is `maybe<T>`.
    pub(crate) fn maybe(self) -> Ty {
        match self {
            Ty::Maybe(_) | Ty::Null | Ty::Error | Ty::Any => self,
            other => Ty::Maybe(Rc::new(other)),
        }
    }

    /// Returns the type without null.
    pub(crate) fn present(&self) -> Ty {
        match self {
            Ty::Maybe(inner) => (**inner).clone(),
            other => other.clone(),
        }
    }

    pub(crate) fn is_maybe(&self) -> bool {
        matches!(self, Ty::Maybe(_) | Ty::Null)
    }

    pub(crate) fn is_error(&self) -> bool {
        match self {
            Ty::Error => true,
            Ty::Maybe(inner) | Ty::List(inner) => inner.is_error(),
            _ => false,
        }
    }

    /// Returns true if values of this type are heap addresses.
    pub(crate) fn is_compound(&self) -> bool {
        match self {
            Ty::List(_) | Ty::Map(..) | Ty::Record(_) => true,
            Ty::Maybe(inner) => inner.is_compound(),
            _ => false,
        }
    }

    pub(crate) fn is_entity(&self) -> bool {
        matches!(self, Ty::Entity | Ty::SomeEntity | Ty::Kind(_))
    }

    pub(crate) fn is_name(&self) -> bool {
        matches!(
            self,
            Ty::Symbol
                | Ty::Name(_)
                | Ty::Enum(_)
                | Ty::Def
                | Ty::Trait
                | Ty::Phase
                | Ty::ZoneName
                | Ty::Resource
                | Ty::Outcome
        )
    }
}
