//! Somebody with an account, who asks until there is an answer.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use intermezzo_store::{MatchId, Store as _};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::fleet::Fleet;
use crate::net::Request;

/// Problems that pass.
pub(crate) const PASSING: &[&str] = &["busy", "draining", "too_many"];
/// What is asked is answered at some time, storm or not.
const PATIENCE: Duration = Duration::from_secs(300);

/// Somebody with an account.
#[derive(Clone)]
pub(crate) struct Guest {
    pub(crate) name: String,
    pub(crate) account: String,
    pub(crate) token: String,
    fleet: Arc<Fleet>,
}

impl Guest {
    /// Somebody new. Nobody comes, if something is wrong.
    pub(crate) async fn arrive(fleet: &Arc<Fleet>, name: String) -> Option<Guest> {
        let fleet = Arc::clone(fleet);
        let nobody = Guest { name, account: String::new(), token: String::new(), fleet };
        let body = json!({});
        let welcome = nobody.ask(Method::POST, "/accounts", None, Some(body)).await.ok()?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (account, token) = (text(&welcome["account"]["id"]), text(&welcome["token"]));
        Some(Guest { account, token, ..nobody })
    }

    /// Asks for something until there is an answer: what was asked for, or the code of a problem that does not pass.
    pub(crate) async fn ask(
        &self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Option<Value>,
    ) -> Result<Value, String> {
        let world = &self.fleet.world;
        let token = Some(self.token.clone()).filter(|token| !token.is_empty());
        let request = Request { method, path: path.to_owned(), token, key: key.map(str::to_owned), body };
        let begun = Instant::now();
        loop {
            let berth = world.below(self.fleet.size() as u64) as usize;
            match request.send(&self.fleet, berth).await {
                Some((200..=299, body)) => return Ok(body),
                Some((status, problem)) => {
                    let code = problem["code"].as_str().unwrap_or_default();
                    if status < 500 && !PASSING.contains(&code) {
                        return Err(code.to_owned());
                    }
                    if begun.elapsed() > PATIENCE {
                        world.wrong(format!(
                            "{} {path} is answered {status} {problem} for ever",
                            request.method
                        ));
                        return Err("given up".to_owned());
                    }
                }
                None => {}
            }
            if world.is_wrong() || begun.elapsed() > 2 * PATIENCE {
                world.wrong(format!("{} {path} is never answered", request.method));
                return Err("given up".to_owned());
            }
            sleep(Duration::from_millis(50) + world.ms(500)).await;
        }
    }

    /// What is really stored under a key.
    pub(crate) async fn stored(fleet: &Fleet, key: &str) -> Option<Value> {
        let record = fleet.truth.get(key).await.ok()??;
        serde_json::from_slice(&record.value).ok()
    }

    /// When a match has really ended, if it has.
    pub(crate) async fn ended_at(&self, match_id: MatchId) -> Option<i64> {
        let record = Guest::stored(&self.fleet, &format!("match/{match_id}")).await?;
        record["ended_ms"].as_i64()
    }

    /// Whether a match is really over.
    pub(crate) async fn is_over(&self, match_id: MatchId) -> bool {
        let record = Guest::stored(&self.fleet, &format!("match/{match_id}")).await;
        record.is_some_and(|record| record["status"] == "ended")
    }
}
