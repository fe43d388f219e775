//! `intermezzo store`: copies the data of a server to another store, and backs it up while the server runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use intermezzo_store::{CopyCounts, CopyProgress, PostgresStore, SqliteStore, StoreError, SystemClock, copy};

use crate::Context;
use crate::failure::{CliError, ExitStatus};
use crate::out::{GOOD, say};

#[derive(Args)]
#[command(after_help = "\
Examples:
  intermezzo store copy intermezzo-data postgres://ann@localhost/matches
  intermezzo store copy postgres://ann@localhost/matches copied
  intermezzo store backup intermezzo-data backups/monday

A store is a data folder or the URL of a PostgreSQL database. `copy` needs both for itself: stop their
servers. `backup` works while the server runs.")]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Subcommand)]
enum StoreCommand {
    /// Copy everything to an empty store, read it back and compare it
    Copy {
        /// A data folder, or the URL of a database
        from: String,
        /// A data folder, or the URL of a database
        to: String,
    },
    /// Copy a data folder while its server runs
    Backup {
        /// Data folder of the server
        from: PathBuf,
        /// New folder for the copy
        to: PathBuf,
    },
}

impl StoreArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        match &self.command {
            StoreCommand::Copy { from, to } => copy_store(from, to, context),
            StoreCommand::Backup { from, to } => back_up(from, to, context),
        }
    }
}

fn back_up(from: &Path, to: &Path, context: &mut Context) -> Result<ExitStatus, CliError> {
    let backed_up = SqliteStore::back_up(from, to);
    let bytes = backed_up.map_err(|error| {
        let failed = CliError::new(ExitStatus::Io, error);
        match to.exists() {
            true => failed,
            false => failed.hint("for a database, use `pg_dump` or its continuous archiving"),
        }
    })?;
    let megabytes = bytes as f64 / 1e6;
    say!(context.out, "{GOOD}backed up{GOOD:#} {megabytes:.1} MB to {}", to.display());
    Ok(ExitStatus::Success)
}

fn copy_store(from: &str, to: &str, context: &mut Context) -> Result<ExitStatus, CliError> {
    // Opening would create it, and an empty store is never what the operator meant.
    if !is_database(from) && !Path::new(from).join("store.db").is_file() {
        let missing = CliError::cannot_read(Path::new(from), "the folder contains no store");
        return Err(missing.hint("give the data folder of the server, or the URL of its database"));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| CliError::new(ExitStatus::Io, error))?;
    let copied = runtime.block_on(copy_all(from, to, &mut |progress| {
        context.out.note(match progress {
            CopyProgress::Copied(counts) => format!("copied {}", describe(counts)),
            CopyProgress::Compared(counts) => format!("compared {}", describe(counts)),
        });
    }));
    let copied = copied.map_err(|error| CliError::new(ExitStatus::Io, error))?;
    say!(context.out, "{GOOD}copied{GOOD:#} {}; everything was read back and is equal", describe(copied));
    Ok(ExitStatus::Success)
}

async fn copy_all(
    from: &str,
    to: &str,
    report: &mut (dyn FnMut(CopyProgress) + Send),
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
