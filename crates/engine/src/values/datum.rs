//! Self-contained values for the boundary of the engine: options, answers and views.

use std::fmt;

use intermezzo_program::{NULL, Program, Type, TypeId, Word, word};

use smol_str::format_smolstr;

use crate::ask::offers::OFFER_HEAD;
use crate::storage::board::Board;
use crate::values::typed::{Layout, Shapes};

/// A name or a text. Texts of up to 23 bytes, which nearly all are, need no allocation.
pub type ShortText = smol_str::SmolStr;

/// A self-contained value, readable without the program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Datum {
    Null,
    Bool(bool),
    Int(i64),
    /// A name or a text.
    Text(ShortText),
    List(Vec<Datum>),
    /// Named values in order.
    Map(Vec<(ShortText, Datum)>),
}

impl Datum {
    /// Returns the value called `name` of a map.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Datum> {
        match self {
            Datum::Map(entries) => entries.iter().find(|entry| entry.0 == name).map(|entry| &entry.1),
            _ => None,
        }
    }

    /// Returns the value called `name` of a map, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Datum> {
        match self {
            Datum::Map(entries) => entries.iter_mut().find(|entry| entry.0 == name).map(|entry| &mut entry.1),
            _ => None,
        }
    }

    #[must_use]
    pub fn text(text: impl Into<ShortText>) -> Datum {
        Datum::Text(text.into())
    }
}

/// Writes the value as error messages quote it: texts without quotes, the rest as in a ruleset.
impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Null => f.write_str("null"),
            Datum::Bool(value) => value.fmt(f),
            Datum::Int(number) => number.fmt(f),
            Datum::Text(text) => f.write_str(text),
            Datum::List(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if at == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Datum::Map(entries) => {
                f.write_str("{")?;
                for (at, (name, value)) in entries.iter().enumerate() {
                    write!(f, "{}{name}: {value}", if at == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
        }
    }
}

/// The reason a datum does not fit a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatumTypeError {
    /// Description of the expected type.
    pub expected: String,
}

/// Describes a value: symbols by name, players as `p0`, entities as `#7`, zones as `p0.name`.
#[must_use]
pub fn describe(program: &Program, board: &Board, value: Word, ty: TypeId) -> Datum {
    describe_with(program, board, value, ty, &mut |entity| {
        Datum::Text(format_smolstr!("#{}", word::row(entity)))
    })
}

/// Describes a value. `name` names entities other than players and the match.
pub fn describe_with(
    program: &Program,
    board: &Board,
    value: Word,
    ty: TypeId,
    name: &mut dyn FnMut(Word) -> Datum,
) -> Datum {
    if value == NULL {
        return Datum::Null;
    }
    let shapes = Shapes { program, seats: board.seats() };
    match shapes.layout(ty) {
        Layout::Plain => describe_plain(program, board, value, &program.types[ty.index()], name),
        Layout::List(item) => {
            let items = board.list(value).unwrap_or(&[]);
            Datum::List(items.iter().map(|value| describe_with(program, board, *value, item, name)).collect())
        }
        Layout::Offer => describe_offer(program, board, value, name),
        Layout::Map(count, item) => {
            let values = board.heap.fields(value, count).unwrap_or(&[]);
            let entry = |(key, value): (usize, &Word)| {
                (map_key(program, ty, key), describe_with(program, board, *value, item, name))
            };
            Datum::Map(values.iter().enumerate().map(entry).collect())
        }
        Layout::Record(fields) => {
            let values = board.heap.fields(value, fields.len()).unwrap_or(&[]);
            let entry = |((field, ty), value): (&(_, TypeId), &Word)| {
                (name_of(program, *field), describe_with(program, board, *value, *ty, name))
            };
            Datum::Map(fields.iter().zip(values).map(entry).collect())
        }
    }
}

/// Describes an offer: action, host and targets.
fn describe_offer(
    program: &Program,
    board: &Board,
    offer: Word,
    name: &mut dyn FnMut(Word) -> Datum,
) -> Datum {
    let words = board.list(offer).unwrap_or(&[]);
    let action = words.first().and_then(|action| program.actions.get(usize::try_from(*action).ok()?));
    let (Some(action), Some(params)) = (action, words.get(OFFER_HEAD..)) else {
        return Datum::Null;
    };
    let host = match words[2] {
        NULL => Datum::Null,
        host => describe_entity(board, host, name),
    };
    let offered = action.params.iter().filter(|param| param.offered).zip(params);
    let targets = offered
        .map(|(param, value)| {
            (name_of(program, param.name), describe_with(program, board, *value, param.ty, name))
        })
        .collect();
    Datum::Map(vec![
        (ShortText::new_static("action"), Datum::Text(name_of(program, action.name))),
        (ShortText::new_static("host"), host),
        (ShortText::new_static("targets"), Datum::Map(targets)),
    ])
}

fn map_key(program: &Program, ty: TypeId, key: usize) -> ShortText {
    match &program.types[ty.index()] {
        Type::EnumMap(of, _) => program
            .enums
            .get(of.index())
            .and_then(|of| of.members.get(key))
            .map_or_else(ShortText::default, |member| name_of(program, *member)),
        _ => format_smolstr!("p{key}"),
    }
}

fn name_of(program: &Program, symbol: intermezzo_program::Symbol) -> ShortText {
    program.symbols.get(symbol.index()).map_or_else(ShortText::default, ShortText::from)
}

fn describe_plain(
    program: &Program,
    board: &Board,
    value: Word,
    ty: &Type,
    name: &mut dyn FnMut(Word) -> Datum,
) -> Datum {
    match ty {
        Type::Bool => Datum::Bool(value == 1),
        Type::Symbol | Type::Enum(_) => {
            let symbol = usize::try_from(value).ok().and_then(|value| program.symbols.get(value));
            symbol.map_or(Datum::Null, Datum::text)
        }
        Type::Text => {
            let text = usize::try_from(value).ok().and_then(|value| program.texts.get(value));
            text.map_or(Datum::Null, Datum::text)
        }
        Type::Entity | Type::Kind(_) => describe_entity(board, value, name),
        Type::Zone => describe_zone(program, board, value, name),
        Type::Dice => {
            let (count, sides) = word::dice_parts(value);
            Datum::Text(format_smolstr!("{count}d{sides}"))
        }
        Type::Event => Datum::Null,
        _ => Datum::Int(value),
    }
}

fn describe_entity(board: &Board, entity: Word, name: &mut dyn FnMut(Word) -> Datum) -> Datum {
    if entity == word::MATCH {
        return Datum::text("match");
    }
    if board.is_player(entity) {
        return Datum::Text(format_smolstr!("p{}", entity - 1));
    }
    name(entity)
}

/// Describes a zone by its name, prefixed with the name of the entity it belongs to.
pub(crate) fn describe_zone(
    program: &Program,
    board: &Board,
    zone: Word,
    name: &mut dyn FnMut(Word) -> Datum,
) -> Datum {
    let Some(head) = u32::try_from(zone).ok().and_then(|zone| board.zones.head(zone)) else {
        return Datum::Null;
    };
    let family = name_of(program, program.zones[head.family.index()].name);
    if head.host == crate::storage::zones::NOWHERE {
        return Datum::Text(family);
    }
    match describe_entity(board, board.reference(head.host), name) {
        Datum::Text(host) => Datum::Text(format_smolstr!("{host}.{family}")),
        _ => Datum::Text(family),
    }
}

/// Reads a value of a type that contains no entities except players: numbers, names, and lists, maps and records
/// of them.
pub(crate) fn read(
    program: &Program,
    board: &mut Board,
    datum: &Datum,
    ty: TypeId,
) -> Result<Word, DatumTypeError> {
    let wrong = |expected: &str| DatumTypeError { expected: expected.to_owned() };
    let full = |_| wrong("a smaller value");
    let shapes = Shapes { program, seats: board.seats() };
    match (datum, &program.types[ty.index()]) {
        (Datum::Null, _) => Ok(NULL),
        (Datum::Int(value), Type::Int) if *value != NULL => Ok(*value),
        (Datum::Bool(value), Type::Bool) => Ok(Word::from(*value)),
        (Datum::Text(text), Type::Symbol) => symbol(program, text).ok_or_else(|| wrong("a known name")),
        (Datum::Text(text), Type::Enum(of)) => {
            let members = program.enums.get(of.index()).map_or(&[][..], |of| &of.members);
            let member = members.iter().find(|member| program.symbol(**member) == text);
            member.map(|member| Word::from(member.0)).ok_or_else(|| wrong("a member of the enum"))
        }
        (Datum::Text(text), Type::Entity | Type::Kind(intermezzo_program::KindId::PLAYER)) => {
            let seat = text.strip_prefix('p').and_then(|seat| seat.parse::<u8>().ok());
            let seat = seat.filter(|seat| *seat < board.seats());
            seat.map(|seat| Word::from(seat) + 1).ok_or_else(|| wrong("a player such as `p0`"))
        }
        (Datum::List(items), Type::List(item)) => {
            let mut words = Vec::with_capacity(items.len());
            let are_names = program.types[item.index()] == Type::Symbol;
            for value in items {
                // Most options are decks: long lists of names.
                let name =
                    if let Datum::Text(text) = value { Some(text).filter(|_| are_names) } else { None };
                match name.and_then(|name| symbol(program, name)) {
                    Some(name) => words.push(name),
                    None => words.push(read(program, board, value, *item)?),
                }
            }
            board.heap.new_list(&words).map_err(full)
        }
        (Datum::Map(_), Type::Record(fields)) => {
            let mut words = Vec::with_capacity(fields.len());
            for (field, ty) in fields {
                let value = datum.get(program.symbol(*field)).unwrap_or(&Datum::Null);
                words.push(read(program, board, value, *ty)?);
            }
            board.heap.new_record(&words).map_err(full)
        }
        (Datum::Map(_), Type::PlayerMap(item) | Type::EnumMap(_, item)) => {
            let Layout::Map(count, _) = shapes.layout(ty) else {
                return Err(wrong("a map"));
            };
            let mut words = Vec::with_capacity(count);
            for key in 0..count {
                let value = datum.get(&map_key(program, ty, key)).unwrap_or(&Datum::Null);
                words.push(read(program, board, value, *item)?);
            }
            board.heap.new_record(&words).map_err(full)
        }
        (_, expected) => Err(wrong(type_name(expected))),
    }
}

/// Returns the word of the symbol that is spelt like that.
fn symbol(program: &Program, name: &str) -> Option<Word> {
    program.symbol_named(name).map(|symbol| Word::from(symbol.0))
}

fn type_name(ty: &Type) -> &'static str {
    match ty {
        Type::Int => "a number",
        Type::Bool => "true or false",
        Type::Symbol | Type::Enum(_) => "a name",
        Type::List(_) => "a list",
        Type::Record(_) => "a record",
        Type::PlayerMap(_) | Type::EnumMap(..) => "a map",
        _ => "a value of another type",
    }
}
