//! How fast a store takes rows: `appends [FOLDER] [ROWS]` for SQLite, `appends --postgres URL [ROWS]` for PostgreSQL.
//!
//! Every row is a transaction of its own, from one of many matches, through the
//! same calls a server makes. Two groups of transactions are on their way at any
//! time, so that one waits while the other is written, as with a busy server. For SQLite, what
//! one bare sync of the same disk costs is printed first. In PostgreSQL the rows stay where they are: give it a database
//! of its own.

use std::collections::VecDeque;
use std::error::Error;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_store::{
    Answer, Append, Due, MatchId, Outcome, Postgres, Sqlite, Store, SystemClock, Transaction,
};

const MATCHES: usize = 1024;
const BODY_BYTES: usize = 200;
const GROUP_SIZES: [usize; 4] = [1, 10, 100, 512];

/// How rows change when their match is due.
#[derive(Clone, Copy)]
enum Timing {
    Untimed,
    /// Every row sets a new time, as a clock for each turn does.
    Timed,
}

/// Which store is measured.
enum Subject {
    /// Anew for each measurement, in this folder.
    Sqlite(PathBuf),
    /// At this address, with matches of its own for each measurement.
    Postgres(String),
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).peekable();
    let mut out = std::io::stdout().lock();
    let subject = if args.next_if(|arg| arg == "--postgres").is_some() {
        Subject::Postgres(args.next().ok_or("`--postgres` needs the address of a database")?)
    } else {
        let folder =
            args.next().map_or_else(|| std::env::temp_dir().join("intermezzo-appends"), PathBuf::from);
        std::fs::create_dir_all(&folder)?;
        let sync = bare_sync(&folder)?;
        writeln!(out, "one fdatasync of 4 KiB: {:.3} ms", milliseconds(sync))?;
        Subject::Sqlite(folder)
    };
    let rows: usize = args.next().map_or(Ok(300_000), |count| count.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for (timing, name) in [(Timing::Untimed, "rows"), (Timing::Timed, "rows that set a time")] {
        writeln!(out, "{name} of {BODY_BYTES} bytes, {MATCHES} matches:")?;
        for size in GROUP_SIZES {
            let count = rows.min(size * 3_000);
            let measured = runtime.block_on(measure(&subject, size, count, timing))?;
            let Measured { time, commits } = measured;
            let each = milliseconds(time) / commits as f64;
            let (rate, mean) = (count as f64 / time.as_secs_f64(), count as f64 / commits as f64);
            writeln!(
                out,
                "  groups of {size:3}: {rate:8.0} rows/s, {each:6.3} ms per commit of {mean:5.1} rows"
            )?;
        }
    }
    if let Subject::Sqlite(folder) = subject {
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(())
}

struct Measured {
    time: Duration,
    commits: u64,
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// What it costs to write a page of a file that has its size already, and to sync it.
fn bare_sync(folder: &Path) -> std::io::Result<Duration> {
    let path = folder.join("bare");
    let file = File::create(&path)?;
    file.write_all_at(&vec![0; 4 << 20], 0)?;
    file.sync_all()?;
    let begun = Instant::now();
    for page in 0..1000 {
        file.write_all_at(&[page as u8; 4096], page * 4096)?;
        file.sync_data()?;
    }
    let time = begun.elapsed();
    std::fs::remove_file(&path)?;
    Ok(time / 1000)
}

async fn measure(
    subject: &Subject,
    size: usize,
    count: usize,
    timing: Timing,
) -> Result<Measured, Box<dyn Error>> {
    match subject {
        Subject::Sqlite(folder) => {
            let folder = folder.join("store");
            if folder.exists() {
                std::fs::remove_dir_all(&folder)?;
            }
            let store = Sqlite::open(&folder, Arc::new(SystemClock))?;
            let time = append(&store, size, count, timing).await?;
            Ok(Measured { time, commits: store.batches() })
        }
        Subject::Postgres(url) => {
            let store = Postgres::open(url).await?;
            let time = append(&store, size, count, timing).await?;
            let commits = store.batches();
            store.close().await;
            Ok(Measured { time, commits })
        }
    }
}

/// Appends so many rows in groups of this size, and tells how long that takes.
async fn append(
    store: &dyn Store,
    size: usize,
    count: usize,
    timing: Timing,
) -> Result<Duration, Box<dyn Error>> {
    // Several may be measured on one database at the same moment.
    let first = u128::from(store.now().cast_unsigned()) << 64 | u128::from(std::process::id()) << 32;
    let mut heads = vec![0; MATCHES];
    let mut on_their_way: VecDeque<Vec<Answer<Outcome>>> = VecDeque::new();
    let begun = Instant::now();
    for group in 0..count.div_ceil(size) {
        let rows = (group * size..count.min((group + 1) * size)).map(|number| {
            let place = number * 769 % MATCHES;
            heads[place] += 1;
            store.commit(row(MatchId(first + place as u128), heads[place] - 1, timing))
        });
        on_their_way.push_back(rows.collect());
        if on_their_way.len() == 2 {
            finish(on_their_way.pop_front()).await?;
        }
    }
    finish(on_their_way.pop_front()).await?;
    Ok(begun.elapsed())
}

async fn finish(group: Option<Vec<Answer<Outcome>>>) -> Result<(), String> {
    for answer in group.into_iter().flatten() {
        match answer.await {
            Outcome::Committed => {}
            other => return Err(format!("a row was not committed: {other:?}")),
        }
    }
    Ok(())
}

fn row(match_id: MatchId, expected: u64, timing: Timing) -> Transaction {
    let due = match timing {
        Timing::Untimed => Due::Keep,
        Timing::Timed => Due::At(1_000_000 + expected as i64 * 1000 + (match_id.0 % MATCHES as u128) as i64),
    };
    let append = Append { match_id, expected, rows: vec![vec![7; BODY_BYTES]], due };
    Transaction { appends: vec![append], ..Transaction::default() }
}
