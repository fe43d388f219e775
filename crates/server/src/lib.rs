//! The match server: HTTP, WebSocket, and one task per match.
//!
//! [`Server::start`] opens the store, publishes the bundled rulesets and listens. Everything around matches
//! is in [`intermezzo_services`]; `match_task` runs the matches in progress; `http` and `connections` serve
//! the clients. The server contains no rules of any game.
//!
//! ```
//! use intermezzo_server::{BundledRulesets, Config, Server};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // Port 0 picks a free port; without a data folder, nothing is saved.
//!     let config = Config { listen: "127.0.0.1:0".parse()?, data: None, ..Config::default() };
//!     let server = Server::start(config, BundledRulesets::new()).await?;
//!     println!("listening on http://{}", server.address());
//!     server.stop().await;
//!     Ok(())
//! }
//! ```

mod app;
mod cluster;
mod config;
mod connections;
mod http;
mod match_task;
mod network;
mod node;
mod operations;
mod playground;
mod problem_mapping;
mod process;
mod rate_limits;
mod secret_url;
mod server;
mod shards;
mod tasks;

pub use cluster::bus::{Bus, Notification, NotificationReceiver, Topic};
pub use config::{Config, ServerLimits};
pub use http::{asyncapi_document, dev_openapi_document, openapi_document};
pub use match_task::{OpenedQuestion, RowInfo, command_digest};
pub use network::Network;
pub use node::{ClusterLink, LocalConnection, LocalRequest, Node};
pub use operations::migration::{MigrationCheck, MigrationDifference};
pub use operations::operator::Operator;
pub use operations::replay_audit::{ReplayAudit, SeatUpdate, without_times};
pub use process::{LogFormat, run};
pub use secret_url::SecretUrl;
pub use server::{BundledRulesets, Server, ServerError, open_store};
pub use tasks::StopSwitch;
