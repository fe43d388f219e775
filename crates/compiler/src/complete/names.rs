//! Names of a ruleset that can be completed at a cursor position.

use super::CompletionCandidate;
use crate::grammar::Name;
use crate::grammar::expressions::{FACTS, FLOW, FUNCTIONS, METHODS, ROOTS, SPECIAL_FACTS, Vocabulary};
use crate::grammar::without_links;
use crate::source::Span;
use crate::symbol_index::{KnownName, SymbolCategory, SymbolIndex};

/// Number of seats offered if nobody has said how many there are.
const SEATS: u8 = 4;

/// The names that an index knows.
pub(super) struct Names<'i> {
    pub(super) index: &'i SymbolIndex,
    pub(super) place: Option<Span>,
}

impl Names<'_> {
    /// Returns the names that a key of the grammar accepts.
    pub(super) fn of(&self, name: Name) -> Vec<CompletionCandidate> {
        use SymbolCategory as Category;
        match name {
            // Templates are no actions, so only the files know them.
            Name::Action => self.declared(Category::Action),
            Name::Chain => self.of_category(Category::Chain),
            Name::Def => self.of_category(Category::Def),
            Name::Duration => self.of_category(Category::Duration),
            Name::Event => self.of_category(Category::Event),
            Name::Field => self.fields(),
            Name::Kind => self.of_category(Category::Kind),
            Name::Option => self.of_category(Category::Option),
            Name::Outcome => {
                let native =
                    ["disconnect", "concede", "kicked", "out_of_time", "moderator", "finished", "loop"];
                let native = native.map(|word| item(word, "outcome", Some("of every ruleset".to_owned())));
                [self.of_category(Category::Outcome), native.to_vec()].concat()
            }
            Name::Phase => self.of_category(Category::Phase),
            Name::Prop | Name::Resource => self.all_props(),
            Name::PlayerProp => self.owned(Category::Prop, "player"),
            Name::Question => self.declared(Category::Question),
            Name::Trait => self.of_category(Category::Trait),
            Name::Zone => self.of_category(Category::Zone),
            Name::Prelude => ["core@1", "tcg@1"].map(|name| item(name, "value", None)).into(),
        }
    }

    /// Returns the names of a category that belong to nothing.
    pub(super) fn of_category(&self, category: SymbolCategory) -> Vec<CompletionCandidate> {
        let known = self.index.known.iter();
        let mut found: Vec<CompletionCandidate> = known
            .filter(|known| known.category == category && known.owner.is_empty())
            .map(candidate)
            .collect();
        if found.is_empty() {
            // Labels, and everything in a ruleset that was not checked to its end.
            found = self.declared(category);
        }
        found
    }

    /// Returns the names of a category that the files declare.
    fn declared(&self, category: SymbolCategory) -> Vec<CompletionCandidate> {
        let own = self.index.definitions.iter().filter(|definition| definition.category == category);
        let mut found: Vec<CompletionCandidate> =
            own.map(|definition| item(&definition.name, kind(category), None)).collect();
        found.sort_by(|one, other| one.label.cmp(&other.label));
        found.dedup();
        found
    }

    /// Returns the names of a category that belong to a kind, an event, a record, an enum or a proc.
    pub(super) fn owned(&self, category: SymbolCategory, owner: &str) -> Vec<CompletionCandidate> {
        let known = self.index.known.iter();
        known.filter(|known| known.category == category && known.owner == owner).map(candidate).collect()
    }

    pub(super) fn is_trait(&self, name: &str) -> bool {
        let mut known = self.index.known.iter();
        known.any(|known| known.category == SymbolCategory::Trait && known.name == name)
    }

    /// Returns the fields of all events, each with the events that have it.
    fn fields(&self) -> Vec<CompletionCandidate> {
        self.with_owners(|known| known.category == SymbolCategory::Field)
    }

    /// Returns the properties of all kinds of entities, each with the kinds that have it.
    pub(super) fn all_props(&self) -> Vec<CompletionCandidate> {
        self.with_owners(|known| known.category == SymbolCategory::Prop)
    }

    fn with_owners(&self, is_meant: impl Fn(&KnownName) -> bool) -> Vec<CompletionCandidate> {
        let mut found: Vec<CompletionCandidate> = Vec::new();
        for known in self.index.known.iter().filter(|known| is_meant(known)) {
            match found.iter_mut().find(|item| item.label == known.name) {
                Some(item) => {
                    item.detail.iter_mut().for_each(|detail| *detail = format!("{detail}, {}", known.owner));
                }
                None => {
                    let detail = format!("{} of {}", known.detail, known.owner);
                    found.push(item(&known.name, kind(known.category), Some(detail)));
                }
            }
        }
        found
    }

    /// Returns what a new entity of a def, or a trait, can be given.
    pub(super) fn initial_values(&self, created: &str) -> Vec<CompletionCandidate> {
        if self.is_trait(created) {
            return self.owned(SymbolCategory::Prop, &format!("trait {created}"));
        }
        let mut known = self.index.known.iter();
        let def = known.find(|known| known.category == SymbolCategory::Def && known.name == created);
        match def {
            Some(def) => self.owned(SymbolCategory::Prop, &def.detail),
            None => self.all_props(),
        }
    }

    /// Returns what a modifier can change: properties of kinds, and chains.
    pub(super) fn modified(&self) -> Vec<CompletionCandidate> {
        let known = self.index.known.iter();
        let props =
            known.filter(|known| known.category == SymbolCategory::Prop && !known.owner.contains(' '));
        let path = |known: &KnownName| {
            item(&format!("{}.{}", known.owner, known.name), "prop", Some(known.detail.clone()))
        };
        let mut found: Vec<CompletionCandidate> = props.map(path).collect();
        found.extend(self.of_category(SymbolCategory::Chain));
        found
    }

    /// Returns the types: kinds, enums, records and those of the language.
    pub(super) fn types(&self, own: &Vocabulary) -> Vec<CompletionCandidate> {
        let mut found = self.of_category(SymbolCategory::Kind);
        found.extend(self.of_category(SymbolCategory::Type));
        found.extend(own.terms.iter().map(|term| CompletionCandidate {
            insert: term.forms[0].split('<').next().map_or(String::new(), |name| {
                if term.forms[0].contains('<') { format!("{name}<") } else { name.to_owned() }
            }),
            ..item(term.name, "word", Some(without_links(term.doc)))
        }));
        found
    }

    /// Returns the names that can begin an expression.
    pub(super) fn expression(&self) -> Vec<CompletionCandidate> {
        let mut found = self.locals();
        found.extend(self.of_category(SymbolCategory::Function).into_iter().map(as_call));
        found.extend(self.of_category(SymbolCategory::Zone));
        found.extend(self.constants());
        found.extend(terms(&ROOTS));
        found.extend(terms(&FUNCTIONS).into_iter().map(as_call));
        found.extend(["true", "false", "null"].map(|word| item(word, "word", None)));
        found
    }

    /// Returns the names that stand for themselves.
    pub(super) fn constants(&self) -> Vec<CompletionCandidate> {
        use SymbolCategory as Category;
        let mut found = self.of_category(Category::Def);
        let members = self.index.known.iter().filter(|known| known.category == Category::Member);
        found.extend(members.map(candidate));
        let rest = [Category::Trait, Category::Symbol, Category::Phase, Category::Outcome, Category::Action];
        found.extend(rest.into_iter().flat_map(|category| self.of_category(category)));
        found
    }

    /// Returns the local names of the declaration around the cursor.
    fn locals(&self) -> Vec<CompletionCandidate> {
        let Some(place) = self.place else { return Vec::new() };
        let Some(scope) = self.index.scope_at(place) else { return Vec::new() };
        let here =
            self.index.definitions.iter().filter(|definition| {
                definition.category == SymbolCategory::Local && definition.owner == scope
            });
        let mut found: Vec<CompletionCandidate> =
            here.map(|local| item(&local.name, "param", Some("local".to_owned()))).collect();
        found.dedup();
        found
    }

    /// Returns the seats of a match.
    pub(super) fn seats(&self) -> Vec<CompletionCandidate> {
        let count = if self.index.seats == 0 { SEATS } else { self.index.seats };
        (0..count).map(|seat| item(&format!("p{seat}"), "param", Some(format!("seat {seat}")))).collect()
    }

    pub(super) fn viewers(&self) -> Vec<CompletionCandidate> {
        [self.seats(), vec![item("spectator", "param", None)]].concat()
    }

    /// Returns what players can answer, as far as names say.
    pub(super) fn answers(&self) -> Vec<CompletionCandidate> {
        let mut found = self.of_category(SymbolCategory::Action);
        found.extend(self.constants());
        found.extend(self.seats());
        found.extend(self.of_category(SymbolCategory::Zone));
        found.extend(["pass", "true", "false", "null"].map(|word| item(word, "value", None)));
        found
    }

    /// Returns the keys of an answer: an action, or the targets of one.
    pub(super) fn answer_keys(&self) -> Vec<CompletionCandidate> {
        let mut found = self.of_category(SymbolCategory::Action);
        let words = [("action", "the id of the action"), ("host", "the entity that has the action")];
        found.extend(words.map(|(word, doc)| item(word, "key", Some(doc.to_owned()))));
        found
    }

    /// Returns the members that can follow a dot after a value of a type.
    pub(super) fn members(&self, ty: &str) -> Vec<CompletionCandidate> {
        let ty = ty.strip_prefix("maybe<").and_then(|ty| ty.strip_suffix('>')).unwrap_or(ty);
        if let Some(event) = ty.strip_prefix("the event ") {
            return self.owned(SymbolCategory::Field, event);
        }
        if ty.starts_with("list<") || ty.starts_with("the zone ") || ty == "zone" {
            let host = item("host", "word", Some("the entity that the zone belongs to".to_owned()));
            let host = (!ty.starts_with("list<")).then_some(host);
            return terms(&METHODS).into_iter().chain(host).collect();
        }
        if let Some(fields) = ty.strip_prefix('{').and_then(|ty| ty.strip_suffix('}')) {
            return [written_fields(fields), vec![changed_copy()]].concat();
        }
        match ty {
            "options" => self.of_category(SymbolCategory::Option),
            "flow" => terms(&FLOW),
            "match" => self.owned(SymbolCategory::Prop, "match"),
            "" => self.anything(),
            "entity" => [
                self.all_props(),
                self.of_category(SymbolCategory::Zone),
                terms(&FACTS),
                special(&["known", "has"]),
            ]
            .concat(),
            _ => self.of_named_type(ty),
        }
    }

    /// Returns the members of a kind or a record.
    fn of_named_type(&self, ty: &str) -> Vec<CompletionCandidate> {
        let fields = self.owned(SymbolCategory::Field, ty);
        if !fields.is_empty() {
            return [fields, vec![changed_copy()]].concat();
        }
        let is_kind = |known: &&KnownName| known.category == SymbolCategory::Kind && known.name == ty;
        if ty != "stack_item" && !self.index.known.iter().any(|known| is_kind(&known)) {
            return Vec::new();
        }
        let own = match ty {
            "player" => special(&["seat", "has"]),
            "stack_item" => special(&["actor", "targets", "rule", "trigger", "about"]),
            _ => special(&["known", "has"]),
        };
        [self.owned(SymbolCategory::Prop, ty), self.owned(SymbolCategory::Zone, ty), terms(&FACTS), own]
            .concat()
    }

    /// Returns what can follow a dot if the type is not known.
    fn anything(&self) -> Vec<CompletionCandidate> {
        [
            self.all_props(),
            self.of_category(SymbolCategory::Zone),
            self.fields(),
            terms(&FACTS),
            terms(&METHODS),
        ]
        .concat()
    }
}

/// Returns the terms of a vocabulary, each with its forms and its documentation.
fn terms(words: &Vocabulary) -> Vec<CompletionCandidate> {
    let detail = |forms: &[&str], doc: &str| format!("{}: {}", forms.join(", "), without_links(doc));
    words.terms.iter().map(|term| item(term.name, "word", Some(detail(term.forms, term.doc)))).collect()
}

fn special(names: &[&str]) -> Vec<CompletionCandidate> {
    terms(&SPECIAL_FACTS).into_iter().filter(|item| names.contains(&item.label.as_str())).collect()
}

fn changed_copy() -> CompletionCandidate {
    item("with", "word", Some("with({field: value}): a copy with other values".to_owned()))
}

/// Returns the fields of a record type without a name: `total: int, faces: list<int>`.
fn written_fields(fields: &str) -> Vec<CompletionCandidate> {
    let mut depth = 0_i32;
    let parts = fields.split(|letter: char| {
        depth += match letter {
            '<' | '{' => 1,
            '>' | '}' => -1,
            _ => 0,
        };
        letter == ',' && depth == 0
    });
    parts
        .filter_map(|part| part.split_once(':'))
        .map(|(name, ty)| item(name.trim(), "param", Some(ty.trim().to_owned())))
        .collect()
}

fn candidate(known: &KnownName) -> CompletionCandidate {
    item(&known.name, kind(known.category), Some(known.detail.clone()))
}

/// Returns the word for a category in the protocol of the playground.
fn kind(category: SymbolCategory) -> &'static str {
    use SymbolCategory as Category;
    match category {
        Category::Event => "event",
        Category::Function => "function",
        Category::Proc => "proc",
        Category::Prop => "prop",
        Category::Field | Category::Local => "param",
        Category::Kind | Category::Type => "kind",
        Category::Zone => "zone",
        Category::Def => "def",
        Category::Trait => "trait",
        Category::Outcome => "outcome",
        Category::Option => "option",
        Category::Action => "action",
        _ => "symbol",
    }
}

pub(super) fn item(name: &str, kind: &'static str, detail: Option<String>) -> CompletionCandidate {
    let detail = detail.filter(|detail| !detail.is_empty());
    CompletionCandidate { label: name.to_owned(), kind, detail, insert: name.to_owned() }
}

/// Inserts a colon after the name.
pub(super) fn as_key(item: CompletionCandidate) -> CompletionCandidate {
    CompletionCandidate { insert: format!("{}: ", item.label), ..item }
}

/// Inserts an opening bracket after the name.
fn as_call(item: CompletionCandidate) -> CompletionCandidate {
    CompletionCandidate { insert: format!("{}(", item.label), ..item }
}
