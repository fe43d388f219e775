//! `intermezzo admin`: manages the data of a server.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use intermezzo_server::{Config, Operator};
use intermezzo_services::LedgerMismatch;

use crate::Context;
use crate::commands::serve::read_config;
use crate::failure::{CliError, ExitStatus};
use crate::out::{BAD, GOOD, Out, count, say};

#[derive(Args)]
#[command(after_help = "\
Examples:
  intermezzo admin export ann > ann.json            print everything stored about an account
  intermezzo admin delete ann                       delete an account
  intermezzo admin moderator ann on                 let ann inspect and end matches of others
  intermezzo admin audit                            check that all balances add up
  intermezzo admin moderations                      list what moderators did, when and why
  intermezzo admin rows 0198f2…                     list who sent what and when in a match
  intermezzo admin recount orcain                   recompute all ratings
  intermezzo admin status                           show what the running server is doing

Accounts are given by name or id. A server may be running on the data folder: then it carries out the
command. Exits with 1 if the audit finds a difference.")]
pub(crate) struct AdminArgs {
    #[command(flatten)]
    data: DataArgs,
    #[command(subcommand)]
    command: AdminCommand,
}

/// Location of a server's data.
#[derive(Args)]
pub(crate) struct DataArgs {
    /// Data folder of the server [default: intermezzo-data]
    #[arg(long, global = true, value_name = "DIR", env = "INTERMEZZO_DATA")]
    data: Option<PathBuf>,
    /// PostgreSQL database of the server
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "INTERMEZZO_DATABASE",
        hide_env_values = true,
        conflicts_with = "data"
    )]
    database: Option<String>,
    /// Config file of the server, which names the data folder or database
    #[arg(long, global = true, value_name = "FILE", env = "INTERMEZZO_CONFIG")]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
enum AdminCommand {
    /// Print everything stored about an account, as JSON
    Export {
        /// Name or id
        account: String,
    },
    /// Delete an account and everything that identifies it
    Delete {
        /// Name or id
        account: String,
    },
    /// Grant or revoke the right to inspect and end matches
    Moderator {
        /// Name or id
        name: String,
        /// Grant or revoke
        #[arg(value_enum)]
        switch: Switch,
    },
    /// Recount all tokens and compare them with the balances
    Audit,
    /// Print what moderators did, latest first, one JSON object per line
    Moderations {
        /// Only in this match
        #[arg(long = "match", value_name = "ID")]
        of: Option<String>,
    },
    /// Replay a match and print its rows, one JSON object per line
    Rows {
        /// Id of the match
        id: String,
    },
    /// Show what the running server is doing
    Status,
    /// Stop the running server: it saves everything, closes its connections and exits
    Stop,
    /// Recompute all ratings of a ruleset from its results
    Recount {
        /// Id of the ruleset
        ruleset: String,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl AdminArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let operator =
            Operator::open(&self.data.config()?).map_err(|error| CliError::new(ExitStatus::Io, error))?;
        let done = self.command.run(&operator, &mut context.out);
        operator.close();
        done
    }
}

impl DataArgs {
    /// Returns the config of a server with that data.
    pub(crate) fn config(&self) -> Result<Config, CliError> {
        let mut config = read_config(self.config.as_deref())?;
        if let Some(data) = &self.data {
            config.data = Some(data.clone());
            config.database = None;
        } else if let Some(database) = &self.database {
            config.database = Some(database.as_str().into());
        }
        if config.database.is_some() {
            return Ok(config);
        }
        // Opening would create it, and an empty store is never what the operator meant.
        match config.data.as_deref().filter(|data| !data.is_dir()) {
            Some(missing) => Err(CliError::cannot_read(missing, "no such folder")
                .hint("give the data folder of the server with --data DIR")),
            None => Ok(config),
        }
    }
}

impl AdminCommand {
    fn run(&self, operator: &Operator, out: &mut Out) -> Result<ExitStatus, CliError> {
        match self {
            AdminCommand::Export { account } => {
                let all = operator.export_account(account).map_err(failure)?;
                say!(out, "{all:#}");
            }
            AdminCommand::Delete { account } => {
                let gone = operator.delete_account(account).map_err(failure)?;
                say!(out, "{GOOD}deleted{GOOD:#} {} ({})", gone.name, gone.id);
            }
            AdminCommand::Moderator { name, switch } => {
                let account = operator.set_moderator(name, *switch == Switch::On).map_err(failure)?;
                let is = if account.moderator { "is now a moderator" } else { "is no longer a moderator" };
                say!(out, "{} {is}", account.name);
            }
            AdminCommand::Audit => return audit(operator, out),
            AdminCommand::Moderations { of } => {
                for moderation in operator.moderations(of.as_deref()).map_err(failure)? {
                    say!(out, "{}", serde_json::json!(moderation));
                }
            }
            AdminCommand::Rows { id } => {
                for row in operator.rows(id).map_err(failure)? {
                    say!(out, "{}", serde_json::json!(row));
                }
            }
            AdminCommand::Status => {
                let status = operator.server_status().map_err(not_running)?;
                let matches = match status.live_matches {
                    1 => "1 match in memory".to_owned(),
                    number => format!("{number} matches in memory"),
                };
                let connections = count(status.connections, "connection");
                let state = if status.is_stopping { "stopping" } else { "running" };
                say!(out, "{GOOD}{state}{GOOD:#} version {}: {matches}, {connections}", status.version);
            }
            AdminCommand::Stop => {
                operator.stop_server().map_err(not_running)?;
                say!(out, "{GOOD}stopping{GOOD:#}");
            }
            AdminCommand::Recount { ruleset } => {
                let differed = operator.recount_ratings(ruleset).map_err(failure)?;
                say!(out, "{} corrected", count(differed, "rating"));
            }
        }
        Ok(ExitStatus::Success)
    }
}

fn audit(operator: &Operator, out: &mut Out) -> Result<ExitStatus, CliError> {
    let audit = operator.audit_ledger().map_err(failure)?;
    let (transfers, tokens) = (count(audit.transfers, "transfer"), audit.tokens);
    say!(out, "{transfers}, {tokens} tokens, {} of them held by matches", audit.held);
    for mismatch in &audit.mismatches {
        match mismatch {
            LedgerMismatch::Balance { holder, stored: kept, counted } => {
                say!(
                    out,
                    "{BAD}wrong{BAD:#} {holder} has a balance of {kept}, but its transfers sum to {counted}"
                );
            }
            LedgerMismatch::Unsettled { holder, held } => {
                say!(out, "{BAD}wrong{BAD:#} {holder} is over but still holds {held}");
            }
            LedgerMismatch::Sum { sum } => {
                say!(out, "{BAD}wrong{BAD:#} all balances sum to {sum} instead of 0");
            }
        }
    }
    if audit.is_clean() {
        say!(out, "{GOOD}all balances add up{GOOD:#}");
        return Ok(ExitStatus::Success);
    }
    Ok(ExitStatus::Problems)
}

fn not_running(problem: impl std::fmt::Display) -> CliError {
    failure(problem).hint("start one with `intermezzo serve`, or select the data of another with --data DIR")
}

fn failure(problem: impl std::fmt::Display) -> CliError {
    CliError::new(ExitStatus::Problems, problem)
}
