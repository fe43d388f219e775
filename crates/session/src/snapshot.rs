//! Snapshots of sessions. Input is not trusted.

use std::sync::Arc;

use intermezzo_engine::{Match, RestoreError, Setup, ViewerNames};
use intermezzo_program::{Program, Seat};

use crate::byte_codec::{ByteReader, DecodeError, put_bytes, put_len, put_number};
use crate::entry::{put_pre_sent, read_pre_sent};
use crate::fold::SessionFold;
use crate::pre_sent_answers::{MAX_PRE_SENT, PreSentQueues};
use crate::runner::LightRunner;
use crate::session::Session;
use crate::undo_consent::UndoRequest;
use crate::viewer_updates::{ChangeScope, ViewerStates};

/// First byte of every snapshot.
const VERSION: u8 = 1;

impl Session {
    /// Encodes the session: the match, the names and versions of its viewers, pre-sent answers, and a pending
    /// undo request. The history is not included.
    #[must_use]
    pub fn snapshot(&self) -> Vec<u8> {
        let fold = &self.fold;
        let mut out = vec![VERSION];
        put_bytes(&mut out, &fold.game().snapshot());
        put_bytes(&mut out, &fold.runner.viewer_names().encode());
        fold.pre_sent.0.iter().for_each(|queue| put_pre_sent(&mut out, queue.iter()));
        out.push(u8::from(fold.undo_request.is_some()));
        if let Some(request) = &fold.undo_request {
            out.push(request.by.0);
            put_seats(&mut out, &request.needs);
            put_seats(&mut out, &request.agreed);
        }
        fold.viewers.versions().for_each(|version| put_number(&mut out, version));
        out
    }

    /// Restores a session from a snapshot. It does not keep its history: the caller passes it where it is
    /// needed.
    ///
    /// # Errors
    ///
    /// If the bytes are not a snapshot of a session with this ruleset and setup.
    pub fn restore(program: &Arc<Program>, setup: &Setup, bytes: &[u8]) -> Result<Session, RestoreError> {
        let mut reader = ByteReader::of_version(bytes, VERSION).map_err(broken)?;
        let game = Match::restore(Arc::clone(program), reader.bytes().map_err(broken)?)?;
        let names = ViewerNames::decode(&game, reader.bytes().map_err(broken)?)?;
        let seats = game.board().seats();
        if seats != setup.seats {
            return Err(RestoreError::Corrupt);
        }
        let fold =
            read_fold(&mut reader, LightRunner::with_viewer_names(game, names), seats).map_err(broken)?;
        Ok(Session { fold, setup: setup.clone(), history: None, recorded: None, announced: Vec::new() })
    }
}

fn broken(malformed: DecodeError) -> RestoreError {
    match malformed {
        DecodeError::WrongVersion => RestoreError::WrongVersion,
        _ => RestoreError::Corrupt,
    }
}

fn put_seats(out: &mut Vec<u8>, seats: &[Seat]) {
    put_len(out, seats.len());
    out.extend(seats.iter().map(|seat| seat.0));
}

fn read_fold(
    reader: &mut ByteReader<'_>,
    runner: LightRunner,
    seats: u8,
) -> Result<SessionFold<LightRunner>, DecodeError> {
    let mut pre_sent = PreSentQueues::new(seats);
    for queue in &mut pre_sent.0 {
        let answers = read_pre_sent(reader)?;
        if answers.len() > MAX_PRE_SENT {
            return Err(DecodeError::Invalid);
        }
        *queue = answers.into();
    }
    let request = if reader.flag()? { Some(read_consent(reader, seats)?) } else { None };
    let mut viewers = ViewerStates::new(seats);
    for viewer_state in &mut viewers.0 {
        viewer_state.version = reader.number()?;
        // The version must be able to grow without overflow.
        if viewer_state.version > u64::MAX / 2 {
            return Err(DecodeError::Invalid);
        }
    }
    reader.end()?;
    Ok(SessionFold {
        runner,
        pre_sent,
        undo_request: request,
        viewers,
        changed: ChangeScope::Nothing,
        interrupt: None,
    })
}

fn read_consent(reader: &mut ByteReader<'_>, seats: u8) -> Result<UndoRequest, DecodeError> {
    let by = Seat(reader.byte()?);
    let needs = reader.list(|reader| reader.byte().map(Seat))?;
    let agreed = reader.list(|reader| reader.byte().map(Seat))?;
    let is_there = |seat: &Seat| seat.0 < seats;
    let are_different = |list: &[Seat]| list.iter().enumerate().all(|(at, seat)| !list[..at].contains(seat));
    let request = UndoRequest { by, needs, agreed };
    let fits = is_there(&by)
        && request.needs.iter().all(|seat| is_there(seat) && *seat != by)
        && request.agreed.iter().all(|seat| request.needs.contains(seat))
        && are_different(&request.needs)
        && are_different(&request.agreed)
        && !request.missing().is_empty();
    if fits { Ok(request) } else { Err(DecodeError::Invalid) }
}
