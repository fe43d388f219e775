//! Static types: what the checker knows about a value before play.

use std::rc::Rc;

use intermezzo_ruleset::{EnumId, EventId, KindId, Symbol, ZoneId};

/// The type of an expression.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Ty {
    /// Already reported; agrees with everything, so that one mistake is one diagnostic.
    Error,
    /// The type of `null`.
    Null,
    /// Item type of the empty list: agrees with every item type.
    Never,
    Int,
    Bool,
    Text,
    Dice,
    /// Any name.
    Symbol,
    /// One name written in the rules; belongs to every set that has it.
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
    /// The host of a rule whose kind is not known: checked when it runs.
    SomeEntity,
    Kind(KindId),
    /// A zone instance; of a known family, or of any.
    Zone(Option<ZoneId>),
    /// A bare zone name: all its instances together.
    Family(ZoneId),
    /// An event under way; of a known type, or of any.
    Event(Option<EventId>),
    Ability,
    Action,
    List(Rc<Ty>),
    Map(Rc<Ty>, Rc<Ty>),
    Maybe(Rc<Ty>),
    Record(Rc<RecordTy>),
    /// Values of `Changed`: told by the property.
    Any,
}

/// A record type; equal if the fields are.
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
    pub(crate) const PLAYER: Ty = Ty::Kind(KindId::PLAYER);

    pub(crate) fn list(item: Ty) -> Ty {
        Ty::List(Rc::new(item))
    }

    /// `maybe<self>`; there is only one null, so a maybe of a maybe is one maybe.
    pub(crate) fn maybe(self) -> Ty {
        match self {
            Ty::Maybe(_) | Ty::Null | Ty::Error | Ty::Any => self,
            other => Ty::Maybe(Rc::new(other)),
        }
    }

    /// The type without its null.
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

    /// Whether words of this type are heap addresses.
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
