//! Parser of the strict subset of YAML used by rulesets.
//!
//! Start at [`parse`]. The YAML parser emits events. Features that rulesets may not use (anchors, tags,
//! several documents) are rejected here.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle};

use super::builder::{ParseAbort, TreeBuilder};
use super::scalar_spans::{self, TextStyle};
use super::text::SourceText;
use super::{NodeValue, SourceNode, plain_scalar, yaml_problem};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// Parses a YAML text into a tree.
pub(super) fn parse(file: FileId, source: &str, out: &mut Vec<Diagnostic>) -> Option<SourceNode> {
    let mut reader = YamlReader { file, source, builder: TreeBuilder::new(out), document_count: 0 };
    reader.read_all().ok()?;
    let root = reader.builder.finish();
    if root.is_none() {
        let problem = Diagnostic::error("E-YAML", Span::at(file, 0, 0), "this file is empty");
        out.push(problem.hint("a ruleset file is an object, such as `ir: 1`"));
    }
    root
}

struct YamlReader<'a, 'out> {
    file: FileId,
    source: &'a str,
    builder: TreeBuilder<'out>,
    document_count: usize,
}

impl<'a> YamlReader<'a, '_> {
    fn read_all(&mut self) -> Result<(), ParseAbort> {
        let options = granit_parser::options! {
            emit_comments: false,
            emit_anchor_events: true,
            emit_unresolved_aliases: true,
            disallow_directives: true,
        };
        for item in Parser::new_from_str_with_options(self.source, options) {
            match item {
                Ok((event, position)) => self.read(event, &position)?,
                Err(error) => {
                    let problem = yaml_problem::explain(&error, self.file, self.source);
                    return Err(self.builder.abort(problem));
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, event: Event<'a>, position: &granit_parser::Span) -> Result<(), ParseAbort> {
        let span = self.span(position);
        if let Some(tag) = position.tag_span() {
            self.builder.report(yaml_problem::tag(self.span(&tag)))?;
        }
        match event {
            Event::DocumentStart(..) => self.begin_document(span),
            Event::Anchor(..) => self.builder.report(yaml_problem::anchor(span)),
            Event::Alias(_) | Event::UnresolvedAlias(_) => self.alias(span),
            Event::Scalar(value, style, ..) => self.scalar(&value, style, span),
            Event::SequenceStart(..) => {
                self.reject_as_key(span)?;
                self.builder.begin_list(span)
            }
            Event::MappingStart(..) => {
                self.reject_as_key(span)?;
                self.builder.begin_map(span)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.builder.end((span.start != span.end).then_some(span));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn begin_document(&mut self, span: Span) -> Result<(), ParseAbort> {
        self.document_count += 1;
        if self.document_count == 1 {
            return Ok(());
        }
        Err(self.builder.abort(yaml_problem::second_document(span)))
    }

    fn alias(&mut self, span: Span) -> Result<(), ParseAbort> {
        self.builder.report(yaml_problem::alias(span))?;
        if self.builder.expects_key() {
            return self.builder.key(self.text_at(span));
        }
        self.builder.value(SourceNode { span, value: NodeValue::Null })
    }

    fn reject_as_key(&mut self, span: Span) -> Result<(), ParseAbort> {
        if self.builder.expects_key() {
            return Err(self.builder.abort(yaml_problem::complex_key(span)));
        }
        Ok(())
    }

    fn scalar(&mut self, value: &str, style: ScalarStyle, span: Span) -> Result<(), ParseAbort> {
        if self.builder.expects_key() {
            return self.key(value, style, span);
        }
        if style != ScalarStyle::Plain {
            return self.builder.text(self.text(value, style, span));
        }
        if span.start == span.end {
            return self.builder.value(SourceNode { span, value: NodeValue::Null });
        }
        let meaning = plain_scalar::read(value, span);
        if let Some(problem) = meaning.problem {
            self.builder.report(problem)?;
        }
        match meaning.value {
            Some(value) => self.builder.value(SourceNode { span, value }),
            None => self.builder.text(self.text(value, style, span)),
        }
    }

    fn key(&mut self, value: &str, style: ScalarStyle, span: Span) -> Result<(), ParseAbort> {
        let is_plain = style == ScalarStyle::Plain;
        if is_plain && span.start == span.end {
            return Err(self.builder.abort(yaml_problem::missing_key(span)));
        }
        if is_plain && value == "<<" {
            self.builder.report(yaml_problem::merge_key(span))?;
        }
        if self.follows_question_mark(span) {
            self.builder.report(yaml_problem::complex_key(span))?;
        }
        self.builder.key(self.text(value, style, span))
    }

    /// Returns true if a key follows `?`, the indicator of complex keys in YAML.
    fn follows_question_mark(&self, span: Span) -> bool {
        let before = &self.source[..span.start as usize];
        let trimmed = before.trim_end_matches([' ', '\t']);
        trimmed.len() < before.len() && trimmed.ends_with('?')
    }

    fn text(&self, value: &str, style: ScalarStyle, span: Span) -> SourceText {
        let range = self.trimmed(span);
        let style = match style {
            ScalarStyle::Plain => TextStyle::Plain,
            ScalarStyle::SingleQuoted => TextStyle::SingleQuoted,
            ScalarStyle::DoubleQuoted => TextStyle::DoubleQuoted,
            ScalarStyle::Literal | ScalarStyle::Folded => TextStyle::Block,
        };
        let searched = if style == TextStyle::Block { usize_range(span) } else { range.clone() };
        let span_map = scalar_spans::map_scalar(self.source, searched, style, value);
        let span = Span::at(self.file, range.start as u32, range.end as u32);
        SourceText::new(value.to_owned(), span, span_map)
    }

    fn text_at(&self, span: Span) -> SourceText {
        SourceText::verbatim(&self.source[usize_range(span)], self.file, span.start)
    }

    /// Returns the range without the line breaks that follow a block scalar.
    fn trimmed(&self, span: Span) -> Range<usize> {
        let range = usize_range(span);
        let trimmed = self.source[range.clone()].trim_end_matches(['\n', '\r', ' ']);
        range.start..range.start + trimmed.len()
    }

    fn span(&self, position: &granit_parser::Span) -> Span {
        let offset = |marker: &granit_parser::Marker| {
            marker.byte_offset().unwrap_or(self.source.len()).min(self.source.len()) as u32
        };
        let start = offset(&position.start);
        Span::at(self.file, start, offset(&position.end).max(start))
    }
}

fn usize_range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}
