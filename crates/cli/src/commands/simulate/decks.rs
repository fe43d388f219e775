//! Decks for a simulation: files of names, lists, or the ruleset's defaults.

use std::path::Path;

use intermezzo_engine::Datum;
use intermezzo_program::{Program, Type, TypeId};
use intermezzo_simulator::Experiment;
use intermezzo_simulator::experiment::{Deck, DeckSet};

use crate::failure::CliError;
use crate::setup;

/// Reads the decks that rotate through the seats.
pub(super) fn read_decks(experiment: &Experiment, given: &str) -> Result<DeckSet, CliError> {
    let program = &experiment.program;
    let Some(option) = DeckSet::option(program) else {
        let failure = CliError::usage(format!("`{}` has no option that gives every seat a list", program.id));
        return Err(failure.hint("omit --decks"));
    };
    if given.trim().is_empty() {
        let decks = DeckSet::from_setup(program, &experiment.setup(experiment.seed));
        let decks = decks.map_err(|error| CliError::start(program, &error))?;
        return decks.ok_or_else(|| CliError::usage(format!("`{}` has no default decks", program.id)));
    }
    let Type::List(item) = program.types[option.ty.index()] else {
        return Err(CliError::usage(format!("`{}` has no decks", program.id)));
    };
    let decks = setup::split_list(given)
        .into_iter()
        .enumerate()
        .map(|(at, given)| read_deck(program, item, at, given));
    Ok(DeckSet { option: program.symbol(option.name).into(), list: decks.collect::<Result<_, _>>()? })
}

/// Reads one deck: `name=[a,b]`, `[a,b]`, or a file of names.
fn read_deck(program: &Program, item: TypeId, at: usize, given: &str) -> Result<Deck, CliError> {
    let (name, list) = match given.split_once('=') {
        Some((name, list)) => (name.trim().to_owned(), list.trim().to_owned()),
        None if given.starts_with('[') => (format!("#{}", at + 1), given.to_owned()),
        None => {
            let path = Path::new(given);
            let text = std::fs::read_to_string(path).map_err(|error| {
                CliError::cannot_read(path, error)
                    .hint("a deck is a file of names, or a list such as `[a,b]`")
            })?;
            let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or(given);
            (name.to_owned(), format!("[{}]", names(&text).join(",")))
        }
    };
    let value: Option<Datum> = setup::value(program, item, &list);
    let value = value.ok_or_else(|| {
        CliError::usage(format!("deck `{name}` contains names unknown to `{}`", program.id))
            .hint("use names from the section `defs`")
    })?;
    Ok(Deck { name, value })
}

/// Reads the names in a file: one or more per line, `3 name` for three copies, comments after `#`.
fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut times = 1;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        for word in line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')) {
            let number = word.strip_suffix('x').unwrap_or(word).parse::<usize>();
            match (word, number) {
                ("", _) => {}
                (_, Ok(number)) => times = number.min(1000),
                (word, Err(_)) => {
                    names.extend(std::iter::repeat_n(word.to_owned(), times));
                    times = 1;
                }
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_deck_is_written_as_people_write_decks() {
        let text = "# my deck\n3 bolt\n2x imp, ogre  # the big one\n- drake\n[flare]";
        let all = ["bolt", "bolt", "bolt", "imp", "imp", "ogre", "drake", "flare"];
        assert_eq!(names(text), all);
    }
}
