//! The byte encoding of the engine's event records.

use intermezzo_engine::{Cause, EventLog, EventStatus};
use intermezzo_program::EventId;

use crate::byte_codec::{ByteReader, DecodeError, put_len, put_number, put_signed};

/// First byte of every encoded log.
const VERSION: u8 = 1;

const STATUS: [EventStatus; 3] = [EventStatus::Applied, EventStatus::Prevented, EventStatus::Failed];

/// Appends the encoded log to `out`.
pub fn encode_log(log: &EventLog, out: &mut Vec<u8>) {
    out.push(VERSION);
    put_len(out, log.len());
    // Ids and causes mostly follow each other, so their differences take fewer bytes.
    let mut last = 0;
    for record in log.records() {
        let status = STATUS.iter().position(|status| *status == record.status).unwrap_or(0) as u64;
        let (is_event, cause) = match record.cause {
            Cause::Input(number) => (0, i64::from(number)),
            Cause::Event(id) => (1, i64::from(record.id) - i64::from(id)),
        };
        put_number(out, u64::from(record.event.0) * 6 + status * 2 + is_event);
        put_signed(out, i64::from(record.id) - last);
        put_signed(out, cause);
        let payload = log.payload(record);
        put_len(out, payload.len());
        payload.iter().for_each(|word| put_word(out, *word));
        last = i64::from(record.id);
    }
}

/// Decodes a log.
///
/// # Errors
///
/// If the bytes are not a log. Payload words are not checked against a ruleset.
pub fn decode_log(bytes: &[u8]) -> Result<EventLog, DecodeError> {
    let mut reader = ByteReader::of_version(bytes, VERSION)?;
    let mut log = EventLog::new();
    let mut last = 0;
    for _ in 0..reader.len()? {
        last = read_record(&mut reader, last, &mut log)?;
    }
    reader.end()?;
    Ok(log)
}

fn read_record(reader: &mut ByteReader<'_>, last: i64, log: &mut EventLog) -> Result<i64, DecodeError> {
    let head = reader.number()?;
    let event = EventId(u16::try_from(head / 6).map_err(|_| DecodeError::Invalid)?);
    let status = STATUS[(head % 6 / 2) as usize];
    let number = |number: Option<i64>| {
        number.and_then(|number| u32::try_from(number).ok()).ok_or(DecodeError::Invalid)
    };
    let id = number(last.checked_add(reader.signed()?))?;
    let cause = reader.signed()?;
    let cause = match head % 2 {
        0 => Cause::Input(number(Some(cause))?),
        _ => Cause::Event(number(i64::from(id).checked_sub(cause))?),
    };
    let payload = reader.list(read_word)?;
    log.append(event, id, cause, status, &payload);
    Ok(i64::from(id))
}

/// Writes a payload word. Null is the smallest number and would take the most bytes, so it is written as 0 and
/// all others are shifted by one.
fn put_word(out: &mut Vec<u8>, word: i64) {
    put_number(out, (((word << 1) ^ (word >> 63)) as u64).wrapping_add(1));
}

fn read_word(reader: &mut ByteReader<'_>) -> Result<i64, DecodeError> {
    let zigzag = reader.number()?.wrapping_sub(1);
    Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
}
