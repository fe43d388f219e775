//! Limits that an operator can set.

/// Limits on what accounts may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServiceLimits {
    /// Milliseconds that compiling an author's ruleset may take.
    pub compile_ms: u64,
    /// Rulesets that an account may own; a guest may own a tenth.
    pub rulesets_per_account: u32,
    /// Bytes of rulesets that an account may publish per day; a guest may publish a tenth.
    pub ruleset_bytes_per_day: u64,
}

impl Default for ServiceLimits {
    fn default() -> ServiceLimits {
        ServiceLimits { compile_ms: 10_000, rulesets_per_account: 50, ruleset_bytes_per_day: 20 << 20 }
    }
}
