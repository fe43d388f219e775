//! `intermezzo admin`: what the operator of a server does with what it keeps.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use intermezzo_server::house::Mismatch;
use intermezzo_server::{Config, Operator};

use crate::Context;
use crate::commands::serve::read_config;
use crate::failure::{Exit, Failure};
use crate::out::{BAD, GOOD, Out, count, say};

#[derive(Args)]
#[command(after_help = "\
Examples:
  intermezzo admin export ann > ann.json            everything that is kept about an account
  intermezzo admin delete ann                       and everything of it removed
  intermezzo admin moderator ann on                 may look into and end matches of others
  intermezzo admin audit                            do all balances add up?
  intermezzo admin moderations                      what moderators did, when and why
  intermezzo admin rows 0198f2…                     who sent what when in a match
  intermezzo admin recount orcain                   work out all ratings again

Accounts are named by name or id. Exits with 1 if something is wrong with the books.")]
pub(crate) struct Admin {
    #[command(flatten)]
    kept: Kept,
    #[command(subcommand)]
    deed: Deed,
}

/// Where a server keeps everything.
#[derive(Args)]
pub(crate) struct Kept {
    /// What the server keeps [default: intermezzo-data]
    #[arg(long, global = true, value_name = "DIR", env = "INTERMEZZO_DATA")]
    data: Option<PathBuf>,
    /// The same in a PostgreSQL database
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "INTERMEZZO_DATABASE",
        hide_env_values = true,
        conflicts_with = "data"
    )]
    database: Option<String>,
    /// Read where that is from the server's settings
    #[arg(long, global = true, value_name = "FILE", env = "INTERMEZZO_CONFIG")]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Deed {
    /// Print everything that is kept about an account, as JSON
    Export {
        /// Name or id
        account: String,
    },
    /// Delete an account and everything that says who it was
    Delete {
        /// Name or id
        account: String,
    },
    /// Make somebody a moderator, or take that away
    Moderator {
        /// Name or id
        name: String,
        /// Whether it may moderate
        #[arg(value_enum)]
        switch: Switch,
    },
    /// Count all tokens again and compare
    Audit,
    /// Print what moderators did, the latest first, one JSON object in each line
    Moderations {
        /// Only in this match
        #[arg(long = "match", value_name = "ID")]
        of: Option<String>,
    },
    /// Play a match again and print its rows, one JSON object in each line
    Rows {
        /// The match
        id: String,
    },
    /// Work out all ratings of a ruleset again from its results
    Recount {
        /// The ruleset's id
        ruleset: String,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl Admin {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let operator =
            Operator::open(&self.kept.config()?).map_err(|error| Failure::new(Exit::Unreadable, error))?;
        let done = self.deed.run(&operator, &mut context.out);
        operator.close();
        done
    }
}

impl Kept {
    /// The settings of a server that keeps everything there.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
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
        // Opening would make it, and an empty one is surely not what was meant.
        match config.data.as_deref().filter(|data| !data.is_dir()) {
            Some(missing) => Err(Failure::unread(missing, "there is no such folder")
                .hint("say where the server keeps its data with --data DIR")),
            None => Ok(config),
        }
    }
}

impl Deed {
    fn run(&self, operator: &Operator, out: &mut Out) -> Result<Exit, Failure> {
        match self {
            Deed::Export { account } => {
                let all = operator.export(account).map_err(failure)?;
                say!(out, "{all:#}");
            }
            Deed::Delete { account } => {
                let gone = operator.delete(account).map_err(failure)?;
                say!(out, "{GOOD}deleted{GOOD:#} {} ({})", gone.name, gone.id);
            }
            Deed::Moderator { name, switch } => {
                let account = operator.set_moderator(name, *switch == Switch::On).map_err(failure)?;
                let is = if account.moderator { "is a moderator" } else { "is no moderator" };
                say!(out, "{} {is}", account.name);
            }
            Deed::Audit => return audit(operator, out),
            Deed::Moderations { of } => {
                for moderation in operator.moderations(of.as_deref()).map_err(failure)? {
                    say!(out, "{}", serde_json::json!(moderation));
                }
            }
            Deed::Rows { id } => {
                for row in operator.rows(id).map_err(failure)? {
                    say!(out, "{}", serde_json::json!(row));
                }
            }
            Deed::Recount { ruleset } => {
                let differed = operator.recount(ruleset).map_err(failure)?;
                say!(out, "{} put right", count(differed, "rating"));
            }
        }
        Ok(Exit::Fine)
    }
}

fn audit(operator: &Operator, out: &mut Out) -> Result<Exit, Failure> {
    let audit = operator.audit().map_err(failure)?;
    let (transfers, tokens) = (count(audit.transfers, "transfer"), audit.tokens);
    say!(out, "{transfers}, {tokens} tokens, {} of them held by matches", audit.held);
    for mismatch in &audit.mismatches {
        match mismatch {
            Mismatch::Balance { holder, kept, counted } => {
                say!(out, "{BAD}wrong{BAD:#} {holder} has {kept}, transfers come to {counted}");
            }
            Mismatch::Unsettled { holder, held } => {
                say!(out, "{BAD}wrong{BAD:#} {holder} is over and holds {held}");
            }
            Mismatch::Sum { sum } => say!(out, "{BAD}wrong{BAD:#} all holders together have {sum}, not 0"),
        }
    }
    if audit.is_clean() {
        say!(out, "{GOOD}all balances add up{GOOD:#}");
        return Ok(Exit::Fine);
    }
    Ok(Exit::Problems)
}

fn failure(problem: impl std::fmt::Display) -> Failure {
    Failure::new(Exit::Problems, problem)
}
