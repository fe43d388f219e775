//! Names of a ruleset that could stand at a place.

use intermezzo_ruleset::{DefId, KindId, Program, Type, native};

use super::Item;
use super::place::Place;
use super::receiver::{Receiver, receiver};
use crate::check::{BUILT_IN, FACTS, LIST_METHODS};

/// Words with a meaning in every rule.
const WORDS: &[&str] =
    &["players", "match", "self", "you", "actor", "event", "it", "flow", "true", "false", "null"];
/// Types that every ruleset has.
const TYPES: &[&str] = &[
    "int",
    "bool",
    "symbol",
    "text",
    "player",
    "entity",
    "zone",
    "dice",
    "list<>",
    "map<player, >",
    "maybe<>",
];

/// Names that could stand at a place.
pub(super) fn names(program: &Program, place: &Place, is_expression: bool) -> Vec<Item> {
    let names = Names { program };
    if place.is_member {
        return names.members(&receiver(program, &place.before));
    }
    let key = place.path.iter().rev().find(|part| *part != "[]").map_or("", String::as_str);
    match key {
        "emit" | "after" | "before" | "eventType" | "resetsOn" | "ResetsOn" | "ignore" => names.events(),
        "zones" | "zone" => names.zones(),
        "in" | "to" => [names.zones(), names.anything()].concat(),
        "kind" | "holds" | "extends" => names.kinds(),
        "create" => [names.defs(), names.anything()].concat(),
        "traits" | "attach" => names.traits(),
        "end" => names.outcomes(),
        "type" | "returns" | "payload" | "params" | "record" => names.types(),
        "of" => [names.kinds(), names.events(), names.props()].concat(),
        "uses" => ["core@1", "tcg@1"].map(|name| item(name, "value", None)).into(),
        "phase" => names.phases(),
        _ if is_expression => names.anything(),
        _ => Vec::new(),
    }
}

/// Procs, which stand where an operation could.
pub(super) fn procs(program: &Program) -> Vec<Item> {
    let names = program.routines.iter().filter_map(|routine| routine.name.strip_prefix("procs."));
    names
        .filter(|name| is_name(name))
        .map(|name| Item { insert: format!("{name}: "), ..item(name, "proc", None) })
        .collect()
}

struct Names<'a> {
    program: &'a Program,
}

impl Names<'_> {
    fn symbol(&self, symbol: intermezzo_ruleset::Symbol) -> &str {
        self.program.symbol(symbol)
    }

    fn events(&self) -> Vec<Item> {
        let event = |(place, event): (usize, &intermezzo_ruleset::EventType)| {
            let fields: Vec<&str> = event.fields.iter().map(|field| self.symbol(field.name)).collect();
            let own = if place < native::EVENTS.len() { "of every ruleset: " } else { "" };
            item(&event.name, "event", Some(format!("{own}{}", fields.join(", "))))
        };
        let (native, own) = self.program.events.split_at(native::EVENTS.len().min(self.program.events.len()));
        // The ruleset's own come first.
        let first = native.len();
        let own = own.iter().enumerate().map(|(place, event)| (place + first, event));
        own.chain(native.iter().enumerate()).map(event).collect()
    }

    fn zones(&self) -> Vec<Item> {
        let zone = |zone: &intermezzo_ruleset::Zone| {
            let of = zone.of.map(|kind| format!("of {}", self.program.kinds[kind.index()].name));
            item(self.symbol(zone.name), "zone", of)
        };
        self.program.zones.iter().map(zone).collect()
    }

    fn kinds(&self) -> Vec<Item> {
        let kinds = self.program.kinds.iter().filter(|kind| is_name(&kind.name));
        kinds.map(|kind| item(&kind.name, "kind", None)).collect()
    }

    fn is_own(&self, def: DefId) -> bool {
        let def = &self.program.defs[def.index()];
        !self.program.is_kind(def.kind, KindId::ITEM) && is_name(self.symbol(def.name))
    }

    fn defs_where(&self, is_trait: bool, kind: &'static str) -> Vec<Item> {
        let ids = (0..self.program.defs.len()).map(|at| DefId(at as u16));
        let own = ids.filter(|id| self.is_own(*id) && self.program.defs[id.index()].is_trait == is_trait);
        own.map(|id| {
            let def = &self.program.defs[id.index()];
            let title = self.program.texts.get(def.title.index()).cloned();
            item(self.symbol(def.name), kind, title)
        })
        .collect()
    }

    fn defs(&self) -> Vec<Item> {
        self.defs_where(false, "def")
    }

    fn traits(&self) -> Vec<Item> {
        self.defs_where(true, "trait")
    }

    fn outcomes(&self) -> Vec<Item> {
        self.program.outcomes.iter().map(|outcome| item(self.symbol(*outcome), "outcome", None)).collect()
    }

    fn phases(&self) -> Vec<Item> {
        self.program.phases.iter().map(|phase| item(self.symbol(phase.name), "symbol", None)).collect()
    }

    fn options(&self) -> Vec<Item> {
        self.program.options.iter().map(|option| item(self.symbol(option.name), "option", None)).collect()
    }

    fn types(&self) -> Vec<Item> {
        let mut types = self.kinds();
        types.extend(TYPES.iter().map(|name| item(name, "word", None)));
        types
    }

    /// Properties, with the kinds that have them.
    fn props(&self) -> Vec<Item> {
        self.props_of(|_| true)
    }

    /// The same of some kinds.
    fn props_of(&self, is_meant: impl Fn(KindId) -> bool) -> Vec<Item> {
        let mut found: Vec<Item> = Vec::new();
        for (at, kind) in self.program.kinds.iter().enumerate().filter(|(_, kind)| is_name(&kind.name)) {
            if !is_meant(KindId(at as u16)) {
                continue;
            }
            for prop in &kind.props {
                let prop = &self.program.props[prop.index()];
                let name = self.symbol(prop.name);
                if prop.name == native::KNOWN || !is_name(name) {
                    continue;
                }
                let detail = format!("{} of {}", type_name(&self.program.types[prop.ty.index()]), kind.name);
                match found.iter_mut().find(|item| item.label == name) {
                    Some(known) => known
                        .detail
                        .iter_mut()
                        .for_each(|detail| *detail = format!("{detail}, {}", kind.name)),
                    None => found.push(item(name, "prop", Some(detail))),
                }
            }
        }
        found
    }

    /// What can stand after a dot: members of what stands before it, or of anything.
    fn members(&self, of: &Receiver) -> Vec<Item> {
        let words =
            |names: &[&str]| -> Vec<Item> { names.iter().map(|name| item(name, "word", None)).collect() };
        let is_thing = |kind: KindId| kind != KindId::MATCH && kind != KindId::PLAYER;
        match of {
            Receiver::Options => self.options(),
            Receiver::Of(kind) if *kind == KindId::MATCH => self.props_of(|at| at == *kind),
            Receiver::Of(kind) => {
                [self.props_of(|at| at == *kind), self.zones_of(|at| at == *kind), words(FACTS)].concat()
            }
            Receiver::Thing => [self.props_of(is_thing), self.zones_of(is_thing), words(FACTS)].concat(),
            Receiver::Many(_) => words(LIST_METHODS),
            Receiver::Plain => Vec::new(),
            Receiver::Unknown => [self.props(), self.zones(), words(FACTS), words(LIST_METHODS)].concat(),
        }
    }

    /// Zones that entities of some kinds have.
    fn zones_of(&self, is_meant: impl Fn(KindId) -> bool) -> Vec<Item> {
        let kinds = self.program.kinds.iter().enumerate().filter(|(at, _)| is_meant(KindId(*at as u16)));
        let zones = kinds.flat_map(|(_, kind)| &kind.zones);
        zones.map(|zone| item(self.symbol(self.program.zones[zone.index()].name), "zone", None)).collect()
    }

    /// What can begin an expression.
    fn anything(&self) -> Vec<Item> {
        let functions =
            self.program.routines.iter().filter_map(|routine| routine.name.strip_prefix("functions."));
        let mut found: Vec<Item> = functions
            .filter(|name| is_name(name))
            .map(|name| Item { insert: format!("{name}("), ..item(name, "function", None) })
            .collect();
        found.extend(self.options());
        found.extend(self.zones());
        found.extend(self.defs());
        found.extend(
            self.program
                .enums
                .iter()
                .flat_map(|of| &of.members)
                .map(|member| item(self.symbol(*member), "symbol", None)),
        );
        found.extend(WORDS.iter().chain(BUILT_IN).map(|name| item(name, "word", None)));
        found
    }
}

fn type_name(ty: &Type) -> &'static str {
    match ty {
        Type::Int => "int",
        Type::Bool => "bool",
        Type::List(_) => "list",
        Type::Record(_) => "record",
        Type::PlayerMap(_) | Type::EnumMap(..) => "map",
        Type::Text => "text",
        Type::Symbol | Type::Enum(_) => "symbol",
        Type::Zone => "zone",
        Type::Dice => "dice",
        _ => "entity",
    }
}

/// Names with spaces in them are the compiler's own.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '-')
}

fn item(name: &str, kind: &'static str, detail: Option<String>) -> Item {
    let detail = detail.filter(|detail| !detail.is_empty());
    Item { label: name.to_owned(), kind, detail, insert: name.to_owned() }
}
