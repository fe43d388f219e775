//! Decks as they are typed: files of names, lists, or those a match begins with.

use std::path::Path;

use intermezzo_engine::Datum;
use intermezzo_ruleset::{Program, Type, TypeId};
use intermezzo_simulator::Study;
use intermezzo_simulator::study::{Lot, Lots};

use crate::failure::Failure;
use crate::setup;

/// What seats are dealt in turn.
pub(super) fn read(study: &Study, given: &str) -> Result<Lots, Failure> {
    let program = &study.program;
    let Some(option) = Lots::option(program) else {
        let failure = Failure::usage(format!("`{}` has no option that gives every seat a list", program.id));
        return Err(failure.hint("leave out --decks"));
    };
    if given.trim().is_empty() {
        let lots = Lots::of_setup(program, &study.setup(study.seed));
        let lots = lots.map_err(|error| Failure::start(program, &error))?;
        return lots.ok_or_else(|| Failure::usage(format!("`{}` has no usual decks", program.id)));
    }
    let Type::List(item) = program.types[option.ty.index()] else {
        return Err(Failure::usage(format!("`{}` has no decks", program.id)));
    };
    let lots = setup::parts(given).into_iter().enumerate().map(|(at, given)| lot(program, item, at, given));
    Ok(Lots { option: program.symbol(option.name).into(), list: lots.collect::<Result<_, _>>()? })
}

/// `name=[a,b]`, `[a,b]`, or a file with names.
fn lot(program: &Program, item: TypeId, at: usize, given: &str) -> Result<Lot, Failure> {
    let (name, list) = match given.split_once('=') {
        Some((name, list)) => (name.trim().to_owned(), list.trim().to_owned()),
        None if given.starts_with('[') => (format!("#{}", at + 1), given.to_owned()),
        None => {
            let path = Path::new(given);
            let text = std::fs::read_to_string(path).map_err(|error| {
                Failure::unread(path, error).hint("a deck is a file of names, or a list such as `[a,b]`")
            })?;
            let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or(given);
            (name.to_owned(), format!("[{}]", names(&text).join(",")))
        }
    };
    let value: Option<Datum> = setup::value(program, item, &list);
    let value = value.ok_or_else(|| {
        Failure::usage(format!("the deck `{name}` has names that `{}` does not know", program.id))
            .hint("names are those under `defs`")
    })?;
    Ok(Lot { name, value })
}

/// The names in a file: one or several in a line, `3 name` for three of it; what follows `#` is left out.
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
