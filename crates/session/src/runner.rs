//! The runners of a match: without history here, with full history in [`full_history`](crate::full_history).

use std::sync::Arc;

use intermezzo_engine::{
    CustomMessage, EventLog, Input, Interrupt, Match, Observer, Refusal, Setup, StartError, Viewer,
    ViewerEvent, ViewerNames,
};
use intermezzo_program::Program;

use crate::viewer_updates::ChangeScope;

/// A sink for the events each viewer sees, in order.
pub(crate) type EventSink<'a> = &'a mut dyn FnMut(Viewer, ViewerEvent);

/// A match and its observer.
pub(crate) trait MatchRunner {
    /// Returns the current match.
    fn game(&self) -> &Match;

    /// Returns the observer and the match.
    fn observer(&mut self) -> (&mut Observer, &Match);

    /// Submits an input, unless the host interrupts it; `push_event` receives the events each viewer sees. Returns the
    /// scope of possible changes.
    fn submit(
        &mut self,
        interrupt: Option<Interrupt>,
        input: &Input,
        push_event: EventSink<'_>,
    ) -> Result<ChangeScope, Refusal>;

    /// Takes the log since the last call.
    fn take_log(&mut self) -> EventLog;

    /// Takes the custom messages since the last call, if enabled.
    fn take_custom_messages(&mut self) -> Vec<CustomMessage> {
        Vec::new()
    }
}

/// The runner without history.
#[derive(Debug)]
pub(crate) struct LightRunner {
    game: Match,
    /// Present unless compacted.
    observer: Option<Box<Observer>>,
    /// The observer's persistent part, while compacted.
    viewer_names: ViewerNames,
    log: EventLog,
    /// Number of log records already observed.
    seen: usize,
    /// Custom messages since the last call, while enabled.
    pub(crate) custom_messages: Option<Vec<CustomMessage>>,
}

impl LightRunner {
    /// Starts a match.
    pub(crate) fn start(
        interrupt: Option<Interrupt>,
        program: &Arc<Program>,
        setup: &Setup,
        push_event: EventSink<'_>,
    ) -> Result<LightRunner, StartError> {
        let mut log = EventLog::new();
        let game = Match::start(Arc::clone(program), setup, &mut log)?;
        let observer = Observer::new(Arc::clone(program), setup)?;
        let mut runner = LightRunner { log, ..LightRunner::with_observer(game, observer) };
        runner.interrupt_reads(interrupt);
        runner.observe(push_event);
        Ok(runner)
    }

    /// Creates a runner with an existing observer.
    pub(crate) fn with_observer(game: Match, observer: Observer) -> LightRunner {
        let (viewer_names, log) = (ViewerNames::default(), EventLog::new());
        LightRunner {
            game,
            observer: Some(Box::new(observer)),
            viewer_names,
            log,
            seen: 0,
            custom_messages: None,
        }
    }

    /// Creates a compacted runner: the observer is rebuilt on first use.
    pub(crate) fn with_viewer_names(game: Match, viewer_names: ViewerNames) -> LightRunner {
        LightRunner {
            game,
            observer: None,
            viewer_names,
            log: EventLog::new(),
            seen: 0,
            custom_messages: None,
        }
    }

    pub(crate) fn viewer_names(&self) -> &ViewerNames {
        self.observer.as_ref().map_or(&self.viewer_names, |observer| observer.viewer_names())
    }

    /// Returns a copy of the observer, for reads that must leave no trace.
    pub(crate) fn clone_observer(&self) -> Observer {
        match &self.observer {
            Some(observer) => Observer::clone(observer),
            None => self.viewer_names.clone().resume(&self.game),
        }
    }

    /// Lets the host give up what is computed besides inputs. An observer that is created later inherits this.
    pub(crate) fn interrupt_reads(&mut self, interrupt: Option<Interrupt>) {
        self.game.interrupt_reads(interrupt);
        if let Some(observer) = &mut self.observer {
            observer.interrupt_reads(interrupt);
        }
    }

    /// Frees memory that is not needed while the match waits.
    pub(crate) fn compact(&mut self) {
        self.game.compact();
        if let Some(observer) = self.observer.take() {
            self.viewer_names = observer.into_viewer_names();
        }
        self.viewer_names.compact();
        self.log = EventLog::new();
    }

    fn observe(&mut self, push_event: EventSink<'_>) {
        let (log, seen) = (std::mem::take(&mut self.log), self.seen);
        let mut custom_messages = self.custom_messages.take();
        let mut post = custom_messages.as_mut().map(|messages| |message| messages.push(message));
        let post = post.as_mut().map(|post| post as &mut dyn FnMut(CustomMessage));
        let observed = self.observer().0.observe_shared(&log, seen, push_event, post);
        self.custom_messages = custom_messages;
        observed.expect("the match's own log continues what was observed");
        self.seen = log.len();
        self.log = log;
    }
}

impl MatchRunner for LightRunner {
    fn game(&self) -> &Match {
        &self.game
    }

    fn observer(&mut self) -> (&mut Observer, &Match) {
        let (game, names) = (&self.game, &mut self.viewer_names);
        let wake = || Box::new(std::mem::take(names).resume(game));
        (self.observer.get_or_insert_with(wake), game)
    }

    fn submit(
        &mut self,
        interrupt: Option<Interrupt>,
        input: &Input,
        push_event: EventSink<'_>,
    ) -> Result<ChangeScope, Refusal> {
        // The observer must see the board as it was before the input.
        self.observer();
        self.game.submit_unless(interrupt, input, &mut self.log)?;
        let changed = ChangeScope::by(self.log.len() > self.seen);
        self.observe(push_event);
        Ok(changed)
    }

    fn take_log(&mut self) -> EventLog {
        self.seen = 0;
        std::mem::take(&mut self.log)
    }

    fn take_custom_messages(&mut self) -> Vec<CustomMessage> {
        self.custom_messages.as_mut().map(std::mem::take).unwrap_or_default()
    }
}
