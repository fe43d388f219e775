//! What a desk takes, one after the other. Start with [`Entry`].

use intermezzo_engine::{Answer, Input, InputId, LeaveCause, PassUntil};
use intermezzo_ruleset::{Seat, Symbol};

use crate::ahead::Ahead;
use crate::bytes::{Malformed, Reader, put_bytes, put_datum, put_len, put_number, put_signed};

/// First byte of every entry that is written down.
const VERSION: u8 = 1;

const CAUSES: [LeaveCause; 3] = [LeaveCause::Disconnect, LeaveCause::Concede, LeaveCause::Kicked];
const UNTIL: [PassUntil; 3] = [PassUntil::Off, PassUntil::TurnEnds, PassUntil::Always];

/// One thing a desk takes. A match is what its entries make of its setup.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// Something for the match itself.
    Input(Input),
    /// Answers to the next questions of a seat, in place of what it sent ahead before.
    Ahead {
        /// Who sends them.
        seat: Seat,
        /// In the order they are to be used.
        answers: Vec<Ahead>,
    },
    /// A seat takes back its last answer, or asks the others whether it may.
    TakeBack {
        /// Which seat.
        seat: Seat,
    },
    /// A seat agrees that another takes back.
    Agree {
        /// Which seat.
        seat: Seat,
    },
    /// A seat does not agree.
    Decline {
        /// Which seat.
        seat: Seat,
    },
    /// A seat is told the lessons of the ruleset's tutorial with its questions, from the first.
    Teach {
        /// Which seat.
        seat: Seat,
    },
}

impl Entry {
    /// Writes the entry down.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        match self {
            Entry::Input(input) => put_input(out, input),
            Entry::Ahead { seat, answers } => {
                out.extend([10, seat.0]);
                put_ahead(out, answers.iter());
            }
            Entry::TakeBack { seat } => out.extend([11, seat.0]),
            Entry::Agree { seat } => out.extend([12, seat.0]),
            Entry::Decline { seat } => out.extend([13, seat.0]),
            Entry::Teach { seat } => out.extend([14, seat.0]),
        }
    }

    /// Reads an entry back.
    ///
    /// # Errors
    ///
    /// If the bytes are not an entry, or more than one.
    pub fn decode(bytes: &[u8]) -> Result<Entry, Malformed> {
        let mut reader = Reader::of_version(bytes, VERSION)?;
        let entry = read_entry(&mut reader)?;
        reader.end()?;
        Ok(entry)
    }
}

fn put_input(out: &mut Vec<u8>, input: &Input) {
    let mut put_answer = |tag: u8, input: InputId, seat: Seat, answer: &Answer| {
        out.extend([tag, seat.0]);
        put_number(out, u64::from(input.0));
        put_what(out, answer);
    };
    match input {
        Input::Answer { input, seat, answer } => put_answer(0, *input, *seat, answer),
        Input::Draft { input, seat, answer } => put_answer(1, *input, *seat, answer),
        Input::Timeout { input } => {
            out.push(2);
            put_number(out, u64::from(input.0));
        }
        Input::Leave { seat, cause } => out.extend([3, seat.0, place(&CAUSES, cause)]),
        Input::AutoPass { seat, until, stops } => {
            out.extend([4, seat.0, place(&UNTIL, until), u8::from(*stops)]);
        }
        Input::Moderate { winners, pot } => {
            out.push(5);
            put_number(out, u64::from(pot.0));
            put_len(out, winners.len());
            out.extend(winners.iter().map(|seat| seat.0));
        }
    }
}

fn place<T: PartialEq>(all: &[T], one: &T) -> u8 {
    all.iter().position(|other| other == one).map_or(u8::MAX, |place| place as u8)
}

fn put_what(out: &mut Vec<u8>, answer: &Answer) {
    match answer {
        Answer::Pass => out.push(0),
        Answer::Picks(picks) => {
            out.push(1);
            put_picks(out, picks);
        }
        Answer::Branches(branches) => {
            out.push(2);
            put_len(out, branches.len());
            for (branch, picks) in branches {
                put_number(out, u64::from(*branch));
                put_picks(out, picks);
            }
        }
    }
}

fn put_picks(out: &mut Vec<u8>, picks: &[i32]) {
    put_len(out, picks.len());
    picks.iter().for_each(|pick| put_signed(out, i64::from(*pick)));
}

pub(crate) fn put_ahead<'a>(out: &mut Vec<u8>, answers: impl ExactSizeIterator<Item = &'a Ahead>) {
    put_len(out, answers.len());
    for ahead in answers {
        out.push(u8::from(ahead.question.is_some()));
        ahead.question.iter().for_each(|question| put_bytes(out, question.as_bytes()));
        put_datum(out, &ahead.answer);
    }
}

fn read_entry(reader: &mut Reader<'_>) -> Result<Entry, Malformed> {
    let tag = reader.byte()?;
    if tag < 10 {
        return read_input(reader, tag).map(Entry::Input);
    }
    let seat = Seat(reader.byte()?);
    Ok(match tag {
        10 => Entry::Ahead { seat, answers: read_ahead(reader)? },
        11 => Entry::TakeBack { seat },
        12 => Entry::Agree { seat },
        13 => Entry::Decline { seat },
        14 => Entry::Teach { seat },
        _ => return Err(Malformed::Wrong),
    })
}

fn read_input(reader: &mut Reader<'_>, tag: u8) -> Result<Input, Malformed> {
    Ok(match tag {
        0 | 1 => {
            let seat = Seat(reader.byte()?);
            let (input, answer) = (InputId(reader.small()?), read_what(reader)?);
            if tag == 0 {
                Input::Answer { input, seat, answer }
            } else {
                Input::Draft { input, seat, answer }
            }
        }
        2 => Input::Timeout { input: InputId(reader.small()?) },
        3 => Input::Leave { seat: Seat(reader.byte()?), cause: one_of(reader, &CAUSES)? },
        4 => {
            let (seat, until) = (Seat(reader.byte()?), one_of(reader, &UNTIL)?);
            Input::AutoPass { seat, until, stops: reader.flag()? }
        }
        5 => {
            let pot = Symbol(reader.small()?);
            Input::Moderate { winners: reader.list(|reader| reader.byte().map(Seat))?, pot }
        }
        _ => return Err(Malformed::Wrong),
    })
}

fn one_of<T: Copy>(reader: &mut Reader<'_>, all: &[T]) -> Result<T, Malformed> {
    all.get(usize::from(reader.byte()?)).copied().ok_or(Malformed::Wrong)
}

fn read_what(reader: &mut Reader<'_>) -> Result<Answer, Malformed> {
    Ok(match reader.byte()? {
        0 => Answer::Pass,
        1 => Answer::Picks(read_picks(reader)?),
        2 => Answer::Branches(reader.list(|reader| Ok((reader.small()?, read_picks(reader)?)))?),
        _ => return Err(Malformed::Wrong),
    })
}

fn read_picks(reader: &mut Reader<'_>) -> Result<Vec<i32>, Malformed> {
    reader.list(|reader| i32::try_from(reader.signed()?).map_err(|_| Malformed::Wrong))
}

pub(crate) fn read_ahead(reader: &mut Reader<'_>) -> Result<Vec<Ahead>, Malformed> {
    reader.list(|reader| {
        let question = if reader.flag()? { Some(reader.text()?) } else { None };
        Ok(Ahead { question, answer: reader.datum()? })
    })
}
