//! Notification of clients about changed files.
//!
//! The folder is read twice a second. It has a few small files, so this costs almost nothing, needs no
//! library per operating system, and works on shared and mounted folders that report no changes.

use std::convert::Infallible;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::stream;
use intermezzo_playground::RulesetFile;
use intermezzo_protocol::resources::Reload;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::Playground;

const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Interval of keep-alive comments on a quiet stream.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// An event for the playground's clients.
#[derive(Clone, Debug)]
pub(crate) enum PlaygroundEvent {
    Files {
        changed: Vec<RulesetFile>,
        removed: Vec<String>,
    },
    Match {
        version: u64,
    },
    /// The rules were changed outside of the playground, and the match was replayed under them.
    Reload(Box<Reload>),
    /// The client has missed events.
    Missed,
}

impl PlaygroundEvent {
    fn to_text(&self) -> String {
        let (kind, data) = match self {
            PlaygroundEvent::Files { changed, removed } => {
                let changed: Vec<Value> =
                    changed.iter().map(|file| json!({"path": file.path, "hash": file.hash})).collect();
                ("files", json!({"changed": changed, "removed": removed}))
            }
            PlaygroundEvent::Match { version } => ("match", json!({"version": version})),
            PlaygroundEvent::Reload(reload) => ("reload", serde_json::to_value(reload).unwrap_or_default()),
            PlaygroundEvent::Missed => ("missed", json!({})),
        };
        format!("event: {kind}\ndata: {data}\n\n")
    }
}

impl Playground {
    /// Compares the folder with the last known files and publishes the changes.
    ///
    /// Returns true if rules have changed.
    pub(crate) fn check_files(&self) -> bool {
        let Ok(files) = self.folder.list() else { return false };
        let mut state = self.state();
        let changed: Vec<RulesetFile> = files
            .iter()
            .filter(|file| state.known_files.get(&file.path) != Some(&file.hash))
            .cloned()
            .collect();
        let is_gone = |path: &&String| !files.iter().any(|file| file.path == **path);
        let removed: Vec<String> = state.known_files.keys().filter(is_gone).cloned().collect();
        if changed.is_empty() && removed.is_empty() {
            return false;
        }
        state.record_files(&files);
        drop(state);
        let is_rules = |path: &str| !path.contains('/') && !path.ends_with(".md");
        let mut paths =
            changed.iter().map(|file| file.path.as_str()).chain(removed.iter().map(String::as_str));
        let rules = paths.any(is_rules);
        self.publish_event(PlaygroundEvent::Files { changed, removed });
        rules
    }
}

/// Watches the folder as long as the playground is open.
pub(crate) fn watch(playground: &Arc<Playground>) {
    let playground: Weak<Playground> = Arc::downgrade(playground);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(POLL_INTERVAL).await;
            let Some(playground) = playground.upgrade() else { return };
            // Reading files and replaying a match may take a while.
            let looked = tokio::task::spawn_blocking(move || {
                if playground.check_files()
                    && let Ok((_, Some(reload))) = playground.reload()
                {
                    playground.publish_event(PlaygroundEvent::Reload(Box::new(reload)));
                }
            });
            let _ = looked.await;
        }
    });
}

/// Returns a stream of all events.
pub(crate) fn event_stream(playground: &Playground) -> Body {
    let listener = playground.events.subscribe();
    let first = Some(Bytes::from_static(b":\n\n"));
    let events = stream::unfold((listener, first), |(mut listener, first)| async move {
        if let Some(first) = first {
            return Some((Ok::<Bytes, Infallible>(first), (listener, None)));
        }
        let text = next_event_text(&mut listener).await?;
        Some((Ok(Bytes::from(text)), (listener, None)))
    });
    Body::from_stream(events)
}

async fn next_event_text(listener: &mut broadcast::Receiver<PlaygroundEvent>) -> Option<String> {
    tokio::select! {
        event = listener.recv() => match event {
            Ok(event) => Some(event.to_text()),
            Err(RecvError::Lagged(_)) => Some(PlaygroundEvent::Missed.to_text()),
            Err(RecvError::Closed) => None,
        },
        () = tokio::time::sleep(KEEP_ALIVE_INTERVAL) => Some(":\n\n".to_owned()),
    }
}
