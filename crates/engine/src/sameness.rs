//! Recognising an answer in another copy of the match, where options may have other numbers.

use intermezzo_ruleset::{NULL, Shape, Type, TypeId, Word};

use crate::input::Answer;
use crate::offers::{OFFER_HEAD, OFFER_STAMP};
use crate::request::Pending;
use crate::typed::{Layout, Shapes};

/// A number made of many, the same for the same ones in the same order.
struct Mixed(u64);

impl Mixed {
    fn add(&mut self, number: Word) {
        let mixed = (self.0 ^ number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
}

impl Pending<'_> {
    /// A number that is the same for answers that mean the same: by the same seat to the same `choose`, for things that
    /// are alike and lie in the same zone.
    #[must_use]
    pub fn sameness(&self, answer: &Answer) -> u64 {
        let mut mixed = Mixed(0x0123_4567_89ab_cdef);
        mixed.add(Word::from(self.ask.choice.0));
        mixed.add(Word::from(self.ask.seat.0));
        match answer {
            Answer::Pass => mixed.add(-2),
            Answer::Picks(picks) if self.choice.shape == Shape::Path => {
                picks.iter().for_each(|pick| mixed.add(Word::from(*pick)));
            }
            Answer::Picks(picks) => self.picked(self.options(), picks, &mut mixed),
            Answer::Branches(branches) => {
                for (branch, picks) in branches {
                    mixed.add(Word::from(*branch));
                    let options = self.branch(usize::from(*branch)).map_or(&[][..], |offer| offer.options);
                    self.picked(options, picks, &mut mixed);
                }
            }
        }
        mixed.0
    }

    fn picked(&self, options: &[Word], picks: &[i32], mixed: &mut Mixed) {
        for pick in picks {
            match usize::try_from(*pick).ok().and_then(|pick| options.get(pick)) {
                Some(option) => self.value(self.choice.item, *option, mixed),
                None => mixed.add(-1),
            }
        }
    }

    fn value(&self, ty: TypeId, value: Word, mixed: &mut Mixed) {
        let shapes = Shapes { program: self.program, seats: self.board.seats };
        let heap = &self.board.heap;
        if value == NULL {
            mixed.add(NULL);
            return;
        }
        match shapes.layout(ty) {
            Layout::Plain => match self.program.types[ty.index()] {
                Type::Entity | Type::Kind(_) => self.thing(value, mixed),
                _ => mixed.add(value),
            },
            Layout::Offer => {
                let words = heap.list(value).unwrap_or(&[]);
                mixed.add(words.first().copied().unwrap_or(NULL));
                words.iter().take(OFFER_STAMP).skip(1).for_each(|word| self.thing(*word, mixed));
                let types = words.first().and_then(|action| shapes.offered(*action));
                let params = words.get(OFFER_HEAD..).unwrap_or(&[]);
                types.into_iter().flatten().zip(params).for_each(|(ty, word)| self.value(ty, *word, mixed));
            }
            Layout::List(item) => {
                let items = heap.list(value).unwrap_or(&[]);
                mixed.add(items.len() as Word);
                items.iter().for_each(|value| self.value(item, *value, mixed));
            }
            Layout::Map(count, item) => {
                let values = heap.fields(value, count).unwrap_or(&[]);
                values.iter().for_each(|value| self.value(item, *value, mixed));
            }
            Layout::Record(fields) => {
                let values = heap.fields(value, fields.len()).unwrap_or(&[]);
                fields.iter().zip(values).for_each(|((_, ty), value)| self.value(*ty, *value, mixed));
            }
        }
    }

    /// What a thing is, not which: in another match as it might be, the same card has another number.
    fn thing(&self, entity: Word, mixed: &mut Mixed) {
        let Some(found) = self.board.entity(entity).filter(|_| !self.board.is_player(entity)) else {
            mixed.add(entity);
            return;
        };
        mixed.add(Word::from(found.def));
        mixed.add(Word::from(found.owner));
        mixed.add(Word::from(found.zone));
        for (column, ty) in self.tables.columns(found.kind).iter().enumerate().skip(1) {
            let ty = ty.map(|ty| &self.program.types[ty.index()]);
            if matches!(ty, Some(Type::Int | Type::Bool | Type::Symbol | Type::Enum(_))) {
                mixed.add(self.board.cells[found.base as usize + column]);
            }
        }
    }
}
