//! Append throughput of a store: `appends [FOLDER] [ROWS]` for SQLite, `appends --postgres URL [ROWS]` for PostgreSQL.
//!
//! Each row is a separate transaction of one of many matches, submitted through the same calls as by a server. Two
//! groups of transactions are in flight at any time, so that one waits while the other is written, as on a busy
//! server. For SQLite, the time of one bare sync of the same disk is printed first. The rows stay in the PostgreSQL
//! database: use an empty one.

use std::collections::VecDeque;
use std::error::Error;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_store::{
    Append, CommitOutcome, Due, MatchId, PostgresStore, SqliteStore, Store, StoreFuture, SystemClock,
    Transaction,
};

const MATCHES: usize = 1024;
const BODY_BYTES: usize = 200;
const GROUP_SIZES: [usize; 4] = [1, 10, 100, 512];

/// The due times that rows set.
#[derive(Clone, Copy)]
enum DueTimes {
    Untimed,
    /// Every row sets a new due time, as a turn clock does.
    Timed,
}

/// The store to measure.
enum StoreUnderTest {
    /// A new database in this folder for each measurement.
    Sqlite(PathBuf),
    /// The database at this URL, with new matches for each measurement.
    Postgres(String),
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).peekable();
    let mut out = std::io::stdout().lock();
    let store = if args.next_if(|arg| arg == "--postgres").is_some() {
        StoreUnderTest::Postgres(args.next().ok_or("`--postgres` needs the URL of a database")?)
    } else {
        let folder =
            args.next().map_or_else(|| std::env::temp_dir().join("intermezzo-appends"), PathBuf::from);
        std::fs::create_dir_all(&folder)?;
        let sync = time_bare_sync(&folder)?;
        writeln!(out, "one fdatasync of 4 KiB: {:.3} ms", milliseconds(sync))?;
        StoreUnderTest::Sqlite(folder)
    };
    let rows: usize = args.next().map_or(Ok(300_000), |count| count.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for (due_times, name) in [(DueTimes::Untimed, "rows"), (DueTimes::Timed, "rows with a due time")] {
        writeln!(out, "{name} of {BODY_BYTES} bytes, {MATCHES} matches:")?;
        for size in GROUP_SIZES {
            let count = rows.min(size * 3_000);
            let AppendResult { time, commits } = runtime.block_on(measure(&store, size, count, due_times))?;
            let per_commit = milliseconds(time) / commits as f64;
            let (rate, mean) = (count as f64 / time.as_secs_f64(), count as f64 / commits as f64);
            writeln!(
                out,
                "  groups of {size:3}: {rate:8.0} rows/s, {per_commit:6.3} ms per commit of {mean:5.1} rows"
            )?;
        }
    }
    if let StoreUnderTest::Sqlite(folder) = store {
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(())
}

struct AppendResult {
    time: Duration,
    commits: u64,
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Returns the time to write one page of a preallocated file and sync it.
fn time_bare_sync(folder: &Path) -> std::io::Result<Duration> {
    let path = folder.join("bare");
    let file = File::create(&path)?;
    file.write_all_at(&vec![0; 4 << 20], 0)?;
    file.sync_all()?;
    let start = Instant::now();
    for page in 0..1000 {
        file.write_all_at(&[page as u8; 4096], page * 4096)?;
        file.sync_data()?;
    }
    let time = start.elapsed();
    std::fs::remove_file(&path)?;
    Ok(time / 1000)
}

async fn measure(
    store: &StoreUnderTest,
    size: usize,
    count: usize,
    due_times: DueTimes,
) -> Result<AppendResult, Box<dyn Error>> {
    match store {
        StoreUnderTest::Sqlite(folder) => {
            let folder = folder.join("store");
            if folder.exists() {
                std::fs::remove_dir_all(&folder)?;
            }
            let store = SqliteStore::open(&folder, Arc::new(SystemClock))?;
            let time = append(&store, size, count, due_times).await?;
            Ok(AppendResult { time, commits: store.batches() })
        }
        StoreUnderTest::Postgres(url) => {
            let store = PostgresStore::open(url).await?;
            let time = append(&store, size, count, due_times).await?;
            let commits = store.batches();
            store.close().await;
            Ok(AppendResult { time, commits })
        }
    }
}

/// Appends `count` rows in groups of `size`. Returns the time this takes.
async fn append(
    store: &dyn Store,
    size: usize,
    count: usize,
    due_times: DueTimes,
) -> Result<Duration, Box<dyn Error>> {
    // Several processes may measure one database at the same time, so match ids include the process id.
    let first = u128::from(store.now().cast_unsigned()) << 64 | u128::from(std::process::id()) << 32;
    let mut heads = vec![0; MATCHES];
    let mut in_flight: VecDeque<Vec<StoreFuture<CommitOutcome>>> = VecDeque::new();
    let start = Instant::now();
    for group in 0..count.div_ceil(size) {
        let rows = (group * size..count.min((group + 1) * size)).map(|number| {
            let index = number * 769 % MATCHES;
            heads[index] += 1;
            store.commit(row(MatchId(first + index as u128), heads[index] - 1, due_times))
        });
        in_flight.push_back(rows.collect());
        if in_flight.len() == 2 {
            wait_for(in_flight.pop_front()).await?;
        }
    }
    wait_for(in_flight.pop_front()).await?;
    Ok(start.elapsed())
}

async fn wait_for(group: Option<Vec<StoreFuture<CommitOutcome>>>) -> Result<(), String> {
    for commit in group.into_iter().flatten() {
        match commit.await {
            CommitOutcome::Committed => {}
            other => return Err(format!("a row was not committed: {other:?}")),
        }
    }
    Ok(())
}

fn row(match_id: MatchId, expected: u64, due_times: DueTimes) -> Transaction {
    let due = match due_times {
        DueTimes::Untimed => Due::Keep,
        DueTimes::Timed => {
            Due::At(1_000_000 + expected as i64 * 1000 + (match_id.0 % MATCHES as u128) as i64)
        }
    };
    let append = Append { match_id, expected, rows: vec![vec![7; BODY_BYTES]], due };
    Transaction { appends: vec![append], ..Transaction::default() }
}
