//! The workshop as clients read it.

use std::sync::Arc;

use intermezzo_engine::{Explained, Explanation, Match, Viewer, Witness};
use intermezzo_journal::sentences::input_text;
use intermezzo_journal::{Moment, Replay, ScriptedRoll, to_json};
use intermezzo_playground::{BotName, Branch, Checked, Difference, Reloaded, Stopped, Table, Told};
use intermezzo_protocol::resources::{
    BotKind, DevBranch, DevBranchInput, DevChecked, DevDice, DevMatch, DevModifier, DevMoment, DevSeat,
    DevSetup, DevTimeline, DevValue, Dice, DiceFor, EndingInfo, Reload, ReloadDifference, ReloadStopped,
    ReplayMoment, RulesetRef, SeatRange, ToldEvent, Workshop,
};
use intermezzo_protocol::{Code, Problem};
use intermezzo_ruleset::{Place, Program, Seat};

use super::{Bench, Dev};
use crate::http::replaying::{self, spelt};

/// What the match is called where matches have ids.
const NAME: &str = "playground";

pub(crate) fn workshop(dev: &Dev, options: Vec<intermezzo_protocol::resources::OptionInfo>) -> Workshop {
    let bench = dev.bench();
    let program = bench.program.as_deref();
    Workshop {
        folder: dev.folder.name(),
        playable: bench.is_playable,
        ruleset: program.map(ruleset),
        seats: program.map(|program| SeatRange {
            min: program.seats.min,
            max: program.seats.max,
            usual: program.seats.usual,
        }),
        options,
        has_match: bench.table.is_some(),
    }
}

fn ruleset(program: &Program) -> RulesetRef {
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

pub(crate) fn checked(checked: &Checked) -> DevChecked {
    DevChecked {
        playable: checked.program.is_some(),
        hash: checked.program.as_deref().map(hex),
        diagnostics: checked.diagnostics.clone(),
    }
}

/// The match as it is.
pub(crate) fn state(bench: &mut Bench) -> Result<DevMatch, Problem> {
    let replay = bench.replay()?;
    let version = bench.version;
    let table = bench.table.as_mut().ok_or_else(|| Problem::not_found("match"))?;
    let program = Arc::clone(table.program());
    let playing = table.playing().clone();
    let mut witness = Witness::of_everything(&playing);
    let (rolled, next) = table.dice();
    let last = replay.inputs().last().map_or(0, |input| input.number);
    let last_events = replay.events().iter().filter(|event| event.input == last);
    let shown = replaying::Numbers { program: &program, events: replay.events() };
    Ok(DevMatch {
        version,
        ruleset: ruleset(&program),
        setup: DevSetup {
            seats: playing.board().seats(),
            seed: table.beginning().seed,
            options: table
                .beginning()
                .options
                .iter()
                .map(|(name, value)| (name.to_string(), to_json(value)))
                .collect(),
        },
        bots: table.bots().iter().map(|bot| bot.map(bot_kind)).collect(),
        input_count: table.inputs().len(),
        event_count: replay.events().len(),
        is_over: playing.is_over(),
        ending: ending(table),
        view: to_json(&witness.view(Viewer::Spectator)),
        seats: seats(table)?,
        values: values(&playing),
        under_way: playing.under_way().iter().map(|at| shown.thing(at)).collect(),
        pending_reactions: playing
            .pending_reactions()
            .iter()
            .map(|reaction| shown.reaction(reaction))
            .collect(),
        dice: DevDice { next: dice(&next), rolled: dice(&rolled) },
        branches: table.branches().iter().enumerate().map(branch).collect(),
        last_events: last_events.map(|event| replaying::event(event, true)).collect(),
    })
}

fn ending(table: &Table) -> Option<EndingInfo> {
    table.ending().cloned().map(|ending| EndingInfo {
        outcome: ending.outcome,
        winners: ending.winners,
        losers: ending.losers,
        pot: ending.pot,
        reason: None,
    })
}

fn bot_kind(bot: BotName) -> BotKind {
    match bot {
        BotName::Random => BotKind::Random,
        BotName::Greedy => BotKind::Greedy,
        BotName::Mcts => BotKind::Mcts,
    }
}

fn seats(table: &mut Table) -> Result<Vec<DevSeat>, Problem> {
    let count = table.playing().board().seats();
    let has_actions = !table.program().actions.is_empty();
    let mut seats = Vec::new();
    for number in 0..count {
        let (seat, viewer) = (Seat(number), Viewer::Seat(Seat(number)));
        let desk = table.desk();
        let prompts = to_json(desk.prompts(viewer))["prompts"].as_array().cloned().unwrap_or_default();
        let view = to_json(desk.view(viewer));
        // What somebody could do is a question to rules, which may fail; the rest is still worth seeing.
        let actions = has_actions.then(|| desk.actions(seat).ok().map(|actions| to_json(&actions))).flatten();
        seats.push(DevSeat { seat: number, view, prompts, actions });
    }
    Ok(seats)
}

fn branch((place, branch): (usize, &Branch)) -> DevBranch {
    let input = |(at, input): (usize, &intermezzo_journal::SavedInput)| DevBranchInput {
        number: branch.from + at + 1,
        seat: input.seat().map(|Seat(seat)| seat),
        kind: input.kind().to_owned(),
        text: input_text(input),
    };
    DevBranch {
        number: place + 1,
        from: branch.from,
        inputs: branch.inputs.iter().enumerate().map(input).collect(),
    }
}

fn values(playing: &Match) -> Vec<DevValue> {
    let value = |(entity, explanation): (String, Explanation)| {
        let prop = match explanation.subject {
            Explained::Property { prop, .. } => prop,
            Explained::Chain { name } => name,
        };
        let step = |step: &intermezzo_engine::Contribution| {
            let (file, line) = spelt(playing.program(), step.place);
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

/// Rolls as clients write them.
pub(crate) fn dice(rolls: &[ScriptedRoll]) -> Vec<Dice> {
    let roll = |roll: &ScriptedRoll| match &roll.label {
        Some(label) => Dice::For(DiceFor { label: label.clone(), faces: roll.faces.clone() }),
        None => Dice::Faces(roll.faces.clone()),
    };
    rolls.iter().map(roll).collect()
}

/// Rolls as clients wrote them.
pub(crate) fn told_dice(dice: Vec<Dice>) -> Vec<ScriptedRoll> {
    let roll = |roll: Dice| match roll {
        Dice::Faces(faces) => ScriptedRoll { label: None, faces },
        Dice::For(DiceFor { label, faces }) => ScriptedRoll { label: Some(label), faces },
    };
    dice.into_iter().map(roll).collect()
}

/// Part of what happened so far.
pub(crate) fn timeline(bench: &mut Bench, after: u32, limit: usize) -> Result<DevTimeline, Problem> {
    let replay = bench.replay()?;
    let (inputs, events, next) = replaying::page(&replay, after, limit, |input| (None, Some(input.taken)));
    Ok(DevTimeline {
        version: bench.version,
        input_count: replay.inputs().len(),
        event_count: replay.events().len(),
        inputs,
        events,
        next,
    })
}

/// How things stood after an event.
pub(crate) fn moment(replay: &Replay, program: &Program, at: u32) -> Result<DevMoment, Problem> {
    let looked = replay.look(at).map_err(|mismatch| Problem::new(Code::Internal, mismatch.to_string()))?;
    let moment: Moment = looked.ok_or_else(|| Problem::not_found("event"))?;
    let shown = replaying::Numbers { program, events: replay.events() };
    Ok(DevMoment {
        values: moment.playing.as_ref().map(values).unwrap_or_default(),
        moment: ReplayMoment {
            match_id: NAME.to_owned(),
            viewer: "all".to_owned(),
            at,
            input: moment.input,
            view: to_json(&moment.view),
            is_waiting: moment.is_waiting,
            prompts: replaying::prompts(&moment),
            under_way: moment.under_way.iter().map(|at| shown.thing(at)).collect(),
            pending_reactions: moment.reactions.iter().map(|reaction| shown.reaction(reaction)).collect(),
        },
    })
}

pub(crate) fn reloaded(shown: &mut Reload, reloaded: Reloaded) {
    let told = |told: Told| ToldEvent { event: told.event, text: told.text };
    shown.playable = true;
    (shown.inputs, shown.of) = (reloaded.inputs, reloaded.of);
    shown.difference = reloaded.difference.map(|Difference { input, n, before, after }| ReloadDifference {
        input,
        n,
        before: before.map(told),
        after: after.map(told),
    });
    shown.stopped =
        reloaded.stopped.map(|Stopped { input, text, reason }| ReloadStopped { input, text, reason });
}

/// A problem with the place of the rule that failed.
pub(crate) fn at_place(problem: Problem, program: &Program, place: Option<Place>) -> Problem {
    match spelt(program, place) {
        (Some(file), Some(line)) => problem.with("file", file).with("line", line),
        _ => problem,
    }
}
