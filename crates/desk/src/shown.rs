//! What viewers are shown: what is new to each of them, and what they have before them.

use std::sync::OnceLock;

use intermezzo_engine::{Datum, Letter, Log, Match, Viewer, Witness};
use intermezzo_ruleset::Seat;

/// What an entry has led to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// Those who notice anything of it: seats in order, then the spectators.
    pub shown: Vec<Shown>,
    /// What happened, in the engine's own terms. Nothing where something is taken back.
    pub log: Log,
    /// Hash of the match after it.
    pub state: [u8; 32],
    /// The letters about it in the ruleset's own protocol, in order; none unless [wanted](crate::Desk::write_letters).
    pub letters: Vec<Letter>,
}

/// What one viewer notices of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Who.
    pub viewer: Viewer,
    /// The viewer's own version now: it counts the entries of which that viewer noticed anything, the start included.
    pub version: u64,
    /// The events, as the viewer sees them.
    pub events: Vec<Datum>,
    /// What else the viewer is told.
    pub notices: Vec<Notice>,
    /// The view before, if it has changed. Nothing at the start, when there was none.
    pub before: Option<Datum>,
    /// Whether what the viewer is asked has changed.
    pub prompts_changed: bool,
}

/// Something a viewer is told that is no event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notice {
    /// Something was taken back.
    TakenBack {
        /// Who took back.
        by: Seat,
    },
    /// A seat would like to take something back; the viewer may agree.
    WouldTakeBack {
        /// Who would.
        by: Seat,
    },
    /// It is not taken back: somebody declined, or the match went on.
    NotTakenBack {
        /// Who would have.
        by: Seat,
    },
    /// What the seat sent ahead no longer fits, and is forgotten.
    AheadForgotten,
}

/// What one viewer has before them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sheet {
    pub(crate) version: u64,
    /// View and prompts; nothing if they are to be made again from the match.
    before_them: OnceLock<(Datum, Datum)>,
    /// What is new with the entry under way.
    events: Vec<Datum>,
    notices: Vec<Notice>,
}

/// What all viewers have before them: seats in order, then the spectators.
#[derive(Clone, Debug)]
pub(crate) struct Sheets(pub(crate) Vec<Sheet>);

/// How much of what viewers have before them may have changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Changed {
    Nothing,
    Prompts,
    All,
}

impl Changed {
    /// By an input: views change only with what happens.
    pub(crate) fn by(has_happened: bool) -> Changed {
        if has_happened { Changed::All } else { Changed::Prompts }
    }
}

impl Sheets {
    pub(crate) fn new(seats: u8) -> Sheets {
        Sheets(vec![Sheet::default(); usize::from(seats) + 1])
    }

    fn place(&self, viewer: Viewer) -> usize {
        let last = self.0.len() - 1;
        match viewer {
            Viewer::Seat(seat) => usize::from(seat.0).min(last),
            Viewer::Spectator => last,
        }
    }

    fn viewer(&self, place: usize) -> Viewer {
        if place + 1 == self.0.len() { Viewer::Spectator } else { Viewer::Seat(Seat(place as u8)) }
    }

    pub(crate) fn version(&self, viewer: Viewer) -> u64 {
        self.0[self.place(viewer)].version
    }

    pub(crate) fn versions(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().map(|sheet| sheet.version)
    }

    pub(crate) fn happened(&mut self, viewer: Viewer, event: Datum) {
        let place = self.place(viewer);
        self.0[place].events.push(event);
    }

    pub(crate) fn tell(&mut self, viewer: Viewer, notice: Notice) {
        let place = self.place(viewer);
        self.0[place].notices.push(notice);
    }

    /// View and prompts of a viewer, which `look` makes if they are not at hand.
    pub(crate) fn before(&self, viewer: Viewer, look: impl FnOnce() -> (Datum, Datum)) -> &(Datum, Datum) {
        self.0[self.place(viewer)].before_them.get_or_init(look)
    }

    /// Forgets what can be made again.
    pub(crate) fn compact(&mut self) {
        for sheet in &mut self.0 {
            *sheet = Sheet { version: sheet.version, ..Sheet::default() };
        }
    }

    /// Looks around for everyone, always in the same order, because looking gives names and numbers.
    pub(crate) fn renew(
        &mut self,
        changed: Changed,
        (witness, playing): (&mut Witness, &Match),
        taken_back: Option<(Seat, &[bool])>,
    ) -> Vec<Shown> {
        let mut shown = Vec::new();
        for place in 0..self.0.len() {
            let viewer = self.viewer(place);
            let sheet = &mut self.0[place];
            let (before, prompts_changed) = sheet.renew(viewer, changed, (witness, playing));
            if let Some((by, heard)) = taken_back
                && (before.is_some() || prompts_changed || heard[place])
            {
                sheet.notices.push(Notice::TakenBack { by });
            }
            shown.extend(sheet.show(viewer, before, prompts_changed));
        }
        shown
    }
}

impl Sheet {
    /// Brings what a viewer has before them up to date; gives the old view if it has changed, and whether the prompts
    /// have.
    fn renew(
        &mut self,
        viewer: Viewer,
        changed: Changed,
        (witness, playing): (&mut Witness, &Match),
    ) -> (Option<Datum>, bool) {
        let Some((view, prompts)) = self.before_them.get_mut() else {
            self.before_them = OnceLock::from(look(viewer, witness, playing));
            return (None, true);
        };
        let mut before = None;
        if changed == Changed::All {
            let new = witness.view(viewer);
            if new != *view {
                before = Some(std::mem::replace(view, new));
            }
        }
        let mut prompts_changed = false;
        if changed != Changed::Nothing {
            let new = witness.prompts(playing, viewer);
            prompts_changed = new != *prompts;
            *prompts = new;
        }
        (before, prompts_changed)
    }

    fn show(&mut self, viewer: Viewer, before: Option<Datum>, prompts_changed: bool) -> Option<Shown> {
        let (events, notices) = (std::mem::take(&mut self.events), std::mem::take(&mut self.notices));
        let is_nothing = events.is_empty() && notices.is_empty() && before.is_none() && !prompts_changed;
        if is_nothing {
            return None;
        }
        self.version += 1;
        Some(Shown { viewer, version: self.version, events, notices, before, prompts_changed })
    }
}

/// View and prompts of a viewer, as the witness tells them.
pub(crate) fn look(viewer: Viewer, witness: &mut Witness, playing: &Match) -> (Datum, Datum) {
    let view = witness.view(viewer);
    (view, witness.prompts(playing, viewer))
}
