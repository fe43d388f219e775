//! Operator tasks: background jobs, audits of stored matches, migration of rulesets.

pub(crate) mod admin_socket;
pub(crate) mod background_jobs;
pub(crate) mod measured_store;
pub(crate) mod metrics_listener;
pub(crate) mod migration;
pub(crate) mod operator;
pub(crate) mod operator_request;
pub(crate) mod replay_audit;
pub(crate) mod rule_faults;
