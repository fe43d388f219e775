//! A recorded match, event by event. Start with [`Replay::open`].
//!
//! Opening a replay runs the match once and lists what one viewer sees of it. The match is kept as it was at some
//! waypoints, so that [`Replay::look`] need not begin at the start to say how things stood after any event, also in
//! the middle of an input.

mod following;
mod titles;

use std::collections::HashMap;
use std::sync::Arc;

use intermezzo_engine::{
    Datum, Input, Match, Midway, PendingReaction, Setup, Status, UnderWay, Viewer, Witness,
};
use intermezzo_ruleset::{Program, Seat};
use serde_json::{Map, Value};

use crate::file::{MatchFile, SavedInput};
use crate::mismatch::{Mismatch, Place, Problem};
use crate::narrate::to_json;
use crate::sentences::{event_text, input_text, unnumbered};
use following::{Follower, Told};
use titles::Titles;

/// So many times the match is kept as it was.
const WAYPOINTS: usize = 32;

/// Who goes through a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spectacles {
    /// Somebody who knows everything.
    All,
    /// Somebody who knows what that viewer knew.
    Of(Viewer),
}

/// A match to go through, event by event, for one viewer.
#[derive(Debug)]
pub struct Replay {
    program: Arc<Program>,
    setup: Setup,
    who: Spectacles,
    /// All inputs of the file.
    taken: Vec<Input>,
    inputs: Vec<ReplayedInput>,
    events: Vec<ReplayedEvent>,
    /// Where each event is found: the input, and how many events of it there are up to it.
    places: Vec<(usize, usize)>,
    waypoints: Vec<Follower>,
}

/// An input as a replay lists it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayedInput {
    /// Its place in the list of this viewer, from 0, which is the start of the match.
    pub number: usize,
    /// Its number in the match file; 0 is the start of the match.
    pub taken: u32,
    /// Who sent it; nothing if nobody did, or if that is none of the viewer's business.
    pub seat: Option<u8>,
    /// `start`, or as match files call it: `answer`, `draft`, `timeout`, `leave`, `auto_pass`, `moderate`. Nothing if it
    /// is none of the viewer's business.
    pub kind: Option<&'static str>,
    /// What was sent, in words.
    pub text: Option<String>,
    /// Its first and last event.
    pub events: Option<(u32, u32)>,
}

/// An event as a replay lists it.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplayedEvent {
    /// Its number for this viewer, from 1.
    pub n: u32,
    /// The engine's id of it.
    pub id: u32,
    /// The input it belongs to, by its place in the list.
    pub input: usize,
    /// Its type.
    pub event: String,
    /// What became of it.
    pub status: Status,
    /// The number of the event that caused it, if the viewer knows that one. It may be larger: what reacts before an
    /// event is told before it.
    pub cause: Option<u32>,
    /// How many known causes lie above it.
    pub depth: u32,
    /// How many items lie on the players' stack after it.
    pub stack: usize,
    /// The event in words.
    pub text: String,
    /// Its fields, in the names of the view.
    pub payload: Value,
}

/// How things stood after an event.
#[derive(Debug)]
pub struct Moment {
    /// The input the event belongs to, by its place in the list.
    pub input: usize,
    /// What the viewer saw.
    pub view: Datum,
    /// Whether the match had come to a wait, or to its end.
    pub is_waiting: bool,
    /// What was asked then: of the viewer, or of everyone if the viewer knows everything.
    pub prompts: Vec<Datum>,
    /// What was under way, outermost first; only for those who know everything.
    pub under_way: Vec<UnderWay>,
    /// The reactions that were still to come; only for those who know everything.
    pub reactions: Vec<PendingReaction>,
    /// The match then, to ask how values came about; only for those who know everything.
    pub playing: Option<Match>,
}

impl Replay {
    /// Runs a recorded match and lists what one viewer sees of it.
    ///
    /// # Errors
    ///
    /// If the rules are others, or refuse an input.
    pub fn open(file: &MatchFile, program: &Arc<Program>, who: Spectacles) -> Result<Replay, Mismatch> {
        file.check_rules(program)?;
        let setup = file.setup(program)?;
        let at = |number: usize, problem| {
            Mismatch::new(Place { input: Some(number as u32), ..Place::default() }, problem)
        };
        let mut taken = Vec::with_capacity(file.inputs.len());
        for (place, entry) in file.inputs.iter().enumerate() {
            let input = entry.input.to_input(program);
            taken.push(input.map_err(|problem| at(place + 1, Problem::BadInput { problem }))?);
        }
        let mut replay = Replay {
            program: Arc::clone(program),
            setup,
            who,
            taken,
            inputs: Vec::new(),
            events: Vec::new(),
            places: Vec::new(),
            waypoints: Vec::new(),
        };
        let mut titles = Titles::new(program);
        let (mut follower, told) = Follower::begin(program, &replay.setup, who)
            .map_err(|error| at(0, Problem::CannotStart(error)))?;
        replay.list(&mut titles, 0, None, &told);
        replay.waypoints.push(follower.clone());
        let stride = replay.taken.len().div_ceil(WAYPOINTS).max(1);
        for (place, entry) in file.inputs.iter().enumerate() {
            let told = follower.take(&replay.taken[place], who);
            let told = told.map_err(|refusal| at(place + 1, Problem::Refused(refusal)))?;
            replay.list(&mut titles, place + 1, Some(&entry.input), &told);
            if (place + 1) % stride == 0 {
                replay.waypoints.push(follower.clone());
            }
        }
        replay.find_causes();
        Ok(replay)
    }

    /// For whom it is.
    #[must_use]
    pub fn who(&self) -> Spectacles {
        self.who
    }

    /// What was sent: all of it, or what the viewer sent and noticed.
    #[must_use]
    pub fn inputs(&self) -> &[ReplayedInput] {
        &self.inputs
    }

    /// What the viewer was told, in order.
    #[must_use]
    pub fn events(&self) -> &[ReplayedEvent] {
        &self.events
    }

    /// How things stood after the event with that number; 0 is before anything happened. Nothing if there is no such
    /// event.
    ///
    /// # Errors
    ///
    /// If the match cannot be run again, which it could when the replay was opened.
    pub fn look(&self, n: u32) -> Result<Option<Moment>, Mismatch> {
        let lost = |input: usize, problem| {
            Mismatch::new(Place { input: Some(input as u32), ..Place::default() }, problem)
        };
        let Some(place) = (n as usize).checked_sub(1) else {
            let witness = Follower::witness_of(&self.program, &self.setup, self.who);
            let mut witness = witness.map_err(|error| lost(0, Problem::CannotStart(error)))?;
            return Ok(Some(self.moment(0, &mut witness, None)));
        };
        let Some(&(input, count)) = self.places.get(place) else { return Ok(None) };
        let is_last = self.places.get(place + 1).is_none_or(|next| next.0 != input);
        if is_last {
            let mut follower = self.after(input)?;
            let playing = follower.playing.clone();
            return Ok(Some(self.moment(place + 1, &mut follower.witness, Some((&playing, None)))));
        }
        let (mut witness, midway) = match input.checked_sub(1) {
            None => {
                let stopped = Follower::stop_at_start(&self.program, &self.setup, self.who, count);
                stopped.map_err(|error| lost(0, Problem::CannotStart(error)))?
            }
            Some(before) => {
                let follower = self.after(before)?;
                let stopped = follower.stop(&self.taken[before], self.who, count);
                stopped.map_err(|refusal| lost(input, Problem::Refused(refusal)))?
            }
        };
        let playing = midway.stopped().clone();
        Ok(Some(self.moment(place + 1, &mut witness, Some((&playing, Some(midway))))))
    }

    fn viewer(&self) -> Viewer {
        match self.who {
            Spectacles::All => Viewer::Spectator,
            Spectacles::Of(viewer) => viewer,
        }
    }

    /// The match after so many inputs, with who has followed it.
    fn after(&self, inputs: usize) -> Result<Follower, Mismatch> {
        let nearest = self.waypoints.partition_point(|waypoint| waypoint.taken <= inputs);
        let mut follower = self.waypoints[nearest - 1].clone();
        while follower.taken < inputs {
            let number = follower.taken;
            let taken = follower.take(&self.taken[number], self.who);
            taken.map_err(|refusal| {
                let place = Place { input: Some(number as u32 + 1), ..Place::default() };
                Mismatch::new(place, Problem::Refused(refusal))
            })?;
        }
        Ok(follower)
    }

    fn moment(&self, n: usize, witness: &mut Witness, playing: Option<(&Match, Option<Midway>)>) -> Moment {
        let input = n.checked_sub(1).map_or(0, |place| self.events[place].input);
        let mut moment = Moment {
            input,
            view: witness.view(self.viewer()),
            is_waiting: false,
            prompts: Vec::new(),
            under_way: Vec::new(),
            reactions: Vec::new(),
            playing: None,
        };
        let Some((playing, midway)) = playing else { return moment };
        let knows_all = self.who == Spectacles::All;
        match midway {
            None => {
                moment.is_waiting = true;
                moment.prompts = self.prompts(witness, playing);
                if knows_all {
                    (moment.under_way, moment.reactions) = (playing.under_way(), playing.pending_reactions());
                }
            }
            Some(mut midway) if knows_all => {
                (moment.under_way, moment.reactions) = (midway.under_way(), midway.pending_reactions());
            }
            Some(_) => {}
        }
        moment.playing = knows_all.then(|| playing.clone());
        moment
    }

    fn prompts(&self, witness: &mut Witness, playing: &Match) -> Vec<Datum> {
        let mut prompts = Vec::new();
        for viewer in witness.viewers() {
            if self.who == Spectacles::All || viewer == self.viewer() {
                let asked = witness.prompts(playing, viewer);
                if let Some(Datum::List(asked)) = asked.get("prompts") {
                    prompts.extend(asked.iter().cloned());
                }
            }
        }
        prompts
    }

    /// Lists an input and what it brought.
    fn list(&mut self, titles: &mut Titles, taken: usize, sent: Option<&SavedInput>, told: &[Told]) {
        let own = match self.who {
            Spectacles::All => true,
            Spectacles::Of(Viewer::Seat(seat)) => sent.is_none_or(|sent| sent.seat() == Some(seat)),
            Spectacles::Of(Viewer::Spectator) => sent.is_none(),
        };
        let is_seen = told.iter().any(|told| told.event.is_some());
        if !own && !is_seen {
            told.iter().for_each(|told| titles.learn(&told.glances));
            return;
        }
        let number = self.inputs.len();
        let first = self.events.len() as u32 + 1;
        for (count, told) in told.iter().enumerate() {
            titles.learn(&told.glances);
            if let Some(event) = &told.event {
                let event = self.event(titles, number, told, &to_json(event));
                self.events.push(event);
                self.places.push((taken, count + 1));
            }
        }
        let last = self.events.len() as u32;
        let text = sent.map_or_else(|| "the match begins".to_owned(), input_text);
        let text = if self.who == Spectacles::All { text } else { unnumbered(&text) };
        self.inputs.push(ReplayedInput {
            number,
            taken: taken as u32,
            seat: sent.filter(|_| own).and_then(SavedInput::seat).map(|Seat(seat)| seat),
            kind: own.then(|| sent.map_or("start", SavedInput::kind)),
            text: own.then_some(text),
            events: (first <= last).then_some((first, last)),
        });
    }

    fn event(&self, titles: &Titles, input: usize, told: &Told, datum: &Value) -> ReplayedEvent {
        let payload = datum.get("payload").cloned().unwrap_or_default();
        let fields = titles.labelled(&payload);
        let fields = fields.as_object().cloned().unwrap_or_else(Map::new);
        let name = datum["event"].as_str().unwrap_or_default().to_owned();
        ReplayedEvent {
            n: self.events.len() as u32 + 1,
            id: told.id,
            input,
            text: event_text(&self.program, &name, &fields, told.status == Status::Failed),
            event: name,
            status: told.status,
            // The engine's number of the cause, until all numbers are known.
            cause: told.cause,
            depth: 0,
            stack: told.stack,
            payload,
        }
    }

    /// Puts the viewer's numbers in the place of the engine's.
    fn find_causes(&mut self) {
        let numbers: HashMap<u32, u32> = self.events.iter().map(|event| (event.id, event.n)).collect();
        for event in &mut self.events {
            event.cause = event.cause.and_then(|id| numbers.get(&id).copied());
        }
        // Ids grow from causes to what they cause, so each depth follows from one that is known.
        let mut order: Vec<usize> = (0..self.events.len()).collect();
        order.sort_by_key(|place| self.events[*place].id);
        for place in order {
            let cause = self.events[place].cause;
            self.events[place].depth = cause.map_or(0, |n| self.events[n as usize - 1].depth + 1);
        }
    }
}
