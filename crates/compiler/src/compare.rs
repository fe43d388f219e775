//! Comparison of two versions of a ruleset: the public names that the new one removes.
//!
//! Stored decks, saved matches and clients refer to names. A version that removes one must raise its major
//! number.

use intermezzo_program::{KindId, Program, Symbol};

/// Returns the public names of `old` that are missing in `new`, such as `defs.knight`. Clients, decks and
/// options may use them.
pub(crate) fn removed_names(old: &Program, new: &Program) -> Vec<String> {
    let kept = public_names(new);
    public_names(old).into_iter().filter(|name| !kept.contains(name)).collect()
}

fn public_names(program: &Program) -> Vec<String> {
    let spell = |symbol: Symbol| program.symbol(symbol).to_owned();
    let mut names = Vec::new();
    names.extend(program.defs.iter().map(|def| format!("defs.{}", spell(def.name))));
    names.extend(program.options.iter().map(|option| format!("options.{}", spell(option.name))));
    names.extend(program.events.iter().map(|event| format!("events.{}", event.name)));
    names.extend(program.zones.iter().map(|zone| format!("zones.{}", spell(zone.name))));
    names.extend(program.phases.iter().map(|phase| format!("phases.{}", spell(phase.name))));
    names.extend(program.outcomes.iter().map(|outcome| format!("outcomes.{}", spell(*outcome))));
    for (number, kind) in program.kinds.iter().enumerate() {
        let kind_name = if number == KindId::MATCH.index() { "match" } else { &kind.name };
        for prop in &kind.props {
            names.push(format!("{kind_name}.{}", spell(program.props[prop.index()].name)));
        }
    }
    names
}
