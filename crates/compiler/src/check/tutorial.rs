//! The tutorial: what a learner is told with a question, and until when.

use intermezzo_ruleset::{Lesson, Until};

use super::Checker;
use super::types::Ty;
use crate::tree::Node;

/// More lessons than anyone sits through.
const MAX_LESSONS: usize = 200;

/// What the learner is called in a lesson.
const LEARNER: [&str; 2] = ["you", "actor"];

impl Checker<'_> {
    /// Comes after all that a match runs: lessons are about its questions.
    pub(crate) fn lower_tutorial(&mut self) {
        let Some(section) = self.merged.last("tutorial") else { return };
        for (at, node) in self.items(section, "`tutorial`").iter().enumerate() {
            if at == MAX_LESSONS {
                self.wrong("E-LIMIT", node.span, format!("a tutorial has at most {MAX_LESSONS} lessons"));
                return;
            }
            self.lower_lesson(node);
        }
    }

    fn lower_lesson(&mut self, node: &Node) {
        self.entries(node, "a lesson", &["id", "say", "question", "if", "highlight", "until"]);
        let name = node.get("id").and_then(|id| self.text(id, "`id`")).cloned();
        let say = node.get("say").and_then(|say| self.text(say, "`say`")).cloned();
        let (Some(name), Some(say)) = (name, say) else {
            self.wrong("E-KEY", node.span, "a lesson needs `id` and `say`: what the learner is told");
            return;
        };
        if self.program.lessons.iter().any(|other| other.name == name.value) {
            self.wrong("E-NAME", name.span, format!("there is already a lesson `{}`", name.value));
            return;
        }
        let question = node.get("question").and_then(|question| self.question_named(question, "`question`"));
        // The learner goes by both names.
        let you = LEARNER.map(|name| (name, Ty::PLAYER));
        let label = |part: &str| format!("tutorial.{}.{part}", name.value);
        let condition = node.get("if").map(|test| self.function(&label("if"), &you, test, &Ty::Bool));
        let entities = Ty::list(Ty::Entity);
        let highlight =
            node.get("highlight").map(|list| self.function(&label("highlight"), &you, list, &entities));
        let until = node.get("until").and_then(|until| self.lesson_until(&label("until"), until));
        let say = self.intern_text(&say.value);
        let lesson = Lesson { name: name.value, say, question, condition, highlight, until };
        self.program.lessons.push(lesson);
    }

    /// The name of a question there is.
    pub(crate) fn question_named(&mut self, node: &Node, what: &str) -> Option<String> {
        let name = self.text(node, what)?.clone();
        let known: Vec<String> = self.program.choices.iter().map(|choice| choice.name.clone()).collect();
        if !known.contains(&name.value) {
            self.unknown("E-NAME", name.span, "question", &name.value, known.iter().map(String::as_str));
            return None;
        }
        Some(name.value)
    }

    /// The event that ends a lesson, and a test of the learner and the payload.
    fn lesson_until(&mut self, label: &str, node: &Node) -> Option<Until> {
        let (event, tests) = self.after_pattern(node)?;
        let routine = self.test_routine(label, |checker| {
            for name in LEARNER {
                checker.add_param(name, Ty::PLAYER);
            }
            checker.bind_payload(event);
            checker.all_hold(&tests)
        });
        Some(Until { event, condition: (!tests.is_empty()).then_some(routine) })
    }
}
