//! A recorded match served again: everything between a resolved command and the bytes for the sockets and the store, for
//! both seats and a spectator.

use std::hint::black_box;
use std::sync::Arc;

use intermezzo_benches::any_ruleset::{self, RulesetPlayer};
use intermezzo_engine::Viewer;
use intermezzo_program::{Program, Seat};
use intermezzo_protocol::ViewHash;
use intermezzo_protocol::frame_text::{PromptClocks, ViewerStep};
use intermezzo_session::{Session, SessionEntry, SessionUpdate, encode_log};

/// Moves per match.
const MOVES: usize = 60;
/// Moves between state hashes, as in the server's rows.
const STATE_HASH_EVERY: usize = 16;
/// Moves before the counting begins.
const WARM_UP: usize = 2;
const MATCH_ID: &str = "01a1e2397c5e7d5f8c40b1a5b2c3d4e5";

pub(crate) struct ServedMatch {
    session: Session,
    entries: std::vec::IntoIter<SessionEntry>,
    row: Vec<u8>,
    moves: usize,
    /// The hashes of the views, by viewer.
    hashes: Vec<ViewHash>,
}

impl ServedMatch {
    /// Records a random match and starts it again.
    pub(crate) fn record(program: &Arc<Program>, seed: u32) -> ServedMatch {
        let mut player = RulesetPlayer::new(Arc::clone(program), false);
        player.begin(seed);
        let mut entries = Vec::new();
        while entries.len() < MOVES && player.step() {
            entries.push(SessionEntry::Input(player.last_input().clone()));
        }
        let setup = any_ruleset::setup(program, seed);
        let (mut session, _) = Session::start(program, &setup).expect("the match starts");
        session.drop_history();
        let seats = (0..setup.seats).map(|seat| Viewer::Seat(Seat(seat)));
        let hashes = seats.chain([Viewer::Spectator]).map(|viewer| ViewHash::of(session.view(viewer)));
        let hashes = hashes.collect();
        ServedMatch { session, entries: entries.into_iter(), row: Vec::new(), moves: 0, hashes }
    }

    pub(crate) fn warm_up(&mut self) {
        for _ in 0..WARM_UP {
            self.serve_next();
        }
    }

    /// Serves all remaining moves. Returns their number.
    pub(crate) fn serve_all(&mut self) -> u64 {
        (0..).take_while(|_| self.serve_next()).count() as u64
    }

    fn serve_next(&mut self) -> bool {
        let Some(entry) = self.entries.next() else { return false };
        let update = self.session.apply(&entry, None).expect("the entry was accepted while recording");
        self.row.clear();
        entry.encode(&mut self.row);
        encode_log(&update.log, &mut self.row);
        self.moves += 1;
        if self.moves.is_multiple_of(STATE_HASH_EVERY) {
            self.row.extend(self.session.game().state_hash());
        }
        black_box(&self.row);
        self.write_frames(&update);
        true
    }

    fn write_frames(&mut self, update: &SessionUpdate) {
        for shown in &update.viewers {
            let index = match shown.viewer {
                Viewer::Seat(seat) => usize::from(seat.0),
                Viewer::Spectator => self.hashes.len() - 1,
            };
            let hash = &mut self.hashes[index];
            let view = self.session.view(shown.viewer);
            let step = ViewerStep {
                match_id: MATCH_ID,
                version: shown.version,
                events: &shown.events,
                notices: &[],
                changes: &shown.view_changes,
                view,
            };
            *hash = hash.after(&shown.view_changes, view);
            let clocks = PromptClocks::default();
            let prompts = shown.prompts_changed.then(|| (self.session.prompts(shown.viewer), &clocks));
            black_box(step.update_frame(|| *hash, prompts));
        }
    }
}
