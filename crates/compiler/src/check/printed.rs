//! Printed properties: `village.cost` reads what a def says about its entities, without one of them.
//!
//! For each property that is read this way there is one function of the def. It finds the value by a binary search among the
//! defs that have the property.

use intermezzo_program::{InitialValue, Instr, NULL, Reg, RoutineId, Word};

use super::routine_builder::CodeMode;
use super::symbol_table::PropInfo;
use super::types::Ty;
use super::{Checker, Val};
use crate::expr::SpannedName;

/// Number of defs that are compared one by one.
const COMPARED: usize = 4;

/// A property that rules read of defs.
pub(crate) struct PrintedProp {
    name: String,
    routine: RoutineId,
    is_compiled: bool,
}

impl Checker<'_> {
    /// Compiles a property of a def, a name or a value. Returns `None` if the value is no def.
    pub(crate) fn printed_member(&mut self, value: &Val, name: &SpannedName) -> Option<Val> {
        let def = match value.ty {
            Ty::Def => None,
            Ty::Name(symbol) => Some(self.symbols.defs.get(self.symbols.spelling(symbol))?.clone()),
            _ => return None,
        };
        let props: Vec<PropInfo> = match &def {
            Some(def) => self.symbols.prop(def.kind, &name.text).cloned().into_iter().collect(),
            None => self.symbols.props_named(&name.text).cloned().collect(),
        };
        let Some(first) = props.first().cloned() else {
            let known = match &def {
                Some(def) => self.prop_names(def.kind),
                None => self
                    .symbols
                    .props
                    .iter()
                    .map(|prop| self.symbols.spelling(prop.name).to_owned())
                    .collect(),
            };
            let known = known.iter().map(String::as_str);
            let ty = self.report_unknown("E-PROP", name.span, "property of defs", &name.text, known);
            return Some(Val { reg: value.reg, ty });
        };
        if props.iter().any(|prop| prop.derived.is_some() || prop.ty != first.ty) {
            let message = format!("`{}` is not printed on every def in the same way", name.text);
            let ty = self.report_error("E-PROP", name.span, message);
            return Some(Val { reg: value.reg, ty });
        }
        self.note_prop_read(&name.text);
        self.note_prop_name(first.kind, name);
        let routine = self.printed_routine(&name.text);
        self.note_call(routine, name.span);
        self.note_function_call(routine, name.span);
        let args = self.body.new_temp();
        self.emit(Instr::Copy { dst: args, src: value.reg });
        let dst = self.body.new_temp();
        self.emit(Instr::Call { dst, routine, args });
        let has_all =
            def.is_some() || self.symbols.defs.iter().all(|(_, def)| self.has_prop(def.kind, &props));
        Some(Val { reg: dst, ty: if has_all { first.ty } else { first.ty.maybe() } })
    }

    fn has_prop(&self, kind: intermezzo_program::KindId, props: &[PropInfo]) -> bool {
        props.iter().any(|prop| self.symbols.extends(kind, prop.kind))
    }

    /// Returns the function that reads a property of a def. Its code follows when all defs are known.
    fn printed_routine(&mut self, name: &str) -> RoutineId {
        if let Some(known) = self.printed.iter().find(|known| known.name == name) {
            return known.routine;
        }
        let routine = self.reserve_routine(&format!("printed.{name}"));
        self.printed.push(PrintedProp { name: name.to_owned(), routine, is_compiled: false });
        routine
    }

    /// Compiles the functions that read properties of defs.
    pub(crate) fn lower_printed_props(&mut self) {
        while let Some(printed) = self.printed.iter_mut().find(|printed| !printed.is_compiled) {
            printed.is_compiled = true;
            let (name, routine) = (printed.name.clone(), printed.routine);
            let outer = self.begin_routine(routine, CodeMode::Pure);
            if let Some(node) = self.merged.last("defs") {
                self.mark_location(node);
            }
            let given = self.add_param("def", Ty::Def);
            let values = self.printed_values(&name);
            self.find_printed(given, &values);
            self.finish_routine(outer);
        }
    }

    /// Returns the value of a property on each def that has it, in the order of their symbols.
    fn printed_values(&mut self, name: &str) -> Vec<(Word, InitialValue)> {
        let defs: Vec<_> =
            self.symbols.defs.iter().map(|(name, def)| (name.to_owned(), def.clone())).collect();
        let mut values = Vec::new();
        for (def_name, def) in defs {
            let Some(prop) = self.symbols.prop(def.kind, name).map(|prop| prop.id) else { continue };
            let own = self.program.defs[def.id.index()].props.iter().find(|(given, _)| *given == prop);
            let value = own.map_or(self.program.props[prop.index()].initial, |(_, value)| *value);
            values.push((Word::from(self.intern_symbol(&def_name).0), value));
        }
        values.sort_unstable_by_key(|(symbol, _)| *symbol);
        values
    }

    /// Emits the search for a def among some values.
    fn find_printed(&mut self, given: Reg, values: &[(Word, InitialValue)]) {
        if values.len() > COMPARED {
            let (low, high) = values.split_at(values.len() / 2);
            let temps = self.body.mark_temps();
            let middle = self.constant(high[0].0);
            let cond = self.body.new_temp();
            self.emit(Instr::Lt { dst: cond, a: given, b: middle });
            let is_high = self.emit(Instr::JumpUnless { cond, to: 0 });
            self.body.release_temps(temps);
            self.find_printed(given, low);
            self.body.patch_jumps(&[is_high]);
            self.find_printed(given, high);
            return;
        }
        for (symbol, value) in values {
            let temps = self.body.mark_temps();
            let symbol = self.constant(*symbol);
            let cond = self.body.new_temp();
            self.emit(Instr::Eq { dst: cond, a: given, b: symbol });
            let is_other = self.emit(Instr::JumpUnless { cond, to: 0 });
            let dst = self.body.new_temp();
            match *value {
                InitialValue::Word(word) => self.load(dst, word),
                // Without an entity, only values that do not depend on it can be computed.
                InitialValue::Computed(routine) => {
                    let args = self.body.new_temp();
                    self.load(args, NULL);
                    self.emit(Instr::Call { dst, routine, args });
                }
            }
            self.emit(Instr::Return { value: dst });
            self.body.patch_jumps(&[is_other]);
            self.body.release_temps(temps);
        }
        let nothing = self.constant(NULL);
        self.emit(Instr::Return { value: nothing });
    }
}
