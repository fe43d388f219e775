//! Names of a ruleset that can be completed at a cursor position.

use intermezzo_program::{DefId, KindId, Program, Type, native};

use super::CompletionCandidate;
use super::cursor_context::CursorContext;
use super::receiver::{Receiver, receiver};
use crate::check::{BUILT_IN, FACTS, LIST_METHODS};

/// Words of the expression language.
const WORDS: &[&str] =
    &["players", "match", "self", "you", "actor", "event", "it", "flow", "true", "false", "null"];
/// Built-in types.
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

/// Returns the names that fit at the cursor.
pub(super) fn names(
    program: &Program,
    cursor: &CursorContext,
    is_expression: bool,
) -> Vec<CompletionCandidate> {
    let names = ProgramNames { program };
    if cursor.is_member {
        return names.members(&receiver(program, &cursor.before));
    }
    let key = cursor.path.iter().rev().find(|part| *part != "[]").map_or("", String::as_str);
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

/// Returns the members of a type named as in an index.
pub(super) fn members_of(program: &Program, ty: &str) -> Vec<CompletionCandidate> {
    let kind = program.kinds.iter().position(|kind| kind.name == ty);
    let receiver = match kind {
        Some(kind) => Receiver::Kind(KindId(kind as u16)),
        None if ty == "entity" => Receiver::Entity,
        None if ty.starts_with("list<") || ty.starts_with("the zone ") || ty == "zone" => {
            Receiver::List(Box::new(Receiver::Unknown))
        }
        None => Receiver::Plain,
    };
    ProgramNames { program }.members(&receiver)
}

/// Returns the procs, which can stand in place of an operation.
pub(super) fn procs(program: &Program) -> Vec<CompletionCandidate> {
    let names = program.routines.iter().filter_map(|routine| routine.name.strip_prefix("procs."));
    names
        .filter(|name| is_name(name))
        .map(|name| CompletionCandidate { insert: format!("{name}: "), ..item(name, "proc", None) })
        .collect()
}

struct ProgramNames<'a> {
    program: &'a Program,
}

impl ProgramNames<'_> {
    fn symbol(&self, symbol: intermezzo_program::Symbol) -> &str {
        self.program.symbol(symbol)
    }

    fn events(&self) -> Vec<CompletionCandidate> {
        let event = |(index, event): (usize, &intermezzo_program::EventType)| {
            let fields: Vec<&str> = event.fields.iter().map(|field| self.symbol(field.name)).collect();
            let own = if index < native::EVENTS.len() { "of every ruleset: " } else { "" };
            item(&event.name, "event", Some(format!("{own}{}", fields.join(", "))))
        };
        let (native, own) = self.program.events.split_at(native::EVENTS.len().min(self.program.events.len()));
        // The ruleset's own events come first.
        let first = native.len();
        let own = own.iter().enumerate().map(|(index, event)| (index + first, event));
        own.chain(native.iter().enumerate()).map(event).collect()
    }

    fn zones(&self) -> Vec<CompletionCandidate> {
        let zone = |zone: &intermezzo_program::Zone| {
            let of = zone.of.map(|kind| format!("of {}", self.program.kinds[kind.index()].name));
            item(self.symbol(zone.name), "zone", of)
        };
        self.program.zones.iter().map(zone).collect()
    }

    fn kinds(&self) -> Vec<CompletionCandidate> {
        let kinds = self.program.kinds.iter().filter(|kind| is_name(&kind.name));
        kinds.map(|kind| item(&kind.name, "kind", None)).collect()
    }

    fn is_own(&self, def: DefId) -> bool {
        let def = &self.program.defs[def.index()];
        !self.program.is_kind(def.kind, KindId::ITEM) && is_name(self.symbol(def.name))
    }

    fn defs_where(&self, is_trait: bool, kind: &'static str) -> Vec<CompletionCandidate> {
        let ids = (0..self.program.defs.len()).map(|at| DefId(at as u16));
        let own = ids.filter(|id| self.is_own(*id) && self.program.defs[id.index()].is_trait == is_trait);
        own.map(|id| {
            let def = &self.program.defs[id.index()];
            let title = self.program.texts.get(def.title.index()).cloned();
            item(self.symbol(def.name), kind, title)
        })
        .collect()
    }

    fn defs(&self) -> Vec<CompletionCandidate> {
        self.defs_where(false, "def")
    }

    fn traits(&self) -> Vec<CompletionCandidate> {
        self.defs_where(true, "trait")
    }

    fn outcomes(&self) -> Vec<CompletionCandidate> {
        self.program.outcomes.iter().map(|outcome| item(self.symbol(*outcome), "outcome", None)).collect()
    }

    fn phases(&self) -> Vec<CompletionCandidate> {
        self.program.phases.iter().map(|phase| item(self.symbol(phase.name), "symbol", None)).collect()
    }

    fn options(&self) -> Vec<CompletionCandidate> {
        self.program.options.iter().map(|option| item(self.symbol(option.name), "option", None)).collect()
    }

    fn types(&self) -> Vec<CompletionCandidate> {
        let mut types = self.kinds();
        types.extend(TYPES.iter().map(|name| item(name, "word", None)));
        types
    }

    /// Returns all properties, each with the kinds that have it.
    fn props(&self) -> Vec<CompletionCandidate> {
        self.props_of(|_| true)
    }

    /// Returns the properties of some kinds.
    fn props_of(&self, is_meant: impl Fn(KindId) -> bool) -> Vec<CompletionCandidate> {
        let mut found: Vec<CompletionCandidate> = Vec::new();
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

    /// Returns the members that can follow a dot.
    fn members(&self, of: &Receiver) -> Vec<CompletionCandidate> {
        let words = |names: &[&str]| -> Vec<CompletionCandidate> {
            names.iter().map(|name| item(name, "word", None)).collect()
        };
        let is_thing = |kind: KindId| kind != KindId::MATCH && kind != KindId::PLAYER;
        match of {
            Receiver::Options => self.options(),
            Receiver::Kind(kind) if *kind == KindId::MATCH => self.props_of(|at| at == *kind),
            Receiver::Kind(kind) => {
                [self.props_of(|at| at == *kind), self.zones_of(|at| at == *kind), words(FACTS)].concat()
            }
            Receiver::Entity => [self.props_of(is_thing), self.zones_of(is_thing), words(FACTS)].concat(),
            Receiver::List(_) => words(LIST_METHODS),
            Receiver::Plain => Vec::new(),
            Receiver::Unknown => [self.props(), self.zones(), words(FACTS), words(LIST_METHODS)].concat(),
        }
    }

    /// Returns the zones that entities of some kinds have.
    fn zones_of(&self, is_meant: impl Fn(KindId) -> bool) -> Vec<CompletionCandidate> {
        let kinds = self.program.kinds.iter().enumerate().filter(|(at, _)| is_meant(KindId(*at as u16)));
        let zones = kinds.flat_map(|(_, kind)| &kind.zones);
        zones.map(|zone| item(self.symbol(self.program.zones[zone.index()].name), "zone", None)).collect()
    }

    /// Returns the names that can begin an expression.
    fn anything(&self) -> Vec<CompletionCandidate> {
        let functions =
            self.program.routines.iter().filter_map(|routine| routine.name.strip_prefix("functions."));
        let mut found: Vec<CompletionCandidate> = functions
            .filter(|name| is_name(name))
            .map(|name| CompletionCandidate { insert: format!("{name}("), ..item(name, "function", None) })
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

/// Returns true for names of the ruleset. The compiler's own names contain spaces.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '-')
}

fn item(name: &str, kind: &'static str, detail: Option<String>) -> CompletionCandidate {
    let detail = detail.filter(|detail| !detail.is_empty());
    CompletionCandidate { label: name.to_owned(), kind, detail, insert: name.to_owned() }
}
