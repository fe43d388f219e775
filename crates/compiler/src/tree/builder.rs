//! Construction of a tree from the events of a scanner, within the limits.
//!
//! Both scanners drive a [`TreeBuilder`]. It uses an explicit stack, so a hostile file cannot exceed
//! [`MAX_DEPTH`].

use std::collections::HashMap;

use super::{
    MAX_DEPTH, MAX_NODES, MAX_PROBLEMS, MAX_TEXT_BYTES, MapEntry, NodeValue, SourceNode, SourceText,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Parsing cannot continue. The reason has been reported.
#[derive(Debug)]
pub(super) struct ParseAbort;

pub(super) struct TreeBuilder<'a> {
    out: &'a mut Vec<Diagnostic>,
    open: Vec<OpenCollection>,
    root: Option<SourceNode>,
    node_count: usize,
    problem_count: usize,
}

/// A list or object that is not complete yet.
struct OpenCollection {
    start: Span,
    children: Children,
}

enum Children {
    List(Vec<SourceNode>),
    Map { entries: Vec<MapEntry>, key: Option<PendingKey>, first_uses: HashMap<String, Span> },
}

/// A key whose value has not been read yet.
struct PendingKey {
    text: SourceText,
    is_repeat: bool,
}

impl<'a> TreeBuilder<'a> {
    pub(super) fn new(out: &'a mut Vec<Diagnostic>) -> Self {
        Self { out, open: Vec::new(), root: None, node_count: 0, problem_count: 0 }
    }

    /// Reports a problem after which parsing continues, up to [`MAX_PROBLEMS`].
    pub(super) fn report(&mut self, problem: Diagnostic) -> Result<(), ParseAbort> {
        self.out.push(problem);
        self.problem_count += 1;
        if self.problem_count < MAX_PROBLEMS { Ok(()) } else { Err(ParseAbort) }
    }

    /// Reports a problem that ends parsing.
    pub(super) fn abort(&mut self, problem: Diagnostic) -> ParseAbort {
        self.out.push(problem);
        ParseAbort
    }

    /// Returns true if a key must come next.
    pub(super) fn expects_key(&self) -> bool {
        matches!(self.open.last(), Some(OpenCollection { children: Children::Map { key: None, .. }, .. }))
    }

    pub(super) fn key(&mut self, text: SourceText) -> Result<(), ParseAbort> {
        let text = self.limit_text(text)?;
        let Some(OpenCollection { children: Children::Map { key, first_uses, .. }, .. }) =
            self.open.last_mut()
        else {
            unreachable!("callers pass a key only where one is expected");
        };
        let first_use = first_uses.get(&text.value).copied();
        if first_use.is_none() {
            first_uses.insert(text.value.clone(), text.span);
        }
        let problem = first_use.map(|span| repeated_key(&text, span));
        *key = Some(PendingKey { text, is_repeat: problem.is_some() });
        problem.map_or(Ok(()), |problem| self.report(problem))
    }

    pub(super) fn text(&mut self, text: SourceText) -> Result<(), ParseAbort> {
        let text = self.limit_text(text)?;
        self.value(SourceNode { span: text.span, value: NodeValue::Text(text) })
    }

    pub(super) fn value(&mut self, node: SourceNode) -> Result<(), ParseAbort> {
        self.count(node.span)?;
        self.attach(node);
        Ok(())
    }

    pub(super) fn begin_list(&mut self, start: Span) -> Result<(), ParseAbort> {
        self.begin(start, Children::List(Vec::new()))
    }

    pub(super) fn begin_map(&mut self, start: Span) -> Result<(), ParseAbort> {
        let first_uses = HashMap::new();
        self.begin(start, Children::Map { entries: Vec::new(), key: None, first_uses })
    }

    /// Ends the innermost list or object. Without a closing bracket it ends with its last value.
    pub(super) fn end(&mut self, bracket: Option<Span>) {
        let open = self.open.pop().expect("scanners only end collections they began");
        let last = match &open.children {
            Children::List(nodes) => nodes.last().map(|node| node.span),
            Children::Map { entries, .. } => entries.last().map(|entry| entry.value.span),
        };
        let span = open.start.join(bracket.or(last).unwrap_or(open.start));
        let value = match open.children {
            Children::List(nodes) => NodeValue::List(nodes),
            Children::Map { entries, .. } => NodeValue::Map(entries),
        };
        self.attach(SourceNode { span, value });
    }

    pub(super) fn finish(self) -> Option<SourceNode> {
        self.root
    }

    fn begin(&mut self, start: Span, children: Children) -> Result<(), ParseAbort> {
        self.count(start)?;
        if self.open.len() == MAX_DEPTH {
            return Err(self.abort(too_deep(start)));
        }
        self.open.push(OpenCollection { start, children });
        Ok(())
    }

    fn attach(&mut self, node: SourceNode) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(OpenCollection { children: Children::List(nodes), .. }) => nodes.push(node),
            Some(OpenCollection { children: Children::Map { entries, key, .. }, .. }) => {
                let key = key.take().expect("scanners pass a key before its value");
                if !key.is_repeat {
                    entries.push(MapEntry { key: key.text, value: node });
                }
            }
        }
    }

    fn count(&mut self, span: Span) -> Result<(), ParseAbort> {
        self.node_count += 1;
        if self.node_count <= MAX_NODES {
            return Ok(());
        }
        let message = format!("this file holds more than {MAX_NODES} values");
        let problem =
            Diagnostic::error("E-LIMIT", span, message).hint("split the ruleset into several files");
        Err(self.abort(problem))
    }

    /// Returns the text, or reports that it is too long and returns an empty one.
    fn limit_text(&mut self, text: SourceText) -> Result<SourceText, ParseAbort> {
        if text.value.len() <= MAX_TEXT_BYTES {
            return Ok(text);
        }
        let message = format!("this text has {} bytes; at most {MAX_TEXT_BYTES} are read", text.value.len());
        self.report(Diagnostic::error("E-LIMIT", text.span, message))?;
        Ok(SourceText::verbatim("", text.span.file, text.span.start))
    }
}

/// Returns the diagnostic for nesting beyond [`MAX_DEPTH`].
pub(super) fn too_deep(span: Span) -> Diagnostic {
    let message = format!("lists and objects nest more than {MAX_DEPTH} deep here");
    Diagnostic::error("E-LIMIT", span, message).hint("move the inner parts into a proc or a function")
}

fn repeated_key(text: &SourceText, first_use: Span) -> Diagnostic {
    let message = format!("the key `{}` occurs twice in one object", text.value);
    Diagnostic::error("E-KEY", text.span, message)
        .label("the second one")
        .related(first_use, "the first one is here")
        .hint("remove one of them, or merge what they hold")
}
