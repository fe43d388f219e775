//! What a match begins with, as typed: options, seeds, scripted dice.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use intermezzo_compiler::diagnostic::suggest;
use intermezzo_engine::{Datum, Script, Text};
use intermezzo_journal::{ScriptedRoll, from_json};
use intermezzo_ruleset::{Program, Symbol, Type, TypeId};

use crate::failure::Failure;

/// The options typed as `name=value`.
pub(crate) fn options(program: &Program, given: &[String]) -> Result<Vec<(Text, Datum)>, Failure> {
    given.iter().map(|given| option(program, given)).collect()
}

fn option(program: &Program, given: &str) -> Result<(Text, Datum), Failure> {
    let wrong =
        || Failure::usage(format!("`{given}` does not set an option")).hint("write it as `name=value`");
    let (name, value) = given.split_once('=').ok_or_else(wrong)?;
    let (name, value) = (name.trim(), value.trim());
    let known = program.options.iter().find(|option| program.symbol(option.name) == name);
    let Some(known) = known else { return Err(no_option(program, name)) };
    let datum = read(program, known.ty, value).ok_or_else(|| {
        let expected = expected(program, known.ty);
        Failure::usage(format!("option `{name}` cannot be `{value}`")).hint(format!("it takes {expected}"))
    })?;
    Ok((name.into(), datum))
}

fn no_option(program: &Program, name: &str) -> Failure {
    let names: Vec<&str> = program.options.iter().map(|option| program.symbol(option.name)).collect();
    let failure = Failure::usage(format!("`{}` has no option `{name}`", program.id));
    match suggest(name, names.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None if names.is_empty() => failure.hint("this ruleset has no options"),
        None => failure.hint(format!("its options are {}", names.join(", "))),
    }
}

/// A value of a type, as it is typed.
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

/// A record as rules write it, such as `{x: 1, y: 2}`, or as JSON.
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
    parts(inside).into_iter().map(entry).collect::<Option<_>>().map(Datum::Map)
}

/// The items of a list, with or without brackets around it.
fn items(value: &str) -> Vec<&str> {
    let is_one = value.starts_with('[') && closing(value) == Some(value.len() - 1);
    parts(if is_one { &value[1..value.len() - 1] } else { value })
}

/// What stands between commas. Those in brackets of their own belong to a part.
pub(crate) fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let is_border = |letter: char| {
        depth += i32::from("[{".contains(letter)) - i32::from("]}".contains(letter));
        letter == ',' && depth == 0
    };
    text.split(is_border).map(str::trim).filter(|item| !item.is_empty()).collect()
}

/// Where the bracket closes with which the text begins.
fn closing(text: &str) -> Option<usize> {
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
        _ => "a value in JSON".to_owned(),
    }
}

/// A seed for a match nobody chose one for. It is shown, so that the match can be played again.
pub(crate) fn new_seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(since.subsec_nanos()) ^ (since.as_secs() << 20) & 0xffff_ffff
}

/// Dice known beforehand: a JSON list such as `[{"for": "attack", "faces": [20]}, {"faces": [3, 4]}]`.
pub(crate) fn script(program: &Program, path: &Path) -> Result<Script, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::unread(path, error))?;
    let rolls: Vec<ScriptedRoll> = serde_json::from_slice(&bytes).map_err(|error| {
        Failure::unread(path, error)
            .hint(r#"write it like [{"for": "attack", "faces": [20]}, {"faces": [3, 4]}]"#)
    })?;
    let mut script = Script::default();
    for roll in rolls {
        let label =
            match &roll.label {
                Some(label) => Some(program.symbol_named(label).ok_or_else(|| {
                    Failure::usage(format!("`{}` rolls nothing for `{label}`", program.id))
                })?),
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
