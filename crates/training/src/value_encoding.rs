//! Encoding of values as numbers.

use intermezzo_engine::Board;
use intermezzo_program::{NULL, Program, Type, TypeId, Word, word};

use crate::columns::Column;

/// Number of list items that are encoded, after the length.
pub(crate) const LIST_ITEMS: usize = 4;
/// Maximum depth of nested values.
const MAX_DEPTH: u32 = 4;

/// Context of an encoding, besides the ruleset.
#[derive(Clone, Copy)]
pub(crate) struct EncodingContext<'a> {
    pub(crate) program: &'a Program,
    pub(crate) seats: usize,
    /// Number of possible references: none, players, rows of entities.
    pub(crate) references: usize,
}

impl EncodingContext<'_> {
    /// Adds the columns of a type. Types that cannot be encoded have none.
    pub(crate) fn columns(&self, name: &str, ty: TypeId, depth: u32, out: &mut Vec<Column>) {
        if depth > MAX_DEPTH {
            return;
        }
        let program = self.program;
        match &program.types[ty.index()] {
            Type::Int => out.push(Column::number(name)),
            Type::Bool => out.push(Column::flag(name)),
            Type::Symbol => out.push(Column::index(name, program.symbols.len() + 1)),
            Type::Enum(of) => out.push(Column::index(name, program.enums[of.index()].members.len() + 1)),
            Type::Entity | Type::Kind(_) => out.push(Column::index(name, self.references)),
            Type::Zone => {
                out.push(Column::index(format!("{name} zone"), program.zones.len() + 1));
                out.push(Column::index(format!("{name} host"), self.references));
            }
            Type::Dice => {
                out.push(Column::number(format!("{name} count")));
                out.push(Column::number(format!("{name} sides")));
            }
            Type::List(item) => {
                out.push(Column::number(format!("{name} length")));
                (0..LIST_ITEMS).for_each(|at| self.columns(&format!("{name} {at}"), *item, depth + 1, out));
            }
            Type::PlayerMap(item) => {
                (0..self.seats)
                    .for_each(|at| self.columns(&format!("{name} of {at}"), *item, depth + 1, out));
            }
            Type::EnumMap(of, item) => {
                for member in &program.enums[of.index()].members {
                    self.columns(&format!("{name} {}", program.symbol(*member)), *item, depth + 1, out);
                }
            }
            Type::Record(fields) => {
                for (field, ty) in fields {
                    self.columns(&format!("{name} {}", program.symbol(*field)), *ty, depth + 1, out);
                }
            }
            Type::Text | Type::Event | Type::Any | Type::Offer => {}
        }
    }

    /// Returns the number of columns of a type.
    fn width(&self, ty: TypeId, depth: u32) -> usize {
        if depth > MAX_DEPTH {
            return 0;
        }
        let inner = |ty: &TypeId| self.width(*ty, depth + 1);
        match &self.program.types[ty.index()] {
            Type::Int | Type::Bool | Type::Symbol | Type::Enum(_) | Type::Entity | Type::Kind(_) => 1,
            Type::Zone | Type::Dice => 2,
            Type::List(item) => 1 + LIST_ITEMS * inner(item),
            Type::PlayerMap(item) => self.seats * inner(item),
            Type::EnumMap(of, item) => self.program.enums[of.index()].members.len() * inner(item),
            Type::Record(fields) => fields.iter().map(|(_, ty)| inner(ty)).sum(),
            Type::Text | Type::Event | Type::Any | Type::Offer => 0,
        }
    }
}

/// Writer of values for one viewer.
pub(crate) struct ValueWriter<'a, R: Fn(Word) -> usize> {
    pub(crate) context: EncodingContext<'a>,
    pub(crate) board: &'a Board,
    /// Seat from which players are counted.
    pub(crate) first: usize,
    /// Returns the reference number of a visible thing, 0 for others.
    pub(crate) reference: R,
}

impl<R: Fn(Word) -> usize> ValueWriter<'_, R> {
    /// Writes a value into its columns, which must be 0.
    pub(crate) fn write(&self, value: Word, ty: TypeId, depth: u32, out: &mut [f32]) {
        if value == NULL || out.is_empty() || depth > MAX_DEPTH {
            return;
        }
        let (program, board) = (self.context.program, self.board);
        match &program.types[ty.index()] {
            Type::Int | Type::Bool => out[0] = value as f32,
            Type::Symbol => out[0] = (value + 1) as f32,
            Type::Enum(of) => {
                let members = &program.enums[of.index()].members;
                let place = members.iter().position(|member| Word::from(member.0) == value);
                out[0] = place.map_or(0, |place| place + 1) as f32;
            }
            Type::Entity | Type::Kind(_) => out[0] = (self.reference)(value) as f32,
            Type::Zone => {
                if let Some((zone, host)) = board.zone_family(value) {
                    out[0] = (zone.index() + 1) as f32;
                    out[1] = host.map_or(0, &self.reference) as f32;
                }
            }
            Type::Dice => {
                let (count, sides) = word::dice_parts(value);
                (out[0], out[1]) = (count as f32, sides as f32);
            }
            Type::List(item) => {
                let items = board.list(value).unwrap_or(&[]);
                out[0] = items.len() as f32;
                self.write_all(items.iter().map(|value| (*value, *item)), depth, &mut out[1..]);
            }
            Type::PlayerMap(item) => {
                let seats = self.context.seats;
                let values = board.fields(value, seats).unwrap_or(&[]);
                let from_viewer = (0..values.len()).map(|at| (values[(at + self.first) % seats], *item));
                self.write_all(from_viewer, depth, out);
            }
            Type::EnumMap(of, item) => {
                let count = program.enums[of.index()].members.len();
                let values = board.fields(value, count).unwrap_or(&[]);
                self.write_all(values.iter().map(|value| (*value, *item)), depth, out);
            }
            Type::Record(fields) => {
                let values = board.fields(value, fields.len()).unwrap_or(&[]);
                self.write_all(values.iter().zip(fields).map(|(value, (_, ty))| (*value, *ty)), depth, out);
            }
            Type::Text | Type::Event | Type::Any | Type::Offer => {}
        }
    }

    fn write_all(&self, values: impl Iterator<Item = (Word, TypeId)>, depth: u32, mut out: &mut [f32]) {
        for (value, ty) in values {
            let width = self.context.width(ty, depth + 1);
            if width > out.len() {
                return;
            }
            let (here, rest) = out.split_at_mut(width);
            self.write(value, ty, depth + 1, here);
            out = rest;
        }
    }
}
