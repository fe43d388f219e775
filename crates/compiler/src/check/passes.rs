//! The passes over a ruleset: names first, then their types, then the rules.

use super::{Checker, ExtraExpression, Extras};

impl Checker<'_> {
    /// Compiles the whole ruleset. Returns the expressions compiled in addition to it.
    pub(crate) fn run_passes(&mut self, extras: &Extras<'_>) -> Vec<ExtraExpression> {
        if self.is_too_large() {
            return Vec::new();
        }
        self.header();
        self.declare_types();
        self.declare_kinds();
        self.declare_phases();
        self.declare_symbols();
        self.declare_zones();
        self.declare_events();
        self.resolve_records();
        self.declare_defs();
        self.declare_traits();
        self.declare_copies();
        self.declare_actions();
        self.declare_chains();
        self.declare_options();
        self.declare_props();
        self.declare_copy_props();
        self.declare_aliases();
        self.left_phases = self.find_left_phases();
        self.can_prevent_phases = self.finds_reaction_before_phases();
        self.declare_callables();
        self.type_actions();
        if self.is_stopped() {
            return Vec::new();
        }
        self.lower_options();
        self.lower_props();
        self.lower_zones();
        self.lower_functions();
        self.lower_procs();
        self.lower_events();
        self.lower_defs();
        self.lower_resets();
        self.lower_reactions();
        if self.is_stopped() {
            return Vec::new();
        }
        self.check_traits();
        self.lower_actions();
        self.lower_modifiers();
        self.lower_grants();
        self.lower_stakes();
        self.lower_bot_value();
        self.lower_order_questions();
        self.lower_secret_question();
        self.lower_programs(extras);
        // Expressions from outside are compiled after everything a match runs, so they do not affect the
        // fingerprint.
        self.lower_printed_props();
        self.program.fingerprint = self.fingerprint();
        self.lower_tutorial();
        self.lower_clock();
        self.lower_messages();
        let expressions = self.lower_expressions(extras);
        self.lower_printed_props();
        if self.is_stopped() {
            return Vec::new();
        }
        self.rank_reactions();
        self.finish_actions();
        self.check_whole_ruleset();
        self.finish_program();
        expressions
    }

    fn finish_program(&mut self) {
        self.check_tables();
        self.program.hash = self.merged.hash();
        // What is in force may change with every event, so no shortcut may pass one by.
        // Code that can be left from elsewhere runs as it stands.
        self.program.unoptimized = self.program.has_changing_rules() || !self.program.phase_blocks.is_empty();
        self.program.symbols = self.symbols.interned.clone();
        self.program.files = self.sources.files().map(|file| self.sources.name(file).to_owned()).collect();
        self.program.locations.sort_by_key(|(at, _)| *at);
        self.program.label = self.label();
        self.check_ui();
        self.program.metadata = self.metadata();
    }

    /// Returns a hash of the compiled code. It covers the `Debug` output, so renaming an instruction or a
    /// field changes it.
    fn fingerprint(&self) -> u64 {
        let mut hasher = blake3::Hasher::new();
        let program = &self.program;
        hasher.update(format!("{:?}{:?}{:?}", program.code, program.routines, program.choices).as_bytes());
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        u64::from_le_bytes(bytes)
    }
}
