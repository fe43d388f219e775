//! The journal of the ceiling: one thread writes all waiting moves, makes them durable with one sync, then releases their
//! outgoing texts.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use super::ceiling::OutgoingText;

/// The file is preallocated, so that a sync never has to make new blocks durable.
const PREALLOCATED_BYTES: usize = 64 << 20;

/// A move that is not yet durable, and the texts to send once it is.
pub(crate) struct JournalEntry {
    pub(crate) record: [u8; 16],
    pub(crate) outgoing: Vec<OutgoingText>,
}

/// A handle to the journal's thread.
#[derive(Clone)]
pub(crate) struct MoveJournal {
    queue: Arc<MoveQueue>,
}

struct MoveQueue {
    entries: Mutex<Vec<JournalEntry>>,
    not_empty: Condvar,
}

impl MoveJournal {
    /// Opens the file and starts the thread. Texts are sent to their runtimes in batches.
    pub(crate) fn open(
        path: &Path,
        runtimes: Vec<UnboundedSender<Vec<OutgoingText>>>,
    ) -> io::Result<MoveJournal> {
        let file = preallocate(path)?;
        let queue = Arc::new(MoveQueue { entries: Mutex::default(), not_empty: Condvar::new() });
        let journal = MoveJournal { queue: Arc::clone(&queue) };
        std::thread::Builder::new().name("journal".into()).spawn(move || {
            if let Err(error) = write_moves(&queue, file, &runtimes) {
                // A move that cannot be written must never be acknowledged.
                report(&error);
                std::process::exit(1);
            }
        })?;
        Ok(journal)
    }

    /// Queues a move. Its texts are sent once it is durable.
    pub(crate) fn push(&self, entry: JournalEntry) {
        self.queue.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
        self.queue.not_empty.notify_one();
    }
}

fn preallocate(path: &Path) -> io::Result<File> {
    let mut file = File::create(path)?;
    file.write_all(&vec![0; PREALLOCATED_BYTES])?;
    file.sync_all()?;
    file.rewind()?;
    Ok(file)
}

fn write_moves(
    queue: &MoveQueue,
    mut file: File,
    runtimes: &[UnboundedSender<Vec<OutgoingText>>],
) -> io::Result<()> {
    let (mut entries, mut bytes) = (Vec::new(), Vec::new());
    loop {
        drain_queue(queue, &mut entries);
        bytes.clear();
        entries.iter().for_each(|entry| bytes.extend_from_slice(&entry.record));
        file.write_all(&bytes)?;
        file.sync_data()?;
        let mut batches: Vec<Vec<OutgoingText>> = runtimes.iter().map(|_| Vec::new()).collect();
        for outgoing in entries.drain(..).flat_map(|entry| entry.outgoing) {
            batches[outgoing.runtime].push(outgoing);
        }
        for (runtime, batch) in runtimes.iter().zip(batches).filter(|(_, batch)| !batch.is_empty()) {
            // A stopped runtime has no connections.
            let _ = runtime.send(batch);
        }
    }
}

/// Waits until moves are queued and swaps them into the empty `into`.
fn drain_queue(queue: &MoveQueue, into: &mut Vec<JournalEntry>) {
    let waiting = queue.entries.lock().unwrap_or_else(PoisonError::into_inner);
    let mut waiting = queue
        .not_empty
        .wait_while(waiting, |entries| entries.is_empty())
        .unwrap_or_else(PoisonError::into_inner);
    std::mem::swap(&mut *waiting, into);
}

#[expect(clippy::print_stderr, reason = "the caller of the server reads why it stopped")]
fn report(error: &io::Error) {
    eprintln!("cannot write the journal: {error}");
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    #[test]
    fn texts_are_released_after_the_move_is_written() {
        let path = std::env::temp_dir().join(format!("journal-of-{}", std::process::id()));
        let (runtime, mut batches) = unbounded_channel();
        let journal = MoveJournal::open(&path, vec![runtime]).expect("the file can be created");
        let (connection, _) = unbounded_channel();
        journal.push(JournalEntry {
            record: [7; 16],
            outgoing: vec![OutgoingText { runtime: 0, connection, text: "ack".into() }],
        });
        let batch = batches.blocking_recv().expect("the journal runs");
        assert_eq!(batch[0].text.as_str(), "ack");
        let file = std::fs::read(&path).expect("the file can be read");
        std::fs::remove_file(&path).expect("the file can be removed");
        assert_eq!(file[..16], [7; 16]);
    }
}
