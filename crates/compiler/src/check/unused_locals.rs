//! Warnings about local names that nothing reads.
//!
//! A name counts as read if it occurs as a word in any other text of the same declaration, so a warning is never wrong.

use std::collections::BTreeSet;

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::tree::{NodeValue, SourceNode, SourceText};

/// Sections of declarations with statements, each with a body of its own.
const NAMED: &[&str] = &["procs", "events"];
const LISTED: &[&str] = &["actions", "reactions"];
const HOSTS: &[&str] = &["defs", "traits"];

impl Checker<'_> {
    /// Warns about the names of `let` and `as` that nothing reads.
    pub(crate) fn check_unused_locals(&mut self) {
        let merged = self.merged;
        if self.is_published || self.out.iter().any(|found| found.severity == crate::Severity::Error) {
            return;
        }
        let mut bodies: Vec<&SourceNode> = Vec::new();
        for document in merged.documents.iter().filter(|document| !document.prelude) {
            let section = |name: &str| document.node.get(name);
            let values = |node: &'static str| section(node).and_then(SourceNode::as_map).unwrap_or_default();
            bodies.extend(NAMED.iter().flat_map(|name| values(name)).map(|entry| &entry.value));
            let hosts = HOSTS.iter().flat_map(|name| values(name)).flat_map(|host| {
                ["actions", "reactions", "abilities"].into_iter().filter_map(|key| host.value.get(key))
            });
            let listed = LISTED.iter().filter_map(|name| section(name)).chain(hosts);
            bodies.extend(listed.filter_map(SourceNode::as_list).flatten());
            bodies.extend(["setup", "flow"].into_iter().filter_map(section));
        }
        for body in bodies {
            let mut names = LocalNames::default();
            names.read(body);
            for name in names.declared.iter().filter(|name| !names.words.contains(&name.value)) {
                let message = format!("nothing reads the local `{}`", name.value);
                self.report(Diagnostic::warning("W-UNUSED", name.span, message).hint("remove it, or use it"));
            }
        }
    }
}

/// The local names of a declaration, and the words of its texts.
#[derive(Default)]
struct LocalNames<'n> {
    declared: Vec<&'n SourceText>,
    words: BTreeSet<String>,
}

impl<'n> LocalNames<'n> {
    fn read(&mut self, node: &'n SourceNode) {
        match &node.value {
            NodeValue::Text(text) => self.add_words(&text.value),
            NodeValue::List(items) => items.iter().for_each(|item| self.read(item)),
            NodeValue::Map(entries) => {
                for entry in entries {
                    match (entry.key.value.as_str(), &entry.value.value) {
                        ("as", NodeValue::Text(name)) => self.declared.push(name),
                        ("let", NodeValue::Map(locals)) => {
                            for local in locals {
                                self.declared.push(&local.key);
                                self.read(&local.value);
                            }
                        }
                        _ => {
                            self.add_words(&entry.key.value);
                            self.read(&entry.value);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn add_words(&mut self, text: &str) {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        self.words.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
    }
}
