//! A desk as bytes, to go on later. What is read back is not trusted.

use std::sync::Arc;

use intermezzo_engine::{Match, Memory, RestoreError, Setup};
use intermezzo_ruleset::{Program, Seat};

use crate::ahead::{MAX_AHEAD, Queues};
use crate::bytes::{Malformed, Reader, put_bytes, put_len, put_number};
use crate::consent::Consent;
use crate::desk::Desk;
use crate::entry::{put_ahead, read_ahead};
use crate::fold::Fold;
use crate::running::Light;
use crate::shown::{Changed, Sheets};

/// First byte of every snapshot.
const VERSION: u8 = 1;

impl Desk {
    /// The desk as bytes: the match, what its viewers have been told, what was sent ahead, who was asked to agree.
    /// The entries so far are not in it.
    #[must_use]
    pub fn snapshot(&self) -> Vec<u8> {
        let fold = &self.fold;
        let mut out = vec![VERSION];
        put_bytes(&mut out, &fold.playing().snapshot());
        put_bytes(&mut out, &fold.run.memory().encode());
        fold.ahead.0.iter().for_each(|queue| put_ahead(&mut out, queue.iter()));
        out.push(u8::from(fold.consent.is_some()));
        if let Some(consent) = &fold.consent {
            out.push(consent.by.0);
            put_seats(&mut out, &consent.needs);
            put_seats(&mut out, &consent.agreed);
        }
        fold.sheets.versions().for_each(|version| put_number(&mut out, version));
        out
    }

    /// The desk a snapshot was taken of. It does not keep its entries: they are to be given where they are needed.
    ///
    /// # Errors
    ///
    /// If the bytes are not a snapshot of a desk with such a match.
    pub fn restore(program: &Arc<Program>, setup: &Setup, bytes: &[u8]) -> Result<Desk, RestoreError> {
        let mut reader = Reader::of_version(bytes, VERSION).map_err(broken)?;
        let playing = Match::restore(Arc::clone(program), reader.bytes().map_err(broken)?)?;
        let memory = Memory::decode(&playing, reader.bytes().map_err(broken)?)?;
        let seats = playing.board().seats();
        if seats != setup.seats {
            return Err(RestoreError::Broken);
        }
        let fold = read_fold(&mut reader, Light::resting(playing, memory), seats).map_err(broken)?;
        Ok(Desk { fold, setup: setup.clone(), past: None, reference: None, asked: Vec::new() })
    }
}

fn broken(malformed: Malformed) -> RestoreError {
    match malformed {
        Malformed::WrongVersion => RestoreError::WrongVersion,
        _ => RestoreError::Broken,
    }
}

fn put_seats(out: &mut Vec<u8>, seats: &[Seat]) {
    put_len(out, seats.len());
    out.extend(seats.iter().map(|seat| seat.0));
}

fn read_fold(reader: &mut Reader<'_>, run: Light, seats: u8) -> Result<Fold<Light>, Malformed> {
    let mut ahead = Queues::new(seats);
    for queue in &mut ahead.0 {
        let answers = read_ahead(reader)?;
        if answers.len() > MAX_AHEAD {
            return Err(Malformed::Wrong);
        }
        *queue = answers.into();
    }
    let consent = if reader.flag()? { Some(read_consent(reader, seats)?) } else { None };
    let mut sheets = Sheets::new(seats);
    for sheet in &mut sheets.0 {
        sheet.version = reader.number()?;
        // There must be room for more.
        if sheet.version > u64::MAX / 2 {
            return Err(Malformed::Wrong);
        }
    }
    reader.end()?;
    Ok(Fold { run, ahead, consent, sheets, changed: Changed::Nothing })
}

fn read_consent(reader: &mut Reader<'_>, seats: u8) -> Result<Consent, Malformed> {
    let by = Seat(reader.byte()?);
    let needs = reader.list(|reader| reader.byte().map(Seat))?;
    let agreed = reader.list(|reader| reader.byte().map(Seat))?;
    let is_there = |seat: &Seat| seat.0 < seats;
    let are_different = |list: &[Seat]| list.iter().enumerate().all(|(at, seat)| !list[..at].contains(seat));
    let consent = Consent { by, needs, agreed };
    let fits = is_there(&by)
        && consent.needs.iter().all(|seat| is_there(seat) && *seat != by)
        && consent.agreed.iter().all(|seat| consent.needs.contains(seat))
        && are_different(&consent.needs)
        && are_different(&consent.agreed)
        && !consent.open().is_empty();
    if fits { Ok(consent) } else { Err(Malformed::Wrong) }
}
