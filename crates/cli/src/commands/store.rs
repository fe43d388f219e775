//! `intermezzo store`: where a server keeps everything, taken elsewhere.

use std::path::Path;
use std::sync::Arc;

use clap::{Args, Subcommand};
use intermezzo_store::{Copied, Postgres, Sqlite, StoreError, SystemClock, copy};

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::out::{GOOD, say};

#[derive(Args)]
#[command(after_help = "\
Examples:
  intermezzo store copy intermezzo-data postgres://ann@localhost/matches
  intermezzo store copy postgres://ann@localhost/matches backup

A store is a folder, as in `serve --data`, or a database. No server may use either of them meanwhile.")]
pub(crate) struct Store {
    #[command(subcommand)]
    deed: Deed,
}

#[derive(Subcommand)]
enum Deed {
    /// Copy everything to a store that is empty, and count it there
    Copy {
        /// A folder, or the address of a database
        from: String,
        /// A folder, or the address of a database
        to: String,
    },
}

impl Store {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let Deed::Copy { from, to } = &self.deed;
        // Opening would make it, and an empty one is surely not what was meant.
        if !is_database(from) && !Path::new(from).join("store.db").is_file() {
            let missing = Failure::unread(Path::new(from), "there is no store in that folder");
            return Err(missing.hint("say where the server keeps its data, or the address of a database"));
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::new(Exit::Unreadable, error))?;
        let copied = runtime.block_on(copy_all(from, to, &mut |so_far| {
            context.out.note(in_words(so_far));
        }));
        let copied = copied.map_err(|error| Failure::new(Exit::Unreadable, error))?;
        say!(context.out, "{GOOD}copied{GOOD:#} {}", in_words(copied));
        Ok(Exit::Fine)
    }
}

async fn copy_all(from: &str, to: &str, tell: &mut (dyn FnMut(Copied) + Send)) -> Result<Copied, StoreError> {
    let from = open(from).await?;
    let to = open(to).await?;
    let copied = copy(&*from, &*to, tell).await;
    to.close().await;
    from.close().await;
    copied
}

async fn open(place: &str) -> Result<Arc<dyn intermezzo_store::Store>, StoreError> {
    Ok(if is_database(place) {
        Arc::new(Postgres::open(place).await?)
    } else {
        Arc::new(Sqlite::open(Path::new(place), Arc::new(SystemClock))?)
    })
}

fn is_database(place: &str) -> bool {
    place.starts_with("postgres://") || place.starts_with("postgresql://")
}

fn in_words(copied: Copied) -> String {
    let Copied { matches, rows, records } = copied;
    format!("{matches} matches with {rows} rows, and {records} records")
}
