//! Schemas of questions, answers and actions.

use std::collections::BTreeMap;

use intermezzo_program::{Action, ActionTiming, AnswerShape, BranchContent, Choice, Type, native};
use serde_json::{Map, Value, json};

use super::SchemaBuilder;
use super::values::{entity_name, integer, nullable, object, one_or_combined, player, reference, text};

impl SchemaBuilder<'_> {
    /// Returns the schema of a viewer's open questions, and of the others who are asked.
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

    /// Returns the schema of a question, by name. Several questions may share a name.
    pub(super) fn prompt(&self) -> Value {
        one_or_combined(
            "anyOf",
            self.program.choices.iter().map(|choice| self.question_schema(choice)).collect(),
        )
    }

    fn question_schema(&self, choice: &Choice) -> Value {
        let boolean = |value: bool| json!({"const": value});
        let option = self.option_schema(choice);
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
            ("draft", self.nullable_value(choice.value)),
            ("deadlineMs", nullable(integer())),
            ("default", self.nullable_value(choice.value)),
        ];
        let rule = object(&[("id", text())], &[("host", text())]);
        let mut further = vec![
            ("path", boolean(true)),
            ("passTitle", text()),
            ("rule", rule),
            ("about", self.about()),
            ("lesson", self.lesson()),
        ];
        if let Some(texts) = &choice.texts {
            let values = texts.fields.iter().map(|(name, ty)| (name.clone(), self.nullable_value(*ty)));
            further.extend([("template", text()), ("passTemplate", text())]);
            further.push(("values", super::closed(values.collect())));
        }
        object(&needed, &further)
    }

    /// Returns the schema of an option. Options that are actions include display texts.
    fn option_schema(&self, choice: &Choice) -> Value {
        let needed = [("n", integer()), ("value", self.nullable_value(choice.item)), ("label", json!({}))];
        match self.program.types[choice.item.index()] {
            Type::Offer => object(&needed, &action_texts()),
            Type::Entity | Type::Kind(_) if choice.blind || !self.program.face_props.is_empty() => {
                object(&needed, &[("hidden", json!({"const": true}))])
            }
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
                ("options", json!({"type": "array", "items": self.option_schema(choice)})),
                ("min", integer()),
                ("max", integer()),
            ];
            let inner = ("branches", self.branches(choice, Some(at as u16)));
            let inner = (branch.inner == BranchContent::Branches).then_some(inner);
            let template = choice.texts.is_some().then(|| ("template", text()));
            let further: Vec<(&str, Value)> = inner.into_iter().chain(template).collect();
            object(&needed, &further)
        };
        let all: Vec<Value> = choice.branches_of(parent).map(branch).collect();
        json!({"type": "array", "items": one_or_combined("oneOf", all)})
    }

    /// Returns the schema of the event a question is about.
    fn about(&self) -> Value {
        let own = self.program.events.iter().skip(native::EVENTS.len());
        let ways = own.map(|event| {
            let fields =
                event.fields.iter().map(|field| (self.name(field.name), self.nullable_value(field.ty)));
            object(
                &[("event", json!({"const": event.name})), ("payload", super::closed(fields.collect()))],
                &[],
            )
        });
        one_or_combined("oneOf", ways.collect())
    }

    fn lesson(&self) -> Value {
        let names: Vec<&str> = self.program.lessons.iter().map(|lesson| lesson.name.as_str()).collect();
        let highlight = json!({"type": "array", "items": entity_name()});
        object(&[("id", json!({"enum": names})), ("say", text()), ("highlight", highlight)], &[])
    }

    // --- answers -----------------------------------------------------------------------

    /// Adds the schema of the answers to each question under its name, and of all answers.
    pub(super) fn answers(&self, defs: &mut Map<String, Value>) {
        let mut by_name: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for choice in &self.program.choices {
            by_name.entry(&choice.name).or_default().push(self.answer(choice));
        }
        let all = by_name.keys().map(|name| reference(&format!("answer.{name}"))).collect();
        defs.insert("answer".to_owned(), one_or_combined("anyOf", all));
        for (name, ways) in by_name {
            defs.insert(format!("answer.{name}"), one_or_combined("anyOf", ways));
        }
    }

    fn answer(&self, choice: &Choice) -> Value {
        let mut ways = match choice.shape {
            AnswerShape::Branches => {
                let branch = self.branch_answer(choice, None);
                vec![branch.clone(), json!({"type": "array", "items": branch})]
            }
            AnswerShape::Slots { .. } => vec![json!({"type": "array", "items": nullable(self.pick(choice))})],
            AnswerShape::Pick | AnswerShape::Order | AnswerShape::Path => {
                vec![self.pick(choice), json!({"type": "array", "items": self.pick(choice)})]
            }
        };
        if choice.pass {
            ways.push(json!({"enum": [null, "pass"]}));
        }
        // Accepts the only option, or declines.
        if choice.shape == AnswerShape::Pick && (choice.pass || choice.single) {
            ways.push(json!({"type": "boolean"}));
        }
        let mut schema = json!({"anyOf": ways});
        if let Some(title) = self.program.texts.get(choice.title.index()) {
            schema["description"] = json!(title);
        }
        schema
    }

    /// Returns the schema of a picked option: its value, label or number, the option object itself, or the short
    /// form of an action.
    fn pick(&self, choice: &Choice) -> Value {
        let number = object(&[("n", integer())], &[]);
        let mut ways = vec![self.non_null_value(choice.item), text(), number, self.option_schema(choice)];
        if self.program.types[choice.item.index()] == Type::Offer {
            ways.extend(self.player_actions().flat_map(|action| self.short_actions(action)));
        }
        one_or_combined("anyOf", ways)
    }

    /// Returns the schemas of `{strike: target}` and `{action: strike, foe: target}`.
    fn short_actions(&self, action: &Action) -> [Value; 2] {
        let name = self.name(action.name);
        let open =
            json!({"type": "object", "required": ["action"], "properties": {"action": {"const": name}}});
        [open, json!({"type": "object", "required": [name], "maxProperties": 1})]
    }

    /// Returns the schema of a chosen branch: its id or title, with the selection inside.
    fn branch_answer(&self, choice: &Choice, parent: Option<u16>) -> Value {
        let mut ways = vec![text()];
        for at in choice.branches_of(parent) {
            let branch = &choice.branches[at];
            let inner = match branch.inner {
                BranchContent::Nothing => json!({"maxItems": 0}),
                BranchContent::Options => self.pick(choice),
                BranchContent::Branches => self.branch_answer(choice, Some(at as u16)),
            };
            let selection =
                one_or_combined("anyOf", vec![inner.clone(), json!({"type": "array", "items": inner})]);
            ways.push(json!({
                "type": "object",
                "anyOf": [{"required": ["id"]}, {"required": ["title"]}],
                "properties": {"id": {"const": self.name(branch.id)}, "title": text(), "selection": selection},
            }));
        }
        one_or_combined("anyOf", ways)
    }

    // --- actions -----------------------------------------------------------------------

    /// Returns the schema of an offered action.
    pub(super) fn offer(&self) -> Value {
        let offer = |action: &Action| {
            let targets = action.params.iter().filter(|param| param.offered);
            let targets = targets.map(|param| (self.name(param.name), self.nullable_value(param.ty)));
            object(
                &[
                    ("action", json!({"const": self.name(action.name)})),
                    ("host", nullable(entity_name())),
                    ("targets", super::closed(targets.collect())),
                ],
                &[],
            )
        };
        one_or_combined("anyOf", self.player_actions().map(offer).collect())
    }

    /// Returns the schema of a submitted action.
    pub(super) fn action(&self) -> Value {
        let action = |action: &Action| {
            let params =
                || action.params.iter().map(|param| (self.name(param.name), self.nullable_value(param.ty)));
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
        // Several entities may have actions with the same name.
        one_or_combined("anyOf", self.player_actions().map(action).collect())
    }

    /// Returns the actions that players take. Others are called only by rules.
    fn player_actions(&self) -> impl Iterator<Item = &Action> {
        self.program.actions.iter().filter(|action| action.timing != ActionTiming::Called)
    }
}

/// Returns the optional display fields of an action.
fn action_texts() -> [(&'static str, Value); 5] {
    let costs = json!({"type": "array", "items": {"type": "object", "required": ["op"], "properties": {"op": text()}}});
    [("title", nullable(text())), ("text", text()), ("hint", text()), ("ui", text()), ("costs", costs)]
}
