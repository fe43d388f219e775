//! Schemas of questions, of answers to them, and of what players can do.

use std::collections::BTreeMap;

use intermezzo_ruleset::{Action, ActionTiming, Choice, Inner, Shape, Type, native};
use serde_json::{Map, Value, json};

use super::Schemas;
use super::values::{either, entity_name, integer, nullable, object, player, reference, text};

impl Schemas<'_> {
    /// All that a viewer is asked, and who else is asked something.
    pub(super) fn prompts(&self) -> Value {
        let other = object(&[("seat", integer()), ("kind", text())], &[]);
        let auto = object(
            &[("until", json!({"enum": ["turn", "always"]})), ("stops", json!({"type": "boolean"}))],
            &[],
        );
        object(
            &[
                ("prompts", json!({"type": "array", "items": reference("prompt")})),
                ("others", json!({"type": "array", "items": other})),
            ],
            &[("auto", auto)],
        )
    }

    /// A question, by its name. Several may have the same.
    pub(super) fn prompt(&self) -> Value {
        either("anyOf", self.program.choices.iter().map(|choice| self.question(choice)).collect())
    }

    fn question(&self, choice: &Choice) -> Value {
        let boolean = |value: bool| json!({"const": value});
        let option = self.shown_option(choice);
        let needed = [
            ("inputId", integer()),
            ("actor", player()),
            ("name", json!({"const": choice.name})),
            ("kind", json!({"const": choice.kind.name()})),
            ("title", text()),
            ("options", json!({"type": "array", "items": option})),
            ("branches", self.branches(choice, None)),
            ("min", integer()),
            ("max", integer()),
            ("slots", nullable(integer())),
            ("pass", boolean(choice.pass)),
            ("drafts", boolean(choice.draft.is_some())),
            ("draft", self.value(choice.value)),
            ("deadlineMs", nullable(integer())),
            ("default", self.value(choice.value)),
        ];
        let further = [("path", boolean(true)), ("about", self.about()), ("lesson", self.lesson())];
        object(&needed, &further)
    }

    /// Something that can be picked. What people read of an action comes with it.
    fn shown_option(&self, choice: &Choice) -> Value {
        let needed = [("n", integer()), ("value", self.value(choice.item)), ("label", json!({}))];
        match self.program.types[choice.item.index()] {
            Type::Offer => object(&needed, &action_texts()),
            _ => object(&needed, &[]),
        }
    }

    fn branches(&self, choice: &Choice, parent: Option<u16>) -> Value {
        let branch = |at: usize| {
            let branch = &choice.branches[at];
            let needed = [
                ("id", json!({"const": self.name(branch.id)})),
                ("title", text()),
                ("exclusive", json!({"const": branch.exclusive})),
                ("options", json!({"type": "array", "items": self.shown_option(choice)})),
                ("min", integer()),
                ("max", integer()),
            ];
            let inner = ("branches", self.branches(choice, Some(at as u16)));
            let further = (branch.inner == Inner::Branches).then_some(inner);
            object(&needed, further.as_slice())
        };
        let all: Vec<Value> = choice.branches_of(parent).map(branch).collect();
        json!({"type": "array", "items": either("oneOf", all)})
    }

    /// The event a question is about.
    fn about(&self) -> Value {
        let own = self.program.events.iter().skip(native::EVENTS.len());
        let ways = own.map(|event| {
            let fields = event.fields.iter().map(|field| (self.name(field.name), self.value(field.ty)));
            object(
                &[("event", json!({"const": event.name})), ("payload", super::closed(fields.collect()))],
                &[],
            )
        });
        either("oneOf", ways.collect())
    }

    fn lesson(&self) -> Value {
        let names: Vec<&str> = self.program.lessons.iter().map(|lesson| lesson.name.as_str()).collect();
        let highlight = json!({"type": "array", "items": entity_name()});
        object(&[("id", json!({"enum": names})), ("say", text()), ("highlight", highlight)], &[])
    }

    // --- answers -----------------------------------------------------------------------

    /// What each question takes, under its own name, and all of them together.
    pub(super) fn answers(&self, defs: &mut Map<String, Value>) {
        let mut by_name: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for choice in &self.program.choices {
            by_name.entry(&choice.name).or_default().push(self.answer(choice));
        }
        let all = by_name.keys().map(|name| reference(&format!("answer.{name}"))).collect();
        defs.insert("answer".to_owned(), either("anyOf", all));
        for (name, ways) in by_name {
            defs.insert(format!("answer.{name}"), either("anyOf", ways));
        }
    }

    fn answer(&self, choice: &Choice) -> Value {
        let mut ways = match choice.shape {
            Shape::Branches => {
                let branch = self.taken(choice, None);
                vec![branch.clone(), json!({"type": "array", "items": branch})]
            }
            Shape::Slots { .. } => vec![json!({"type": "array", "items": nullable(self.pick(choice))})],
            Shape::Pick | Shape::Order | Shape::Path => {
                vec![self.pick(choice), json!({"type": "array", "items": self.pick(choice)})]
            }
        };
        if choice.pass {
            ways.push(json!({"enum": [null, "pass"]}));
        }
        let mut schema = json!({"anyOf": ways});
        if let Some(title) = self.program.texts.get(choice.title.index()) {
            schema["description"] = json!(title);
        }
        schema
    }

    /// An option by its value, its label or its number, or as it was shown.
    fn pick(&self, choice: &Choice) -> Value {
        let number = object(&[("n", integer())], &[]);
        let ways = vec![self.plain(choice.item), integer(), text(), number, self.shown_option(choice)];
        either("anyOf", ways)
    }

    /// A branch by its id or title, with what is picked in it.
    fn taken(&self, choice: &Choice, parent: Option<u16>) -> Value {
        let mut ways = vec![text()];
        for at in choice.branches_of(parent) {
            let branch = &choice.branches[at];
            let inner = match branch.inner {
                Inner::Nothing => json!({"maxItems": 0}),
                Inner::Options => self.pick(choice),
                Inner::Branches => self.taken(choice, Some(at as u16)),
            };
            let selection = either("anyOf", vec![inner.clone(), json!({"type": "array", "items": inner})]);
            ways.push(json!({
                "type": "object",
                "anyOf": [{"required": ["id"]}, {"required": ["title"]}],
                "properties": {"id": {"const": self.name(branch.id)}, "title": text(), "selection": selection},
            }));
        }
        either("anyOf", ways)
    }

    // --- actions -----------------------------------------------------------------------

    /// What a player can do, as it is offered.
    pub(super) fn offer(&self) -> Value {
        let offer = |action: &Action| {
            let targets = action.params.iter().filter(|param| param.offered);
            let targets = targets.map(|param| (self.name(param.name), self.value(param.ty)));
            object(
                &[
                    ("action", json!({"const": self.name(action.name)})),
                    ("host", nullable(entity_name())),
                    ("targets", super::closed(targets.collect())),
                ],
                &[],
            )
        };
        either("anyOf", self.takable().map(offer).collect())
    }

    /// What a player does, as it is sent.
    pub(super) fn action(&self) -> Value {
        let action = |action: &Action| {
            let params = || action.params.iter().map(|param| (self.name(param.name), self.value(param.ty)));
            let in_order = json!({"type": "array"});
            let targets = json!({"anyOf": [super::closed(params().collect()), in_order]});
            let params: Map<String, Value> =
                params().chain(["card", "host"].map(|key| (key.to_owned(), entity_name()))).collect();
            let mut schema = object(
                &[("type", json!({"const": self.name(action.name)}))],
                &[("targets", targets), ("params", json!({"type": "object", "properties": params}))],
            );
            if let Some(title) = self.program.texts.get(action.title.index()) {
                schema["title"] = json!(title);
            }
            schema
        };
        // Several things may have actions of one name.
        either("anyOf", self.takable().map(action).collect())
    }

    /// The actions that players take, not rules.
    fn takable(&self) -> impl Iterator<Item = &Action> {
        self.program.actions.iter().filter(|action| action.timing != ActionTiming::Called)
    }
}

/// What people read of an action.
fn action_texts() -> [(&'static str, Value); 5] {
    let costs = json!({"type": "array", "items": {"type": "object", "required": ["op"], "properties": {"op": text()}}});
    [("title", nullable(text())), ("text", text()), ("hint", text()), ("ui", text()), ("costs", costs)]
}
