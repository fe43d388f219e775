//! The table of all operations, by subject.

mod accounts;
mod dev;
mod lobby;
mod play;
mod queue;
mod replay;
mod rulesets;
mod server;
mod watching;

use super::route::Route;

/// All operations there are.
pub(crate) fn all() -> Vec<Route> {
    let parts = [
        accounts::routes(),
        rulesets::routes(),
        lobby::routes(),
        play::routes(),
        watching::routes(),
        replay::routes(),
        queue::routes(),
        server::routes(),
    ];
    parts.into_iter().flatten().collect()
}

/// The same, and those of the workshop.
pub(crate) fn with_dev() -> Vec<Route> {
    all().into_iter().chain(dev::routes()).collect()
}
