//! The symbol table: every declared name of a ruleset.
//!
//! The declaration passes fill it; the passes that compile rules read it. Lookup is by name, iteration in
//! order of declaration.

use std::collections::HashMap;
use std::rc::Rc;

use intermezzo_program::{DefId, EnumId, EventId, KindId, PhaseId, PropId, RoutineId, Symbol, ZoneId};

use super::types::Ty;
use crate::expr::Expr;
use crate::source::Span;
use crate::tree::SourceNode;

/// Declarations of one category, by name and in order.
#[derive(Debug)]
pub(crate) struct Declarations<T> {
    items: Vec<(String, T)>,
    index: HashMap<String, usize>,
}

impl<T> Default for Declarations<T> {
    fn default() -> Self {
        Declarations { items: Vec::new(), index: HashMap::new() }
    }
}

impl<T> Declarations<T> {
    pub(crate) fn insert(&mut self, name: &str, item: T) {
        if let Some(&at) = self.index.get(name) {
            self.items[at].1 = item;
            return;
        }
        self.index.insert(name.to_owned(), self.items.len());
        self.items.push((name.to_owned(), item));
    }

    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        self.index.get(name).map(|&at| &self.items[at].1)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        self.index.get(name).map(|&at| &mut self.items[at].1)
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.index.contains_key(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(|(name, _)| name.as_str())
    }

    /// Returns copies of the names, for suggestions computed while the table may change.
    pub(crate) fn owned_names(&self) -> Vec<String> {
        self.names().map(str::to_owned).collect()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.items.iter().map(|(name, item)| (name.as_str(), item))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct KindInfo {
    pub(crate) id: KindId,
    pub(crate) parent: Option<KindId>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct PropInfo {
    pub(crate) id: PropId,
    pub(crate) kind: KindId,
    pub(crate) name: Symbol,
    pub(crate) ty: Ty,
    pub(crate) column: u16,
    pub(crate) derived: Option<RoutineId>,
    pub(crate) modifiable: bool,
    pub(crate) resource: bool,
    pub(crate) hidden: bool,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct ZoneInfo {
    pub(crate) id: ZoneId,
    pub(crate) span: Span,
    pub(crate) of: Option<KindId>,
    /// The type of its contents.
    pub(crate) item: Ty,
    /// Everyone sees its contents.
    pub(crate) public: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct EventInfo {
    pub(crate) id: EventId,
    pub(crate) fields: Vec<(Symbol, Ty)>,
    pub(crate) preventable: bool,
    pub(crate) native: bool,
    pub(crate) span: Option<Span>,
    pub(crate) from_prelude: bool,
}

/// Another name for an event, optionally with a condition.
#[derive(Clone, Debug)]
pub(crate) struct AliasInfo {
    pub(crate) of: EventId,
    pub(crate) condition: Option<Rc<Expr>>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct ParamInfo {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) default: Option<Rc<Expr>>,
}

/// A function or proc.
#[derive(Clone, Debug)]
pub(crate) struct Callable {
    pub(crate) routine: RoutineId,
    pub(crate) params: Vec<ParamInfo>,
    pub(crate) returns: Ty,
    pub(crate) span: Span,
    pub(crate) body: Rc<SourceNode>,
    pub(crate) requires: Option<Rc<SourceNode>>,
    /// Text shown when its condition does not hold or its cost cannot be paid.
    pub(crate) failure_text: Option<String>,
    /// The stack does not resolve automatically while it runs.
    pub(crate) manual: bool,
    pub(crate) from_prelude: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct DefInfo {
    pub(crate) id: DefId,
    pub(crate) kind: KindId,
}

/// An action or ability.
#[derive(Clone, Debug)]
pub(crate) struct ActionInfo {
    /// Kind of its stack items. Every action has its own kind and def.
    pub(crate) kind: KindId,
    pub(crate) def: DefId,
    pub(crate) span: Span,
    /// Only rules can run it; players are not offered it.
    pub(crate) is_ability: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct TraitInfo {
    /// Kind of its instances. Every trait has its own kind and def.
    pub(crate) kind: KindId,
    pub(crate) def: DefId,
    pub(crate) params: Vec<ParamInfo>,
    pub(crate) span: Span,
    pub(crate) from_prelude: bool,
}

/// A staged computation over a record.
#[derive(Clone, Debug)]
pub(crate) struct ChainInfo {
    pub(crate) number: u16,
    pub(crate) stages: Vec<String>,
    pub(crate) record: Ty,
}

#[derive(Debug, Default)]
pub(crate) struct SymbolTable {
    pub(crate) interned: Vec<String>,
    pub(crate) symbol_index: HashMap<String, Symbol>,
    pub(crate) enums: Declarations<(EnumId, Vec<Symbol>)>,
    /// Record types by name.
    pub(crate) records: Declarations<Ty>,
    pub(crate) kinds: Declarations<KindInfo>,
    pub(crate) props: Vec<PropInfo>,
    pub(crate) zones: Declarations<ZoneInfo>,
    pub(crate) events: Declarations<EventInfo>,
    pub(crate) aliases: Declarations<AliasInfo>,
    pub(crate) durations: Declarations<Span>,
    pub(crate) functions: Declarations<Callable>,
    pub(crate) procs: Declarations<Callable>,
    pub(crate) defs: Declarations<DefInfo>,
    pub(crate) traits: Declarations<TraitInfo>,
    pub(crate) chains: Declarations<ChainInfo>,
    pub(crate) actions: Declarations<ActionInfo>,
    pub(crate) phases: Declarations<(PhaseId, Span)>,
    pub(crate) outcomes: Declarations<()>,
    /// Names declared in `symbols`, and those that declare themselves, such as labels of rolls.
    pub(crate) free_symbols: Declarations<()>,
    /// Ids of reactions.
    pub(crate) reaction_ids: Declarations<()>,
    /// Options: type and column of the match.
    pub(crate) options: Declarations<(Ty, u16)>,
    /// Ability tags.
    pub(crate) tags: Declarations<()>,
}

impl SymbolTable {
    pub(crate) fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.symbol_index.get(name) {
            return symbol;
        }
        let symbol = Symbol(self.interned.len() as u32);
        self.interned.push(name.to_owned());
        self.symbol_index.insert(name.to_owned(), symbol);
        symbol
    }

    pub(crate) fn spelling(&self, symbol: Symbol) -> &str {
        &self.interned[symbol.index()]
    }

    /// Returns the names of fields, for suggestions.
    pub(crate) fn field_names(&self, fields: &[(Symbol, Ty)]) -> Vec<String> {
        fields.iter().map(|(field, _)| self.spelling(*field).to_owned()).collect()
    }

    pub(crate) fn kind_name(&self, kind: KindId) -> &str {
        self.kinds.iter().find(|(_, info)| info.id == kind).map_or("?", |(name, _)| name)
    }

    pub(crate) fn kind_info(&self, kind: KindId) -> &KindInfo {
        self.kinds
            .iter()
            .find(|(_, info)| info.id == kind)
            .map(|(_, info)| info)
            .expect("kind ids come from the table")
    }

    pub(crate) fn extends(&self, kind: KindId, ancestor: KindId) -> bool {
        let mut at = Some(kind);
        while let Some(kind) = at {
            if kind == ancestor {
                return true;
            }
            at = self.kind_info(kind).parent;
        }
        false
    }

    /// Returns the property of `kind` called `name`, own or inherited.
    pub(crate) fn prop(&self, kind: KindId, name: &str) -> Option<&PropInfo> {
        let name = self.symbol_index.get(name)?;
        self.props.iter().find(|prop| prop.name == *name && self.extends(kind, prop.kind))
    }

    /// Returns all properties called `name`, of any kind.
    pub(crate) fn props_named(&self, name: &str) -> impl Iterator<Item = &PropInfo> {
        let name = self.symbol_index.get(name).copied();
        self.props.iter().filter(move |prop| Some(prop.name) == name)
    }

    pub(crate) fn zone_by_id(&self, zone: ZoneId) -> (&str, &ZoneInfo) {
        self.zones.iter().find(|(_, info)| info.id == zone).expect("zone ids come from the table")
    }

    pub(crate) fn event_by_id(&self, event: EventId) -> (&str, &EventInfo) {
        self.events.iter().find(|(_, info)| info.id == event).expect("event ids come from the table")
    }

    pub(crate) fn enum_by_id(&self, id: EnumId) -> (&str, &[Symbol]) {
        self.enums
            .iter()
            .find(|(_, (other, _))| *other == id)
            .map(|(name, (_, members))| (name, members.as_slice()))
            .expect("enum ids come from the table")
    }

    /// Returns true if `name` is a declared symbol.
    pub(crate) fn is_symbol(&self, name: &str) -> bool {
        self.free_symbols.contains(name)
            || self.defs.contains(name)
            || self.traits.contains(name)
            || self.phases.contains(name)
            || self.outcomes.contains(name)
            || self.tags.contains(name)
            || self.actions.contains(name)
            || self.events.contains(name)
            || self.reaction_ids.contains(name)
            || intermezzo_program::native::SYMBOLS.contains(&name)
            || self.props_named(name).next().is_some()
            || self
                .enums
                .iter()
                .any(|(_, (_, members))| members.iter().any(|member| self.spelling(*member) == name))
    }

    /// Returns every declared symbol, for suggestions.
    pub(crate) fn symbol_names(&self) -> Vec<&str> {
        self.interned.iter().map(String::as_str).filter(|name| self.is_symbol(name)).collect()
    }

    /// Returns true if `symbol` is a value of type `ty`.
    pub(crate) fn is_member(&self, symbol: Symbol, ty: &Ty) -> bool {
        let name = self.spelling(symbol);
        match ty {
            Ty::Symbol => true,
            Ty::Enum(id) => self.enum_by_id(*id).1.contains(&symbol),
            Ty::Def => self.defs.contains(name),
            Ty::Trait => self.traits.contains(name),
            // The core prelude refers to turns and rounds, even in rulesets without them.
            Ty::Phase => self.phases.contains(name) || matches!(name, "turn" | "round"),
            Ty::ZoneName => self.zones.contains(name),
            Ty::Outcome => self.outcomes.contains(name),
            Ty::Resource => self.props_named(name).any(|prop| prop.resource),
            Ty::Ability => self.actions.get(name).is_some_and(|action| action.is_ability),
            _ => false,
        }
    }

    /// Returns the names that are values of type `ty`, for suggestions.
    pub(crate) fn members(&self, ty: &Ty) -> Vec<String> {
        let own = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        match ty {
            Ty::Enum(id) => {
                self.enum_by_id(*id).1.iter().map(|member| self.spelling(*member).to_owned()).collect()
            }
            Ty::Def => own(self.defs.names().collect()),
            Ty::Trait => own(self.traits.names().collect()),
            Ty::Phase => own(self.phases.names().collect()),
            Ty::ZoneName => own(self.zones.names().collect()),
            Ty::Outcome => own(self.outcomes.names().collect()),
            Ty::Resource => self
                .props
                .iter()
                .filter(|prop| prop.resource)
                .map(|prop| self.spelling(prop.name).to_owned())
                .collect(),
            Ty::Symbol => own(self.symbol_names()),
            Ty::Maybe(inner) => self.members(inner),
            _ => Vec::new(),
        }
    }

    /// Returns the name of a type for messages.
    pub(crate) fn type_name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Error => "?".into(),
            Ty::Null => "null".into(),
            Ty::Never => "nothing".into(),
            Ty::Int => "int".into(),
            Ty::Bool => "bool".into(),
            Ty::Text => "text".into(),
            Ty::Dice => "dice".into(),
            Ty::Symbol => "symbol".into(),
            Ty::Name(symbol) => format!("the symbol `{}`", self.spelling(*symbol)),
            Ty::Enum(id) => self.enum_by_id(*id).0.into(),
            Ty::Def => "def".into(),
            Ty::Trait => "trait".into(),
            Ty::Phase => "phase".into(),
            Ty::ZoneName => "zonename".into(),
            Ty::Resource => "resource".into(),
            Ty::Outcome => "outcome".into(),
            Ty::Entity | Ty::SomeEntity => "entity".into(),
            Ty::Kind(KindId::ITEM) => "stack_item".into(),
            Ty::Kind(kind) => self.kind_name(*kind).into(),
            Ty::Zone(None) => "zone".into(),
            Ty::Zone(Some(zone)) | Ty::Family(zone) => {
                let (name, info) = self.zone_by_id(*zone);
                format!("the zone `{name}` of {}", self.type_name(&info.item))
            }
            Ty::Event(None) => "event".into(),
            Ty::Event(Some(event)) => format!("the event {}", self.event_by_id(*event).0),
            Ty::Ability => "ability".into(),
            Ty::Action => "action".into(),
            Ty::List(item) => format!("list<{}>", self.type_name(item)),
            Ty::Map(key, value) => format!("map<{}, {}>", self.type_name(key), self.type_name(value)),
            Ty::Maybe(inner) => format!("maybe<{}>", self.type_name(inner)),
            Ty::Record(record) => match &record.name {
                Some(name) => name.clone(),
                None => {
                    let fields: Vec<String> = record
                        .fields
                        .iter()
                        .map(|(name, ty)| format!("{}: {}", self.spelling(*name), self.type_name(ty)))
                        .collect();
                    format!("{{{}}}", fields.join(", "))
                }
            },
            Ty::Any => "any value".into(),
        }
    }
}
