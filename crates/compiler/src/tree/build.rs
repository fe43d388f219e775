//! Puts a tree together from what a scanner meets, within the limits.
//!
//! Both scanners drive a [`Builder`]. It keeps its own stack, so that a hostile
//! file can at most reach [`MAX_DEPTH`].

use std::collections::HashMap;

use super::{Entry, MAX_DEPTH, MAX_NODES, MAX_PROBLEMS, MAX_TEXT_BYTES, Node, Text, Value};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Reading cannot go on; the reason has been reported.
#[derive(Debug)]
pub(super) struct Stop;

/// A tree in the making.
pub(super) struct Builder<'a> {
    out: &'a mut Vec<Diagnostic>,
    open: Vec<Open>,
    root: Option<Node>,
    node_count: usize,
    problem_count: usize,
}

/// A list or object that has begun but not ended.
struct Open {
    start: Span,
    children: Children,
}

enum Children {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, key: Option<Key>, first_uses: HashMap<String, Span> },
}

/// A key whose value has not come yet.
struct Key {
    text: Text,
    is_repeat: bool,
}

impl<'a> Builder<'a> {
    pub(super) fn new(out: &'a mut Vec<Diagnostic>) -> Self {
        Self { out, open: Vec::new(), root: None, node_count: 0, problem_count: 0 }
    }

    /// Reports a problem that reading survives, up to [`MAX_PROBLEMS`].
    pub(super) fn report(&mut self, problem: Diagnostic) -> Result<(), Stop> {
        self.out.push(problem);
        self.problem_count += 1;
        if self.problem_count < MAX_PROBLEMS { Ok(()) } else { Err(Stop) }
    }

    /// Reports a problem that reading does not survive.
    pub(super) fn stop(&mut self, problem: Diagnostic) -> Stop {
        self.out.push(problem);
        Stop
    }

    /// Whether a key must come next.
    pub(super) fn expects_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { children: Children::Map { key: None, .. }, .. }))
    }

    pub(super) fn key(&mut self, text: Text) -> Result<(), Stop> {
        let text = self.fit(text)?;
        let Some(Open { children: Children::Map { key, first_uses, .. }, .. }) = self.open.last_mut() else {
            unreachable!("a key is only offered where one is expected");
        };
        let first_use = first_uses.get(&text.value).copied();
        if first_use.is_none() {
            first_uses.insert(text.value.clone(), text.span);
        }
        let problem = first_use.map(|span| repeated_key(&text, span));
        *key = Some(Key { text, is_repeat: problem.is_some() });
        problem.map_or(Ok(()), |problem| self.report(problem))
    }

    pub(super) fn text(&mut self, text: Text) -> Result<(), Stop> {
        let text = self.fit(text)?;
        self.value(Node { span: text.span, value: Value::Text(text) })
    }

    pub(super) fn value(&mut self, node: Node) -> Result<(), Stop> {
        self.count(node.span)?;
        self.place(node);
        Ok(())
    }

    pub(super) fn begin_list(&mut self, start: Span) -> Result<(), Stop> {
        self.begin(start, Children::List(Vec::new()))
    }

    pub(super) fn begin_map(&mut self, start: Span) -> Result<(), Stop> {
        let first_uses = HashMap::new();
        self.begin(start, Children::Map { entries: Vec::new(), key: None, first_uses })
    }

    /// Ends the list or object begun last. Without a closing bracket it ends
    /// with its last value.
    pub(super) fn end(&mut self, bracket: Option<Span>) {
        let open = self.open.pop().expect("scanners end only what they began");
        let last = match &open.children {
            Children::List(nodes) => nodes.last().map(|node| node.span),
            Children::Map { entries, .. } => entries.last().map(|entry| entry.value.span),
        };
        let span = open.start.join(bracket.or(last).unwrap_or(open.start));
        let value = match open.children {
            Children::List(nodes) => Value::List(nodes),
            Children::Map { entries, .. } => Value::Map(entries),
        };
        self.place(Node { span, value });
    }

    pub(super) fn finish(self) -> Option<Node> {
        self.root
    }

    fn begin(&mut self, start: Span, children: Children) -> Result<(), Stop> {
        self.count(start)?;
        if self.open.len() == MAX_DEPTH {
            return Err(self.stop(too_deep(start)));
        }
        self.open.push(Open { start, children });
        Ok(())
    }

    fn place(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open { children: Children::List(nodes), .. }) => nodes.push(node),
            Some(Open { children: Children::Map { entries, key, .. }, .. }) => {
                let key = key.take().expect("scanners give a key before its value");
                if !key.is_repeat {
                    entries.push(Entry { key: key.text, value: node });
                }
            }
        }
    }

    fn count(&mut self, span: Span) -> Result<(), Stop> {
        self.node_count += 1;
        if self.node_count <= MAX_NODES {
            return Ok(());
        }
        let message = format!("this file holds more than {MAX_NODES} values");
        let problem =
            Diagnostic::error("E-LIMIT", span, message).hint("split the ruleset into several files");
        Err(self.stop(problem))
    }

    /// The text, or the problem that it is too long and an empty one.
    fn fit(&mut self, text: Text) -> Result<Text, Stop> {
        if text.value.len() <= MAX_TEXT_BYTES {
            return Ok(text);
        }
        let message = format!("this text has {} bytes; at most {MAX_TEXT_BYTES} are read", text.value.len());
        self.report(Diagnostic::error("E-LIMIT", text.span, message))?;
        Ok(Text::straight("", text.span.file, text.span.start))
    }
}

/// The diagnostic for nesting beyond [`MAX_DEPTH`].
pub(super) fn too_deep(span: Span) -> Diagnostic {
    let message = format!("lists and objects nest more than {MAX_DEPTH} deep here");
    Diagnostic::error("E-LIMIT", span, message)
        .hint("give the inner parts a name of their own, as a proc or a function")
}

fn repeated_key(text: &Text, first_use: Span) -> Diagnostic {
    let message = format!("the key `{}` stands twice in one object", text.value);
    Diagnostic::error("E-KEY", text.span, message)
        .label("the second one")
        .related(first_use, "the first one is here")
        .hint("remove one of them, or merge what they hold")
}
