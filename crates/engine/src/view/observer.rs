//! Hidden information: what each viewer sees of each event.
//!
//! An observer folds the log and, for every viewer, describes only what that viewer may see. Everything else
//! is absent, not masked: names of entities and numbers of events are assigned per viewer and count only what
//! that viewer saw, and a name is forgotten once its entity is no longer visible.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use intermezzo_program::{
    EventId, FaultCode, KindId, NULL, Program, PropId, Seat, Type, TypeId, Visibility, Word, Zone, native,
    word,
};

use crate::ask::input::InputId;
use crate::run::frames::Interrupt;
use crate::run::log::{Cause, EventLog, EventRecord, EventStatus};
use crate::run::match_instance::Match;
use crate::run::setup::{Setup, StartError, new_board};
use crate::storage::board::Board;
use crate::storage::fold::{EventPayload, LogFold, field_type};
use crate::storage::zones::NOWHERE;
use crate::values::datum::{Datum, ShortText, describe_with};
use crate::values::typed::{Layout, Shapes};
use crate::view::custom_messages::CustomMessage;
use crate::view::disclosure::DisclosureLog;
use crate::view::tutorial::Learner;
use crate::view::view_changes::ViewDirt;
use crate::view::viewer_event::{EventContent, ViewerEvent};
use crate::view::viewer_names::ViewerNames;
use crate::view::views::PropValue;

/// A viewer of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Viewer {
    Seat(Seat),
    /// Anyone else, who sees only what is visible to everyone.
    Spectator,
}

/// Receiver of custom messages, if wanted.
type MessageSink<'a> = Option<&'a mut dyn FnMut(CustomMessage)>;

/// Observer of a match on behalf of all its viewers.
#[derive(Clone, Debug)]
pub struct Observer {
    pub(crate) program: Arc<Program>,
    pub(crate) folder: LogFold,
    pub(crate) board: Board,
    pub(crate) viewer_names: ViewerNames,
    live_words: usize,
    /// Disclosures since the last snapshot; `None` while not tracking.
    pub(crate) disclosure_log: Option<DisclosureLog>,
    /// Rows of all attached entities, while a view is built.
    pub(crate) attached: Vec<u32>,
    /// Values computed by rules since the last event.
    pub(crate) computed: BTreeMap<(Word, PropId), Word>,
    /// True if rules decide the visibility of some zone, or offer what a player does not see.
    has_computed_visibility: bool,
    /// True if zones belong to entities, so that moving one entity can hide others.
    has_zones_of_entities: bool,
    /// Parts of the views that may have changed since they were built.
    pub(crate) dirt: ViewDirt,
    /// Computed properties in views, with what the views show of them.
    pub(crate) shown: BTreeMap<(Word, PropId), PropValue>,
    /// Per viewer, once its view was built: rows of the match, players and entities whose values mention entities.
    pub(crate) mentioning: Vec<Option<BTreeSet<u32>>>,
    /// True if the values described since it was last cleared mention an entity.
    pub(crate) has_mentioned: bool,
    /// While options of a seat are described: what the seat must not learn about, with the place that stands for it.
    pub(crate) concealed: Vec<(Word, ShortText)>,
}

impl Observer {
    /// Creates an observer at the start of a match.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset.
    pub fn new(program: Arc<Program>, setup: &Setup) -> Result<Observer, StartError> {
        let mut folder = LogFold::new(program);
        let board = new_board(&mut folder, setup)?;
        Ok(Observer::with_state(folder, board, ViewerNames::new(setup.seats)))
    }

    pub(crate) fn with_state(folder: LogFold, board: Board, viewer_names: ViewerNames) -> Observer {
        let (program, live_words) = (Arc::clone(&folder.program), board.heap.len());
        let is_computed =
            |zone: &Zone| matches!(zone.visible, Visibility::Computed(_) | Visibility::ByPosition(_));
        // What was offered by its place has a name, which must not tell later that it was there.
        let has_computed_visibility =
            program.zones.iter().any(is_computed) || program.choices.iter().any(|choice| choice.blind);
        let has_zones_of_entities =
            program.zones.iter().any(|zone| zone.of.is_some_and(|kind| kind != KindId::PLAYER));
        let (disclosure_log, attached, computed) = (None, Vec::new(), BTreeMap::new());
        let mentioning = vec![None; viewer_names.viewers.len()];
        Observer {
            program,
            folder,
            board,
            viewer_names,
            live_words,
            disclosure_log,
            attached,
            computed,
            has_computed_visibility,
            has_zones_of_entities,
            dirt: ViewDirt::everything(),
            shown: BTreeMap::new(),
            mentioning,
            has_mentioned: false,
            concealed: Vec::new(),
        }
    }

    /// Makes all viewers omniscient: they see everything, prevented events included, and call entities by
    /// their row numbers, as the log does.
    #[must_use]
    pub fn omniscient(mut self) -> Observer {
        self.viewer_names.viewers.iter_mut().for_each(|numbering| numbering.sees_all = true);
        self
    }

    /// Creates an omniscient observer of the current state of a match.
    #[must_use]
    pub fn omniscient_of_match(game: &Match) -> Observer {
        ViewerNames::new(game.board.seats).resume(game).omniscient()
    }

    /// Creates an observer that joins now: its viewers have no names yet and see the current state of the
    /// match.
    #[must_use]
    pub fn joining(game: &Match) -> Observer {
        ViewerNames::new(game.board.seats).resume(game)
    }

    /// Lets the host give up what rules compute for viewers: it counts as failed then. The host must drop the observer once it
    /// has interrupted it.
    pub fn interrupt_reads(&mut self, interrupt: Option<Interrupt>) {
        self.board.read_interrupt = interrupt;
    }

    pub(crate) fn is_omniscient(&self) -> bool {
        self.viewer_names.viewers.first().is_some_and(|numbering| numbering.sees_all)
    }

    /// Creates an observer at the start of the same match, to replay it after an undo. Visible entities keep
    /// their names until [`finish_restart`](Observer::finish_restart); other names and numbers that viewers
    /// have seen are not used again.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset.
    pub fn restart(&self, setup: &Setup) -> Result<Observer, StartError> {
        let mut new = Observer::new(Arc::clone(&self.program), setup)?;
        for (numbering, old) in new.viewer_names.viewers.iter_mut().zip(&self.viewer_names.viewers) {
            (numbering.last_name, numbering.last_event, numbering.last_question) =
                (old.last_name, old.last_event, old.last_question);
            numbering.previous_names.clone_from(&old.names);
        }
        new.viewer_names.learners =
            self.viewer_names.learners.iter().map(|learner| Learner::new(learner.seat)).collect();
        Ok(new)
    }

    /// Ends the reuse of old names: the events from here on are new.
    pub fn finish_restart(&mut self) {
        let viewers: Vec<Viewer> = self.viewers().collect();
        for viewer in viewers {
            // Building the view names everything that is still visible.
            self.view(viewer);
            let place = self.viewer_index(viewer);
            self.viewer_names.viewers[place].previous_names.clear();
        }
    }

    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Lists all viewers: seats in order, then the spectators.
    pub fn viewers(&self) -> impl Iterator<Item = Viewer> + use<> {
        (0..self.board.seats).map(|seat| Viewer::Seat(Seat(seat))).chain([Viewer::Spectator])
    }

    pub(crate) fn viewer_index(&self, viewer: Viewer) -> usize {
        self.viewer_names.viewer_index(viewer)
    }

    /// Observes the events of a log from `from_record` on. For each event `sink` receives, for every viewer
    /// in order, what that viewer sees of it; `None` if nothing.
    ///
    /// # Errors
    ///
    /// If the log does not continue what was observed before.
    pub fn observe(
        &mut self,
        log: &EventLog,
        from_record: usize,
        mut sink: impl FnMut(Viewer, Option<Datum>),
    ) -> Result<(), FaultCode> {
        let sink = |viewer, event: Option<ViewerEvent>| sink(viewer, event.map(ViewerEvent::into_datum));
        self.observe_records(log, from_record, sink, None)
    }

    /// Observes like [`observe`](Observer::observe), for hosts that pass the events on to many viewers: what several
    /// viewers see alike is described once. `post`, if given, receives the [`CustomMessage`]s about each event, by seat,
    /// right after the seat has seen the event.
    ///
    /// # Errors
    ///
    /// If the log does not continue what was observed before.
    pub fn observe_shared(
        &mut self,
        log: &EventLog,
        from_record: usize,
        mut sink: impl FnMut(Viewer, ViewerEvent),
        post: Option<&mut dyn FnMut(CustomMessage)>,
    ) -> Result<(), FaultCode> {
        let sink = |viewer, event: Option<ViewerEvent>| {
            if let Some(event) = event {
                sink(viewer, event);
            }
        };
        self.observe_records(log, from_record, sink, post)
    }

    /// Observes like [`observe`](Observer::observe); `post` also receives the [`CustomMessage`]s about each event,
    /// by seat, right after the seat has seen the event.
    ///
    /// # Errors
    ///
    /// If the log does not continue what was observed before.
    pub fn observe_with_messages(
        &mut self,
        log: &EventLog,
        from_record: usize,
        mut sink: impl FnMut(Viewer, Option<Datum>),
        mut post: impl FnMut(CustomMessage),
    ) -> Result<(), FaultCode> {
        let sink = |viewer, event: Option<ViewerEvent>| sink(viewer, event.map(ViewerEvent::into_datum));
        self.observe_records(log, from_record, sink, Some(&mut post))
    }

    fn observe_records(
        &mut self,
        log: &EventLog,
        from_record: usize,
        mut sink: impl FnMut(Viewer, Option<ViewerEvent>),
        mut post: MessageSink<'_>,
    ) -> Result<(), FaultCode> {
        self.computed.clear();
        for record in log.records().iter().skip(from_record) {
            self.observe_one(log, record, &mut sink, &mut post)?;
            self.live_words = self.board.collect_if_due(&self.program, &self.folder.tables, self.live_words);
        }
        Ok(())
    }

    fn observe_one(
        &mut self,
        log: &EventLog,
        record: &EventRecord,
        sink: &mut impl FnMut(Viewer, Option<ViewerEvent>),
        post: &mut MessageSink<'_>,
    ) -> Result<(), FaultCode> {
        let payload = self.folder.read_payload(&mut self.board, log, record).ok_or(FaultCode::Missing)?;
        let mentioned = self.mentioned_entities(record.event, &payload);
        let viewers: Vec<Viewer> = self.viewers().collect();
        // An event without entities that can be hidden looks the same to everybody who sees it.
        let mut shared = self.mentions_only_players(&mentioned).then_some(None);
        // An entity counts as visible if the viewer sees it before the event or after it.
        let mut seen: Vec<Vec<Word>> = Vec::new();
        if shared.is_none() {
            let visible = |viewer: &Viewer| {
                mentioned.iter().copied().filter(|entity| self.sees(*viewer, *entity)).collect()
            };
            seen.extend(viewers.iter().map(visible));
        }
        let hides_only_mentioned = self.hides_only_mentioned(record.event, &mentioned);
        let visible_before: Vec<bool> =
            viewers.iter().map(|viewer| self.sees_change(*viewer, record.event, &payload)).collect();
        if record.status == EventStatus::Applied {
            let savepoint = self.board.mark();
            let folded = self.folder.fold_payload(&mut self.board, record.event, &mut payload.clone());
            self.note_dirt(payload.fields.first().copied());
            self.board.commit(savepoint);
            folded?;
            if record.event == native::CREATED {
                let made = payload.fields.first().map(|made| word::row(*made));
                self.disclosure_log.iter_mut().for_each(|disclosed| disclosed.made.extend(made));
            }
        }
        if record.status == EventStatus::Failed
            || record.status == EventStatus::Prevented && self.is_omniscient()
        {
            // A rule of the game failed: everyone who would have seen the event may know.
            let status = if record.status == EventStatus::Failed { "failed" } else { "prevented" };
            for (place, viewer) in viewers.iter().enumerate() {
                let tells = visible_before[place];
                let visible = seen.get(place).unwrap_or(&mentioned);
                // The status belongs to the content, so nothing is shared here.
                let shown =
                    self.describe_event(*viewer, record, &payload, &mentioned, visible, tells, &mut None);
                sink(*viewer, shown.map(|shown| with_status(shown, status)));
            }
            return Ok(());
        }
        if record.status != EventStatus::Applied {
            // Prevented events are reported by `EventPrevented`, to those who would have seen them.
            for (place, viewer) in viewers.iter().enumerate() {
                let (visible, tells) = (seen.get(place).unwrap_or(&mentioned), visible_before[place]);
                if self
                    .event_disclosure(*viewer, record.event, &payload, &mentioned, visible, tells)
                    .is_some()
                {
                    self.viewer_names.prevented.push((record.id, place));
                }
                sink(*viewer, None);
            }
            return Ok(());
        }
        if record.event == native::SHUFFLED {
            self.forget_shuffled(payload.fields[0]);
        }
        let renewed = self.renewed_payload(record.event, &payload);
        let may_hide = self.may_hide(record.event, &payload, &mentioned);
        let all_mentioned = &mentioned;
        for (place, viewer) in viewers.iter().enumerate() {
            let visible = match seen.get_mut(place) {
                Some(visible) => visible,
                None => &mut mentioned.clone(),
            };
            // A viewer who did not see the entity before sees the new object, one who did sees the old one.
            // Nobody sees both.
            let (payload, mentioned) = match &renewed {
                Some((new, mentioned)) if !visible.contains(&payload.fields[0]) => (new, mentioned),
                _ => (&payload, &mentioned),
            };
            for entity in mentioned {
                if !visible.contains(entity) && self.sees(*viewer, *entity) {
                    visible.push(*entity);
                }
            }
            let tells = visible_before[place] || self.sees_change(*viewer, record.event, payload);
            let shown = self.describe_event(*viewer, record, payload, mentioned, visible, tells, &mut shared);
            if shown.is_some() && !self.viewer_names.learners.is_empty() {
                self.advance_tutorial(*viewer, record.event, payload);
            }
            if let (Some(_), Viewer::Seat(seat), Some(post)) = (&shown, viewer, &mut *post) {
                self.event_messages(*seat, record.event, &payload.fields).into_iter().for_each(post);
            }
            sink(*viewer, shown);
            match &renewed {
                _ if !may_hide => {}
                _ if !hides_only_mentioned => self.forget_hidden_names(*viewer),
                Some((_, new)) => self.forget_if_hidden(*viewer, all_mentioned.iter().chain(new)),
                None => self.forget_if_hidden(*viewer, all_mentioned.iter()),
            }
        }
        Ok(())
    }

    /// Tells whether all these entities are players or the match, which everybody sees and calls the same.
    fn mentions_only_players(&self, mentioned: &[Word]) -> bool {
        mentioned.iter().all(|entity| *entity == word::MATCH || self.board.is_player(*entity))
    }

    /// Tells whether an event may have hidden an entity, or may name a hidden one.
    fn may_hide(&self, event: EventId, payload: &EventPayload, mentioned: &[Word]) -> bool {
        let is_hiding = match event {
            native::CREATED | native::MOVED | native::REMOVED | native::SHUFFLED => true,
            native::CHANGED => {
                let prop = self.program.props.get(usize::from(payload.detail));
                prop.is_none_or(|prop| prop.name == native::KNOWN)
            }
            _ => !self.mentions_only_players(mentioned),
        };
        is_hiding || self.has_computed_visibility
    }

    /// Returns true if an event can hide no entity but those it mentions. To look at these alone keeps long chains of events
    /// linear. Must be called before the event is applied: moving an entity removes what is attached to it.
    fn hides_only_mentioned(&self, event: EventId, mentioned: &[Word]) -> bool {
        matches!(event, native::CREATED | native::MOVED)
            && !self.has_computed_visibility
            && !self.has_zones_of_entities
            && mentioned.iter().all(|entity| self.board.attached_to(*entity).next().is_none())
    }

    /// Returns the payload of a `Moved` event that made its entity a new object, rewritten for the new
    /// object.
    fn renewed_payload(&self, event: EventId, payload: &EventPayload) -> Option<(EventPayload, Vec<Word>)> {
        let old = payload.fields.first().copied().filter(|_| event == native::MOVED)?;
        if self.board.entity(old).is_some() {
            return None;
        }
        let mut payload = payload.clone();
        payload.fields[0] = self.board.reference(word::row(old));
        let mentioned = self.mentioned_entities(event, &payload);
        Some((payload, mentioned))
    }

    /// Lists all entities an event mentions, hosts of its zones included.
    fn mentioned_entities(&self, event: EventId, payload: &EventPayload) -> Vec<Word> {
        let mut found = Vec::new();
        let fields = &self.program.events[event.index()].fields;
        for (field, value) in fields.iter().zip(&payload.fields) {
            let ty = field_type(&self.program, field.ty, payload.detail);
            self.collect_entities(ty, *value, &mut found);
        }
        for pair in payload.with.chunks_exact(2) {
            self.collect_entities(self.program.props[pair[0] as usize].ty, pair[1], &mut found);
        }
        found
    }

    pub(crate) fn collect_entities(&self, ty: TypeId, value: Word, found: &mut Vec<Word>) {
        self.collect_entities_from(&self.board, ty, value, found);
    }

    /// Collects the entities in a value on another board.
    pub(crate) fn collect_entities_from(
        &self,
        board: &Board,
        ty: TypeId,
        value: Word,
        found: &mut Vec<Word>,
    ) {
        if value == NULL {
            return;
        }
        let shapes = Shapes { program: &self.program, seats: board.seats };
        let heap = &board.heap;
        match shapes.layout(ty) {
            Layout::Plain => match self.program.types[ty.index()] {
                Type::Entity | Type::Kind(_) if !found.contains(&value) => found.push(value),
                Type::Zone => {
                    let host = u32::try_from(value).ok().and_then(|zone| board.zones.head(zone));
                    let host = host.map_or(NOWHERE, |head| head.host);
                    if host != NOWHERE {
                        found.push(board.reference(host));
                    }
                }
                _ => {}
            },
            Layout::Offer => {
                let words = heap.list(value).unwrap_or(&[]);
                let Some(types) = words.first().and_then(|action| shapes.offer_param_types(*action)) else {
                    return;
                };
                let params = words.get(crate::ask::offers::OFFER_HEAD..).unwrap_or(&[]);
                types
                    .zip(params)
                    .for_each(|(ty, value)| self.collect_entities_from(board, ty, *value, found));
                if let Some(host) = words.get(2).filter(|host| **host != NULL && !found.contains(host)) {
                    found.push(*host);
                }
            }
            Layout::List(item) => {
                heap.list(value)
                    .unwrap_or(&[])
                    .iter()
                    .for_each(|value| self.collect_entities_from(board, item, *value, found));
            }
            Layout::Map(count, item) => {
                let values = heap.fields(value, count).unwrap_or(&[]);
                values.iter().for_each(|value| self.collect_entities_from(board, item, *value, found));
            }
            Layout::Record(fields) => {
                let values = heap.fields(value, fields.len()).unwrap_or(&[]);
                fields
                    .iter()
                    .zip(values)
                    .for_each(|((_, ty), value)| self.collect_entities_from(board, *ty, *value, found));
            }
        }
    }

    /// Returns true if a grant gives the trait that an event creates.
    fn is_given(&self, payload: &EventPayload) -> bool {
        let is_grant = |pair: &[Word]| {
            let prop = self.program.props.get(pair[0] as usize);
            prop.is_some_and(|prop| self.program.symbol(prop.name) == native::hidden_props::GRANT)
        };
        !self.program.grants.is_empty() && payload.with.chunks_exact(2).any(is_grant)
    }

    /// Tells whether the viewer sees the property that a `Changed` event is about; true for other events.
    fn sees_change(&mut self, viewer: Viewer, event: EventId, payload: &EventPayload) -> bool {
        if event == native::CREATED && self.is_given(payload) {
            // A grant may depend on what is hidden. Only those who see its host learn that it gives something.
            return payload.fields.get(5).is_some_and(|host| self.sees(viewer, *host));
        }
        if event == native::REMOVED && self.board.is_given(payload.fields.first().copied().unwrap_or(NULL)) {
            return self.sees(viewer, payload.fields[0]);
        }
        if event != native::CHANGED {
            return true;
        }
        let Some(entity) = payload.fields.first().copied() else {
            return false;
        };
        self.sees(viewer, entity) && self.sees_prop(viewer, entity, PropId(payload.detail))
    }

    /// Decides how a viewer sees an event: whether all entities are named, and which fields are hidden.
    /// `None` if the viewer does not see it.
    fn event_disclosure(
        &mut self,
        viewer: Viewer,
        event: EventId,
        payload: &EventPayload,
        mentioned: &[Word],
        visible: &[Word],
        tells: bool,
    ) -> Option<(bool, &'static [usize])> {
        if self.is_omniscient() {
            return Some((true, &[]));
        }
        let field = |index: usize| payload.fields.get(index).copied().unwrap_or(NULL);
        let sees_subject = visible.contains(&field(0));
        Some(match event {
            native::CHANGED if !tells => return None,
            native::CREATED if !sees_subject && field(3) == NULL => return None,
            native::CREATED if !sees_subject => (false, &[1, 2]),
            native::REMOVED if !sees_subject => return None,
            native::SHUFFLED if !self.sees_all_in(viewer, field(0)) => (false, &[1]),
            native::EVENT_PREVENTED => {
                // The event id is hidden because it counts events that others cannot see.
                let place = self.viewer_index(viewer);
                let is_it = |(id, who): &(u32, usize)| Word::from(*id) == field(0) && *who == place;
                let known = self.viewer_names.prevented.iter().position(is_it)?;
                self.viewer_names.prevented.swap_remove(known);
                (false, &[0])
            }
            native::ROLLED if self.program.hides_rolls() && field(native::ROLL_SEEN_FIELD) != NULL => {
                self.sees_event(viewer, event, payload, mentioned)?;
                (false, &[])
            }
            event if event.index() < native::EVENTS.len() => (false, &[]),
            event => (self.sees_event(viewer, event, payload, mentioned)?, &[]),
        })
    }

    /// Describes an event for a viewer. If `shared` is given, it holds the content that all viewers see who see everything
    /// in it.
    #[expect(clippy::too_many_arguments, reason = "all of them describe one event")]
    fn describe_event(
        &mut self,
        viewer: Viewer,
        record: &EventRecord,
        payload: &EventPayload,
        mentioned: &[Word],
        visible: &[Word],
        tells: bool,
        shared: &mut Option<Option<Arc<EventContent>>>,
    ) -> Option<ViewerEvent> {
        let (all_named, hidden) =
            self.event_disclosure(viewer, record.event, payload, mentioned, visible, tells)?;
        let place = self.viewer_index(viewer);
        self.viewer_names.viewers[place].last_event += 1;
        let number = self.viewer_names.viewers[place].last_event;
        self.viewer_names.viewers[place].numbers.insert(record.id, number);
        let cause = match record.cause {
            Cause::Event(id) => self.viewer_names.viewers[place].numbers.get(id),
            Cause::Input(_) => None,
        };
        let shown = |content| Some(ViewerEvent { number, cause, content });
        let is_shared = hidden.is_empty() && record.event != native::CREATED;
        if let Some(Some(content)) = shared.as_ref().filter(|_| is_shared) {
            return shown(Arc::clone(content));
        }
        let mut entries = self.describe_fields(place, record.event, payload, visible, all_named, hidden);
        let subject = payload.fields.first().copied().unwrap_or(NULL);
        if record.event == native::CREATED && visible.contains(&subject) {
            let with = self.describe_initial_props(viewer, payload, visible);
            entries.push((ShortText::new_static("with"), with));
        }
        let name = ShortText::from(&self.program.events[record.event.index()].name);
        let content = Arc::new(EventContent::new(name, Datum::Map(entries)));
        if let Some(shared) = shared.as_mut().filter(|_| is_shared) {
            *shared = Some(Arc::clone(&content));
        }
        shown(content)
    }

    fn describe_fields(
        &mut self,
        place: usize,
        event: EventId,
        payload: &EventPayload,
        visible: &[Word],
        all_named: bool,
        hidden: &[usize],
    ) -> Vec<(ShortText, Datum)> {
        let (numbering, disclosed) = (&mut self.viewer_names.viewers[place], &mut self.disclosure_log);
        let mut name = |entity| {
            let is_visible = visible.contains(&entity);
            if !all_named && !is_visible {
                return Datum::Null;
            }
            if let Some(disclosed) = disclosed {
                disclosed.named.insert((place, word::row(entity), is_visible));
            }
            numbering.name(entity)
        };
        let program = &self.program;
        let mut entries = Vec::new();
        for (index, (field, value)) in
            program.events[event.index()].fields.iter().zip(&payload.fields).enumerate()
        {
            let ty = field_type(program, field.ty, payload.detail);
            let datum = match hidden.contains(&index) {
                true => Datum::Null,
                false => describe_with(program, &self.board, *value, ty, &mut name),
            };
            entries.push((program.symbol(field.name).into(), datum));
        }
        entries
    }

    /// Describes the initial properties of a created entity, as far as the viewer sees them.
    fn describe_initial_props(&mut self, viewer: Viewer, payload: &EventPayload, visible: &[Word]) -> Datum {
        let mut entries = Vec::new();
        let place = self.viewer_index(viewer);
        for pair in payload.with.chunks_exact(2) {
            let prop = PropId(pair[0] as u16);
            if !self.sees_prop(viewer, payload.fields[0], prop) {
                continue;
            }
            let numbering = &mut self.viewer_names.viewers[place];
            let mut name = |entity| {
                if visible.contains(&entity) { numbering.name(entity) } else { Datum::Null }
            };
            let found = &self.program.props[prop.index()];
            let value = describe_with(&self.program, &self.board, pair[1], found.ty, &mut name);
            entries.push((self.program.symbol(found.name).into(), value));
        }
        Datum::Map(entries)
    }

    /// Returns `None` if a viewer does not see an event of the ruleset; else whether all its entities are
    /// named.
    fn sees_event(
        &mut self,
        viewer: Viewer,
        event: EventId,
        payload: &EventPayload,
        mentioned: &[Word],
    ) -> Option<bool> {
        match self.program.events[event.index()].visible {
            Visibility::All => Some(true),
            Visibility::None | Visibility::ByPosition(_) => None,
            Visibility::ByContents => Some(false),
            Visibility::Owner => {
                let Viewer::Seat(seat) = viewer else {
                    return None;
                };
                let owns =
                    |entity: &Word| self.board.entity(*entity).is_some_and(|entity| entity.owner == seat.0);
                mentioned.iter().any(owns).then_some(false)
            }
            Visibility::Computed(routine) => {
                let Viewer::Seat(seat) = viewer else {
                    return None;
                };
                let mut args = vec![word::player(seat)];
                args.extend_from_slice(&payload.fields);
                self.test(routine, &args).then_some(false)
            }
        }
    }

    /// Forgets the names of what was shuffled if viewers see only some positions: what lies there now may be the same card,
    /// which nobody can tell.
    fn forget_shuffled(&mut self, zone: Word) {
        let family =
            u32::try_from(zone).ok().and_then(|zone| self.board.zones.head(zone)).map(|head| head.family);
        let Some(family) = family else { return };
        if !matches!(self.program.zones[family.index()].visible, Visibility::ByPosition(_))
            || self.is_omniscient()
        {
            return;
        }
        let inside: Vec<Word> = self.board.zone_contents(zone).collect();
        for numbering in &mut self.viewer_names.viewers {
            inside.iter().for_each(|entity| numbering.names.remove(*entity));
        }
    }

    /// Forgets the names of entities that are no longer visible.
    fn forget_hidden_names(&mut self, viewer: Viewer) {
        let place = self.viewer_index(viewer);
        let mut names = std::mem::take(&mut self.viewer_names.viewers[place].names);
        names.retain(|entity, _| self.sees(viewer, entity));
        self.viewer_names.viewers[place].names = names;
    }

    /// Does the same for these entities only.
    fn forget_if_hidden<'a>(&mut self, viewer: Viewer, entities: impl Iterator<Item = &'a Word>) {
        let place = self.viewer_index(viewer);
        for entity in entities {
            if !self.sees(viewer, *entity) {
                self.viewer_names.viewers[place].names.remove(*entity);
            }
        }
    }

    /// Finds the question a viewer knows by that number.
    #[must_use]
    pub fn input_by_number(&self, viewer: Viewer, number: u32) -> Option<InputId> {
        let questions = &self.viewer_names.viewers[self.viewer_index(viewer)].questions;
        questions.key_of(number).map(InputId)
    }

    /// Tells whether a viewer was ever asked a question with that number.
    #[must_use]
    pub fn was_asked(&self, viewer: Viewer, number: u32) -> bool {
        (1..=self.viewer_names.viewers[self.viewer_index(viewer)].last_question).contains(&number)
    }

    /// Returns the viewer's name for a visible entity: `#3`, or `p0` for a player.
    pub fn name_of(&mut self, viewer: Viewer, entity: Word) -> Option<String> {
        match self.reference(viewer, entity) {
            Datum::Text(name) => Some(name.into()),
            _ => None,
        }
    }

    /// Finds the entity a viewer knows by that name.
    #[must_use]
    pub fn entity_by_name(&self, viewer: Viewer, name: &str) -> Option<Word> {
        let number: u32 = name.strip_prefix('#')?.parse().ok()?;
        self.viewer_names.viewers[self.viewer_index(viewer)].names.key_of(number)
    }
}

/// Adds the status of an event whose content nobody else has yet.
fn with_status(mut shown: ViewerEvent, status: &'static str) -> ViewerEvent {
    if let Some(content) = Arc::get_mut(&mut shown.content) {
        content.status = Some(ShortText::new_static(status));
    }
    shown
}
