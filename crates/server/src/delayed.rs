//! Looking on with a delay: the log is followed later than it is written.

use std::sync::Arc;
use std::time::Duration;

use intermezzo_engine::Viewer;
use intermezzo_protocol::Problem;
use intermezzo_store::MatchId;

use crate::app::{App, opening};
use crate::outbox::Outbox;
use crate::room::Replica;
use crate::wire;

/// The log is looked at so often.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// So many rows are read at once.
const PAGE: usize = 500;

/// Shows a match to a connection, each row `delay` milliseconds after it was written.
pub(crate) async fn watch(app: Arc<App>, id: MatchId, delay: i64, outbox: Outbox, greeting: String) {
    if let Err(problem) = show(&app, id, delay, &outbox, &greeting).await {
        outbox.send(wire::error(None, &problem));
    }
}

async fn show(app: &App, id: MatchId, delay: i64, outbox: &Outbox, greeting: &str) -> Result<(), Problem> {
    let opening = opening(&app.house, id).await?;
    let name = id.to_string();
    let mut replica = Replica::new(opening.terms);
    let mut is_welcome = false;
    loop {
        let rows = app
            .store
            .rows(id, replica.version(), PAGE)
            .await
            .map_err(|error| crate::room::unavailable(&error))?;
        let is_last = rows.len() < PAGE;
        for row in &rows {
            if Replica::written_at(&row.body).saturating_add(delay) > app.store.now() {
                break;
            }
            let shown = replica.follow(id, &row.body)?;
            let Some(room) = replica.room().filter(|_| is_welcome) else { continue };
            for shown in shown.iter().filter(|shown| shown.viewer == Viewer::Spectator) {
                wire::update(&name, room, shown, true).into_iter().for_each(|frame| outbox.send(frame));
            }
        }
        if let Some(room) = replica.room().filter(|_| !is_welcome) {
            outbox.send(crate::room::welcome(room, Viewer::Spectator, greeting, true));
            wire::questions(&name, room, Viewer::Spectator).into_iter().for_each(|frame| outbox.send(frame));
            is_welcome = true;
        }
        if outbox.is_closed() {
            return Ok(());
        }
        if is_last {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
