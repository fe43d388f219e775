//! Features of the option a move stands for.

use intermezzo_program::{NULL, Type, TypeId, Word};

use crate::value_encoding::ValueWriter;

/// Number of reference columns of a move.
pub(crate) const MOVE_REFERENCES: usize = 3;

/// Writer for the features of an option: the first values of each sort in it.
pub(crate) struct MoveFeatures<'o> {
    /// Action, name, zone, number, references.
    out: &'o mut [f32],
    references: usize,
    has_number: bool,
}

impl<'o> MoveFeatures<'o> {
    pub(crate) fn new(out: &'o mut [f32]) -> MoveFeatures<'o> {
        MoveFeatures { out, references: 0, has_number: false }
    }

    /// Adds the features of a value.
    pub(crate) fn add<R: Fn(Word) -> usize>(&mut self, writer: &ValueWriter<'_, R>, value: Word, ty: TypeId) {
        if value == NULL {
            return;
        }
        let (program, board) = (writer.context.program, writer.board);
        match &program.types[ty.index()] {
            Type::Int | Type::Bool if !self.has_number => {
                self.out[3] = value as f32;
                self.has_number = true;
            }
            Type::Symbol | Type::Enum(_) if self.out[1] == 0.0 => self.out[1] = (value + 1) as f32,
            Type::Entity | Type::Kind(_) => self.refer((writer.reference)(value)),
            Type::Zone => {
                if let Some((zone, host)) = board.zone_family(value) {
                    self.out[2] = (zone.index() + 1) as f32;
                    self.refer(host.map_or(0, &writer.reference));
                }
            }
            Type::Offer => self.add_offer(writer, value),
            Type::List(item) => {
                let items = board.list(value).unwrap_or(&[]);
                items.iter().for_each(|value| self.add(writer, *value, *item));
            }
            Type::Record(fields) => {
                let values = board.fields(value, fields.len()).unwrap_or(&[]);
                values.iter().zip(fields).for_each(|(value, (_, ty))| self.add(writer, *value, *ty));
            }
            _ => {}
        }
    }

    fn add_offer<R: Fn(Word) -> usize>(&mut self, writer: &ValueWriter<'_, R>, offer: Word) {
        let Some((number, host, targets)) = writer.board.offer(offer) else { return };
        self.out[0] = (number + 1) as f32;
        self.refer(if host == NULL { 0 } else { (writer.reference)(host) });
        let Some(action) = writer.context.program.actions.get(number) else { return };
        let offered = action.params.iter().filter(|param| param.offered);
        offered.zip(targets).for_each(|(param, value)| self.add(writer, *value, param.ty));
    }

    fn refer(&mut self, reference: usize) {
        if self.references < MOVE_REFERENCES {
            self.out[4 + self.references] = reference as f32;
            self.references += 1;
        }
    }
}
