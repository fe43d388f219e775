//! `intermezzo store`: copies the data of a server to another store.

use std::path::Path;
use std::sync::Arc;

use clap::{Args, Subcommand};
use intermezzo_store::{CopyCounts, PostgresStore, SqliteStore, StoreError, SystemClock, copy};

use crate::Context;
use crate::failure::{CliError, ExitStatus};
use crate::out::{GOOD, say};

#[derive(Args)]
#[command(after_help = "\
Examples:
  intermezzo store copy intermezzo-data postgres://ann@localhost/matches
  intermezzo store copy postgres://ann@localhost/matches backup

A store is a data folder or the URL of a PostgreSQL database. No server may use either of them meanwhile.")]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Subcommand)]
enum StoreCommand {
    /// Copy everything to an empty store and count it there
    Copy {
        /// A data folder, or the URL of a database
        from: String,
        /// A data folder, or the URL of a database
        to: String,
    },
}

impl StoreArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let StoreCommand::Copy { from, to } = &self.command;
        // Opening would create it, and an empty store is never what the operator meant.
        if !is_database(from) && !Path::new(from).join("store.db").is_file() {
            let missing = CliError::cannot_read(Path::new(from), "the folder contains no store");
            return Err(missing.hint("give the data folder of the server, or the URL of its database"));
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| CliError::new(ExitStatus::Io, error))?;
        let copied = runtime.block_on(copy_all(from, to, &mut |progress| {
            context.out.note(describe(progress));
        }));
        let copied = copied.map_err(|error| CliError::new(ExitStatus::Io, error))?;
        say!(context.out, "{GOOD}copied{GOOD:#} {}", describe(copied));
        Ok(ExitStatus::Success)
    }
}

async fn copy_all(
    from: &str,
    to: &str,
    report: &mut (dyn FnMut(CopyCounts) + Send),
) -> Result<CopyCounts, StoreError> {
    let from = open(from).await?;
    let to = open(to).await?;
    let copied = copy(&*from, &*to, report).await;
    to.close().await;
    from.close().await;
    copied
}

async fn open(place: &str) -> Result<Arc<dyn intermezzo_store::Store>, StoreError> {
    Ok(if is_database(place) {
        Arc::new(PostgresStore::open(place).await?)
    } else {
        Arc::new(SqliteStore::open(Path::new(place), Arc::new(SystemClock))?)
    })
}

fn is_database(place: &str) -> bool {
    place.starts_with("postgres://") || place.starts_with("postgresql://")
}

fn describe(copied: CopyCounts) -> String {
    let CopyCounts { matches, rows, records } = copied;
    format!("{matches} matches with {rows} rows, {records} records")
}
