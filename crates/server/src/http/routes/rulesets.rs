//! Rulesets that are published.

use intermezzo_protocol::resources::{Checked, Page, PublishRuleset, RulesetFiles, RulesetInfo};
use intermezzo_protocol::{Code, Problem, RulesetTable};

use super::super::call::Call;
use super::super::param::PAGED;
use super::super::reply::Reply;
use super::super::route::Route;

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/rulesets", "The newest versions of all rulesets", |call| Box::pin(list(call)))
            .asks(PAGED)
            .gives::<Page<RulesetInfo>>(200)
            .codes(&[Code::Invalid]),
        Route::post("/rulesets", "Publishes a version of a ruleset", |call| Box::pin(publish(call)))
            .once()
            .takes_files::<PublishRuleset>()
            .gives::<RulesetInfo>(201)
            .codes(&[Code::BadRuleset, Code::RuleFailed, Code::VersionTaken, Code::NotAllowed]),
        Route::post("/rulesets/check", "Says what is wrong with a ruleset; publishes nothing", |call| {
            Box::pin(check(call))
        })
        .signed_in()
        .takes_files::<PublishRuleset>()
        .gives::<Checked>(200),
        Route::get("/rulesets/{name}", "A published version", |call| Box::pin(get(call)))
            .gives::<RulesetInfo>(200),
        Route::get("/rulesets/{name}/files", "Its files as they were published", |call| {
            Box::pin(files(call))
        })
        .gives::<RulesetFiles>(200),
        Route::get(
            "/rulesets/{name}/schema",
            "JSON Schema of its views, events, questions and actions",
            |call| Box::pin(schema(call)),
        )
        .gives_media("application/schema+json"),
        Route::get(
            "/rulesets/{name}/table",
            "What clients show it with: titles, sentences, zones, its `ui`",
            |call| Box::pin(table(call)),
        )
        .gives::<RulesetTable>(200),
    ];
    routes.into_iter().map(|route| route.tag("rulesets")).collect()
}

async fn list(call: Call) -> Result<Reply, Problem> {
    Reply::json(&call.house().rulesets(call.window()).await?)
}

async fn publish(call: Call) -> Result<Reply, Problem> {
    let info = call.house().publish(call.caller()?, &call.body::<PublishRuleset>()?).await?;
    let location = format!("/rulesets/{}", info.hash);
    Ok(Reply::json(&info)?.made(location))
}

async fn check(call: Call) -> Result<Reply, Problem> {
    let wish: PublishRuleset = call.body()?;
    Reply::json(&call.house().diagnose(wish.files).await?)
}

async fn get(call: Call) -> Result<Reply, Problem> {
    Reply::json(&call.house().ruleset(call.place("name")).await?)
}

async fn files(call: Call) -> Result<Reply, Problem> {
    let info = call.house().ruleset(call.place("name")).await?;
    let files = call.house().ruleset_files(&info.hash).await?.into_iter().collect();
    Reply::json(&RulesetFiles { hash: info.hash, files })
}

async fn schema(call: Call) -> Result<Reply, Problem> {
    let info = call.house().ruleset(call.place("name")).await?;
    let program = call.house().program(&info.hash).await?;
    let schema = intermezzo_protocol::ruleset_schema(&program);
    Ok(Reply::text("application/schema+json", schema.to_string()))
}

async fn table(call: Call) -> Result<Reply, Problem> {
    let info = call.house().ruleset(call.place("name")).await?;
    let program = call.house().program(&info.hash).await?;
    Reply::json(&intermezzo_protocol::ruleset_table(&program, &info.hash))
}
