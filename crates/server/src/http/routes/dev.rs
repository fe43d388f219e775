//! The workshop of a ruleset's author: files, checks, a match to try things with, scenarios. Only there under `dev`.

use std::sync::Arc;

use axum::http::header;
use intermezzo_engine::{LeaveCause, PassUntil};
use intermezzo_journal::{from_json, to_json};
use intermezzo_playground::{BotName, Refused, Sent, Start, Table, Texts, check, hash, scenarios};
use intermezzo_protocol::resources::{
    BotKind, CompleteAt, CompletionItem, Completions, DevBots, DevChecked, DevFile, DevFiles, DevInput,
    DevMatch, DevMoment, DevPath, DevText, DevTimeline, GoBack, LineColumn, NewDevMatch, NextDice, PathNext,
    RecordScenario, RecordedScenario, Reload, RunScenarios, SaveFile, Saved, ScenarioInfo, ScenarioList,
    ScenarioResult, ScenarioResults, TakeBranch, Unsaved, Workshop,
};
use intermezzo_protocol::{Code, Problem, RulesetTable, ruleset_table};
use intermezzo_ruleset::Seat;

use super::super::call::Call;
use super::super::param::{Kind, Param};
use super::super::reply::Reply;
use super::super::route::Route;
use crate::dev::{self, Dev, file_problem, start_problem};
use crate::house::option_infos;
use crate::room::datum;

const PATH: &[Param] =
    &[Param { name: "path", about: "where the file is, from the folder on", kind: Kind::Path }];

const TIMELINE: &[Param] = &[
    Param {
        name: "after",
        about: "the number of the last event the client has",
        kind: Kind::Number { min: 0, max: u32::MAX as u64 },
    },
    Param { name: "limit", about: "how many events at most", kind: Kind::Number { min: 1, max: 2000 } },
];

/// Where scenarios are written, unless told otherwise.
const RECORDED: &str = "scenarios/recorded.yaml";

pub(crate) fn routes() -> Vec<Route> {
    let routes = [files(), rules(), playing(), scenario_routes()];
    routes.into_iter().flatten().map(|route| route.tag("dev")).collect()
}

fn files() -> Vec<Route> {
    vec![
        Route::get("/dev", "What is worked on", |call| Box::pin(workshop(call))).gives::<Workshop>(200),
        Route::get("/dev/files", "The files of the folder", |call| Box::pin(list(call)))
            .gives::<DevFiles>(200),
        Route::get("/dev/file", "The text of a file", |call| Box::pin(read(call)))
            .asks(PATH)
            .gives::<DevText>(200)
            .codes(&[Code::NotFound, Code::Invalid, Code::TooLarge]),
        Route::put(
            "/dev/file",
            "Saves a file; rules that are saved are those of the match from then on",
            |call| Box::pin(save(call)),
        )
        .takes_files::<SaveFile>()
        .gives::<Saved>(200)
        .codes(&[Code::Stale]),
        Route::delete("/dev/file", "Removes a file", |call| Box::pin(remove(call)))
            .asks(PATH)
            .gives_nothing()
            .codes(&[Code::NotFound, Code::Invalid]),
        Route::get("/dev/changes", "What changes, as it does: files, the match", |call| {
            Box::pin(changes(call))
        })
        .gives_media("text/event-stream"),
    ]
}

fn rules() -> Vec<Route> {
    vec![
        Route::post(
            "/dev/check",
            "What is wrong with the ruleset, files that are not saved included",
            |call| Box::pin(checked(call)),
        )
        .takes_files::<Unsaved>()
        .gives::<DevChecked>(200),
        Route::get("/dev/schema", "JSON Schema of ruleset files", |call| Box::pin(schema(call)))
            .gives_media("application/schema+json"),
        Route::post("/dev/complete", "What could stand at a place of a file", |call| {
            Box::pin(complete(call))
        })
        .takes_files::<CompleteAt>()
        .gives::<Completions>(200)
        .codes(&[Code::NotFound]),
    ]
}

fn playing() -> Vec<Route> {
    const REFUSED: &[Code] =
        &[Code::NotFound, Code::Illegal, Code::Closed, Code::NotAllowed, Code::RuleFailed, Code::Stale];
    vec![
        Route::post("/dev/match", "Begins a match, in place of the one before", |call| Box::pin(begin(call)))
            .may_take::<NewDevMatch>()
            .gives::<DevMatch>(201)
            .codes(&[Code::RuleFailed, Code::BadRuleset]),
        Route::get("/dev/match", "The match, with all there is to know about it", |call| {
            Box::pin(state(call))
        })
        .gives::<DevMatch>(200)
        .codes(&[Code::NotFound]),
        Route::post("/dev/match/input", "Sends something to the match, from any seat", |call| {
            Box::pin(input(call))
        })
        .takes::<DevInput>()
        .gives::<DevMatch>(200)
        .codes(REFUSED),
        Route::post("/dev/match/path", "What may follow the beginning of a path", |call| {
            Box::pin(path(call))
        })
        .takes::<DevPath>()
        .gives::<PathNext>(200)
        .codes(REFUSED),
        Route::get("/dev/match/table", "What clients show the match with, under the rules it has", |call| {
            Box::pin(words(call))
        })
        .gives::<RulesetTable>(200)
        .codes(&[Code::NotFound]),
        Route::put("/dev/match/bots", "Says who plays by themselves", |call| Box::pin(bots(call)))
            .takes::<DevBots>()
            .gives::<DevMatch>(200)
            .codes(&[Code::NotFound]),
        Route::put("/dev/match/dice", "Tells the next rolls", |call| Box::pin(next_dice(call)))
            .takes::<NextDice>()
            .gives::<DevMatch>(200)
            .codes(REFUSED),
        Route::get("/dev/match/timeline", "All inputs and events so far", |call| Box::pin(timeline(call)))
            .asks(TIMELINE)
            .gives::<DevTimeline>(200)
            .codes(&[Code::NotFound]),
        Route::get("/dev/match/at/{at}", "How things stood after an event", |call| Box::pin(moment(call)))
            .gives::<DevMoment>(200),
        Route::post("/dev/match/back", "Goes back; what came later becomes a branch", |call| {
            Box::pin(back(call))
        })
        .takes::<GoBack>()
        .gives::<DevMatch>(200)
        .codes(REFUSED),
        Route::post("/dev/match/branch", "Goes on with a branch", |call| Box::pin(branch(call)))
            .takes::<TakeBranch>()
            .gives::<DevMatch>(200)
            .codes(REFUSED),
        Route::post("/dev/match/reload", "Runs the inputs again under the rules on disk", |call| {
            Box::pin(reload(call))
        })
        .gives::<Reload>(200)
        .codes(&[Code::NotFound]),
    ]
}

fn scenario_routes() -> Vec<Route> {
    vec![
        Route::get("/dev/scenarios", "All scenarios of the ruleset", |call| Box::pin(all_scenarios(call)))
            .gives::<ScenarioList>(200),
        Route::post("/dev/scenarios/run", "Runs scenarios", |call| Box::pin(run_scenarios(call)))
            .takes_files::<RunScenarios>()
            .gives::<ScenarioResults>(200),
        Route::post("/dev/scenarios/record", "Writes what was played as a scenario", |call| {
            Box::pin(record(call))
        })
        .takes::<RecordScenario>()
        .gives::<RecordedScenario>(201)
        .codes(&[Code::NotFound]),
    ]
}

/// The workshop, for requests that come from this machine and say so. A page elsewhere whose name leads here must not
/// write files.
fn dev(call: &Call) -> Result<Arc<Dev>, Problem> {
    let host = call.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, port)| match port.parse::<u16>() {
        Ok(_) => name,
        Err(_) => host,
    });
    if !matches!(name, "127.0.0.1" | "localhost" | "[::1]") {
        let detail = format!("the workshop is at 127.0.0.1, not at `{}`", name.escape_default());
        return Err(Problem::new(Code::WrongOrigin, detail));
    }
    call.app().dev.clone().ok_or_else(|| Problem::not_found("page"))
}

/// Does something that takes a while, apart from everything else.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        tracing::error!(%error, "the workshop has failed");
        Err(Problem::new(Code::Internal, "something is wrong with the workshop"))
    })
}

async fn workshop(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let program = dev.bench().program.clone();
    let options = program.and_then(|program| option_infos(&program).ok()).unwrap_or_default();
    Reply::json(&dev::workshop(&dev, options))
}

async fn list(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let files = apart(move || dev.folder.list().map_err(|error| file_problem(&error))).await?;
    let file = |found: &intermezzo_playground::Found| DevFile {
        path: found.path.clone(),
        kind: found.kind().to_owned(),
        bytes: found.bytes,
        hash: found.hash.clone(),
    };
    Reply::json(&DevFiles { files: files.iter().map(file).collect() })
}

async fn read(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let path = call.asked("path").unwrap_or_default().to_owned();
    let text = dev.folder.read(&path).map_err(|error| file_problem(&error))?;
    Reply::json(&DevText { path, hash: hash(text.as_bytes()), text })
}

async fn save(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let SaveFile { path, text, if_hash } = call.body()?;
    let working = Arc::clone(&dev);
    let saved = apart(move || {
        let dev = working;
        let hash =
            dev.folder.write(&path, &text, if_hash.as_deref()).map_err(|error| file_problem(&error))?;
        // Noted at once, so that it does not count as somebody else's change.
        let has_rules = dev.look_at_files();
        if has_rules {
            let (checked, reload) = dev.reload()?;
            return Ok(Saved { path, hash, checked, reload });
        }
        let texts = dev.folder.texts(&Texts::new()).map_err(|error| file_problem(&error))?;
        Ok(Saved { path, hash, checked: dev::checked(&check(&texts)), reload: None })
    })
    .await?;
    if saved.checked.playable {
        dev::publish(call.house(), &dev).await;
    }
    Reply::json(&saved)
}

async fn remove(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let path = call.asked("path").unwrap_or_default().to_owned();
    apart(move || {
        dev.folder.remove(&path).map_err(|error| file_problem(&error))?;
        if dev.look_at_files() {
            dev.reload()?;
        }
        Ok(())
    })
    .await?;
    Ok(Reply::nothing())
}

async fn changes(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    Ok(Reply::stream("text/event-stream", dev::listen(&dev)))
}

async fn checked(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let Unsaved { files } = call.body()?;
    let checked = apart(move || {
        let texts = dev.folder.texts(&files).map_err(|error| file_problem(&error))?;
        Ok(dev::checked(&check(&texts)))
    });
    Reply::json(&checked.await?)
}

async fn schema(call: Call) -> Result<Reply, Problem> {
    dev(&call)?;
    Ok(Reply::text("application/schema+json", intermezzo_compiler::schema().to_string()))
}

async fn complete(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let CompleteAt { file, line, column, files } = call.body()?;
    let found = apart(move || {
        let texts = dev.folder.texts(&files).map_err(|error| file_problem(&error))?;
        let text = texts.get(&file).ok_or_else(|| Problem::not_found("file"))?;
        // Names of rules that are being written count, if the rules are right but for this place.
        let program = check(&texts).program.or_else(|| dev.bench().program.clone());
        Ok(intermezzo_compiler::complete::complete(text, line, column, program.as_deref()))
    });
    let found = found.await?;
    let item = |item: intermezzo_compiler::complete::Item| CompletionItem {
        label: item.label,
        kind: item.kind.to_owned(),
        detail: item.detail,
        insert: item.insert,
    };
    Reply::json(&Completions {
        from: LineColumn { line, column: found.from },
        items: found.items.into_iter().map(item).collect(),
    })
}

async fn begin(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let wish: NewDevMatch = call.body()?;
    let mut options = Vec::new();
    for (name, value) in &wish.options {
        let whole = || Problem::new(Code::Invalid, format!("option `{name}` has a number that is not whole"));
        options.push((name.into(), from_json(value).ok_or_else(whole)?));
    }
    let start = Start {
        seats: wish.seats,
        seed: wish.seed,
        options,
        dice: dev::told_dice(wish.dice),
        bots: wish.bots.iter().map(|bot| bot.map(bot_name)).collect(),
    };
    let state = apart(move || {
        let mut bench = dev.bench();
        let program = bench.program.clone().filter(|_| bench.is_playable);
        let errors = || Problem::new(Code::BadRuleset, "the ruleset has errors; see `POST /dev/check`");
        let program = program.ok_or_else(errors)?;
        let table = Table::start(&program, start).map_err(|refused| match &refused {
            Refused::CannotStart(error) => start_problem(&program, error),
            refused => Problem::new(Code::Invalid, refused.to_string()),
        })?;
        bench.table.insert(table).let_bots_play();
        let version = bench.has_changed();
        let state = dev::state(&mut bench)?;
        drop(bench);
        dev.tell(dev::News::Match { version });
        Ok(state)
    });
    Ok(Reply::json(&state.await?)?.made("/dev/match".to_owned()))
}

fn bot_name(bot: BotKind) -> BotName {
    match bot {
        BotKind::Random => BotName::Random,
        BotKind::Greedy => BotName::Greedy,
        BotKind::Mcts => BotName::Mcts,
    }
}

async fn state(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let state = apart(move || dev::state(&mut dev.bench()));
    Reply::json(&state.await?)
}

/// Does something with the match, and shows it as it is then.
async fn with_match(
    call: &Call,
    work: impl FnOnce(&mut Table) -> Result<(), Refused> + Send + 'static,
) -> Result<Reply, Problem> {
    let dev = dev(call)?;
    let state = apart(move || {
        dev.with_match(work)?;
        dev::state(&mut dev.bench())
    });
    Reply::json(&state.await?)
}

async fn input(call: Call) -> Result<Reply, Problem> {
    let sent = sent(call.body()?)?;
    with_match(&call, move |table| table.send(&sent)).await
}

fn sent(input: DevInput) -> Result<Sent, Problem> {
    let unknown = |what: &str, name: &str| {
        Problem::new(Code::Invalid, format!("`{what}` cannot be `{}`", name.escape_default()))
    };
    Ok(match input {
        DevInput::Answer { seat, input_id, answers } => {
            Sent::Answer { seat: Seat(seat), question: input_id, answers: datum(&answers)? }
        }
        DevInput::Draft { seat, input_id, answers } => {
            Sent::Draft { seat: Seat(seat), question: input_id, answers: datum(&answers)? }
        }
        DevInput::Action { seat, action } => Sent::Action { seat: Seat(seat), action: datum(&action)? },
        DevInput::Drag { seat, what, onto } => Sent::Drag { seat: Seat(seat), what, onto },
        DevInput::Timeout { seat } => Sent::Timeout { seat: Seat(seat) },
        DevInput::Leave { seat, cause } => {
            let known = LeaveCause::NAMES.iter().find(|(_, name)| *name == cause);
            let (cause, _) = known.ok_or_else(|| unknown("cause", &cause))?;
            Sent::Leave { seat: Seat(seat), cause: *cause }
        }
        DevInput::AutoPass { seat, until, stops } => {
            let known = PassUntil::named(&until).ok_or_else(|| unknown("until", &until))?;
            Sent::AutoPass { seat: Seat(seat), until: known, stops }
        }
    })
}

async fn path(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let DevPath { seat, input_id, so_far } = call.body()?;
    let so_far: Vec<_> = so_far.iter().map(datum).collect::<Result<_, Problem>>()?;
    let next = apart(move || {
        let mut bench = dev.bench();
        let table = bench.table.as_mut().ok_or_else(|| Problem::not_found("match"))?;
        let next = table.desk().what_follows(Seat(seat), input_id, &so_far);
        next.map_err(|refusal| dev::problem(table, &Refused::Desk(Some(Seat(seat)), refusal)))
    });
    Reply::json(&to_json(&next.await?))
}

async fn words(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let program = dev.bench().table.as_ref().map(|table| Arc::clone(table.program()));
    let program = program.ok_or_else(|| Problem::not_found("match"))?;
    Reply::json(&ruleset_table(&program, &dev::hex(&program)))
}

async fn bots(call: Call) -> Result<Reply, Problem> {
    let DevBots { bots } = call.body()?;
    let bots: Vec<Option<BotName>> = bots.into_iter().map(|bot| bot.map(bot_name)).collect();
    with_match(&call, move |table| {
        table.set_bots(&bots);
        Ok(())
    })
    .await
}

async fn next_dice(call: Call) -> Result<Reply, Problem> {
    let NextDice { dice } = call.body()?;
    let dice = dev::told_dice(dice);
    with_match(&call, move |table| table.tell_dice(&dice)).await
}

async fn timeline(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let after = call.asked_number("after").and_then(|after| u32::try_from(after).ok()).unwrap_or(0);
    let limit = usize::try_from(call.asked_number("limit").unwrap_or(500)).unwrap_or(500);
    let timeline = apart(move || dev::timeline(&mut dev.bench(), after, limit));
    Reply::json(&timeline.await?)
}

async fn moment(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let at: u32 = call.number("at")?;
    let moment = apart(move || {
        let mut bench = dev.bench();
        let replay = bench.replay()?;
        let program = bench.table.as_ref().map(|table| Arc::clone(table.program()));
        drop(bench);
        let program = program.ok_or_else(|| Problem::not_found("match"))?;
        dev::moment(&replay, &program, at)
    });
    Reply::json(&moment.await?)
}

async fn back(call: Call) -> Result<Reply, Problem> {
    let GoBack { inputs } = call.body()?;
    let dev = dev(&call)?;
    // Bots do not play on at once, or one could never stand where they played.
    let state = apart(move || {
        dev.without_bots(move |table| table.back(inputs))?;
        dev::state(&mut dev.bench())
    });
    Reply::json(&state.await?)
}

async fn branch(call: Call) -> Result<Reply, Problem> {
    let TakeBranch { number } = call.body()?;
    let place = number.checked_sub(1).ok_or_else(|| Problem::not_found("branch"))?;
    let dev = dev(&call)?;
    let state = apart(move || {
        dev.without_bots(move |table| table.take_branch(place))?;
        dev::state(&mut dev.bench())
    });
    Reply::json(&state.await?)
}

async fn reload(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let reload = apart(move || dev.reload()?.1.ok_or_else(|| Problem::not_found("match")));
    Reply::json(&reload.await?)
}

async fn all_scenarios(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let found = apart(move || {
        let texts = dev.folder.texts(&Texts::new()).map_err(|error| file_problem(&error))?;
        Ok(scenarios::list(&texts))
    });
    let info = |(name, file, line)| ScenarioInfo { name, file, line };
    Reply::json(&ScenarioList { scenarios: found.await?.into_iter().map(info).collect() })
}

async fn run_scenarios(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let RunScenarios { name, filter, files } = call.body()?;
    let ran = apart(move || {
        let texts = dev.folder.texts(&files).map_err(|error| file_problem(&error))?;
        Ok(scenarios::run(&texts, name.as_deref(), filter.as_deref()))
    });
    let ran = ran.await?;
    let result = |played: &scenarios::Played| {
        let failure = ran.failed.iter().find(|failure| failure.name == played.name);
        ScenarioResult {
            name: played.name.clone(),
            file: played.file.clone(),
            line: played.line,
            ok: played.is_ok,
            message: failure.map(|failure| failure.message.clone()),
            failed_line: failure.map(|failure| failure.line),
        }
    };
    Reply::json(&ScenarioResults {
        passed: ran.played.iter().filter(|played| played.is_ok).count(),
        failed: ran.played.iter().filter(|played| !played.is_ok).count(),
        results: ran.played.iter().map(result).collect(),
        diagnostics: ran.diagnostics,
    })
}

async fn record(call: Call) -> Result<Reply, Problem> {
    let dev = dev(&call)?;
    let RecordScenario { name, file, ignore } = call.body()?;
    let file = file.unwrap_or_else(|| RECORDED.to_owned());
    if !file.starts_with("scenarios/") || name.trim().is_empty() {
        return Err(Problem::new(
            Code::Invalid,
            "a scenario has a name, and stands in a file in `scenarios/`",
        ));
    }
    let recorded = apart(move || {
        let texts = dev.folder.texts(&Texts::new()).map_err(|error| file_problem(&error))?;
        let bench = dev.bench();
        let table = bench.table.as_ref().ok_or_else(|| Problem::not_found("match"))?;
        let written = scenarios::record(&texts, table, &file, &name, &ignore);
        drop(bench);
        let written = written.map_err(|why| Problem::new(Code::Invalid, why))?;
        dev.folder.write(&file, &written.text, None).map_err(|error| file_problem(&error))?;
        dev.look_at_files();
        Ok(RecordedScenario { name, file, line: written.line, text: written.text })
    });
    Ok(Reply::json(&recorded.await?)?.made("/dev/scenarios".to_owned()))
}
