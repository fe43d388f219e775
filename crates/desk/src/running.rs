//! How a match is run: lightly, as here, or with all that taking back needs ([`reference`](crate::reference)).

use std::sync::Arc;

use intermezzo_engine::{
    Datum, Input, Letter, Log, Match, Memory, Refusal, Setup, StartError, Viewer, Witness,
};
use intermezzo_ruleset::Program;

use crate::shown::Changed;

/// Gets what each viewer sees of what happens, in order.
pub(crate) type Tell<'a> = &'a mut dyn FnMut(Viewer, Datum);

/// A match with whoever follows it for its viewers.
pub(crate) trait Run {
    /// The match as it stands.
    fn playing(&self) -> &Match;

    /// Who follows the match, and the match.
    fn witness(&mut self) -> (&mut Witness, &Match);

    /// Hands an input to the match; `tell` gets what each viewer sees of what happens. Says what viewers may see
    /// change by it.
    fn submit(&mut self, input: &Input, tell: Tell<'_>) -> Result<Changed, Refusal>;

    /// What has happened since this was last asked for.
    fn take_log(&mut self) -> Log;

    /// The letters about it, if somebody wants them.
    fn take_letters(&mut self) -> Vec<Letter> {
        Vec::new()
    }
}

/// A match that keeps nothing of its past.
#[derive(Debug)]
pub(crate) struct Light {
    playing: Match,
    /// Only while it is awake.
    witness: Option<Box<Witness>>,
    /// Only while it is not.
    memory: Memory,
    log: Log,
    /// How much of the log has been seen by the witness.
    seen: usize,
    /// Letters of the ruleset's own protocol, while somebody wants them.
    pub(crate) letters: Option<Vec<Letter>>,
}

impl Light {
    /// Begins a match.
    pub(crate) fn start(program: &Arc<Program>, setup: &Setup, tell: Tell<'_>) -> Result<Light, StartError> {
        let mut log = Log::new();
        let playing = Match::start(Arc::clone(program), setup, &mut log)?;
        let witness = Witness::new(Arc::clone(program), setup)?;
        let mut light = Light { log, ..Light::awake(playing, witness) };
        light.observe(tell);
        Ok(light)
    }

    /// A match with who has followed it so far.
    pub(crate) fn awake(playing: Match, witness: Witness) -> Light {
        let (memory, log) = (Memory::default(), Log::new());
        Light { playing, witness: Some(Box::new(witness)), memory, log, seen: 0, letters: None }
    }

    /// A match with what its viewers have been told so far.
    pub(crate) fn resting(playing: Match, memory: Memory) -> Light {
        Light { playing, witness: None, memory, log: Log::new(), seen: 0, letters: None }
    }

    pub(crate) fn memory(&self) -> &Memory {
        self.witness.as_ref().map_or(&self.memory, |witness| witness.memory())
    }

    /// Somebody who knows what the witness knows, to look without disturbing it.
    pub(crate) fn onlooker(&self) -> Witness {
        match &self.witness {
            Some(witness) => Witness::clone(witness),
            None => self.memory.clone().wake(&self.playing),
        }
    }

    /// Gives back what is not needed while the match waits.
    pub(crate) fn compact(&mut self) {
        self.playing.compact();
        if let Some(witness) = self.witness.take() {
            self.memory = witness.rest();
        }
        self.memory.compact();
        self.log = Log::new();
    }

    fn observe(&mut self, tell: Tell<'_>) {
        let (log, seen) = (std::mem::take(&mut self.log), self.seen);
        let mut letters = self.letters.take();
        let sink = |viewer, event| {
            if let Some(event) = event {
                tell(viewer, event);
            }
        };
        let witness = self.witness().0;
        let observed = match &mut letters {
            Some(letters) => witness.observe_with_letters(&log, seen, sink, |letter| letters.push(letter)),
            None => witness.observe(&log, seen, sink),
        };
        self.letters = letters;
        observed.expect("a log the match itself wrote continues what was seen before");
        self.seen = log.len();
        self.log = log;
    }
}

impl Run for Light {
    fn playing(&self) -> &Match {
        &self.playing
    }

    fn witness(&mut self) -> (&mut Witness, &Match) {
        let (playing, memory) = (&self.playing, &mut self.memory);
        let wake = || Box::new(std::mem::take(memory).wake(playing));
        (self.witness.get_or_insert_with(wake), playing)
    }

    fn submit(&mut self, input: &Input, tell: Tell<'_>) -> Result<Changed, Refusal> {
        // The witness has to see the board as it was before.
        self.witness();
        self.playing.submit(input, &mut self.log)?;
        let changed = Changed::by(self.log.len() > self.seen);
        self.observe(tell);
        Ok(changed)
    }

    fn take_log(&mut self) -> Log {
        self.seen = 0;
        std::mem::take(&mut self.log)
    }

    fn take_letters(&mut self) -> Vec<Letter> {
        self.letters.as_mut().map(std::mem::take).unwrap_or_default()
    }
}
