//! Rule coverage: instructions that count how often a place in the rules is reached. They are emitted only on
//! request.

use intermezzo_program::{CoverageKind, CoveragePoint, Instr};

use super::Checker;
use crate::source::Span;

impl Checker<'_> {
    /// Emits a counter for a rule.
    pub(crate) fn emit_rule_coverage(&mut self, kind: CoverageKind, name: &str, span: Span) {
        if self.counts_coverage {
            let probe = CoveragePoint {
                kind,
                name: name.to_owned(),
                location: self.source_location(span),
                start: span.start,
            };
            let number = self.program.coverage.add(probe);
            self.emit(Instr::CoverageHit { number });
        }
    }

    /// Emits a counter for a part of the current rule.
    pub(crate) fn emit_coverage(&mut self, kind: CoverageKind, span: Span) {
        if self.counts_coverage {
            let name = self.body.name.clone();
            self.emit_rule_coverage(kind, &name, span);
        }
    }
}
