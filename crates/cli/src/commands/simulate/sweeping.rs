//! Options with several values each: all combinations of them.

use intermezzo_engine::{Datum, Text};
use intermezzo_ruleset::{Program, Type};

use crate::failure::Failure;
use crate::setup;

/// More combinations than this are no sweep but a mistake.
const MAX_CELLS: usize = 1000;

/// Every combination of the values that were typed; one without any if nothing was.
pub(super) fn cells(program: &Program, given: &[String]) -> Result<Vec<Vec<(Text, Datum)>>, Failure> {
    let mut options: Vec<(Text, Vec<Datum>)> = Vec::new();
    for given in given.iter().flat_map(|given| alternatives(program, given)) {
        for (name, value) in setup::options(program, std::slice::from_ref(&given))? {
            match options.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => values.push(value),
                None => options.push((name, vec![value])),
            }
        }
    }
    let count = options.iter().map(|(_, values)| values.len()).try_fold(1usize, usize::checked_mul);
    if count.is_none_or(|count| count > MAX_CELLS) {
        return Err(Failure::usage(format!("that makes more than {MAX_CELLS} combinations of options"))
            .hint("sweep over fewer values at a time"));
    }
    let mut cells: Vec<Vec<(Text, Datum)>> = vec![Vec::new()];
    for (name, values) in options {
        let with = |cell: Vec<(Text, Datum)>| {
            let name = name.clone();
            values
                .clone()
                .into_iter()
                .map(move |value| cell.iter().cloned().chain([(name.clone(), value)]).collect::<Vec<_>>())
        };
        cells = cells.into_iter().flat_map(with).collect();
    }
    Ok(cells)
}

/// `a=1,2` as `a=1` and `a=2`; an option that takes a list has it as one value.
fn alternatives(program: &Program, given: &str) -> Vec<String> {
    let one = || vec![given.to_owned()];
    let Some((name, values)) = given.split_once('=') else { return one() };
    let known = program.options.iter().find(|option| program.symbol(option.name) == name.trim());
    let Some(known) = known else { return one() };
    match &program.types[known.ty.index()] {
        Type::Int | Type::Bool | Type::Symbol | Type::Enum(_) => {
            values.split(',').map(|value| format!("{name}={value}")).collect()
        }
        _ => one(),
    }
}
