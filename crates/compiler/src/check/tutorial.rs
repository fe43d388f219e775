//! The tutorial: texts shown with a question until an event happens.

use crate::grammar::presentation;
use intermezzo_program::{Lesson, LessonEnd};

use super::Checker;
use super::types::Ty;
use crate::tree::SourceNode;

/// Maximum number of lessons.
const MAX_LESSONS: usize = 200;

/// Names of the learner in the expressions of a lesson.
const LEARNER: [&str; 2] = ["you", "actor"];

impl Checker<'_> {
    /// Compiles the tutorial. Runs after everything a match runs, because lessons refer to questions.
    pub(crate) fn lower_tutorial(&mut self) {
        let Some(section) = self.merged.last("tutorial") else { return };
        for (at, node) in self.items(section, "`tutorial`").iter().enumerate() {
            if at == MAX_LESSONS {
                self.report_error(
                    "E-LIMIT",
                    node.span,
                    format!("a tutorial has at most {MAX_LESSONS} lessons"),
                );
                return;
            }
            self.lower_lesson(node);
        }
    }

    fn lower_lesson(&mut self, node: &SourceNode) {
        self.entries(node, &presentation::LESSON);
        let name = node.get("id").and_then(|id| self.text(id, "`id`")).cloned();
        let say = node.get("say").and_then(|say| self.text(say, "`say`")).cloned();
        let (Some(name), Some(say)) = (name, say) else {
            self.report_error("E-KEY", node.span, "a lesson needs `id` and `say`: the text to show");
            return;
        };
        if self.program.lessons.iter().any(|other| other.name == name.value) {
            self.report_error("E-NAME", name.span, format!("there is already a lesson `{}`", name.value));
            return;
        }
        let question = node.get("question").and_then(|question| self.question_named(question, "`question`"));
        let you = LEARNER.map(|name| (name, Ty::PLAYER));
        let label = |part: &str| format!("tutorial.{}.{part}", name.value);
        let condition = node.get("if").map(|test| self.compile_function(&label("if"), &you, test, &Ty::Bool));
        let entities = Ty::list(Ty::Entity);
        let highlight = node
            .get("highlight")
            .map(|list| self.compile_function(&label("highlight"), &you, list, &entities));
        let until = node.get("until").and_then(|until| self.lesson_until(&label("until"), until));
        let say = self.intern_text(&say.value);
        let lesson = Lesson { name: name.value, say, question, condition, highlight, until };
        self.program.lessons.push(lesson);
    }

    /// Returns the name of a question, and reports it if no such question exists.
    pub(crate) fn question_named(&mut self, node: &SourceNode, what: &str) -> Option<String> {
        let name = self.text(node, what)?.clone();
        let known: Vec<String> = self.program.choices.iter().map(|choice| choice.name.clone()).collect();
        if !known.contains(&name.value) {
            self.report_unknown(
                "E-NAME",
                name.span,
                "question",
                &name.value,
                known.iter().map(String::as_str),
            );
            return None;
        }
        Some(name.value)
    }

    /// Compiles the event that ends a lesson, with its test of the learner and the payload.
    fn lesson_until(&mut self, label: &str, node: &SourceNode) -> Option<LessonEnd> {
        let (event, tests) = self.after_pattern(node)?;
        let routine = self.test_routine(label, |checker| {
            for name in LEARNER {
                checker.add_param(name, Ty::PLAYER);
            }
            checker.bind_payload(event);
            checker.emit_conjunction(&tests)
        });
        Some(LessonEnd { event, condition: (!tests.is_empty()).then_some(routine) })
    }
}
