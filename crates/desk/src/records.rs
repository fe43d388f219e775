//! The engine's records of an entry as bytes, and back.

use intermezzo_engine::{Cause, Log, Status};
use intermezzo_ruleset::EventId;

use crate::bytes::{Malformed, Reader, put_len, put_number, put_signed};

/// First byte of every log that is written down.
const VERSION: u8 = 1;

const STATUS: [Status; 3] = [Status::Applied, Status::Prevented, Status::Failed];

/// Writes a log down.
pub fn encode_log(log: &Log, out: &mut Vec<u8>) {
    out.push(VERSION);
    put_len(out, log.len());
    // Ids and causes mostly follow each other: how far they are from the last takes less room.
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

/// Reads a log back.
///
/// # Errors
///
/// If the bytes are not a log. Whether its words fit a ruleset is not looked at.
pub fn decode_log(bytes: &[u8]) -> Result<Log, Malformed> {
    let mut reader = Reader::of_version(bytes, VERSION)?;
    let mut log = Log::new();
    let mut last = 0;
    for _ in 0..reader.len()? {
        last = read_record(&mut reader, last, &mut log)?;
    }
    reader.end()?;
    Ok(log)
}

fn read_record(reader: &mut Reader<'_>, last: i64, log: &mut Log) -> Result<i64, Malformed> {
    let head = reader.number()?;
    let event = EventId(u16::try_from(head / 6).map_err(|_| Malformed::Wrong)?);
    let status = STATUS[(head % 6 / 2) as usize];
    let number =
        |number: Option<i64>| number.and_then(|number| u32::try_from(number).ok()).ok_or(Malformed::Wrong);
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

/// Null is the least number there is and would take the most room: it is written as 0, others as one more.
fn put_word(out: &mut Vec<u8>, word: i64) {
    put_number(out, (((word << 1) ^ (word >> 63)) as u64).wrapping_add(1));
}

fn read_word(reader: &mut Reader<'_>) -> Result<i64, Malformed> {
    let zigzag = reader.number()?.wrapping_sub(1);
    Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
}
