//! The playground: files, checks, a test match and scenarios of a ruleset. Only available with `intermezzo dev`.

use std::sync::Arc;

use axum::http::header;
use intermezzo_compiler::Ruleset;
use intermezzo_engine::{LeaveCause, PassUntil};
use intermezzo_matchfile::{from_json, to_json};
use intermezzo_playground::{
    BotName, FileTexts, PlaygroundError, PlaygroundInput, PlaygroundMatch, StartOptions, check, hash,
    scenarios,
};
use intermezzo_program::Seat;
use intermezzo_protocol::resources::{
    BotAlgorithm, CompleteAt, CompletionItem, Completions, DevBots, DevCheck, DevFile, DevFiles, DevInput,
    DevMatch, DevMoment, DevPath, DevText, DevTimeline, GoBack, LineColumn, NewDevMatch, NextDice, PathNext,
    PlaygroundInfo, RecordScenario, RecordedScenario, Reload, RunScenarios, SaveFile, SaveResult,
    ScenarioInfo, ScenarioList, ScenarioResult, ScenarioResults, TakeBranch, UnsavedFiles,
};
use intermezzo_protocol::{Code, Problem, RulesetTable, ruleset_table};

use super::super::call::Call;
use super::super::param::{ParamKind, ParamSpec};
use super::super::reply::HttpReply;
use super::super::route::Route;
use crate::match_task::parse_datum;
use crate::playground::{self, Playground, file_problem, start_problem};
use intermezzo_services::{option_infos, picture_address};
use intermezzo_session::Command;

const PATH: &[ParamSpec] =
    &[ParamSpec { name: "path", about: "Path of the file, relative to the folder", kind: ParamKind::Path }];

const TIMELINE: &[ParamSpec] = &[
    ParamSpec {
        name: "after",
        about: "Number of the last event the client has",
        kind: ParamKind::Number { min: 0, max: u32::MAX as u64 },
    },
    ParamSpec {
        name: "limit",
        about: "Maximum number of events",
        kind: ParamKind::Number { min: 1, max: 2000 },
    },
];

/// Default file of recorded scenarios.
const RECORDED: &str = "scenarios/recorded.yaml";

pub(crate) fn routes() -> Vec<Route> {
    let routes = [file_routes(), rule_routes(), match_routes(), scenario_routes()];
    routes.into_iter().flatten().map(|route| route.tag("dev")).collect()
}

fn file_routes() -> Vec<Route> {
    vec![
        Route::get("/dev", "Returns the ruleset of the playground", |call| Box::pin(info(call)))
            .returns::<PlaygroundInfo>(200),
        Route::get("/dev/files", "Lists the files of the folder", |call| Box::pin(list(call)))
            .returns::<DevFiles>(200),
        Route::get("/dev/file", "Returns the text of a file", |call| Box::pin(read(call)))
            .query(PATH)
            .returns::<DevText>(200)
            .codes(&[Code::NotFound, Code::Invalid, Code::TooLarge]),
        Route::put("/dev/file", "Saves a file; saved rules apply to the match immediately", |call| {
            Box::pin(save(call))
        })
        .accepts_files::<SaveFile>()
        .returns::<SaveResult>(200)
        .codes(&[Code::Stale]),
        Route::delete("/dev/file", "Deletes a file", |call| Box::pin(remove(call)))
            .query(PATH)
            .returns_no_content()
            .codes(&[Code::NotFound, Code::Invalid]),
        Route::get("/dev/changes", "Streams changes of files and of the match", |call| {
            Box::pin(changes(call))
        })
        .returns_media("text/event-stream"),
    ]
}

fn rule_routes() -> Vec<Route> {
    vec![
        Route::post("/dev/check", "Returns the diagnostics of the ruleset, with unsaved files", |call| {
            Box::pin(check_files(call))
        })
        .accepts_files::<UnsavedFiles>()
        .returns::<DevCheck>(200),
        Route::get("/dev/schema", "Returns the JSON Schema of ruleset files", |call| Box::pin(schema(call)))
            .returns_media("application/schema+json"),
        Route::post("/dev/complete", "Returns completions at a position in a file", |call| {
            Box::pin(complete(call))
        })
        .accepts_files::<CompleteAt>()
        .returns::<Completions>(200)
        .codes(&[Code::NotFound]),
    ]
}

fn match_routes() -> Vec<Route> {
    const REFUSED: &[Code] =
        &[Code::NotFound, Code::Illegal, Code::Closed, Code::NotAllowed, Code::RuleFailed, Code::Stale];
    vec![
        Route::post("/dev/match", "Starts a new match, replacing the current one", |call| {
            Box::pin(start_match(call))
        })
        .accepts_optional::<NewDevMatch>()
        .returns::<DevMatch>(201)
        .codes(&[Code::RuleFailed, Code::BadRuleset]),
        Route::get("/dev/match", "Returns the whole state of the match", |call| Box::pin(state(call)))
            .returns::<DevMatch>(200)
            .codes(&[Code::NotFound]),
        Route::post("/dev/match/input", "Submits an input from any seat", |call| Box::pin(input(call)))
            .accepts::<DevInput>()
            .returns::<DevMatch>(200)
            .codes(REFUSED),
        Route::post("/dev/match/path", "Returns the steps that may follow the beginning of a path", |call| {
            Box::pin(path(call))
        })
        .accepts::<DevPath>()
        .returns::<PathNext>(200)
        .codes(REFUSED),
        Route::get("/dev/match/table", "Returns the display data of the match's ruleset", |call| {
            Box::pin(display_table(call))
        })
        .returns::<RulesetTable>(200)
        .codes(&[Code::NotFound]),
        Route::put("/dev/match/bots", "Sets which seats are played by bots", |call| Box::pin(bots(call)))
            .accepts::<DevBots>()
            .returns::<DevMatch>(200)
            .codes(&[Code::NotFound]),
        Route::put("/dev/match/dice", "Sets the next dice rolls", |call| Box::pin(next_dice(call)))
            .accepts::<NextDice>()
            .returns::<DevMatch>(200)
            .codes(REFUSED),
        Route::get("/dev/match/timeline", "Returns the inputs and events of the match", |call| {
            Box::pin(timeline(call))
        })
        .query(TIMELINE)
        .returns::<DevTimeline>(200)
        .codes(&[Code::NotFound]),
        Route::get("/dev/match/at/{at}", "Returns the state after an event", |call| Box::pin(moment(call)))
            .returns::<DevMoment>(200),
        Route::post("/dev/match/back", "Goes back to an input; later inputs become a branch", |call| {
            Box::pin(back(call))
        })
        .accepts::<GoBack>()
        .returns::<DevMatch>(200)
        .codes(REFUSED),
        Route::post("/dev/match/branch", "Continues a branch", |call| Box::pin(branch(call)))
            .accepts::<TakeBranch>()
            .returns::<DevMatch>(200)
            .codes(REFUSED),
        Route::post("/dev/match/reload", "Runs the inputs again under the saved rules", |call| {
            Box::pin(reload(call))
        })
        .returns::<Reload>(200)
        .codes(&[Code::NotFound]),
    ]
}

fn scenario_routes() -> Vec<Route> {
    vec![
        Route::get("/dev/scenarios", "Lists the scenarios of the ruleset", |call| {
            Box::pin(all_scenarios(call))
        })
        .returns::<ScenarioList>(200),
        Route::post("/dev/scenarios/run", "Runs scenarios", |call| Box::pin(run_scenarios(call)))
            .accepts_files::<RunScenarios>()
            .returns::<ScenarioResults>(200),
        Route::post("/dev/scenarios/record", "Saves the match as a scenario", |call| Box::pin(record(call)))
            .accepts::<RecordScenario>()
            .returns::<RecordedScenario>(201)
            .codes(&[Code::NotFound]),
    ]
}

/// Returns the playground, for requests addressed to this machine. Checking the `Host` header stops DNS rebinding: a
/// page on another domain that resolves to this machine must not write files.
fn local_playground(call: &Call) -> Result<Arc<Playground>, Problem> {
    let host = call.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, port)| match port.parse::<u16>() {
        Ok(_) => name,
        Err(_) => host,
    });
    if !matches!(name, "127.0.0.1" | "localhost" | "[::1]") {
        let detail = format!("the playground is at 127.0.0.1, not at `{}`", name.escape_default());
        return Err(Problem::new(Code::WrongOrigin, detail));
    }
    call.app().playground.clone().ok_or_else(|| Problem::not_found("page"))
}

/// Runs slow work on a blocking thread.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        tracing::error!(%error, "playground task failed");
        Err(Problem::new(Code::Internal, "internal error in the playground"))
    })
}

async fn info(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let program = dev.state().program.clone();
    let options = program.and_then(|program| option_infos(&program).ok()).unwrap_or_default();
    HttpReply::json(&playground::playground_info(&dev, options))
}

async fn list(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let files = run_blocking(move || dev.folder.list().map_err(|error| file_problem(&error))).await?;
    let file = |found: &intermezzo_playground::RulesetFile| DevFile {
        path: found.path.clone(),
        kind: found.kind().to_owned(),
        bytes: found.bytes,
        hash: found.hash.clone(),
    };
    HttpReply::json(&DevFiles { files: files.iter().map(file).collect() })
}

async fn read(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let path = call.query_param("path").unwrap_or_default().to_owned();
    let text = dev.folder.read(&path).map_err(|error| file_problem(&error))?;
    HttpReply::json(&DevText { path, hash: hash(text.as_bytes()), text })
}

async fn save(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let SaveFile { path, text, if_hash } = call.body()?;
    let working = Arc::clone(&dev);
    let saved = run_blocking(move || {
        let dev = working;
        let hash =
            dev.folder.write(&path, &text, if_hash.as_deref()).map_err(|error| file_problem(&error))?;
        // Rescanned immediately, so that the watcher does not report it as an external change.
        let has_rules = dev.check_files();
        if has_rules {
            let (checked, reload) = dev.reload()?;
            return Ok(SaveResult { path, hash, checked, reload });
        }
        let texts = dev.folder.texts(&FileTexts::new()).map_err(|error| file_problem(&error))?;
        Ok(SaveResult { path, hash, checked: playground::check_info(&check(&texts)), reload: None })
    })
    .await?;
    if saved.checked.playable {
        playground::publish_ruleset(call.services(), &dev).await;
    }
    HttpReply::json(&saved)
}

async fn remove(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let path = call.query_param("path").unwrap_or_default().to_owned();
    run_blocking(move || {
        dev.folder.remove(&path).map_err(|error| file_problem(&error))?;
        if dev.check_files() {
            dev.reload()?;
        }
        Ok(())
    })
    .await?;
    Ok(HttpReply::no_content())
}

async fn changes(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    Ok(HttpReply::stream("text/event-stream", playground::event_stream(&dev)))
}

async fn check_files(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let UnsavedFiles { files } = call.body()?;
    let checked = run_blocking(move || {
        let texts = dev.folder.texts(&files).map_err(|error| file_problem(&error))?;
        Ok(playground::check_info(&check(&texts)))
    });
    HttpReply::json(&checked.await?)
}

async fn schema(call: Call) -> Result<HttpReply, Problem> {
    local_playground(&call)?;
    Ok(HttpReply::text("application/schema+json", intermezzo_compiler::schema().to_string()))
}

async fn complete(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let CompleteAt { file, line, column, files } = call.body()?;
    let found = run_blocking(move || {
        let texts = dev.folder.texts(&files).map_err(|error| file_problem(&error))?;
        let files = texts.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        // The same code as in editors.
        let found = intermezzo_language_server::complete(files, &file, line, column);
        found.ok_or_else(|| Problem::not_found("file"))
    });
    let found = found.await?;
    let item = |item: intermezzo_compiler::complete::CompletionCandidate| CompletionItem {
        label: item.label,
        kind: item.kind.to_owned(),
        detail: item.detail,
        insert: item.insert,
    };
    HttpReply::json(&Completions {
        from: LineColumn { line, column: found.from },
        items: found.items.into_iter().map(item).collect(),
    })
}

async fn start_match(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let request: NewDevMatch = call.body()?;
    let mut options = Vec::new();
    for (name, value) in &request.options {
        let whole =
            || Problem::new(Code::Invalid, format!("option `{name}` has a number that is not an integer"));
        options.push((name.into(), from_json(value).ok_or_else(whole)?));
    }
    let start = StartOptions {
        seats: request.seats,
        seed: request.seed,
        options,
        dice: playground::parse_dice(request.dice),
        bots: request.bots.iter().map(|bot| bot.map(bot_name)).collect(),
    };
    let state = run_blocking(move || {
        let mut bench = dev.state();
        let program = bench.program.clone().filter(|_| bench.is_playable);
        let errors = || Problem::new(Code::BadRuleset, "the ruleset has errors; see `POST /dev/check`");
        let program = program.ok_or_else(errors)?;
        let table = PlaygroundMatch::start(&program, start).map_err(|refused| match &refused {
            PlaygroundError::CannotStart(error) => start_problem(&program, error),
            refused => Problem::new(Code::Invalid, refused.to_string()),
        })?;
        bench.open_match.insert(table).play_bots();
        let version = bench.bump_version();
        let state = playground::match_info(&mut bench)?;
        drop(bench);
        dev.publish_event(playground::PlaygroundEvent::Match { version });
        Ok(state)
    });
    Ok(HttpReply::json(&state.await?)?.created("/dev/match".to_owned()))
}

fn bot_name(bot: BotAlgorithm) -> BotName {
    match bot {
        BotAlgorithm::Random => BotName::Random,
        BotAlgorithm::Greedy => BotName::Greedy,
        BotAlgorithm::Mcts => BotName::Mcts,
    }
}

async fn state(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let state = run_blocking(move || playground::match_info(&mut dev.state()));
    HttpReply::json(&state.await?)
}

/// Changes the match and returns its new state.
async fn with_match(
    call: &Call,
    work: impl FnOnce(&mut PlaygroundMatch) -> Result<(), PlaygroundError> + Send + 'static,
) -> Result<HttpReply, Problem> {
    let dev = local_playground(call)?;
    let state = run_blocking(move || {
        dev.with_match(work)?;
        playground::match_info(&mut dev.state())
    });
    HttpReply::json(&state.await?)
}

async fn input(call: Call) -> Result<HttpReply, Problem> {
    let sent = parse_input(call.body()?)?;
    with_match(&call, move |table| table.send(&sent)).await
}

fn parse_input(input: DevInput) -> Result<PlaygroundInput, Problem> {
    let unknown = |what: &str, name: &str| {
        Problem::new(Code::Invalid, format!("unknown value `{}` for `{what}`", name.escape_default()))
    };
    let (seat, command) = match input {
        DevInput::Answer { seat, input_id, answers } => {
            (seat, Command::Answer { question: input_id, answer: parse_datum(&answers)? })
        }
        DevInput::Draft { seat, input_id, answers } => {
            (seat, Command::Draft { question: input_id, answer: parse_datum(&answers)? })
        }
        DevInput::Action { seat, action } => (seat, Command::Act { action: parse_datum(&action)? }),
        DevInput::Drag { seat, what, onto } => (seat, Command::Drag { what, onto }),
        DevInput::Timeout { seat } => return Ok(PlaygroundInput::Timeout { seat: Seat(seat) }),
        DevInput::Leave { seat, cause } => {
            let known = LeaveCause::NAMES.iter().find(|(_, name)| *name == cause);
            let (cause, _) = known.ok_or_else(|| unknown("cause", &cause))?;
            (seat, Command::Leave { cause: *cause })
        }
        DevInput::AutoPass { seat, until, stops } => {
            let until = PassUntil::from_name(&until).ok_or_else(|| unknown("until", &until))?;
            (seat, Command::AutoPass { until, stops })
        }
    };
    Ok(PlaygroundInput::Command { seat: Seat(seat), command })
}

async fn path(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let DevPath { seat, input_id, so_far } = call.body()?;
    let so_far: Vec<_> = so_far.iter().map(parse_datum).collect::<Result<_, Problem>>()?;
    let next = run_blocking(move || {
        let mut bench = dev.state();
        let table = bench.open_match.as_mut().ok_or_else(|| Problem::not_found("match"))?;
        let next = table.session().next_path_options(Seat(seat), input_id, &so_far);
        next.map_err(|refusal| {
            playground::refusal_problem(table, &PlaygroundError::Session(Some(Seat(seat)), refusal))
        })
    });
    HttpReply::json(&to_json(&next.await?))
}

async fn display_table(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let program = dev.state().open_match.as_ref().map(|table| Arc::clone(table.program()));
    let program = program.ok_or_else(|| Problem::not_found("match"))?;
    let pictures = dev.folder.assets().map_err(|error| file_problem(&error))?;
    let pictures = Ruleset::from_files(&[]).with_assets(&pictures);
    let pictures = pictures.assets().map(|(path, asset)| (path.to_owned(), picture_address(asset))).collect();
    HttpReply::json(&ruleset_table(&program, &playground::hex(&program), pictures))
}

async fn bots(call: Call) -> Result<HttpReply, Problem> {
    let DevBots { bots } = call.body()?;
    let bots: Vec<Option<BotName>> = bots.into_iter().map(|bot| bot.map(bot_name)).collect();
    with_match(&call, move |table| {
        table.set_bots(&bots);
        Ok(())
    })
    .await
}

async fn next_dice(call: Call) -> Result<HttpReply, Problem> {
    let NextDice { dice } = call.body()?;
    let dice = playground::parse_dice(dice);
    with_match(&call, move |table| table.set_next_dice(&dice)).await
}

async fn timeline(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let after = call.query_number("after").and_then(|after| u32::try_from(after).ok()).unwrap_or(0);
    let limit = usize::try_from(call.query_number("limit").unwrap_or(500)).unwrap_or(500);
    let timeline = run_blocking(move || playground::timeline_page(&mut dev.state(), after, limit));
    HttpReply::json(&timeline.await?)
}

async fn moment(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let at: u32 = call.path_number("at")?;
    let moment = run_blocking(move || {
        let mut bench = dev.state();
        let replay = bench.replay()?;
        let program = bench.open_match.as_ref().map(|table| Arc::clone(table.program()));
        drop(bench);
        let program = program.ok_or_else(|| Problem::not_found("match"))?;
        playground::moment_info(&replay, &program, at)
    });
    HttpReply::json(&moment.await?)
}

async fn back(call: Call) -> Result<HttpReply, Problem> {
    let GoBack { inputs } = call.body()?;
    let dev = local_playground(&call)?;
    // Bots wait for the next input; otherwise the author could never stop at a position where they play.
    let state = run_blocking(move || {
        dev.without_bots(move |table| table.rewind(inputs))?;
        playground::match_info(&mut dev.state())
    });
    HttpReply::json(&state.await?)
}

async fn branch(call: Call) -> Result<HttpReply, Problem> {
    let TakeBranch { number } = call.body()?;
    let index = number.checked_sub(1).ok_or_else(|| Problem::not_found("branch"))?;
    let dev = local_playground(&call)?;
    let state = run_blocking(move || {
        dev.without_bots(move |table| table.resume_branch(index))?;
        playground::match_info(&mut dev.state())
    });
    HttpReply::json(&state.await?)
}

async fn reload(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let reload = run_blocking(move || dev.reload()?.1.ok_or_else(|| Problem::not_found("match")));
    HttpReply::json(&reload.await?)
}

async fn all_scenarios(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let found = run_blocking(move || {
        let texts = dev.folder.texts(&FileTexts::new()).map_err(|error| file_problem(&error))?;
        Ok(scenarios::list(&texts))
    });
    let info = |(name, file, line)| ScenarioInfo { name, file, line };
    HttpReply::json(&ScenarioList { scenarios: found.await?.into_iter().map(info).collect() })
}

async fn run_scenarios(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let RunScenarios { name, filter, files } = call.body()?;
    let ran = run_blocking(move || {
        let texts = dev.folder.texts(&files).map_err(|error| file_problem(&error))?;
        Ok(scenarios::run(&texts, name.as_deref(), filter.as_deref()))
    });
    let ran = ran.await?;
    let result = |played: &scenarios::PlayedScenario| {
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
    HttpReply::json(&ScenarioResults {
        passed: ran.played.iter().filter(|played| played.is_ok).count(),
        failed: ran.played.iter().filter(|played| !played.is_ok).count(),
        results: ran.played.iter().map(result).collect(),
        diagnostics: ran.diagnostics,
    })
}

async fn record(call: Call) -> Result<HttpReply, Problem> {
    let dev = local_playground(&call)?;
    let RecordScenario { name, file, ignore } = call.body()?;
    let file = file.unwrap_or_else(|| RECORDED.to_owned());
    if !file.starts_with("scenarios/") || name.trim().is_empty() {
        return Err(Problem::new(Code::Invalid, "a scenario needs a name and a file in `scenarios/`"));
    }
    let recorded = run_blocking(move || {
        let texts = dev.folder.texts(&FileTexts::new()).map_err(|error| file_problem(&error))?;
        let bench = dev.state();
        let table = bench.open_match.as_ref().ok_or_else(|| Problem::not_found("match"))?;
        let written = scenarios::record(&texts, table, &file, &name, &ignore);
        drop(bench);
        let written = written.map_err(|why| Problem::new(Code::Invalid, why))?;
        dev.folder.write(&file, &written.text, None).map_err(|error| file_problem(&error))?;
        dev.check_files();
        Ok(RecordedScenario { name, file, line: written.line, text: written.text })
    });
    Ok(HttpReply::json(&recorded.await?)?.created("/dev/scenarios".to_owned()))
}
