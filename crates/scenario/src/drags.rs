//! Drags: `drag p0: [bear, p0.battlefield]` is the answer one gives by moving a thing onto another.

use intermezzo_compiler::diagnostic::suggest;
use intermezzo_compiler::tree::{Node, Text};
use intermezzo_engine::{Input, Refusal, Viewer};
use intermezzo_ruleset::{Program, Seat};

use crate::checks::Problem;
use crate::play::Playing;
use crate::reader::{Reader, seat_number};
use crate::scenario::{Sending, Sent, Step};
use crate::table::Table;

/// What nobody ever sees.
const OUT_OF_SIGHT: &str = "#0";

impl Reader<'_> {
    /// What is dragged, and onto what.
    pub(crate) fn drag<'n>(&mut self, seat: Seat, node: &'n Node) -> Option<Sending<'n>> {
        let [what, onto] = node.as_list().unwrap_or_default() else {
            self.wrong("E-TYPE", node.span, "a drag is a list of two: what is dragged, and onto what");
            return None;
        };
        let ends = [(what, "what is dragged"), (onto, "onto what it is dragged")];
        let [what, onto] = ends.map(|(end, about)| {
            let text = self.text(end, about)?;
            self.check_end(text);
            Some(text)
        });
        Some(Sending::Drag(seat, [what?, onto?]))
    }

    /// Seats and zones are known before play; entities are not.
    fn check_end(&mut self, text: &Text) {
        let (host, zone) = match text.as_str().rsplit_once('.') {
            Some((host, zone)) => (host, Some(zone)),
            None => (text.as_str(), None),
        };
        if seat_number(host).is_some() {
            self.seat(host, text.span);
        }
        if let Some(zone) = zone {
            let place = text.span_of(host.len() + 1..text.value.len());
            let zone = Text::straight(zone, place.file, place.start);
            self.check_name(&zone, "zone", &zone_names(self.program));
        }
    }
}

fn zone_names(program: &Program) -> Vec<&str> {
    program.zones.iter().map(|zone| program.symbol(zone.name)).collect()
}

impl Playing<'_> {
    /// Sends the answer a drag means.
    pub(crate) fn drag(
        &mut self,
        step: &Step<'_>,
        sent: &Sent<'_>,
        seat: Seat,
        ends: [&Text; 2],
    ) -> Result<(), Problem> {
        let [what, onto] = ends.map(|end| ends_called(&mut self.table, seat, end));
        let (what, onto) = (what?, onto?);
        let before = self.standing();
        let mut refusal = None;
        for what in &what {
            for onto in &onto {
                match self.table.read_drag(seat, what, onto) {
                    Ok((input, answer)) => {
                        return self.submit(step, sent, &Input::Answer { input, seat, answer }, None);
                    }
                    // Of several things with that name, the first tells why not.
                    Err(rejection) => refusal = refusal.or(Some(Refusal::Rejected(rejection))),
                }
            }
        }
        let refusal = refusal.expect("a name stands for something");
        let reason = self.table.reason(&refusal);
        self.refused(step, sent, &refusal, &reason, &before)
    }
}

/// What a seat calls the things with that name, its own first.
fn ends_called(table: &mut Table, seat: Seat, text: &Text) -> Result<Vec<String>, Problem> {
    let written = text.as_str();
    let (host, zone) = match written.rsplit_once('.') {
        Some((host, zone)) => (host, format!(".{zone}")),
        None => (written, String::new()),
    };
    if seat_number(host).is_some() || zone_names(&table.program).contains(&written) {
        return Ok(vec![written.to_owned()]);
    }
    let entities = table.entities_called(host, seat);
    if entities.is_empty() {
        let program = &table.program;
        let defs = program.defs.iter().map(|def| program.symbol(def.name));
        let known = zone_names(program).into_iter().chain(defs);
        let hint = suggest(host, known).map(|near| format!("; did you mean `{near}`?"));
        let line = format!("nothing is called `{host}` here{}", hint.unwrap_or_default());
        return Err(Problem::new(text.span, line));
    }
    let mut names = Vec::with_capacity(entities.len());
    for entity in entities {
        let name = table.name_for(Viewer::Seat(seat), entity);
        names.push(name.unwrap_or_else(|| OUT_OF_SIGHT.to_owned()) + &zone);
    }
    Ok(names)
}
