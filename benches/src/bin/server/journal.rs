//! The journal of the ceiling: one thread writes all moves that wait, makes them durable at once, then lets their news go.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use super::ceiling::News;

/// Written before the first move, so that a sync has no new blocks of the file to make durable.
const PREPARED_BYTES: usize = 64 << 20;

/// A move that waits to be durable, and what is told afterwards.
pub(crate) struct Entry {
    /// What is kept of the move.
    pub(crate) record: [u8; 16],
    /// Who is told what.
    pub(crate) news: Vec<News>,
}

/// Where moves are handed in.
#[derive(Clone)]
pub(crate) struct Journal {
    queue: Arc<Queue>,
}

struct Queue {
    entries: Mutex<Vec<Entry>>,
    arrived: Condvar,
}

impl Journal {
    /// Opens the file and starts the thread. News go to the runtime they belong to, a batch at a time.
    pub(crate) fn open(path: &Path, runtimes: Vec<UnboundedSender<Vec<News>>>) -> io::Result<Journal> {
        let file = prepared(path)?;
        let queue = Arc::new(Queue { entries: Mutex::default(), arrived: Condvar::new() });
        let journal = Journal { queue: Arc::clone(&queue) };
        std::thread::Builder::new().name("journal".into()).spawn(move || {
            if let Err(error) = keep(&queue, file, &runtimes) {
                // A move that cannot be kept must never be acknowledged.
                tell(&error);
                std::process::exit(1);
            }
        })?;
        Ok(journal)
    }

    /// Hands a move in. Its news go out once it is durable.
    pub(crate) fn push(&self, entry: Entry) {
        self.queue.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
        self.queue.arrived.notify_one();
    }
}

fn prepared(path: &Path) -> io::Result<File> {
    let mut file = File::create(path)?;
    file.write_all(&vec![0; PREPARED_BYTES])?;
    file.sync_all()?;
    file.rewind()?;
    Ok(file)
}

fn keep(queue: &Queue, mut file: File, runtimes: &[UnboundedSender<Vec<News>>]) -> io::Result<()> {
    let (mut entries, mut bytes) = (Vec::new(), Vec::new());
    loop {
        take_all(queue, &mut entries);
        bytes.clear();
        entries.iter().for_each(|entry| bytes.extend_from_slice(&entry.record));
        file.write_all(&bytes)?;
        file.sync_data()?;
        let mut batches: Vec<Vec<News>> = runtimes.iter().map(|_| Vec::new()).collect();
        for news in entries.drain(..).flat_map(|entry| entry.news) {
            batches[news.runtime].push(news);
        }
        for (runtime, batch) in runtimes.iter().zip(batches).filter(|(_, batch)| !batch.is_empty()) {
            // A runtime that is gone has nobody left to tell.
            let _ = runtime.send(batch);
        }
    }
}

fn take_all(queue: &Queue, into: &mut Vec<Entry>) {
    let waiting = queue.entries.lock().unwrap_or_else(PoisonError::into_inner);
    let mut waiting = queue
        .arrived
        .wait_while(waiting, |entries| entries.is_empty())
        .unwrap_or_else(PoisonError::into_inner);
    std::mem::swap(&mut *waiting, into);
}

#[expect(clippy::print_stderr, reason = "whoever started the server reads why it stopped")]
fn tell(error: &io::Error) {
    eprintln!("the journal cannot be written: {error}");
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    #[test]
    fn news_are_let_go_once_the_move_is_in_the_file() {
        let path = std::env::temp_dir().join(format!("journal-of-{}", std::process::id()));
        let (runtime, mut batches) = unbounded_channel();
        let journal = Journal::open(&path, vec![runtime]).expect("the file can be made");
        let (line, _) = unbounded_channel();
        journal.push(Entry { record: [7; 16], news: vec![News { runtime: 0, line, text: "said".into() }] });
        let batch = batches.blocking_recv().expect("the journal runs");
        assert_eq!(batch[0].text.as_str(), "said");
        let file = std::fs::read(&path).expect("the file is there");
        std::fs::remove_file(&path).expect("it can go");
        assert_eq!(file[..16], [7; 16]);
    }
}
