//! Options, properties and resources: storage, bounds, derived values and resets.

use crate::grammar::state;
use intermezzo_program::{
    InitialValue, KindId, MatchOption, NULL, Prop, PropBound, PropId, PropReset, RoutineId, Symbol, TypeId,
    Visibility, Word, native,
};

use super::Checker;
use super::symbol_table::PropInfo;
use super::types::Ty;
use crate::source::Span;
use crate::tree::{MapEntry, NodeValue, SourceNode};

/// A property with its declaration, until its rules are compiled.
pub(crate) struct PropSource {
    prop: PropId,
    node: SourceNode,
    resource: bool,
}

/// Maximum number of properties of a kind.
const MAX_PROPS: usize = 2_000;

impl Checker<'_> {
    pub(crate) fn declare_options(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("options") {
            for entry in self.named(section, "`options`") {
                self.entries(&entry.value, &state::OPTION);
                self.check_literal_bounds(&entry.value);
                let ty = match entry.value.get("type") {
                    Some(node) => self.type_of(node),
                    None => self.report_error("E-KEY", entry.value.span, "an option needs `type`"),
                };
                let column = self.program.options.len() as u16;
                let name = self.intern_symbol(&entry.key.value);
                let id = self.type_id(&ty);
                let bound = |checker: &mut Self, key: &str| {
                    entry.value.get(key).map(|node| checker.number(node, &format!("`{key}`")))
                };
                let (min, max) = (bound(self, "min"), bound(self, "max"));
                let may_be_null = ty.is_maybe();
                let default = RoutineId(0);
                let text = self.description(&entry.value);
                let option = MatchOption { name, ty: id, default, min, max, may_be_null, text };
                self.program.options.push(option);
                self.symbols.options.insert(&entry.key.value, (ty, column));
            }
        }
    }

    pub(crate) fn lower_options(&mut self) {
        let merged = self.merged;
        let mut at = 0;
        for (section, _) in merged.section("options") {
            for entry in section.as_map().unwrap_or_default() {
                let Some((ty, _)) = self.symbols.options.get(&entry.key.value).cloned() else { continue };
                let name = format!("options.{}", entry.key.value);
                let null = SourceNode { span: entry.value.span, value: NodeValue::Null };
                let node = entry.value.get("default").unwrap_or(&null);
                if entry.value.get("default").is_none() && !ty.is_maybe() {
                    self.report_error("E-KEY", entry.value.span, "an option needs `default`");
                    at += 1;
                    continue;
                }
                self.program.options[at].default = self.compile_function(&name, &[], node, &ty);
                at += 1;
            }
        }
    }

    /// Assigns ids and columns to all properties. A kind's columns begin with those of its parent, in the
    /// same order.
    pub(crate) fn declare_props(&mut self) {
        let mut order: Vec<KindId> = (0..self.program.kinds.len()).map(|kind| KindId(kind as u16)).collect();
        order.sort_by_key(|kind| (self.depth(*kind), kind.0));
        for kind in order {
            let parent = self.program.kinds[kind.index()].parent;
            let (mut props, mut columns) = match parent {
                Some(parent) => {
                    let parent = &self.program.kinds[parent.index()];
                    (parent.props.clone(), parent.columns)
                }
                None => (Vec::new(), 0),
            };
            if kind == KindId::MATCH {
                columns = self.program.options.len() as u16;
            } else if kind != KindId::PLAYER && parent.is_none() {
                props.push(self.add_known_prop(kind));
                columns = 1;
            }
            self.native_props(kind, &mut props, &mut columns);
            let own = self.own_props(kind);
            if let Some((entry, _)) = own.get(MAX_PROPS) {
                let span = entry.key.span;
                let message = format!("a kind has at most {MAX_PROPS} properties");
                self.report_error("E-LIMIT", span, message);
            }
            for (entry, resource) in own.into_iter().take(MAX_PROPS) {
                props.extend(self.declare_prop(kind, &entry, resource, &mut columns));
            }
            let params = self.symbols.traits.iter().find(|(_, info)| info.kind == kind);
            let params = params.map(|(_, info)| (info.params.clone(), info.span));
            for (param, span) in
                params.iter().flat_map(|(params, span)| params.iter().map(|param| (param, *span)))
            {
                let name = self.intern_symbol(&param.name);
                props.push(self.add_prop(kind, name, param.ty.clone(), columns, false, span));
                columns += 1;
            }
            let info = &mut self.program.kinds[kind.index()];
            info.props = props;
            info.columns = columns;
        }
    }

    pub(crate) fn depth(&self, kind: KindId) -> usize {
        std::iter::successors(Some(kind), |kind| self.symbols.kind_info(*kind).parent).count()
    }

    /// Returns the entries that declare properties of a kind, each with whether it is a resource.
    fn own_props(&self, kind: KindId) -> Vec<(MapEntry, bool)> {
        let name = self.symbols.kind_name(kind).to_owned();
        let mut found = Vec::new();
        let mut add = |node: Option<&SourceNode>| {
            for entry in
                node.and_then(|node| node.get("props")).and_then(SourceNode::as_map).unwrap_or_default()
            {
                found.push((entry.clone(), false));
            }
        };
        match kind {
            KindId::MATCH => self.merged.section("match").for_each(|(node, _)| add(Some(node))),
            KindId::PLAYER => self.merged.section("players").for_each(|(node, _)| add(Some(node))),
            _ => self.merged.section("kinds").for_each(|(node, _)| add(node.get(&name))),
        }
        for (section, _) in self.merged.section("resources") {
            for entry in section.as_map().unwrap_or_default() {
                let of = entry.value.get("of").and_then(SourceNode::as_text).map(|text| text.value.as_str());
                if of == Some(name.as_str()) {
                    found.push((entry.clone(), true));
                }
            }
        }
        found
    }

    fn add_known_prop(&mut self, kind: KindId) -> PropId {
        let ty = Ty::list(Ty::PLAYER);
        let span = self.symbols.kind_info(kind).span;
        self.add_prop(kind, native::KNOWN, ty, 0, false, span)
    }

    /// Declares the properties of stack items in the columns the engine expects.
    fn native_props(&mut self, kind: KindId, props: &mut Vec<PropId>, columns: &mut u16) {
        let span = self.symbols.kind_info(kind).span;
        let own: &[(&str, Ty)] = match kind {
            KindId::ITEM => &[
                ("host", Ty::Maybe(std::rc::Rc::new(Ty::Entity))),
                ("via", Ty::Maybe(std::rc::Rc::new(Ty::Entity))),
                ("copied", Ty::Bool),
            ],
            KindId::ACTION => &[("action", Ty::Symbol)],
            KindId::REACTION => {
                &[("trigger event", Ty::Int), ("trigger detail", Ty::Int), ("trigger batch", Ty::Int)]
            }
            _ => &[],
        };
        for (name, ty) in own {
            let symbol = self.intern_symbol(name);
            let prop = self.add_prop(kind, symbol, ty.clone(), *columns, false, span);
            if kind == KindId::REACTION {
                self.program.props[prop.index()].visible = Visibility::None;
            }
            props.push(prop);
            *columns += 1;
        }
        for (name, ty, is_public) in self.grant_props(kind) {
            let symbol = self.intern_symbol(name);
            let prop = self.add_prop(kind, symbol, ty, *columns, false, span);
            if !is_public {
                self.program.props[prop.index()].visible = Visibility::None;
            }
            props.push(prop);
            *columns += 1;
        }
    }

    pub(crate) fn add_prop(
        &mut self,
        kind: KindId,
        name: Symbol,
        ty: Ty,
        column: u16,
        resource: bool,
        span: Span,
    ) -> PropId {
        let id = PropId(self.program.props.len() as u16);
        let type_id: TypeId = self.type_id(&ty);
        let hidden = name == native::KNOWN;
        self.program.props.push(Prop {
            name,
            ty: type_id,
            column,
            derived: None,
            initial: InitialValue::Word(initial_word(&ty)),
            min: PropBound::None,
            max: PropBound::None,
            visible: if hidden { Visibility::None } else { Visibility::All },
            resource,
            modifiers: Vec::new(),
        });
        self.symbols.props.push(PropInfo {
            id,
            kind,
            name,
            ty,
            column,
            derived: None,
            modifiable: false,
            resource,
            hidden,
            span,
        });
        id
    }

    fn declare_prop(
        &mut self,
        kind: KindId,
        entry: &MapEntry,
        resource: bool,
        columns: &mut u16,
    ) -> Option<PropId> {
        self.check_identifier(&entry.key, "properties");
        if let Some(old) = self.symbols.prop(kind, &entry.key.value) {
            let old_span = old.span;
            self.report(
                crate::diagnostic::Diagnostic::error(
                    "E-NAME",
                    entry.key.span,
                    format!("there is already a property `{}`", entry.key.value),
                )
                .related(old_span, "the other one"),
            );
            return None;
        }
        let short = matches!(entry.value.value, NodeValue::Text(_));
        let ty = if resource {
            self.entries(&entry.value, &state::RESOURCE);
            Ty::Int
        } else if short {
            // `turn: int` is short for `turn: {type: int}`
            self.type_of(&entry.value)
        } else {
            self.entries(&entry.value, &state::PROP);
            match entry.value.get("type") {
                Some(node) => self.type_of(node),
                None => self.report_error("E-KEY", entry.value.span, "a property needs `type`"),
            }
        };
        let name = self.intern_symbol(&entry.key.value);
        let derived = entry.value.get("derived").is_some();
        let starts_null = !matches!(ty, Ty::Int | Ty::Bool | Ty::List(_) | Ty::Maybe(_) | Ty::Error);
        if starts_null && !derived && entry.value.get("default").is_none() {
            let shown = self.symbols.type_name(&ty);
            self.report(
                crate::diagnostic::Diagnostic::error(
                    "E-KEY",
                    entry.value.span,
                    format!("a property of type {shown} needs `default`"),
                )
                .hint(format!("or make it `maybe<{shown}>`, which starts as null")),
            );
        }
        self.check_controller(kind, entry, &ty);
        let id = self.add_prop(kind, name, ty, *columns, resource, entry.key.span);
        let modifiable = entry.value.get("mod").is_some_and(|node| self.flag(node, "`mod`"));
        let info = &mut self.symbols.props[id.index()];
        info.modifiable = modifiable;
        let visible = entry.value.get("visible").and_then(SourceNode::as_text);
        info.hidden |= visible.is_some_and(|text| text.value != "all");
        if derived {
            let spelling = format!("{}.{}", self.program.kinds[kind.index()].name, entry.key.value);
            let routine = self.reserve_routine(&spelling);
            self.program.props[id.index()].derived = Some(routine);
            self.symbols.props[id.index()].derived = Some(routine);
        } else {
            *columns += 1;
        }
        if !short {
            self.prop_sources.push(PropSource { prop: id, node: entry.value.clone(), resource });
        }
        Some(id)
    }

    /// Checks the property that says who controls an entity.
    fn check_controller(&mut self, kind: KindId, entry: &MapEntry, ty: &Ty) {
        if entry.key.value != "controller" || [KindId::MATCH, KindId::PLAYER].contains(&kind) {
            return;
        }
        if *ty != Ty::PLAYER.maybe() && !ty.is_error() {
            let message = "`controller` says who controls an entity, so its type is `maybe<player>`";
            self.report_error("E-TYPE", entry.value.span, message);
        }
        for key in ["derived", "mod"] {
            if let Some(found) = entry.value.entry(key) {
                let message = format!("`{key}` is not possible for `controller`, which rules set");
                self.report_error("E-KEY", found.key.span, message);
            }
        }
    }

    pub(crate) fn lower_props(&mut self) {
        let merged = self.merged;
        for holder in ["match", "players"] {
            for (section, _) in merged.section(holder) {
                if holder == "match" {
                    self.entries(section, &state::MATCH);
                }
                section.get("props").map(|props| self.named(props, "`props`"));
            }
        }
        for (section, _) in merged.section("kinds") {
            for entry in section.as_map().unwrap_or_default() {
                entry.value.get("props").map(|props| self.named(props, "`props`"));
            }
        }
        for (section, _) in merged.section("resources") {
            for entry in self.named(section, "`resources`") {
                match entry.value.get("of") {
                    Some(of) => {
                        self.kind_named(of);
                    }
                    None => {
                        self.report_error(
                            "E-KEY",
                            entry.value.span,
                            "a resource needs `of`: the kind that has it",
                        );
                    }
                }
            }
        }
        for source in std::mem::take(&mut self.prop_sources) {
            self.lower_prop(&source);
            self.prop_sources.push(source);
        }
    }

    fn lower_prop(&mut self, source: &PropSource) {
        let at = source.prop.index();
        let info = self.symbols.props[at].clone();
        let it = Ty::Kind(info.kind);
        let label = format!("{}.{}", self.symbols.kind_name(info.kind), self.symbols.spelling(info.name));
        if let (Some(node), Some(routine)) = (source.node.get("derived"), info.derived) {
            let outer = self.begin_routine(routine, super::routine_builder::CodeMode::Pure);
            self.add_param("it", it.clone());
            let value = self.node_as(node, &info.ty);
            self.emit(intermezzo_program::Instr::Return { value });
            self.finish_routine(outer);
        }
        let params = [("it", it.clone())];
        if let Some(node) = source.node.get("default") {
            self.program.props[at].initial = self.initial(node, &label, &params, &info.ty);
        }
        self.check_literal_bounds(&source.node);
        let bound = |checker: &mut Self, key: &str| match source.node.get(key) {
            Some(node) => match node.as_int() {
                Some(number) => PropBound::Word(number),
                None => PropBound::Computed(checker.compile_function(
                    &format!("{label}.{key}"),
                    &params,
                    node,
                    &Ty::Int,
                )),
            },
            None => PropBound::None,
        };
        let (min, max) = (bound(self, "min"), bound(self, "max"));
        let min = match min {
            PropBound::None if source.resource => PropBound::Word(0),
            other => other,
        };
        let prop = &mut self.program.props[at];
        prop.min = min;
        prop.max = max;
        if let Some(node) = source.node.get("visible") {
            let viewer = [("viewer", Ty::PLAYER), ("it", it)];
            let visible = self.visibility(node, &format!("{label}.visible"), &viewer);
            self.program.props[at].visible = visible;
        }
    }

    /// Checks that the literal bounds and the literal default are consistent.
    fn check_literal_bounds(&mut self, node: &SourceNode) {
        let number = |key: &str| node.get(key).and_then(SourceNode::as_int);
        let (min, max) = (number("min"), number("max"));
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            self.report_error("E-LIMIT", node.span, "`min` is greater than `max`");
            return;
        }
        if let (Some(default), Some(node)) = (number("default"), node.get("default"))
            && (min.is_some_and(|min| default < min) || max.is_some_and(|max| default > max))
        {
            self.report_error("E-LIMIT", node.span, "the default is outside `min` and `max`");
        }
    }

    /// Compiles an initial value: a literal, or a function.
    pub(crate) fn initial(
        &mut self,
        node: &SourceNode,
        label: &str,
        params: &[(&str, Ty)],
        ty: &Ty,
    ) -> InitialValue {
        match (&node.value, ty) {
            (NodeValue::Int(number), Ty::Int) => InitialValue::Word(*number),
            (NodeValue::Bool(flag), Ty::Bool) => InitialValue::Word(Word::from(*flag)),
            _ => InitialValue::Computed(self.compile_function(&format!("{label}.default"), params, node, ty)),
        }
    }

    pub(crate) fn lower_resets(&mut self) {
        for source in std::mem::take(&mut self.prop_sources) {
            self.lower_reset(&source);
        }
    }

    fn lower_reset(&mut self, source: &PropSource) {
        let info = self.symbols.props[source.prop.index()].clone();
        let label = format!("{}.{}", self.symbols.kind_name(info.kind), self.symbols.spelling(info.name));
        let it = [("it", Ty::Kind(info.kind))];
        if let Some(node) = source.node.get("ResetsOn") {
            let Some((event, condition)) = self.event_pattern(node) else { return };
            let to = match (source.node.get("to"), source.node.get("max")) {
                (Some(to), _) | (None, Some(to)) => {
                    self.compile_function(&format!("{label}.reset"), &it, to, &info.ty)
                }
                (None, None) => {
                    self.report_error(
                        "E-KEY",
                        node.span,
                        "`ResetsOn` needs `to` or `max`: the value to go back to",
                    );
                    return;
                }
            };
            let condition = condition.map(|test| self.reset_condition(&label, info.kind, event, &[&test]));
            let concerning = self.concerned_fields(event, info.kind);
            self.add_reset(
                event,
                PropReset { prop: source.prop, kind: info.kind, concerning, condition, to },
            );
        }
        if let Some(node) = source.node.get("resets") {
            self.entries(node, &state::RESETS);
            let Some(when) = node.get("when") else {
                self.report_error("E-KEY", node.span, "`resets` needs `when`");
                return;
            };
            let Some((event, tests)) = self.after_pattern(when) else { return };
            let default = SourceNode { span: node.span, value: NodeValue::Null };
            let to = node.get("to").or_else(|| source.node.get("default")).unwrap_or(&default);
            let to = self.compile_function(&format!("{label}.reset"), &it, to, &info.ty);
            let tests: Vec<&crate::expr::Expr> = tests.iter().collect();
            let condition =
                (!tests.is_empty()).then(|| self.reset_condition(&label, info.kind, event, &tests));
            self.add_reset(
                event,
                PropReset { prop: source.prop, kind: info.kind, concerning: Vec::new(), condition, to },
            );
        }
    }

    fn add_reset(&mut self, event: intermezzo_program::EventId, reset: PropReset) {
        let number = self.program.resets.len() as u16;
        self.program.resets.push(reset);
        self.program.events[event.index()].resets.push(number);
    }

    /// Returns the payload fields that can refer to an entity of the kind, `subject` first.
    fn concerned_fields(&self, event: intermezzo_program::EventId, kind: KindId) -> Vec<u16> {
        let fields = &self.symbols.event_by_id(event).1.fields;
        let mut found: Vec<(usize, u16)> = Vec::new();
        for (at, (name, ty)) in fields.iter().enumerate() {
            let fits = match ty.present() {
                Ty::Kind(other) => self.symbols.extends(other, kind) || self.symbols.extends(kind, other),
                Ty::Entity => kind != KindId::PLAYER,
                _ => false,
            };
            if fits {
                let rank = usize::from(self.symbols.spelling(*name) != "subject");
                found.push((rank, at as u16));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, at)| at).collect()
    }

    /// Compiles a test of the entity and the event's payload.
    fn reset_condition(
        &mut self,
        label: &str,
        kind: KindId,
        event: intermezzo_program::EventId,
        tests: &[&crate::expr::Expr],
    ) -> RoutineId {
        let routine = self.reserve_routine(&format!("{label}.resets"));
        let outer = self.begin_routine(routine, super::routine_builder::CodeMode::Pure);
        self.add_param("it", Ty::Kind(kind));
        self.bind_payload(event);
        let mut no = Vec::new();
        for test in tests {
            self.jump_if(test, false, &mut no);
        }
        let value = self.constant(1);
        self.emit(intermezzo_program::Instr::Return { value });
        self.body.patch_jumps(&no);
        let value = self.constant(0);
        self.emit(intermezzo_program::Instr::Return { value });
        self.finish_routine(outer);
        routine
    }
}

/// Returns the initial value of a property without `default`.
fn initial_word(ty: &Ty) -> Word {
    match ty {
        Ty::Int | Ty::Bool | Ty::List(_) => 0,
        _ => NULL,
    }
}
