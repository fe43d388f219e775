//! Match setup from the command line: options, seeds, scripted dice.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use intermezzo_compiler::diagnostic::suggest;
use intermezzo_engine::{Datum, DiceScript, ShortText};
use intermezzo_matchfile::{ScriptedRoll, from_json};
use intermezzo_program::{Program, Symbol, Type, TypeId};

use crate::failure::CliError;

/// Parses options given as `name=value`.
pub(crate) fn options(program: &Program, given: &[String]) -> Result<Vec<(ShortText, Datum)>, CliError> {
    given.iter().map(|given| option(program, given)).collect()
}

fn option(program: &Program, given: &str) -> Result<(ShortText, Datum), CliError> {
    let wrong =
        || CliError::usage(format!("`{given}` is not an option setting")).hint("write it as `name=value`");
    let (name, value) = given.split_once('=').ok_or_else(wrong)?;
    let (name, value) = (name.trim(), value.trim());
    let known = program.options.iter().find(|option| program.symbol(option.name) == name);
    let Some(known) = known else { return Err(no_option(program, name)) };
    let datum = read(program, known.ty, value).ok_or_else(|| {
        let expected = expected(program, known.ty);
        CliError::usage(format!("option `{name}` cannot be `{value}`")).hint(format!("it takes {expected}"))
    })?;
    Ok((name.into(), datum))
}

fn no_option(program: &Program, name: &str) -> CliError {
    let names: Vec<&str> = program.options.iter().map(|option| program.symbol(option.name)).collect();
    let failure = CliError::usage(format!("`{}` has no option `{name}`", program.id));
    match suggest(name, names.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None if names.is_empty() => failure.hint("this ruleset has no options"),
        None => failure.hint(format!("its options are {}", names.join(", "))),
    }
}

/// Parses a value of the given type.
pub(crate) fn value(program: &Program, ty: TypeId, value: &str) -> Option<Datum> {
    read(program, ty, value)
}

fn read(program: &Program, ty: TypeId, value: &str) -> Option<Datum> {
    match &program.types[ty.index()] {
        Type::Int => value.parse().ok().map(Datum::Int),
        Type::Bool => value.parse().ok().map(Datum::Bool),
        Type::Symbol => program.symbol_named(value).map(|_| Datum::text(value)),
        Type::Enum(of) => {
            let mut members = program.enums[of.index()].members.iter();
            members.any(|member| program.symbol(*member) == value).then(|| Datum::text(value))
        }
        Type::List(item) => items(value)
            .into_iter()
            .map(|text| read(program, *item, text))
            .collect::<Option<_>>()
            .map(Datum::List),
        Type::Record(fields) => record(program, fields, value),
        _ => from_json(&serde_json::from_str(value).ok()?),
    }
}

/// Parses a record as rulesets write it, such as `{x: 1, y: 2}`, or as JSON.
fn record(program: &Program, fields: &[(Symbol, TypeId)], value: &str) -> Option<Datum> {
    let inside = value.strip_prefix('{')?.strip_suffix('}')?;
    let entry = |entry: &str| {
        let (name, value) = entry.split_once(':')?;
        let name = name.trim().trim_matches('"');
        let (_, ty) = fields.iter().find(|(field, _)| program.symbol(*field) == name)?;
        let value = value.trim();
        let value = read(program, *ty, value).or_else(|| from_json(&serde_json::from_str(value).ok()?))?;
        Some((name.into(), value))
    };
    split_list(inside).into_iter().map(entry).collect::<Option<_>>().map(Datum::Map)
}

/// Splits a list into its items, with or without brackets around it.
fn items(value: &str) -> Vec<&str> {
    let is_one = value.starts_with('[') && closing_bracket(value) == Some(value.len() - 1);
    split_list(if is_one { &value[1..value.len() - 1] } else { value })
}

/// Splits at commas outside brackets.
pub(crate) fn split_list(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let is_border = |letter: char| {
        depth += i32::from("[{".contains(letter)) - i32::from("]}".contains(letter));
        letter == ',' && depth == 0
    };
    text.split(is_border).map(str::trim).filter(|item| !item.is_empty()).collect()
}

/// Returns the position of the bracket that closes the one at the start of the text.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.bytes().position(|byte| {
        depth += i32::from(byte == b'[') - i32::from(byte == b']');
        depth == 0
    })
}

fn expected(program: &Program, ty: TypeId) -> String {
    match &program.types[ty.index()] {
        Type::Int => "a whole number".to_owned(),
        Type::Bool => "`true` or `false`".to_owned(),
        Type::Enum(of) => {
            let members = &program.enums[of.index()].members;
            let names: Vec<&str> = members.iter().map(|member| program.symbol(*member)).collect();
            format!("one of {}", names.join(", "))
        }
        Type::List(item) if matches!(program.types[item.index()], Type::List(_)) => {
            "a list of lists such as `[a,b],[c]`".to_owned()
        }
        Type::Record(fields) => {
            let names: Vec<&str> = fields.iter().map(|(field, _)| program.symbol(*field)).collect();
            format!("a record with {}", names.join(", "))
        }
        Type::List(item) => format!("a list such as `a,b,c`; for each item {}", expected(program, *item)),
        _ => "a JSON value".to_owned(),
    }
}

/// Picks a seed from the clock. It is printed, so that the match can be played again.
pub(crate) fn new_seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(since.subsec_nanos()) ^ (since.as_secs() << 20) & 0xffff_ffff
}

/// Reads scripted dice: a JSON list such as `[{"for": "attack", "faces": [20]}, {"faces": [3, 4]}]`.
pub(crate) fn script(program: &Program, path: &Path) -> Result<DiceScript, CliError> {
    let bytes = std::fs::read(path).map_err(|error| CliError::cannot_read(path, error))?;
    let rolls: Vec<ScriptedRoll> = serde_json::from_slice(&bytes).map_err(|error| {
        CliError::cannot_read(path, error)
            .hint(r#"write it like [{"for": "attack", "faces": [20]}, {"faces": [3, 4]}]"#)
    })?;
    let mut script = DiceScript::default();
    for roll in rolls {
        let label = match &roll.label {
            Some(label) => Some(
                program
                    .symbol_named(label)
                    .ok_or_else(|| CliError::usage(format!("`{}` has no roll for `{label}`", program.id)))?,
            ),
            None => None,
        };
        script.rolls.push((label, roll.faces));
    }
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::items;

    #[test]
    fn a_list_may_hold_lists() {
        assert_eq!(items("a, b,c"), ["a", "b", "c"]);
        assert_eq!(items("[a,b]"), ["a", "b"]);
        assert_eq!(items("[[a,b],[c]]"), ["[a,b]", "[c]"]);
        assert_eq!(items("[a,b],[]"), ["[a,b]", "[]"]);
        assert!(items("[]").is_empty() && items("").is_empty());
        assert_eq!(items("[a"), ["[a"]);
        assert_eq!(items("[{x: 1, y: 2}, {x: 3, y: 4}]"), ["{x: 1, y: 2}", "{x: 3, y: 4}"]);
    }
}
