//! Drags: `drag p0: [bear, p0.battlefield]` is the answer given by dragging a thing onto another.

use intermezzo_compiler::diagnostic::suggest;
use intermezzo_compiler::tree::{SourceNode, SourceText};
use intermezzo_engine::{Input, Refusal, Viewer};
use intermezzo_program::{Program, Seat};

use crate::checks::ScenarioProblem;
use crate::play::ScenarioRunner;
use crate::reader::{ScenarioReader, seat_number};
use crate::running_match::RunningMatch;
use crate::scenario::{LocatedInput, ScenarioStep, StepInput};

/// Name that no viewer knows.
const OUT_OF_SIGHT: &str = "#0";

impl ScenarioReader<'_> {
    /// Reads a drag: the dragged thing and its target.
    pub(crate) fn drag<'n>(&mut self, seat: Seat, node: &'n SourceNode) -> Option<StepInput<'n>> {
        let [what, onto] = node.as_list().unwrap_or_default() else {
            self.error("E-TYPE", node.span, "a drag is a list of two: the dragged thing and its target");
            return None;
        };
        let ends = [(what, "the dragged thing"), (onto, "the target")];
        let [what, onto] = ends.map(|(end, about)| {
            let text = self.text(end, about)?;
            self.check_end(text);
            Some(text)
        });
        Some(StepInput::Drag(seat, [what?, onto?]))
    }

    /// Reports unknown seats and zones. Entities are only known during play.
    fn check_end(&mut self, text: &SourceText) {
        let (host, zone) = match text.as_str().rsplit_once('.') {
            Some((host, zone)) => (host, Some(zone)),
            None => (text.as_str(), None),
        };
        if seat_number(host).is_some() {
            self.seat(host, text.span);
        }
        if let Some(zone) = zone {
            let place = text.span_of(host.len() + 1..text.value.len());
            let zone = SourceText::verbatim(zone, place.file, place.start);
            self.check_name(&zone, "zone", &zone_names(self.program));
        }
    }
}

fn zone_names(program: &Program) -> Vec<&str> {
    program.zones.iter().map(|zone| program.symbol(zone.name)).collect()
}

impl ScenarioRunner<'_> {
    /// Submits the answer a drag stands for.
    pub(crate) fn drag(
        &mut self,
        step: &ScenarioStep<'_>,
        sent: &LocatedInput<'_>,
        seat: Seat,
        ends: [&SourceText; 2],
    ) -> Result<(), ScenarioProblem> {
        let [what, onto] = ends.map(|end| names_of_end(&mut self.running, seat, end));
        let (what, onto) = (what?, onto?);
        let before = self.fingerprint();
        let mut refusal = None;
        for what in &what {
            for onto in &onto {
                match self.running.read_drag(seat, what, onto) {
                    Ok((input, answer)) => {
                        return self.submit(step, sent, &Input::Answer { input, seat, answer }, None);
                    }
                    // If several things have that name, the first one gives the reason.
                    Err(rejection) => refusal = refusal.or(Some(Refusal::Rejected(rejection))),
                }
            }
        }
        let refusal = refusal.expect("a name matches at least one thing");
        let reason = self.running.reason(&refusal);
        self.refused(step, sent, &refusal, &reason, &before)
    }
}

/// Returns a seat's names for the things with that name, its own things first.
fn names_of_end(
    running: &mut RunningMatch,
    seat: Seat,
    text: &SourceText,
) -> Result<Vec<String>, ScenarioProblem> {
    let written = text.as_str();
    let (host, zone) = match written.rsplit_once('.') {
        Some((host, zone)) => (host, format!(".{zone}")),
        None => (written, String::new()),
    };
    if seat_number(host).is_some() || zone_names(&running.program).contains(&written) {
        return Ok(vec![written.to_owned()]);
    }
    let entities = running.entities_called(host, seat);
    if entities.is_empty() {
        let program = &running.program;
        let defs = program.defs.iter().map(|def| program.symbol(def.name));
        let known = zone_names(program).into_iter().chain(defs);
        let hint = suggest(host, known).map(|near| format!("; did you mean `{near}`?"));
        let line = format!("unknown thing `{host}`{}", hint.unwrap_or_default());
        return Err(ScenarioProblem::new(text.span, line));
    }
    let mut names = Vec::with_capacity(entities.len());
    for entity in entities {
        let name = running.name_for(Viewer::Seat(seat), entity);
        names.push(name.unwrap_or_else(|| OUT_OF_SIGHT.to_owned()) + &zone);
    }
    Ok(names)
}
