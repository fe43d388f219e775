//! The inputs of a session. Start with [`SessionEntry`].

use intermezzo_engine::{Answer, Input, InputId, LeaveCause, PassUntil};
use intermezzo_program::{Seat, Symbol};

use crate::byte_codec::{ByteReader, DecodeError, put_bytes, put_datum, put_len, put_number, put_signed};
use crate::pre_sent_answers::QueuedAnswer;

/// First byte of every encoded entry.
const VERSION: u8 = 1;

/// Bit of a pre-sent answer that is read by the current rules. Old match files do not have it.
const CURRENT_RULES: u8 = 2;

const CAUSES: [LeaveCause; 4] =
    [LeaveCause::Disconnect, LeaveCause::Concede, LeaveCause::Kicked, LeaveCause::OutOfTime];
const PASS_UNTIL: [PassUntil; 3] = [PassUntil::Off, PassUntil::TurnEnds, PassUntil::Always];

/// One entry of a session's history. The setup and the entries determine the whole match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SessionEntry {
    /// An input for the engine.
    Input(Input),
    /// Answers sent before their questions, replacing those the seat sent before.
    PreSend {
        seat: Seat,
        /// The answers in the order of use.
        answers: Vec<QueuedAnswer>,
    },
    /// A seat undoes its last answer, or asks the others for permission.
    Undo { seat: Seat },
    /// A seat agrees to another seat's undo request.
    AgreeToUndo { seat: Seat },
    /// A seat declines another seat's undo request.
    DeclineUndo { seat: Seat },
    /// A seat starts the ruleset's tutorial: its prompts carry lessons, from the first one.
    StartTutorial { seat: Seat },
}

impl SessionEntry {
    /// Appends the encoded entry to `out`.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        match self {
            SessionEntry::Input(input) => put_input(out, input),
            SessionEntry::PreSend { seat, answers } => {
                out.extend([10, seat.0]);
                put_pre_sent(out, answers.iter());
            }
            SessionEntry::Undo { seat } => out.extend([11, seat.0]),
            SessionEntry::AgreeToUndo { seat } => out.extend([12, seat.0]),
            SessionEntry::DeclineUndo { seat } => out.extend([13, seat.0]),
            SessionEntry::StartTutorial { seat } => out.extend([14, seat.0]),
        }
    }

    /// Decodes an entry.
    ///
    /// # Errors
    ///
    /// If the bytes are not exactly one entry.
    pub fn decode(bytes: &[u8]) -> Result<SessionEntry, DecodeError> {
        let mut reader = ByteReader::of_version(bytes, VERSION)?;
        let entry = read_entry(&mut reader)?;
        reader.end()?;
        Ok(entry)
    }
}

fn put_input(out: &mut Vec<u8>, input: &Input) {
    let mut put_answer = |tag: u8, input: InputId, seat: Seat, answer: &Answer| {
        out.extend([tag, seat.0]);
        put_number(out, u64::from(input.0));
        put_answer_body(out, answer);
    };
    match input {
        Input::Answer { input, seat, answer } => put_answer(0, *input, *seat, answer),
        Input::Draft { input, seat, answer } => put_answer(1, *input, *seat, answer),
        Input::Timeout { input } => {
            out.push(2);
            put_number(out, u64::from(input.0));
        }
        Input::Leave { seat, cause } => out.extend([3, seat.0, index_of(&CAUSES, cause)]),
        Input::AutoPass { seat, until, stops } => {
            out.extend([4, seat.0, index_of(&PASS_UNTIL, until), u8::from(*stops)]);
        }
        Input::Moderate { winners, pot } => {
            out.push(5);
            put_number(out, u64::from(pot.0));
            put_len(out, winners.len());
            out.extend(winners.iter().map(|seat| seat.0));
        }
    }
}

fn index_of<T: PartialEq>(all: &[T], one: &T) -> u8 {
    all.iter().position(|other| other == one).map_or(u8::MAX, |index| index as u8)
}

fn put_answer_body(out: &mut Vec<u8>, answer: &Answer) {
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

pub(crate) fn put_pre_sent<'a>(out: &mut Vec<u8>, answers: impl ExactSizeIterator<Item = &'a QueuedAnswer>) {
    put_len(out, answers.len());
    for queued in answers {
        let is_current = if queued.is_recorded { 0 } else { CURRENT_RULES };
        out.push(u8::from(queued.question.is_some()) | is_current);
        queued.question.iter().for_each(|question| put_bytes(out, question.as_bytes()));
        put_datum(out, &queued.answer);
    }
}

fn read_entry(reader: &mut ByteReader<'_>) -> Result<SessionEntry, DecodeError> {
    let tag = reader.byte()?;
    if tag < 10 {
        return read_input(reader, tag).map(SessionEntry::Input);
    }
    let seat = Seat(reader.byte()?);
    Ok(match tag {
        10 => SessionEntry::PreSend { seat, answers: read_pre_sent(reader)? },
        11 => SessionEntry::Undo { seat },
        12 => SessionEntry::AgreeToUndo { seat },
        13 => SessionEntry::DeclineUndo { seat },
        14 => SessionEntry::StartTutorial { seat },
        _ => return Err(DecodeError::Invalid),
    })
}

fn read_input(reader: &mut ByteReader<'_>, tag: u8) -> Result<Input, DecodeError> {
    Ok(match tag {
        0 | 1 => {
            let seat = Seat(reader.byte()?);
            let (input, answer) = (InputId(reader.small()?), read_answer_body(reader)?);
            if tag == 0 {
                Input::Answer { input, seat, answer }
            } else {
                Input::Draft { input, seat, answer }
            }
        }
        2 => Input::Timeout { input: InputId(reader.small()?) },
        3 => Input::Leave { seat: Seat(reader.byte()?), cause: read_variant(reader, &CAUSES)? },
        4 => {
            let (seat, until) = (Seat(reader.byte()?), read_variant(reader, &PASS_UNTIL)?);
            Input::AutoPass { seat, until, stops: reader.flag()? }
        }
        5 => {
            let pot = Symbol(reader.small()?);
            Input::Moderate { winners: reader.list(|reader| reader.byte().map(Seat))?, pot }
        }
        _ => return Err(DecodeError::Invalid),
    })
}

fn read_variant<T: Copy>(reader: &mut ByteReader<'_>, all: &[T]) -> Result<T, DecodeError> {
    all.get(usize::from(reader.byte()?)).copied().ok_or(DecodeError::Invalid)
}

fn read_answer_body(reader: &mut ByteReader<'_>) -> Result<Answer, DecodeError> {
    Ok(match reader.byte()? {
        0 => Answer::Pass,
        1 => Answer::Picks(read_picks(reader)?),
        2 => Answer::Branches(reader.list(|reader| Ok((reader.small()?, read_picks(reader)?)))?),
        _ => return Err(DecodeError::Invalid),
    })
}

fn read_picks(reader: &mut ByteReader<'_>) -> Result<Vec<i32>, DecodeError> {
    reader.list(|reader| i32::try_from(reader.signed()?).map_err(|_| DecodeError::Invalid))
}

pub(crate) fn read_pre_sent(reader: &mut ByteReader<'_>) -> Result<Vec<QueuedAnswer>, DecodeError> {
    reader.list(|reader| {
        let head = reader.byte()?;
        if head > (CURRENT_RULES | 1) {
            return Err(DecodeError::Invalid);
        }
        let question = if head & 1 == 1 { Some(reader.text()?) } else { None };
        let is_recorded = head & CURRENT_RULES == 0;
        Ok(QueuedAnswer { question, answer: reader.datum()?, is_recorded })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_again(entry: &SessionEntry) -> Result<SessionEntry, DecodeError> {
        let mut bytes = Vec::new();
        entry.encode(&mut bytes);
        SessionEntry::decode(&bytes)
    }

    #[test]
    fn every_leave_cause_reads_back() {
        for (cause, name) in LeaveCause::NAMES {
            let entry = SessionEntry::Input(Input::Leave { seat: Seat(1), cause });
            assert_eq!(read_again(&entry), Ok(entry), "{name}");
        }
    }

    #[test]
    fn every_pass_mode_reads_back() {
        for (until, name) in PassUntil::NAMES {
            let entry = SessionEntry::Input(Input::AutoPass { seat: Seat(1), until, stops: true });
            assert_eq!(read_again(&entry), Ok(entry), "{name}");
        }
    }
}
