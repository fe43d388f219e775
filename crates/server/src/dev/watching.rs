//! Files that others change, and everyone who wants to know.
//!
//! The folder is read again twice a second. It has a handful of small files, so that costs next to nothing, needs no
//! library for each system, and works where the system tells of no changes: on shared and mounted folders.

use std::convert::Infallible;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::stream;
use intermezzo_playground::Found;
use intermezzo_protocol::resources::Reload;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::Dev;

/// How often the folder is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// A quiet stream says so often that it is still there.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// Something those who listen are told.
#[derive(Clone, Debug)]
pub(crate) enum News {
    /// Files have changed.
    Files { changed: Vec<Found>, removed: Vec<String> },
    /// The match has changed.
    Match { version: u64 },
    /// Somebody else changed the rules, and the match went on under them.
    Reload(Box<Reload>),
    /// The listener has missed something.
    Missed,
}

impl News {
    fn event(&self) -> String {
        let (kind, data) = match self {
            News::Files { changed, removed } => {
                let changed: Vec<Value> =
                    changed.iter().map(|found| json!({"path": found.path, "hash": found.hash})).collect();
                ("files", json!({"changed": changed, "removed": removed}))
            }
            News::Match { version } => ("match", json!({"version": version})),
            News::Reload(reload) => ("reload", serde_json::to_value(reload).unwrap_or_default()),
            News::Missed => ("missed", json!({})),
        };
        format!("event: {kind}\ndata: {data}\n\n")
    }
}

impl Dev {
    /// Looks for files that have changed since it last looked, and tells everyone.
    ///
    /// True if rules have changed.
    pub(crate) fn look_at_files(&self) -> bool {
        let Ok(files) = self.folder.list() else { return false };
        let mut bench = self.bench();
        let changed: Vec<Found> =
            files.iter().filter(|found| bench.known.get(&found.path) != Some(&found.hash)).cloned().collect();
        let is_gone = |path: &&String| !files.iter().any(|found| found.path == **path);
        let removed: Vec<String> = bench.known.keys().filter(is_gone).cloned().collect();
        if changed.is_empty() && removed.is_empty() {
            return false;
        }
        bench.note_files(&files);
        drop(bench);
        let is_rules = |path: &str| !path.contains('/') && !path.ends_with(".md");
        let mut paths =
            changed.iter().map(|found| found.path.as_str()).chain(removed.iter().map(String::as_str));
        let rules = paths.any(is_rules);
        self.tell(News::Files { changed, removed });
        rules
    }
}

/// Looks at the folder as long as the workshop is open.
pub(crate) fn watch(dev: &Arc<Dev>) {
    let dev: Weak<Dev> = Arc::downgrade(dev);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(LOOK).await;
            let Some(dev) = dev.upgrade() else { return };
            // Reading files and running a match again may take a while.
            let looked = tokio::task::spawn_blocking(move || {
                if dev.look_at_files()
                    && let Ok((_, Some(reload))) = dev.reload()
                {
                    dev.tell(News::Reload(Box::new(reload)));
                }
            });
            let _ = looked.await;
        }
    });
}

/// A stream of everything that changes.
pub(crate) fn listen(dev: &Dev) -> Body {
    let listener = dev.news.subscribe();
    let first = Some(Bytes::from_static(b":\n\n"));
    let events = stream::unfold((listener, first), |(mut listener, first)| async move {
        if let Some(first) = first {
            return Some((Ok::<Bytes, Infallible>(first), (listener, None)));
        }
        let text = next(&mut listener).await?;
        Some((Ok(Bytes::from(text)), (listener, None)))
    });
    Body::from_stream(events)
}

async fn next(listener: &mut broadcast::Receiver<News>) -> Option<String> {
    tokio::select! {
        news = listener.recv() => match news {
            Ok(news) => Some(news.event()),
            Err(RecvError::Lagged(_)) => Some(News::Missed.event()),
            Err(RecvError::Closed) => None,
        },
        () = tokio::time::sleep(SIGN_OF_LIFE) => Some(":\n\n".to_owned()),
    }
}
