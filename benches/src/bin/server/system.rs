//! The compared servers: their commands and the endpoints of their seats.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::protocols::Protocol;
use crate::protocols::boardgame::{self, Boardgame};
use crate::protocols::ceiling::Ceiling;
use crate::protocols::colyseus::{self, Colyseus};
use crate::protocols::intermezzo;

/// Limits of our server that are raised: their defaults for one client, account or address are far below this load.
const LIMITS: [&str; 5] = [
    "--frames-per-second",
    "--account-per-second",
    "--address-per-second",
    "--accounts-per-minute",
    "--connections-per-address",
];

/// A server that plays duels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerKind {
    Intermezzo,
    /// The minimal server around the hand-written duel.
    Ceiling,
    /// boardgame.io, from npm.
    Boardgame,
    /// Colyseus, from npm.
    Colyseus,
}

/// The WebSocket endpoint of one seat.
pub(crate) struct SeatEndpoint {
    /// Path and query of the URL.
    pub(crate) path: String,
    pub(crate) protocol: Box<dyn Protocol>,
}

impl ServerKind {
    /// All servers, in the order of the table.
    pub(crate) const ALL: [ServerKind; 4] =
        [ServerKind::Intermezzo, ServerKind::Ceiling, ServerKind::Boardgame, ServerKind::Colyseus];

    /// Returns the name used in the table and on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ServerKind::Intermezzo => "intermezzo",
            ServerKind::Ceiling => "ceiling",
            ServerKind::Boardgame => "boardgame.io",
            ServerKind::Colyseus => "colyseus",
        }
    }

    /// Returns where a move is stored when it is acknowledged.
    pub(crate) fn durability(self) -> &'static str {
        match self {
            ServerKind::Intermezzo | ServerKind::Ceiling => "on disk",
            ServerKind::Boardgame | ServerKind::Colyseus => "in memory",
        }
    }

    /// Returns true if the memory of idle connections is measured.
    pub(crate) fn is_measured_idle(self) -> bool {
        matches!(self, ServerKind::Intermezzo | ServerKind::Ceiling)
    }

    /// Returns the command that starts the server at this address, with this folder for its files.
    pub(crate) fn command(self, address: SocketAddr, folder: &Path) -> io::Result<Command> {
        let mut command = match self {
            ServerKind::Intermezzo => our_server(address, folder)?,
            ServerKind::Ceiling => {
                let mut command = Command::new(std::env::current_exe()?);
                command.arg("serve-ceiling").arg(address.to_string()).arg(folder.join("journal"));
                command
            }
            ServerKind::Boardgame => script("boardgame.mjs", address),
            ServerKind::Colyseus => script("colyseus.mjs", address),
        };
        command.current_dir(peers_folder());
        Ok(command)
    }

    /// Returns the endpoints of both seats of a match.
    pub(crate) async fn endpoints(
        self,
        server: SocketAddr,
        match_number: u32,
    ) -> io::Result<[SeatEndpoint; 2]> {
        Ok(match self {
            ServerKind::Intermezzo => intermezzo::start_match(server)
                .await?
                .map(|seat| SeatEndpoint { path: "/ws".to_owned(), protocol: Box::new(seat) }),
            ServerKind::Ceiling => [0, 1].map(|seat| SeatEndpoint {
                path: format!("/play/{match_number}/{seat}"),
                protocol: Box::new(Ceiling),
            }),
            ServerKind::Boardgame => [0, 1].map(|seat| SeatEndpoint {
                path: boardgame::PATH.to_owned(),
                protocol: Box::new(Boardgame::new(match_number, seat)),
            }),
            ServerKind::Colyseus => colyseus::reserve(server)
                .await?
                .map(|path| SeatEndpoint { path, protocol: Box::new(Colyseus) }),
        })
    }
}

/// Returns the folder of the peers' scripts.
pub(crate) fn peers_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("server")
}

fn script(name: &str, address: SocketAddr) -> Command {
    let mut command = Command::new("node");
    command.arg(name).arg(address.port().to_string()).env("NODE_ENV", "production");
    command
}

/// Returns the command of our own server, built beside this program, with raised limits: all clients use one address.
fn our_server(address: SocketAddr, folder: &Path) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?.with_file_name("intermezzo"));
    command.arg("serve").arg("--listen").arg(address.to_string()).arg("--data").arg(folder);
    for limit in LIMITS {
        command.arg(limit).arg("1000000");
    }
    command.env("RUST_LOG", "error");
    Ok(command)
}
