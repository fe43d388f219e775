//! Option sweeps: all combinations of the given values.

use intermezzo_engine::{Datum, ShortText};
use intermezzo_program::{Program, Type};

use crate::failure::CliError;
use crate::setup;

/// Maximum number of combinations. More are surely a mistake.
const MAX_CELLS: usize = 1000;

/// Returns every combination of the given values; a single empty one without options.
pub(super) fn option_combinations(
    program: &Program,
    given: &[String],
) -> Result<Vec<Vec<(ShortText, Datum)>>, CliError> {
    let mut options: Vec<(ShortText, Vec<Datum>)> = Vec::new();
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
        return Err(CliError::usage(format!("the sweep has more than {MAX_CELLS} combinations of options"))
            .hint("sweep over fewer values at a time"));
    }
    let mut cells: Vec<Vec<(ShortText, Datum)>> = vec![Vec::new()];
    for (name, values) in options {
        let with = |cell: Vec<(ShortText, Datum)>| {
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

/// Splits `a=1,2` into `a=1` and `a=2`. An option that takes a list is not split.
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
