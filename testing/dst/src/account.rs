//! Client of one account. It repeats each request until a node answers.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use intermezzo_store::{MatchId, Store as _};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::network::SimulatedRequest;
use crate::nodes::NodeSet;

/// Problem codes after which a client retries.
pub(crate) const TRANSIENT_PROBLEMS: &[&str] = &["busy", "draining", "too_many"];
/// Longest time until a request must succeed, with or without injected faults.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(300);

/// Client of one account.
#[derive(Clone)]
pub(crate) struct AccountClient {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) token: String,
    node_set: Arc<NodeSet>,
}

impl AccountClient {
    /// Creates an account. Returns `None` if the request fails.
    pub(crate) async fn register(node_set: &Arc<NodeSet>, name: String) -> Option<AccountClient> {
        let node_set = Arc::clone(node_set);
        let anonymous = AccountClient { name, id: String::new(), token: String::new(), node_set };
        let body = json!({});
        let welcome = anonymous.request(Method::POST, "/accounts", None, Some(body)).await.ok()?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (id, token) = (text(&welcome["account"]["id"]), text(&welcome["token"]));
        Some(AccountClient { id, token, ..anonymous })
    }

    /// Sends a request until a node answers it. Returns the body, or the code of a problem that is not transient.
    pub(crate) async fn request(
        &self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Option<Value>,
    ) -> Result<Value, String> {
        let sim = &self.node_set.sim;
        let token = Some(self.token.clone()).filter(|token| !token.is_empty());
        let request =
            SimulatedRequest { method, path: path.to_owned(), token, key: key.map(str::to_owned), body };
        let begun = Instant::now();
        loop {
            let slot = sim.below(self.node_set.size() as u64) as usize;
            match request.send(&self.node_set, slot).await {
                Some((200..=299, body)) => return Ok(body),
                Some((status, problem)) => {
                    let code = problem["code"].as_str().unwrap_or_default();
                    if status < 500 && !TRANSIENT_PROBLEMS.contains(&code) {
                        return Err(code.to_owned());
                    }
                    if begun.elapsed() > ANSWER_TIMEOUT {
                        sim.add_problem(format!(
                            "{} {path} keeps failing with {status} {problem}",
                            request.method
                        ));
                        return Err("timed out".to_owned());
                    }
                }
                None => {}
            }
            if sim.has_problems() || begun.elapsed() > 2 * ANSWER_TIMEOUT {
                sim.add_problem(format!("{} {path} gets no response", request.method));
                return Err("timed out".to_owned());
            }
            sleep(Duration::from_millis(50) + sim.ms(500)).await;
        }
    }

    /// Reads a record from the backing store, without injected faults.
    pub(crate) async fn stored_record(node_set: &NodeSet, key: &str) -> Option<Value> {
        let record = node_set.backing.get(key).await.ok()??;
        serde_json::from_slice(&record.value).ok()
    }

    /// Returns the time at which a match ended, according to the backing store.
    pub(crate) async fn ended_at(&self, match_id: MatchId) -> Option<i64> {
        let record = AccountClient::stored_record(&self.node_set, &format!("match/{match_id}")).await?;
        record["ended_ms"].as_i64()
    }

    /// Returns true if the backing store says that the match is over.
    pub(crate) async fn is_over(&self, match_id: MatchId) -> bool {
        let record = AccountClient::stored_record(&self.node_set, &format!("match/{match_id}")).await;
        record.is_some_and(|record| record["status"] == "ended")
    }
}
