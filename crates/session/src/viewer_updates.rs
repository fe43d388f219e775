//! The state of each viewer, and the updates sent to it.

use std::sync::OnceLock;

use intermezzo_engine::{CustomMessage, Datum, EventLog, Match, Observer, ViewChange, Viewer, ViewerEvent};
use intermezzo_program::Seat;

/// The result of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionUpdate {
    /// The viewers that notice the entry: seats in order, then spectators.
    pub viewers: Vec<ViewerUpdate>,
    /// The engine's event log of the entry. Empty for an undo.
    pub log: EventLog,
    /// Custom messages of the entry, in order; empty unless [enabled](crate::Session::enable_custom_messages).
    pub custom_messages: Vec<CustomMessage>,
}

/// The part of an update that one viewer receives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViewerUpdate {
    pub viewer: Viewer,
    /// The viewer's own version: the number of entries that changed something for it, including the start.
    pub version: u64,
    /// The events as the viewer sees them.
    pub events: Vec<ViewerEvent>,
    /// Notices that are not events.
    pub notices: Vec<SessionNotice>,
    /// The changes of the view, in its order. None at the start.
    pub view_changes: Vec<ViewChange>,
    /// True if the viewer's prompts changed.
    pub prompts_changed: bool,
}

/// A message to a viewer that is not an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SessionNotice {
    /// A seat undid an answer.
    Undone { by: Seat },
    /// A seat asks for an undo; the viewer may agree.
    UndoRequested { by: Seat },
    /// The undo request was cancelled: a seat declined, or the match went on.
    UndoCancelled { by: Seat },
    /// The seat's pre-sent answers no longer fit and were discarded.
    PreSentDiscarded,
}

/// The state of one viewer.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViewerState {
    pub(crate) version: u64,
    /// View and prompts; unset if they must be rendered again.
    current: OnceLock<(Datum, Datum)>,
    /// Events of the current entry.
    events: Vec<ViewerEvent>,
    notices: Vec<SessionNotice>,
}

/// The states of all viewers: seats in order, then spectators.
#[derive(Clone, Debug)]
pub(crate) struct ViewerStates(pub(crate) Vec<ViewerState>);

/// The scope of a possible change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ChangeScope {
    Nothing,
    Prompts,
    All,
}

impl ChangeScope {
    /// Returns the scope of an input: views change only with events.
    pub(crate) fn by(has_happened: bool) -> ChangeScope {
        if has_happened { ChangeScope::All } else { ChangeScope::Prompts }
    }
}

impl ViewerStates {
    pub(crate) fn new(seats: u8) -> ViewerStates {
        ViewerStates(vec![ViewerState::default(); usize::from(seats) + 1])
    }

    fn index(&self, viewer: Viewer) -> usize {
        let last = self.0.len() - 1;
        match viewer {
            Viewer::Seat(seat) => usize::from(seat.0).min(last),
            Viewer::Spectator => last,
        }
    }

    fn viewer(&self, index: usize) -> Viewer {
        if index + 1 == self.0.len() { Viewer::Spectator } else { Viewer::Seat(Seat(index as u8)) }
    }

    pub(crate) fn version(&self, viewer: Viewer) -> u64 {
        self.0[self.index(viewer)].version
    }

    pub(crate) fn versions(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().map(|viewer_state| viewer_state.version)
    }

    pub(crate) fn push_event(&mut self, viewer: Viewer, event: ViewerEvent) {
        let index = self.index(viewer);
        self.0[index].events.push(event);
    }

    pub(crate) fn push_notice(&mut self, viewer: Viewer, notice: SessionNotice) {
        let index = self.index(viewer);
        self.0[index].notices.push(notice);
    }

    /// Returns view and prompts of a viewer; `render` renders them if they are not cached.
    pub(crate) fn current(&self, viewer: Viewer, render: impl FnOnce() -> (Datum, Datum)) -> &(Datum, Datum) {
        self.0[self.index(viewer)].current.get_or_init(render)
    }

    /// Drops everything that can be rendered again.
    pub(crate) fn compact(&mut self) {
        for viewer_state in &mut self.0 {
            *viewer_state = ViewerState { version: viewer_state.version, ..ViewerState::default() };
        }
    }

    /// Renders view and prompts for every viewer and collects the updates. The order is fixed, because
    /// rendering assigns names and numbers.
    pub(crate) fn refresh(
        &mut self,
        changed: ChangeScope,
        (observer, game): (&mut Observer, &Match),
        undone: Option<(Seat, &[bool])>,
    ) -> Vec<ViewerUpdate> {
        let mut updates = Vec::new();
        for index in 0..self.0.len() {
            let viewer = self.viewer(index);
            let viewer_state = &mut self.0[index];
            let (view_changes, prompts_changed) = viewer_state.refresh(viewer, changed, (observer, game));
            if let Some((by, saw_event)) = undone
                && (!view_changes.is_empty() || prompts_changed || saw_event[index])
            {
                viewer_state.notices.push(SessionNotice::Undone { by });
            }
            updates.extend(viewer_state.take_update(viewer, view_changes, prompts_changed));
        }
        updates
    }
}

impl ViewerState {
    /// Updates view and prompts; returns what has changed in the view, and whether the prompts changed.
    fn refresh(
        &mut self,
        viewer: Viewer,
        changed: ChangeScope,
        (observer, game): (&mut Observer, &Match),
    ) -> (Vec<ViewChange>, bool) {
        let Some((view, prompts)) = self.current.get_mut() else {
            self.current = OnceLock::from(view_and_prompts(viewer, observer, game));
            return (Vec::new(), true);
        };
        let view_changes = match changed {
            ChangeScope::All => observer.refresh_view(viewer, view),
            _ => Vec::new(),
        };
        let mut prompts_changed = false;
        if changed != ChangeScope::Nothing {
            let new = observer.prompts(game, viewer);
            prompts_changed = new != *prompts;
            *prompts = new;
        }
        (view_changes, prompts_changed)
    }

    fn take_update(
        &mut self,
        viewer: Viewer,
        view_changes: Vec<ViewChange>,
        prompts_changed: bool,
    ) -> Option<ViewerUpdate> {
        let (events, notices) = (std::mem::take(&mut self.events), std::mem::take(&mut self.notices));
        let is_nothing =
            events.is_empty() && notices.is_empty() && view_changes.is_empty() && !prompts_changed;
        if is_nothing {
            return None;
        }
        self.version += 1;
        Some(ViewerUpdate { viewer, version: self.version, events, notices, view_changes, prompts_changed })
    }
}

/// Renders view and prompts of a viewer.
pub(crate) fn view_and_prompts(viewer: Viewer, observer: &mut Observer, game: &Match) -> (Datum, Datum) {
    let view = observer.view(viewer);
    (view, observer.prompts(game, viewer))
}
