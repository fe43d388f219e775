//! Reads the strict subset of YAML that rulesets are written in.
//!
//! Start at [`parse`]. The YAML parser gives events; what YAML allows and
//! rulesets do not (anchors, tags, several documents) is refused here.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle};

use super::build::{Builder, Stop};
use super::places::{self, Style};
use super::text::Text;
use super::{Node, Value, plain, yaml_problem};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// Reads a YAML text into a tree.
pub(super) fn parse(file: FileId, source: &str, out: &mut Vec<Diagnostic>) -> Option<Node> {
    let mut reader = Reader { file, source, builder: Builder::new(out), document_count: 0 };
    reader.read_all().ok()?;
    let root = reader.builder.finish();
    if root.is_none() {
        let problem = Diagnostic::error("E-YAML", Span::at(file, 0, 0), "this file is empty");
        out.push(problem.hint("a ruleset file is an object, such as `ir: 1`"));
    }
    root
}

struct Reader<'a, 'out> {
    file: FileId,
    source: &'a str,
    builder: Builder<'out>,
    document_count: usize,
}

impl<'a> Reader<'a, '_> {
    fn read_all(&mut self) -> Result<(), Stop> {
        let options = granit_parser::options! {
            emit_comments: false,
            emit_anchor_events: true,
            emit_unresolved_aliases: true,
            disallow_directives: true,
        };
        for item in Parser::new_from_str_with_options(self.source, options) {
            match item {
                Ok((event, place)) => self.read(event, &place)?,
                Err(error) => {
                    let problem = yaml_problem::explain(&error, self.file, self.source);
                    return Err(self.builder.stop(problem));
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, event: Event<'a>, place: &granit_parser::Span) -> Result<(), Stop> {
        let span = self.span(place);
        if let Some(tag) = place.tag_span() {
            self.builder.report(yaml_problem::tag(self.span(&tag)))?;
        }
        match event {
            Event::DocumentStart(..) => self.begin_document(span),
            Event::Anchor(..) => self.builder.report(yaml_problem::anchor(span)),
            Event::Alias(_) | Event::UnresolvedAlias(_) => self.alias(span),
            Event::Scalar(value, style, ..) => self.scalar(&value, style, span),
            Event::SequenceStart(..) => {
                self.refuse_as_key(span)?;
                self.builder.begin_list(span)
            }
            Event::MappingStart(..) => {
                self.refuse_as_key(span)?;
                self.builder.begin_map(span)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.builder.end((span.start != span.end).then_some(span));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn begin_document(&mut self, span: Span) -> Result<(), Stop> {
        self.document_count += 1;
        if self.document_count == 1 {
            return Ok(());
        }
        Err(self.builder.stop(yaml_problem::second_document(span)))
    }

    fn alias(&mut self, span: Span) -> Result<(), Stop> {
        self.builder.report(yaml_problem::alias(span))?;
        if self.builder.expects_key() {
            return self.builder.key(self.text_at(span));
        }
        self.builder.value(Node { span, value: Value::Null })
    }

    fn refuse_as_key(&mut self, span: Span) -> Result<(), Stop> {
        if self.builder.expects_key() {
            return Err(self.builder.stop(yaml_problem::complex_key(span)));
        }
        Ok(())
    }

    fn scalar(&mut self, value: &str, style: ScalarStyle, span: Span) -> Result<(), Stop> {
        if self.builder.expects_key() {
            return self.key(value, style, span);
        }
        if style != ScalarStyle::Plain {
            return self.builder.text(self.text(value, style, span));
        }
        if span.start == span.end {
            return self.builder.value(Node { span, value: Value::Null });
        }
        let meaning = plain::read(value, span);
        if let Some(problem) = meaning.problem {
            self.builder.report(problem)?;
        }
        match meaning.value {
            Some(value) => self.builder.value(Node { span, value }),
            None => self.builder.text(self.text(value, style, span)),
        }
    }

    fn key(&mut self, value: &str, style: ScalarStyle, span: Span) -> Result<(), Stop> {
        let is_plain = style == ScalarStyle::Plain;
        if is_plain && span.start == span.end {
            return Err(self.builder.stop(yaml_problem::missing_key(span)));
        }
        if is_plain && value == "<<" {
            self.builder.report(yaml_problem::merge_key(span))?;
        }
        if self.follows_question_mark(span) {
            self.builder.report(yaml_problem::complex_key(span))?;
        }
        self.builder.key(self.text(value, style, span))
    }

    /// Whether a key was announced by `?`, the sign of YAML's complex keys.
    fn follows_question_mark(&self, span: Span) -> bool {
        let before = &self.source[..span.start as usize];
        let trimmed = before.trim_end_matches([' ', '\t']);
        trimmed.len() < before.len() && trimmed.ends_with('?')
    }

    fn text(&self, value: &str, style: ScalarStyle, span: Span) -> Text {
        let range = self.trimmed(span);
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::SingleQuoted,
            ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
            ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
        };
        let searched = if style == Style::Block { usize_range(span) } else { range.clone() };
        let places = places::find(self.source, searched, style, value);
        let span = Span::at(self.file, range.start as u32, range.end as u32);
        Text::new(value.to_owned(), span, places)
    }

    fn text_at(&self, span: Span) -> Text {
        Text::straight(&self.source[usize_range(span)], self.file, span.start)
    }

    /// The range without the line breaks that follow a block scalar.
    fn trimmed(&self, span: Span) -> Range<usize> {
        let range = usize_range(span);
        let trimmed = self.source[range.clone()].trim_end_matches(['\n', '\r', ' ']);
        range.start..range.start + trimmed.len()
    }

    fn span(&self, place: &granit_parser::Span) -> Span {
        let offset = |marker: &granit_parser::Marker| {
            marker.byte_offset().unwrap_or(self.source.len()).min(self.source.len()) as u32
        };
        let start = offset(&place.start);
        Span::at(self.file, start, offset(&place.end).max(start))
    }
}

fn usize_range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}
