//! Published rulesets.

use std::sync::Arc;

use axum::body::Bytes;
use intermezzo_program::Program;
use intermezzo_protocol::resources::{Page, PublishRuleset, RulesetCheck, RulesetFiles, RulesetInfo};
use intermezzo_protocol::{Code, Problem, RulesetTable};

use super::super::call::Call;
use super::super::page;
use super::super::param::PAGE_PARAMS;
use super::super::reply::HttpReply;
use super::super::route::Route;

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/rulesets", "Lists the newest version of every ruleset, without options", |call| {
            Box::pin(list(call))
        })
        .query(PAGE_PARAMS)
        .returns::<Page<RulesetInfo>>(200)
        .codes(&[Code::Invalid]),
        Route::post("/rulesets", "Publishes a version of a ruleset", |call| Box::pin(publish(call)))
            .idempotent()
            .accepts_files::<PublishRuleset>()
            .returns::<RulesetInfo>(201)
            .codes(&[Code::BadRuleset, Code::RuleFailed, Code::VersionTaken, Code::NotAllowed]),
        Route::post("/rulesets/check", "Returns the diagnostics of a ruleset; publishes nothing", |call| {
            Box::pin(check(call))
        })
        .requires_token()
        .changes_nothing()
        .accepts_files::<PublishRuleset>()
        .returns::<RulesetCheck>(200),
        Route::get("/rulesets/{name}", "Returns a published version", |call| Box::pin(get(call)))
            .returns::<RulesetInfo>(200),
        Route::get("/rulesets/{name}/files", "Returns its files as published", |call| Box::pin(files(call)))
            .returns::<RulesetFiles>(200),
        Route::get(
            "/rulesets/{name}/schema",
            "Returns the JSON Schema of its views, events, questions and actions",
            |call| Box::pin(schema(call)),
        )
        .returns_media("application/schema+json"),
        Route::get(
            "/rulesets/{name}/table",
            "Returns its display data: titles, sentences, zones, its `ui` section",
            |call| Box::pin(table(call)),
        )
        .returns::<RulesetTable>(200),
        Route::get("/pictures/{file}", "Returns a picture of a ruleset; its contents never change", |call| {
            Box::pin(picture(call))
        })
        .returns_media("image/svg+xml"),
    ];
    routes.into_iter().map(|route| route.tag("rulesets")).collect()
}

async fn list(call: Call) -> Result<HttpReply, Problem> {
    HttpReply::json(&call.services().rulesets(call.window()).await?)
}

async fn publish(call: Call) -> Result<HttpReply, Problem> {
    let request: PublishRuleset = call.body()?;
    let info = call.services().publish_unless(&call.hung_up, call.caller()?, &request).await?;
    let location = format!("/rulesets/{}", info.hash);
    Ok(HttpReply::json(&info)?.created(location))
}

async fn check(call: Call) -> Result<HttpReply, Problem> {
    HttpReply::json(&call.services().check_ruleset(&call.requester(), &call.body::<PublishRuleset>()?).await?)
}

async fn get(call: Call) -> Result<HttpReply, Problem> {
    HttpReply::json(&call.services().ruleset(call.path_param("name")).await?)
}

async fn files(call: Call) -> Result<HttpReply, Problem> {
    let info = call.services().ruleset(call.path_param("name")).await?;
    call.services().check_available(&info).await?;
    let files = call.services().ruleset_files(&info.hash).await?.into_iter().collect();
    HttpReply::json(&RulesetFiles { hash: info.hash, files })
}

async fn schema(call: Call) -> Result<HttpReply, Problem> {
    let write = |program: &Arc<Program>, _: &str| intermezzo_protocol::ruleset_schema(program).to_string();
    Ok(HttpReply::text("application/schema+json", ruleset_text(&call, "schema", write).await?))
}

async fn table(call: Call) -> Result<HttpReply, Problem> {
    let info = call.services().ruleset(call.path_param("name")).await?;
    let pictures = call.services().pictures(&info.hash).await?;
    let write = move |program: &Arc<Program>, hash: &str| {
        serde_json::to_string(&intermezzo_protocol::ruleset_table(program, hash, pictures))
            .unwrap_or_default()
    };
    Ok(HttpReply::text("application/json", ruleset_text(&call, "table", write).await?))
}

async fn picture(call: Call) -> Result<HttpReply, Problem> {
    let (kind, bytes) = call.services().picture(call.path_param("file")).await?;
    Ok(HttpReply::page(page::picture(kind, bytes)))
}

/// Returns a text that follows from a ruleset's program; it is written once.
async fn ruleset_text(
    call: &Call,
    kind: &'static str,
    write: impl FnOnce(&Arc<Program>, &str) -> String + Send + 'static,
) -> Result<Bytes, Problem> {
    let info = call.services().ruleset(call.path_param("name")).await?;
    let key = (kind, info.hash.clone());
    if let Some(text) = call.api.ruleset_texts.find(&key) {
        return Ok(text);
    }
    let permit = call.replay_permit().await?;
    if let Some(text) = call.api.ruleset_texts.find(&key) {
        return Ok(text);
    }
    let program = call.services().program(&info.hash).await?;
    let writing = call.services().run_blocking(move || {
        let text = Bytes::from(write(&program, &info.hash));
        drop(permit);
        text
    });
    let text = writing.await?;
    call.api.ruleset_texts.insert(key, &text);
    Ok(text)
}
