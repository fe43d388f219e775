//! Probes: instructions that count how often a place in the rules is reached, if that is wanted.

use intermezzo_ruleset::{Instr, Probe, ProbeKind};

use super::Checker;
use crate::source::Span;

impl Checker<'_> {
    /// Counts from here on how often a rule is reached.
    pub(crate) fn probe_rule(&mut self, kind: ProbeKind, name: &str, span: Span) {
        if self.is_probed {
            let probe = Probe { kind, name: name.to_owned(), place: self.place_of(span), start: span.start };
            let number = self.program.probes.add(probe);
            self.emit(Instr::Probe { number });
        }
    }

    /// The same for a part of the rule under construction.
    pub(crate) fn probe(&mut self, kind: ProbeKind, span: Span) {
        if self.is_probed {
            let name = self.body.name.clone();
            self.probe_rule(kind, &name, span);
        }
    }
}
