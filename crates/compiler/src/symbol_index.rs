//! The names of a ruleset and where they are used, for editors. Start with [`SymbolIndex`].
//!
//! Names that stand as values of keys are found by walking the files along the [grammar](crate::grammar). Names inside
//! expressions are noted by the checker while it compiles them, because only it knows their types.

use std::collections::HashSet;

use crate::grammar::scenarios::{SCENARIO_FILE, STEP, input_shape};
use crate::grammar::sections::RULESET;
use crate::grammar::statements::STATEMENTS;
use crate::grammar::{Name, Object, Shape};
use crate::source::Span;
use crate::tree::{MapEntry, NodeValue, SourceNode, SourceText};

/// The category of a name in an index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum SymbolCategory {
    Action,
    Chain,
    Def,
    Duration,
    /// Also an alias.
    Event,
    /// A field of an event or record.
    Field,
    Function,
    Kind,
    /// A label of a loop.
    Label,
    /// A local name or parameter.
    Local,
    /// A member of an enum.
    Member,
    Message,
    Option,
    Outcome,
    Phase,
    Proc,
    /// A property or resource.
    Prop,
    Question,
    Reaction,
    Symbol,
    Trait,
    Type,
    Zone,
}

/// A declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    pub category: SymbolCategory,
    pub name: String,
    /// The kind of a property, the event of a field, the declaration around a local name; empty for others.
    pub owner: String,
    /// The name.
    pub span: Span,
    /// The whole declaration.
    pub body: Span,
}

/// A use of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reference {
    pub category: SymbolCategory,
    pub name: String,
    /// As for a [`Definition`]; empty if it is not known.
    pub owner: String,
    pub span: Span,
}

/// A name that authors can write, with what it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownName {
    pub category: SymbolCategory,
    pub name: String,
    /// The kind of a property or zone, the event or record of a field, the enum of a member, the proc of a parameter.
    pub owner: String,
    /// Its type, its parameters or its fields.
    pub detail: String,
}

/// The type of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypedSpan {
    pub span: Span,
    /// The type as authors write it.
    pub ty: String,
}

/// A modifier in short.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModifierNote {
    /// The value that it changes, such as `card.power` or a chain.
    pub of: String,
    /// Its keys as they are written.
    pub text: String,
    pub span: Span,
}

/// Every name of a ruleset.
#[derive(Clone, Default, Debug)]
pub struct SymbolIndex {
    pub definitions: Vec<Definition>,
    pub references: Vec<Reference>,
    /// Types of expressions, inner ones before those around them.
    pub types: Vec<TypedSpan>,
    /// Everything that the ruleset, its preludes and the engine declare.
    pub known: Vec<KnownName>,
    /// The modifiers, in order.
    pub modifiers: Vec<ModifierNote>,
    /// The greatest number of seats; 0 if it is not known.
    pub seats: u8,
    /// Declarations in which local names live.
    scopes: Vec<Span>,
}

impl SymbolIndex {
    /// Adds the names of a file.
    pub(crate) fn add_file(&mut self, root: &SourceNode) {
        Walk { index: self, scope: String::new() }.object(root, &RULESET, "");
    }

    /// Adds the names of a scenario file. Call [`Self::finish`] afterwards.
    pub fn add_scenarios(&mut self, root: &SourceNode) {
        Walk { index: self, scope: String::new() }.object(root, &SCENARIO_FILE, "");
    }

    /// Adds the names of a `scenarios` section. Call [`Self::finish`] afterwards.
    pub fn add_scenario_list(&mut self, list: &SourceNode) {
        let scenarios = SCENARIO_FILE.get("scenarios");
        if let Some(key) = scenarios {
            Walk { index: self, scope: String::new() }.shape(list, &key.shape, "");
        }
    }

    /// Changes the places of everything.
    pub fn map_places(&mut self, map: impl Fn(Span) -> Span) {
        for definition in &mut self.definitions {
            (definition.span, definition.body) = (map(definition.span), map(definition.body));
        }
        self.references.iter_mut().for_each(|reference| reference.span = map(reference.span));
        self.types.iter_mut().for_each(|typed| typed.span = map(typed.span));
    }

    /// Completes the index: local names get the declaration they belong to.
    pub fn finish(&mut self) {
        let scopes = std::mem::take(&mut self.scopes);
        for reference in &mut self.references {
            if reference.category == SymbolCategory::Local && reference.owner.is_empty() {
                let around = scopes.iter().filter(|scope| contains(**scope, reference.span));
                let innermost = around.min_by_key(|scope| scope.end - scope.start);
                reference.owner = innermost.map(|scope| scope_name(*scope)).unwrap_or_default();
            }
        }
        self.scopes = scopes;
        self.references
            .sort_by_key(|reference| (reference.span.file, reference.span.start, reference.category));
        self.references.dedup();
    }

    /// Returns the name at a position: of a use, or of a declaration.
    #[must_use]
    pub fn at(&self, position: Span) -> Option<Reference> {
        let touches = |span: Span| {
            span.file == position.file && span.start <= position.start && position.start <= span.end
        };
        let used = self.references.iter().filter(|reference| touches(reference.span));
        let used = used.min_by_key(|reference| reference.span.end - reference.span.start).cloned();
        used.or_else(|| {
            let found = self.definitions.iter().find(|definition| touches(definition.span))?;
            Some(Reference {
                category: found.category,
                name: found.name.clone(),
                owner: found.owner.clone(),
                span: found.span,
            })
        })
    }

    /// Returns the declarations of a name.
    pub fn definitions_of<'a>(&'a self, name: &'a Reference) -> impl Iterator<Item = &'a Definition> {
        self.definitions.iter().filter(move |definition| {
            definition.name == name.name && fits(definition.category, &definition.owner, name)
        })
    }

    /// Returns the uses of a name.
    pub fn references_of<'a>(&'a self, name: &'a Reference) -> impl Iterator<Item = &'a Reference> {
        self.references.iter().filter(move |reference| {
            reference.name == name.name && fits(reference.category, &reference.owner, name)
        })
    }

    /// Returns every declared name with its category.
    #[must_use]
    pub fn declared_names(&self) -> HashSet<(SymbolCategory, &str)> {
        let own = self.definitions.iter().map(|definition| (definition.category, definition.name.as_str()));
        own.chain(self.known.iter().map(|known| (known.category, known.name.as_str()))).collect()
    }

    /// Returns the type of the innermost expression at a position.
    #[must_use]
    pub fn type_at(&self, position: Span) -> Option<&TypedSpan> {
        let around = self.types.iter().filter(|typed| contains(typed.span, position));
        around.min_by_key(|typed| typed.span.end - typed.span.start)
    }

    /// Returns the type of the largest expression that ends at a position.
    #[must_use]
    pub fn type_before(&self, position: Span) -> Option<&TypedSpan> {
        let ending = self
            .types
            .iter()
            .filter(|typed| typed.span.file == position.file && typed.span.end == position.start);
        ending.max_by_key(|typed| typed.span.end - typed.span.start)
    }

    /// Returns the declaration around a position in which local names live.
    #[must_use]
    pub fn scope_at(&self, position: Span) -> Option<String> {
        let around = self.scopes.iter().filter(|scope| contains(**scope, position));
        around.min_by_key(|scope| scope.end - scope.start).map(|scope| scope_name(*scope))
    }
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// Returns true if a name means the same. Names without an owner may belong to any.
fn fits(category: SymbolCategory, owner: &str, name: &Reference) -> bool {
    let is_same = category == name.category
        // A name in an expression may be declared in several ways; the checker notes the first that fits.
        || (category, name.category) == (SymbolCategory::Symbol, SymbolCategory::Member);
    let is_local = category == SymbolCategory::Local;
    is_same && (owner == name.owner || !is_local && (owner.is_empty() || name.owner.is_empty()))
}

fn scope_name(scope: Span) -> String {
    format!("{}:{}", scope.file.0, scope.start)
}

/// Objects in which local names live.
const SCOPES: &[&str] =
    &["function", "proc", "reaction", "action", "mode", "event", "modifier", "lesson", "message", "scenario"];

/// A walk through a file along the grammar.
struct Walk<'i> {
    index: &'i mut SymbolIndex,
    /// The declaration around local names.
    scope: String,
}

impl Walk<'_> {
    fn define(&mut self, category: SymbolCategory, name: &SourceText, owner: &str, body: Span) {
        let span = name.span_of(0..name.value.len());
        let (name, owner) = (name.value.clone(), owner.to_owned());
        self.index.definitions.push(Definition { category, name, owner, span, body });
    }

    fn refer(&mut self, category: SymbolCategory, name: &SourceText, owner: &str) {
        let span = name.span_of(0..name.value.len());
        self.index.references.push(Reference {
            category,
            name: name.value.clone(),
            owner: owner.to_owned(),
            span,
        });
    }

    fn local(&mut self, name: &SourceText) {
        let scope = self.scope.clone();
        self.define(SymbolCategory::Local, name, &scope, name.span);
    }

    /// Walks through an object. `owner` is the name under which it stands.
    fn object(&mut self, node: &SourceNode, object: &'static Object, owner: &str) {
        let outer = self.scope.clone();
        let is_scope = SCOPES.contains(&object.id);
        if is_scope {
            self.index.scopes.push(node.span);
            self.scope = scope_name(node.span);
        }
        if object.id == "modifier" {
            self.modifier(node);
        }
        for entry in node.as_map().unwrap_or_default() {
            let Some(key) = object.get(&entry.key.value) else {
                if let Some(shape) = input_shape(&entry.key.value).filter(|_| object.id == STEP.id) {
                    self.shape(&entry.value, shape, "");
                }
                continue;
            };
            if object.id == RULESET.id {
                self.section(entry, &key.shape);
            } else {
                self.key(entry, object, &key.shape, node, owner);
            }
        }
        self.scope = outer;
    }

    fn modifier(&mut self, node: &SourceNode) {
        let of = node.get("of").and_then(SourceNode::as_text).map(|of| of.value.clone());
        let written = |key: &&str| Some(format!("{key}: {}", plain(&node.get(key)?.to_json())));
        let parts: Vec<String> =
            ["id", "add", "set", "if", "layer", "stage", "zones"].iter().filter_map(written).collect();
        self.index.modifiers.push(ModifierNote {
            of: of.unwrap_or_default(),
            text: parts.join(", "),
            span: node.span,
        });
    }

    fn section(&mut self, entry: &MapEntry, shape: &'static Shape) {
        let declared = match entry.key.value.as_str() {
            "options" => SymbolCategory::Option,
            "types" => SymbolCategory::Type,
            "kinds" => SymbolCategory::Kind,
            "resources" => SymbolCategory::Prop,
            "zones" => SymbolCategory::Zone,
            "events" | "aliases" => SymbolCategory::Event,
            "durations" => SymbolCategory::Duration,
            "functions" => SymbolCategory::Function,
            "procs" => SymbolCategory::Proc,
            "chains" => SymbolCategory::Chain,
            "traits" => SymbolCategory::Trait,
            "defs" => SymbolCategory::Def,
            "messages" => SymbolCategory::Message,
            "symbols" | "outcomes" => {
                let category = if entry.key.value == "symbols" {
                    SymbolCategory::Symbol
                } else {
                    SymbolCategory::Outcome
                };
                for item in entry.value.as_list().unwrap_or_default() {
                    item.as_text().into_iter().for_each(|name| self.define(category, name, "", item.span));
                }
                return;
            }
            "players" | "match" => {
                let owner = if entry.key.value == "players" { "player" } else { "match" };
                self.shape(&entry.value, shape, owner);
                return;
            }
            _ => {
                self.index.scopes.push(entry.value.span);
                self.scope = scope_name(entry.value.span);
                self.shape(&entry.value, shape, "");
                self.scope.clear();
                return;
            }
        };
        let Shape::Named(inner) = shape else { return };
        for named in entry.value.as_map().unwrap_or_default() {
            let body = named.key.span.join(named.value.span);
            let owner = match declared {
                SymbolCategory::Prop => {
                    named.value.get("of").and_then(SourceNode::as_text).map_or("", |kind| kind.value.as_str())
                }
                _ => "",
            };
            self.define(declared, &named.key, owner, body);
            self.shape(&named.value, inner, &named.key.value);
        }
    }

    fn key(
        &mut self,
        entry: &MapEntry,
        object: &'static Object,
        shape: &'static Shape,
        node: &SourceNode,
        owner: &str,
    ) {
        let texts = || entry.value.as_text();
        let list = || entry.value.as_list().unwrap_or_default().iter().filter_map(SourceNode::as_text);
        let names = || entry.value.as_map().unwrap_or_default();
        match (object.id, entry.key.value.as_str()) {
            ("event", "text") => texts().into_iter().for_each(|text| self.placeholders(text, owner)),
            ("action", "id") => {
                texts().into_iter().for_each(|id| self.define(SymbolCategory::Action, id, "", node.span));
            }
            ("reaction", "id") => {
                texts().into_iter().for_each(|id| self.define(SymbolCategory::Reaction, id, "", node.span));
            }
            ("target" | "optional_cost", "id") => texts().into_iter().for_each(|id| self.local(id)),
            ("phase_of_turn" | "step", "id") => {
                texts().into_iter().for_each(|id| self.define(SymbolCategory::Phase, id, "", node.span));
            }
            ("type_declaration", "enum") => {
                list().for_each(|member| self.define(SymbolCategory::Member, member, owner, member.span));
            }
            ("type_declaration" | "chain", "record") | ("event", "payload") => {
                for field in names() {
                    self.define(
                        SymbolCategory::Field,
                        &field.key,
                        owner,
                        field.key.span.join(field.value.span),
                    );
                    self.ty(&field.value);
                }
            }
            ("trait", "params") => {
                for param in names() {
                    self.define(
                        SymbolCategory::Prop,
                        &param.key,
                        &format!("trait {owner}"),
                        param.key.span.join(param.value.span),
                    );
                    self.ty(&param.value);
                }
            }
            ("function" | "proc", "params") => {
                for param in names() {
                    self.local(&param.key);
                    self.ty(&param.value);
                }
            }
            ("players" | "match" | "kind", "props") => {
                for prop in names() {
                    self.define(SymbolCategory::Prop, &prop.key, owner, prop.key.span.join(prop.value.span));
                    let Shape::Named(inner) = shape else { continue };
                    if prop.value.as_text().is_some() {
                        self.ty(&prop.value);
                    } else {
                        self.shape(&prop.value, inner, &prop.key.value);
                    }
                }
            }
            ("def", "props") => {
                names().iter().for_each(|prop| self.refer(SymbolCategory::Prop, &prop.key, ""));
            }
            ("modifier", "of") => {
                let Some(text) = texts() else { return };
                match text.value.split_once('.') {
                    Some((kind, prop)) => {
                        let at = kind.len();
                        self.note(SymbolCategory::Kind, kind, "", text.span_of(0..at));
                        self.note(SymbolCategory::Prop, prop, "", text.span_of(at + 1..text.value.len()));
                    }
                    None => self.refer(SymbolCategory::Chain, text, ""),
                }
            }
            _ => self.shape(&entry.value, shape, owner),
        }
    }

    fn shape(&mut self, node: &SourceNode, shape: &'static Shape, owner: &str) {
        match shape {
            Shape::Object(object) => self.object(node, object, owner),
            Shape::List(items) => {
                node.as_list().unwrap_or_default().iter().for_each(|item| self.shape(item, items, owner));
            }
            Shape::Named(values) => {
                for entry in node.as_map().unwrap_or_default() {
                    // A target under its id.
                    let mut inner = Vec::new();
                    values.objects(&mut inner);
                    if inner.iter().any(|object| object.id == "unnamed_target") {
                        self.local(&entry.key);
                    }
                    self.shape(&entry.value, values, &entry.key.value);
                }
            }
            Shape::NamedBy(name, values) => {
                for entry in node.as_map().unwrap_or_default() {
                    self.name(*name, &entry.key);
                    self.shape(&entry.value, values, &entry.key.value);
                }
            }
            Shape::AnyOf(shapes) => {
                let is_meant = |shape: &&Shape| match (&node.value, shape) {
                    (
                        NodeValue::Map(_),
                        Shape::Object(_) | Shape::Named(_) | Shape::NamedBy(..) | Shape::Statements,
                    ) => true,
                    (NodeValue::List(_), Shape::List(_) | Shape::Statements) => true,
                    (NodeValue::Text(text), Shape::Words(words)) => words.contains(&text.value.as_str()),
                    (NodeValue::Text(_), Shape::Name(_) | Shape::Type | Shape::Statements) => true,
                    _ => false,
                };
                if let Some(shape) = shapes.iter().find(is_meant) {
                    self.shape(node, shape, owner);
                }
            }
            Shape::Name(name) => node.as_text().into_iter().for_each(|text| self.name(*name, text)),
            Shape::Type => self.ty(node),
            Shape::Statements => self.statements(node),
            Shape::BySeat(values) => {
                node.as_map()
                    .unwrap_or_default()
                    .iter()
                    .for_each(|entry| self.shape(&entry.value, values, ""));
            }
            Shape::Events => node.as_list().unwrap_or_default().iter().for_each(|line| self.event_line(line)),
            Shape::Answer | Shape::Offer => self.answer(node),
            _ => {}
        }
    }

    /// Notes the event of a line of a listing, and its fields.
    fn event_line(&mut self, line: &SourceNode) {
        if let Some(text) = line.as_text() {
            self.refer(SymbolCategory::Event, text, "");
        }
        for entry in line.as_map().unwrap_or_default() {
            self.refer(SymbolCategory::Event, &entry.key, "");
            for field in entry.value.as_map().unwrap_or_default() {
                self.refer(SymbolCategory::Field, &field.key, &entry.key.value);
                self.answer(&field.value);
            }
        }
    }

    /// Notes the names in an answer: actions, defs, members of enums and zones. Those that are nothing of the kind have no
    /// declaration.
    fn answer(&mut self, node: &SourceNode) {
        use SymbolCategory as Category;
        match &node.value {
            NodeValue::Text(text) => {
                let label = text.value.split(['#', '.']).next().unwrap_or_default();
                let span = text.span_of(0..label.len());
                for category in
                    [Category::Action, Category::Def, Category::Member, Category::Symbol, Category::Phase]
                {
                    self.note(category, label, "", span);
                }
                let zone = text.value.rsplit('.').next().unwrap_or_default();
                let start = text.value.len() - zone.len();
                self.note(Category::Zone, zone, "", text.span_of(start..text.value.len()));
            }
            NodeValue::List(items) => items.iter().for_each(|item| self.answer(item)),
            NodeValue::Map(entries) => {
                for entry in entries {
                    self.refer(Category::Action, &entry.key, "");
                    self.answer(&entry.value);
                }
            }
            _ => {}
        }
    }

    fn note(&mut self, category: SymbolCategory, name: &str, owner: &str, span: Span) {
        let (name, owner) = (name.to_owned(), owner.to_owned());
        self.index.references.push(Reference { category, name, owner, span });
    }

    /// Notes the fields of an event in a text: `{amount}` and `{player.name}`.
    fn placeholders(&mut self, text: &SourceText, event: &str) {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        for (at, _) in text.value.match_indices('{') {
            let name: String = text.value[at + 1..].chars().take_while(|letter| is_part(*letter)).collect();
            if !name.is_empty() {
                let span = text.span_of(at + 1..at + 1 + name.len());
                self.note(SymbolCategory::Field, &name, event, span);
            }
        }
    }

    fn name(&mut self, name: Name, text: &SourceText) {
        let category = match name {
            Name::Action => SymbolCategory::Action,
            Name::Chain => SymbolCategory::Chain,
            Name::Def => SymbolCategory::Def,
            Name::Duration => SymbolCategory::Duration,
            Name::Event => SymbolCategory::Event,
            Name::Field => SymbolCategory::Field,
            Name::Kind => SymbolCategory::Kind,
            Name::Option => SymbolCategory::Option,
            Name::Outcome => SymbolCategory::Outcome,
            Name::Phase => SymbolCategory::Phase,
            Name::Prop | Name::PlayerProp | Name::Resource => SymbolCategory::Prop,
            Name::Question => SymbolCategory::Question,
            Name::Trait => SymbolCategory::Trait,
            Name::Zone => SymbolCategory::Zone,
            Name::Prelude => return,
        };
        let owner = if name == Name::PlayerProp { "player" } else { "" };
        self.refer(category, text, owner);
    }

    /// Notes the kinds and types that a type names.
    fn ty(&mut self, node: &SourceNode) {
        let Some(text) = node.as_text() else { return };
        let written = text.value.split('=').next().unwrap_or_default();
        let mut start = None;
        for (at, letter) in written.char_indices().chain([(written.len(), ' ')]) {
            let is_part = letter.is_alphanumeric() || letter == '_';
            match (start, is_part) {
                (None, true) => start = Some(at),
                (Some(from), false) => {
                    let (name, span) = (written[from..at].to_owned(), text.span_of(from..at));
                    for category in [SymbolCategory::Kind, SymbolCategory::Type] {
                        let (name, owner) = (name.clone(), String::new());
                        self.index.references.push(Reference { category, name, owner, span });
                    }
                    start = None;
                }
                _ => {}
            }
        }
    }

    fn statements(&mut self, node: &SourceNode) {
        match &node.value {
            NodeValue::List(items) => items.iter().for_each(|item| self.statements(item)),
            NodeValue::Text(text) => self.refer(SymbolCategory::Proc, text, ""),
            NodeValue::Map(entries) => {
                let is_head =
                    |key: &str| STATEMENTS.iter().copied().find(|statement| statement.head == Some(key));
                match entries.iter().find_map(|entry| is_head(&entry.key.value)) {
                    Some(statement) => self.statement(node, entries, statement),
                    None => self.call(entries),
                }
            }
            _ => {}
        }
    }

    fn statement(&mut self, node: &SourceNode, entries: &[MapEntry], statement: &'static Object) {
        let head = statement.head.unwrap_or_default();
        let subject = node.get(head).and_then(SourceNode::as_text);
        for entry in entries {
            let text = entry.value.as_text();
            match (head, entry.key.value.as_str()) {
                ("let", "let") => {
                    entry.value.as_map().unwrap_or_default().iter().for_each(|local| self.local(&local.key));
                }
                ("choose", "choose") => {
                    if let Some(name) = text {
                        self.define(SymbolCategory::Question, name, "", node.span);
                        self.local(name);
                    }
                }
                ("phase", "phase") => {
                    text.into_iter().for_each(|name| self.define(SymbolCategory::Phase, name, "", node.span));
                }
                ("repeat", "label") => {
                    text.into_iter().for_each(|name| self.define(SymbolCategory::Label, name, "", name.span));
                }
                ("exit", "exit") => {
                    for category in [SymbolCategory::Label, SymbolCategory::Phase] {
                        text.into_iter().for_each(|name| self.refer(category, name, ""));
                    }
                }
                (_, "as") => text.into_iter().for_each(|name| self.local(name)),
                ("create" | "become", "with") => {
                    for prop in entry.value.as_map().unwrap_or_default() {
                        self.refer(SymbolCategory::Prop, &prop.key, "");
                    }
                }
                ("emit", key) if statement.get(key).is_none() => {
                    self.refer(
                        SymbolCategory::Field,
                        &entry.key,
                        subject.map_or("", |event| event.value.as_str()),
                    );
                }
                (_, key) => {
                    if let Some(key) = statement.get(key) {
                        self.shape(&entry.value, &key.shape, "");
                    }
                }
            }
        }
    }

    /// Walks through the call of a proc.
    fn call(&mut self, entries: &[MapEntry]) {
        let Some(first) = entries.first() else { return };
        match first.value.as_text().filter(|_| first.key.value == "op") {
            Some(name) => self.refer(SymbolCategory::Proc, name, ""),
            None => self.refer(SymbolCategory::Proc, &first.key, ""),
        }
        let results = entries.iter().filter(|entry| entry.key.value == "as");
        results.filter_map(|entry| entry.value.as_text()).for_each(|name| self.local(name));
    }
}

/// Returns a value in one line, as an author would write it.
fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
