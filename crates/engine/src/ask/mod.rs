//! Requests and answers: offers, prompts, paths, branches, and the validation of inputs.

pub(crate) mod action_query;
pub(crate) mod answer;
pub(crate) mod answer_count;
pub(crate) mod auto_pass;
pub(crate) mod branch_count;
pub(crate) mod branches;
pub(crate) mod input;
pub(crate) mod input_validation;
pub(crate) mod meant_option;
pub(crate) mod offer_reference;
pub(crate) mod offers;
pub(crate) mod paths;
pub(crate) mod prompt_cause;
pub(crate) mod prompts;
pub(crate) mod questions;
pub(crate) mod request;
pub(crate) mod same_answer;
pub(crate) mod selection_tests;
pub(crate) mod written_answer;
