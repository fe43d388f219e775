//! The route table, by subject.

mod accounts;
mod events;
mod lobby;
mod moderation;
mod play;
mod playground;
mod queue;
mod replay;
mod rulesets;
mod server;

use super::route::Route;

/// Returns all routes except those of the playground.
pub(crate) fn all() -> Vec<Route> {
    let parts = [
        accounts::routes(),
        rulesets::routes(),
        lobby::routes(),
        play::routes(),
        events::routes(),
        replay::routes(),
        queue::routes(),
        moderation::routes(),
        server::routes(),
    ];
    parts.into_iter().flatten().collect()
}

/// Returns all routes, including those of the playground.
pub(crate) fn with_playground() -> Vec<Route> {
    all().into_iter().chain(playground::routes()).collect()
}
