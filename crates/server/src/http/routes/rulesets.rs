//! Published rulesets.

use intermezzo_protocol::resources::{Page, PublishRuleset, RulesetCheck, RulesetFiles, RulesetInfo};
use intermezzo_protocol::{Code, Problem, RulesetTable};

use super::super::call::Call;
use super::super::page;
use super::super::param::PAGE_PARAMS;
use super::super::reply::HttpReply;
use super::super::route::Route;

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/rulesets", "Lists the newest version of every ruleset", |call| Box::pin(list(call)))
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
    let info = call.services().publish(call.caller()?, &call.body::<PublishRuleset>()?).await?;
    let location = format!("/rulesets/{}", info.hash);
    Ok(HttpReply::json(&info)?.created(location))
}

async fn check(call: Call) -> Result<HttpReply, Problem> {
    HttpReply::json(&call.services().check_ruleset(&call.body::<PublishRuleset>()?).await?)
}

async fn get(call: Call) -> Result<HttpReply, Problem> {
    HttpReply::json(&call.services().ruleset(call.path_param("name")).await?)
}

async fn files(call: Call) -> Result<HttpReply, Problem> {
    let info = call.services().ruleset(call.path_param("name")).await?;
    let files = call.services().ruleset_files(&info.hash).await?.into_iter().collect();
    HttpReply::json(&RulesetFiles { hash: info.hash, files })
}

async fn schema(call: Call) -> Result<HttpReply, Problem> {
    let info = call.services().ruleset(call.path_param("name")).await?;
    let program = call.services().program(&info.hash).await?;
    let schema = intermezzo_protocol::ruleset_schema(&program);
    Ok(HttpReply::text("application/schema+json", schema.to_string()))
}

async fn table(call: Call) -> Result<HttpReply, Problem> {
    let info = call.services().ruleset(call.path_param("name")).await?;
    let program = call.services().program(&info.hash).await?;
    let pictures = call.services().pictures(&info.hash).await?;
    HttpReply::json(&intermezzo_protocol::ruleset_table(&program, &info.hash, pictures))
}

async fn picture(call: Call) -> Result<HttpReply, Problem> {
    let (kind, bytes) = call.services().picture(call.path_param("file")).await?;
    Ok(HttpReply::page(page::picture(kind, bytes)))
}
