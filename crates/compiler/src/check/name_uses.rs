//! Notes for editors: which declaration a name in an expression means, and the types of expressions.

use super::types::Ty;
use super::{Checker, Val};
use crate::expr::{Arg, Expr, ExprKind, SpannedName};
use crate::source::Span;
use crate::symbol_index::{Definition, Reference, SymbolCategory, TypedSpan};

impl Checker<'_> {
    /// Notes the use of a name.
    pub(crate) fn note_name(&mut self, category: SymbolCategory, name: &str, owner: &str, span: Span) {
        if let Some(index) = &mut self.index {
            let (name, owner) = (name.to_owned(), owner.to_owned());
            index.references.push(Reference { category, name, owner, span });
        }
    }

    /// Notes the use of a property of a kind.
    pub(crate) fn note_prop_name(&mut self, kind: intermezzo_program::KindId, name: &SpannedName) {
        if self.index.is_some() {
            let owner = self.symbols.kind_name(kind).to_owned();
            self.note_name(SymbolCategory::Prop, &name.text, &owner, name.span);
        }
    }

    /// Notes the use of a name that is a value of a type, or any declared symbol.
    pub(crate) fn note_symbol_name(&mut self, wanted: Option<&Ty>, name: &str, span: Span) {
        if self.index.is_none() {
            return;
        }
        let symbols = &self.symbols;
        let mut owner = String::new();
        let category = match wanted {
            Some(Ty::Enum(id)) => {
                symbols.enum_by_id(*id).0.clone_into(&mut owner);
                SymbolCategory::Member
            }
            Some(Ty::Trait) => SymbolCategory::Trait,
            Some(Ty::Phase) => SymbolCategory::Phase,
            Some(Ty::ZoneName) => SymbolCategory::Zone,
            Some(Ty::Outcome) => SymbolCategory::Outcome,
            Some(Ty::Resource) => SymbolCategory::Prop,
            Some(Ty::Ability) => SymbolCategory::Action,
            _ if symbols.defs.contains(name) => SymbolCategory::Def,
            _ if symbols.traits.contains(name) => SymbolCategory::Trait,
            _ if symbols.kinds.contains(name) => SymbolCategory::Kind,
            _ if symbols.phases.contains(name) => SymbolCategory::Phase,
            _ if symbols.outcomes.contains(name) => SymbolCategory::Outcome,
            _ if symbols.actions.contains(name) => SymbolCategory::Action,
            _ if symbols.events.contains(name) || symbols.aliases.contains(name) => SymbolCategory::Event,
            _ if symbols.zones.contains(name) => SymbolCategory::Zone,
            _ if symbols.props_named(name).next().is_some() => SymbolCategory::Prop,
            _ if symbols.free_symbols.contains(name) => SymbolCategory::Symbol,
            _ => SymbolCategory::Member,
        };
        self.note_name(category, name, &owner, span);
    }

    /// Notes the type of an expression, and the parameters that it declares.
    pub(crate) fn note_type(&mut self, expr: &Expr, value: &Val) {
        if self.index.is_none() {
            return;
        }
        let ty = self.symbols.type_name(&value.ty);
        let params = lambda_params(expr);
        if let Some(index) = &mut self.index {
            index.types.push(TypedSpan { span: expr.span, ty });
            for param in params {
                let (name, span) = (param.text.clone(), param.span);
                let (category, owner) = (SymbolCategory::Local, String::new());
                index.definitions.push(Definition { category, name, owner, span, body: span });
            }
        }
    }
}

fn lambda_params(expr: &Expr) -> impl Iterator<Item = &SpannedName> {
    let args: &[Arg] = match &expr.kind {
        ExprKind::Call { args, .. } | ExprKind::Method { args, .. } => args,
        _ => &[],
    };
    args.iter().filter_map(|arg| arg.param.as_ref())
}
