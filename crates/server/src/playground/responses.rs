//! Responses of the playground.

use std::sync::Arc;

use intermezzo_engine::{Explanation, ExplanationSubject, Match, Observer, Viewer};
use intermezzo_matchfile::sentences::input_text;
use intermezzo_matchfile::{MatchReplay, ReplayState, ScriptedRoll, to_json};
use intermezzo_playground::{
    BotName, CheckOutcome, EventDescription, EventDifference, PlaygroundBranch, PlaygroundMatch,
    RejectedInput, ReloadReport,
};
use intermezzo_program::{Program, Seat, SourceLocation};
use intermezzo_protocol::resources::{
    BotAlgorithm, DescribedEvent, DevBranch, DevBranchInput, DevCheck, DevDice, DevMatch, DevModifier,
    DevMoment, DevSeat, DevSetup, DevTimeline, DevValue, DiceRoll, EndingInfo, LabelledRoll, PlaygroundInfo,
    Reload, ReloadDifference, ReloadStopped, ReplayMoment, RulesetRef, SeatRange,
};
use intermezzo_protocol::{Code, Problem};

use super::{Playground, PlaygroundState};
use crate::http::replay_cache::{self, source_line};

/// Id of the match in responses that have one.
const MATCH_NAME: &str = "playground";

pub(crate) fn playground_info(
    playground: &Playground,
    options: Vec<intermezzo_protocol::resources::OptionInfo>,
) -> PlaygroundInfo {
    let state = playground.state();
    let program = state.program.as_deref();
    PlaygroundInfo {
        folder: playground.folder.name(),
        playable: state.is_playable,
        ruleset: program.map(ruleset_ref),
        seats: program.map(|program| SeatRange {
            min: program.seats.min,
            max: program.seats.max,
            default: program.seats.default,
        }),
        options,
        has_match: state.open_match.is_some(),
    }
}

fn ruleset_ref(program: &Program) -> RulesetRef {
    RulesetRef {
        id: program.id.clone(),
        version: program.version.clone(),
        name: program.name.clone(),
        hash: hex(program),
    }
}

pub(crate) fn hex(program: &Program) -> String {
    program.hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn check_info(checked: &CheckOutcome) -> DevCheck {
    DevCheck {
        playable: checked.program.is_some(),
        hash: checked.program.as_deref().map(hex),
        diagnostics: checked.diagnostics.clone(),
    }
}

/// Describes the match.
pub(crate) fn match_info(state: &mut PlaygroundState) -> Result<DevMatch, Problem> {
    let replay = state.replay()?;
    let version = state.version;
    let open_match = state.open_match.as_mut().ok_or_else(|| Problem::not_found("match"))?;
    let program = Arc::clone(open_match.program());
    let playing = open_match.game().clone();
    let mut observer = Observer::omniscient_of_match(&playing);
    let (rolled, next) = open_match.dice();
    let last = replay.inputs().last().map_or(0, |input| input.number);
    let last_events = replay.events().iter().filter(|event| event.input == last);
    let numbers = replay_cache::ReplayNumbering { program: &program, events: replay.events() };
    Ok(DevMatch {
        version,
        ruleset: ruleset_ref(&program),
        setup: DevSetup {
            seats: playing.board().seats(),
            seed: open_match.start_options().seed,
            options: open_match
                .start_options()
                .options
                .iter()
                .map(|(name, value)| (name.to_string(), to_json(value)))
                .collect(),
        },
        bots: open_match.bots().iter().map(|bot| bot.map(bot_kind)).collect(),
        input_count: open_match.inputs().len(),
        event_count: replay.events().len(),
        is_over: playing.is_over(),
        ending: ending(open_match),
        view: to_json(&observer.view(Viewer::Spectator)),
        seats: seats(open_match)?,
        values: values(&playing),
        under_way: playing.frame_summaries().iter().map(|at| numbers.in_progress_info(at)).collect(),
        pending_reactions: playing
            .pending_reactions()
            .iter()
            .map(|reaction| numbers.reaction_info(reaction))
            .collect(),
        dice: DevDice { next: dice_info(&next), rolled: dice_info(&rolled) },
        branches: open_match.branches().iter().enumerate().map(branch).collect(),
        last_events: last_events.map(|event| replay_cache::replay_event(event, true)).collect(),
    })
}

fn ending(open_match: &PlaygroundMatch) -> Option<EndingInfo> {
    open_match.ending().cloned().map(|ending| EndingInfo {
        outcome: ending.outcome,
        winners: ending.winners,
        losers: ending.losers,
        pot: ending.pot,
        score: ending.score,
        reason: None,
    })
}

fn bot_kind(bot: BotName) -> BotAlgorithm {
    match bot {
        BotName::Random => BotAlgorithm::Random,
        BotName::Greedy => BotAlgorithm::Greedy,
        BotName::Mcts => BotAlgorithm::Mcts,
    }
}

fn seats(open_match: &mut PlaygroundMatch) -> Result<Vec<DevSeat>, Problem> {
    let count = open_match.game().board().seats();
    let has_actions = !open_match.program().actions.is_empty();
    let mut seats = Vec::new();
    for number in 0..count {
        let (seat, viewer) = (Seat(number), Viewer::Seat(Seat(number)));
        let session = open_match.session();
        let prompts = to_json(session.prompts(viewer))["prompts"].as_array().cloned().unwrap_or_default();
        let view = to_json(session.view(viewer));
        // Listing actions evaluates rules, which may fail; the rest is still useful.
        let actions =
            has_actions.then(|| session.actions(seat).ok().map(|actions| to_json(&actions))).flatten();
        seats.push(DevSeat { seat: number, view, prompts, actions });
    }
    Ok(seats)
}

fn branch((index, branch): (usize, &PlaygroundBranch)) -> DevBranch {
    let input = |(at, input): (usize, &intermezzo_matchfile::SavedInput)| DevBranchInput {
        number: branch.from + at + 1,
        seat: input.seat().map(|Seat(seat)| seat),
        kind: input.kind().to_owned(),
        text: input_text(input),
    };
    DevBranch {
        number: index + 1,
        from: branch.from,
        inputs: branch.inputs.iter().enumerate().map(input).collect(),
    }
}

fn values(playing: &Match) -> Vec<DevValue> {
    let value = |(entity, explanation): (String, Explanation)| {
        let prop = match explanation.subject {
            ExplanationSubject::Property { prop, .. } => prop,
            ExplanationSubject::Chain { name } => name,
        };
        let step = |step: &intermezzo_engine::Contribution| {
            let (file, line) = source_line(playing.program(), step.place);
            DevModifier {
                name: step.name.clone(),
                source: step.source.clone(),
                before: to_json(&step.before),
                after: to_json(&step.after),
                file,
                line,
            }
        };
        DevValue {
            entity,
            prop,
            base: to_json(&explanation.base),
            value: to_json(&explanation.value),
            steps: explanation.steps.iter().map(step).collect(),
        }
    };
    playing.modified_values().into_iter().map(value).collect()
}

/// Converts rolls to their wire form.
pub(crate) fn dice_info(rolls: &[ScriptedRoll]) -> Vec<DiceRoll> {
    let roll = |roll: &ScriptedRoll| match &roll.label {
        Some(label) => DiceRoll::For(LabelledRoll { label: label.clone(), faces: roll.faces.clone() }),
        None => DiceRoll::Faces(roll.faces.clone()),
    };
    rolls.iter().map(roll).collect()
}

/// Converts rolls from their wire form.
pub(crate) fn parse_dice(dice: Vec<DiceRoll>) -> Vec<ScriptedRoll> {
    let roll = |roll: DiceRoll| match roll {
        DiceRoll::Faces(faces) => ScriptedRoll { label: None, faces },
        DiceRoll::For(LabelledRoll { label, faces }) => ScriptedRoll { label: Some(label), faces },
    };
    dice.into_iter().map(roll).collect()
}

/// Returns one page of the timeline.
pub(crate) fn timeline_page(
    state: &mut PlaygroundState,
    after: u32,
    limit: usize,
) -> Result<DevTimeline, Problem> {
    let replay = state.replay()?;
    let (inputs, events, next) =
        replay_cache::page(&replay, after, limit, |input| (None, Some(input.file_number)));
    Ok(DevTimeline {
        version: state.version,
        input_count: replay.inputs().len(),
        event_count: replay.events().len(),
        inputs,
        events,
        next,
    })
}

/// Describes the match after an event.
pub(crate) fn moment_info(replay: &MatchReplay, program: &Program, at: u32) -> Result<DevMoment, Problem> {
    let found =
        replay.state_after(at).map_err(|mismatch| Problem::new(Code::Internal, mismatch.to_string()))?;
    let moment: ReplayState = found.ok_or_else(|| Problem::not_found("event"))?;
    let numbers = replay_cache::ReplayNumbering { program, events: replay.events() };
    Ok(DevMoment {
        values: moment.game.as_ref().map(values).unwrap_or_default(),
        moment: ReplayMoment {
            match_id: MATCH_NAME.to_owned(),
            viewer: "all".to_owned(),
            at,
            input: moment.input,
            view: to_json(&moment.view),
            is_waiting: moment.is_waiting,
            prompts: replay_cache::prompts(&moment),
            under_way: moment.frames.iter().map(|at| numbers.in_progress_info(at)).collect(),
            pending_reactions: moment
                .reactions
                .iter()
                .map(|reaction| numbers.reaction_info(reaction))
                .collect(),
        },
    })
}

pub(crate) fn fill_reload(numbers: &mut Reload, reloaded: ReloadReport) {
    let event = |event: EventDescription| DescribedEvent { event: event.event, text: event.text };
    numbers.playable = true;
    (numbers.inputs, numbers.of) = (reloaded.inputs, reloaded.of);
    numbers.difference = reloaded.difference.map(|EventDifference { input, n, before, after }| {
        ReloadDifference { input, n, before: before.map(event), after: after.map(event) }
    });
    numbers.stopped =
        reloaded.stopped.map(|RejectedInput { input, text, reason }| ReloadStopped { input, text, reason });
}

/// Adds the source location of the failed rule to a problem.
pub(crate) fn with_location(problem: Problem, program: &Program, index: Option<SourceLocation>) -> Problem {
    match source_line(program, index) {
        (Some(file), Some(line)) => problem.with("file", file).with("line", line),
        _ => problem,
    }
}
