//! Recognition of the same answer in another copy of the match, where options may have other indexes.

use intermezzo_program::{AnswerShape, NULL, Type, TypeId, Word};

use crate::ask::input::Answer;
use crate::ask::offers::{OFFER_HEAD, OFFER_STAMP};
use crate::ask::request::PendingQuestion;
use crate::values::typed::{Layout, Shapes};

/// Order-dependent hash of a sequence of words.
struct AnswerHasher(u64);

impl AnswerHasher {
    fn add(&mut self, number: Word) {
        let hasher = (self.0 ^ number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = hasher ^ (hasher >> 29);
    }
}

impl PendingQuestion<'_> {
    /// Returns a hash that is equal for equivalent answers: from the same seat to the same `choose`, for
    /// entities that look the same and are in the same zone.
    #[must_use]
    pub fn equivalence_hash(&self, answer: &Answer) -> u64 {
        let mut hasher = AnswerHasher(0x0123_4567_89ab_cdef);
        hasher.add(Word::from(self.ask.choice.0));
        hasher.add(Word::from(self.ask.seat.0));
        match answer {
            Answer::Pass => hasher.add(-2),
            Answer::Picks(picks) if self.choice.shape == AnswerShape::Path => {
                picks.iter().for_each(|pick| hasher.add(Word::from(*pick)));
            }
            Answer::Picks(picks) => self.hash_picks(self.options(), picks, &mut hasher),
            Answer::Branches(branches) => {
                for (branch, picks) in branches {
                    hasher.add(Word::from(*branch));
                    let options = self.branch(usize::from(*branch)).map_or(&[][..], |offer| offer.options);
                    self.hash_picks(options, picks, &mut hasher);
                }
            }
        }
        hasher.0
    }

    fn hash_picks(&self, options: &[Word], picks: &[i32], hasher: &mut AnswerHasher) {
        for pick in picks {
            match usize::try_from(*pick).ok().and_then(|pick| options.get(pick)) {
                Some(option) => self.hash_value(self.choice.item, *option, hasher),
                None => hasher.add(-1),
            }
        }
    }

    fn hash_value(&self, ty: TypeId, value: Word, hasher: &mut AnswerHasher) {
        let shapes = Shapes { program: self.program, seats: self.board.seats };
        let heap = &self.board.heap;
        if value == NULL {
            hasher.add(NULL);
            return;
        }
        match shapes.layout(ty) {
            Layout::Plain => match self.program.types[ty.index()] {
                Type::Entity | Type::Kind(_) => self.hash_entity(value, hasher),
                _ => hasher.add(value),
            },
            Layout::Offer => {
                let words = heap.list(value).unwrap_or(&[]);
                hasher.add(words.first().copied().unwrap_or(NULL));
                words.iter().take(OFFER_STAMP).skip(1).for_each(|word| self.hash_entity(*word, hasher));
                let types = words.first().and_then(|action| shapes.offer_param_types(*action));
                let params = words.get(OFFER_HEAD..).unwrap_or(&[]);
                types
                    .into_iter()
                    .flatten()
                    .zip(params)
                    .for_each(|(ty, word)| self.hash_value(ty, *word, hasher));
            }
            Layout::List(item) => {
                let items = heap.list(value).unwrap_or(&[]);
                hasher.add(items.len() as Word);
                items.iter().for_each(|value| self.hash_value(item, *value, hasher));
            }
            Layout::Map(count, item) => {
                let values = heap.fields(value, count).unwrap_or(&[]);
                values.iter().for_each(|value| self.hash_value(item, *value, hasher));
            }
            Layout::Record(fields) => {
                let values = heap.fields(value, fields.len()).unwrap_or(&[]);
                fields.iter().zip(values).for_each(|((_, ty), value)| self.hash_value(*ty, *value, hasher));
            }
        }
    }

    /// Hashes the visible content of an entity, not its number, which differs between determinized copies.
    fn hash_entity(&self, entity: Word, hasher: &mut AnswerHasher) {
        let Some(found) = self.board.entity(entity).filter(|_| !self.board.is_player(entity)) else {
            hasher.add(entity);
            return;
        };
        hasher.add(Word::from(found.def));
        hasher.add(Word::from(found.owner));
        hasher.add(Word::from(found.zone));
        // Column 0 is `known`: it says who knows the entity, not what the entity is.
        for (column, ty) in self.tables.columns(found.kind).iter().enumerate().skip(1) {
            let ty = ty.map(|ty| &self.program.types[ty.index()]);
            if matches!(ty, Some(Type::Int | Type::Bool | Type::Symbol | Type::Enum(_))) {
                hasher.add(self.board.cells[found.base as usize + column]);
            }
        }
    }
}
