//! Delayed spectators: they follow the log later than it is written.

use std::sync::Arc;
use std::time::Duration;

use intermezzo_engine::Viewer;
use intermezzo_protocol::{Problem, WireVersion};
use intermezzo_store::MatchId;

use crate::app::{App, match_details};
use crate::connections::frame_text;
use crate::connections::outbox::Outbox;
use crate::match_task::Replica;
use intermezzo_services::Requester;

/// Interval at which the log is read.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Rows read at once.
const PAGE_ROWS: usize = 500;
/// Rows replayed before yielding to other tasks.
const ROWS_PER_YIELD: usize = 16;

/// Streams a match to a connection, each row `delay` milliseconds after it was written.
pub(crate) async fn watch(
    app: Arc<App>,
    requester: Requester,
    id: MatchId,
    delay: i64,
    outbox: Outbox,
    greeting: String,
    wire: WireVersion,
) {
    if let Err(problem) = stream_rows(&app, &requester, id, delay, &outbox, &greeting, wire).await {
        outbox.send(frame_text::error(None, &problem));
    }
}

async fn stream_rows(
    app: &App,
    requester: &Requester,
    id: MatchId,
    delay: i64,
    outbox: &Outbox,
    greeting: &str,
    wire: WireVersion,
) -> Result<(), Problem> {
    let details = match_details(&app.services, id).await?;
    let name = id.to_string();
    let mut replica = Replica::new(details.config);
    let mut is_welcomed = false;
    // Reading a match from its first row is expensive; following it afterwards is not.
    let mut permit = Some(app.replay_queue.acquire(requester).await?);
    loop {
        let rows = app
            .store
            .rows(id, replica.version(), PAGE_ROWS)
            .await
            .map_err(|error| crate::match_task::store_unavailable(&error))?;
        let is_last = rows.len() < PAGE_ROWS;
        for (index, row) in rows.iter().enumerate() {
            if index % ROWS_PER_YIELD == 0 {
                tokio::task::yield_now().await;
            }
            if Replica::written_at(&row.body).saturating_add(delay) > app.store.now() {
                break;
            }
            let update = replica.apply_row(id, &row.body)?;
            let Some(state) = replica.state().filter(|_| is_welcomed) else { continue };
            for update in update.iter().filter(|update| update.viewer == Viewer::Spectator) {
                frame_text::update(&name, state, update, wire)
                    .into_all()
                    .for_each(|frame| outbox.send(frame));
            }
        }
        if let Some(state) = replica.state().filter(|_| !is_welcomed) {
            outbox.send(crate::match_task::welcome_frame(state, Viewer::Spectator, greeting, true, wire));
            frame_text::prompt_frames(&name, state, Viewer::Spectator, wire)
                .into_iter()
                .for_each(|frame| outbox.send(frame));
            is_welcomed = true;
        }
        if outbox.is_closed() {
            return Ok(());
        }
        if is_last {
            permit.take();
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}
