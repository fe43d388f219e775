//! The servers that are compared: how each is started and where its seats connect.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::protocols::Protocol;
use crate::protocols::boardgame::{self, Boardgame};
use crate::protocols::ceiling::Ceiling;
use crate::protocols::colyseus::{self, Colyseus};
use crate::protocols::intermezzo;

/// What our server takes from one client, account or address unless told otherwise is far less than this load.
const LIMITS: [&str; 5] = [
    "--frames-per-second",
    "--account-per-second",
    "--address-per-second",
    "--accounts-per-minute",
    "--connections-per-address",
];

/// A server that plays duels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum System {
    /// Our own.
    Intermezzo,
    /// The bare server around the hand-written duel.
    Ceiling,
    /// boardgame.io, from npm.
    Boardgame,
    /// Colyseus, from npm.
    Colyseus,
}

/// Where one seat connects, and how it speaks there.
pub(crate) struct Door {
    /// Path and query of the WebSocket.
    pub(crate) path: String,
    pub(crate) protocol: Box<dyn Protocol>,
}

impl System {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [System; 4] =
        [System::Intermezzo, System::Ceiling, System::Boardgame, System::Colyseus];

    /// What the table and the command line call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            System::Intermezzo => "intermezzo",
            System::Ceiling => "ceiling",
            System::Boardgame => "boardgame.io",
            System::Colyseus => "colyseus",
        }
    }

    /// What has happened to a move when it is acknowledged.
    pub(crate) fn kept(self) -> &'static str {
        match self {
            System::Intermezzo | System::Ceiling => "on disk",
            System::Boardgame | System::Colyseus => "in memory",
        }
    }

    /// Whether what an idle connection occupies is measured.
    pub(crate) fn is_measured_idle(self) -> bool {
        matches!(self, System::Intermezzo | System::Ceiling)
    }

    /// The command that serves it at this address, with this folder for its files.
    pub(crate) fn command(self, address: SocketAddr, folder: &Path) -> io::Result<Command> {
        let mut command = match self {
            System::Intermezzo => ours(address, folder)?,
            System::Ceiling => {
                let mut command = Command::new(std::env::current_exe()?);
                command.arg("serve-ceiling").arg(address.to_string()).arg(folder.join("journal"));
                command
            }
            System::Boardgame => script("boardgame.mjs", address),
            System::Colyseus => script("colyseus.mjs", address),
        };
        command.current_dir(peers());
        Ok(command)
    }

    /// Both seats of a match.
    pub(crate) async fn doors(self, server: SocketAddr, match_number: u32) -> io::Result<[Door; 2]> {
        Ok(match self {
            System::Intermezzo => intermezzo::begin(server)
                .await?
                .map(|seat| Door { path: "/ws".to_owned(), protocol: Box::new(seat) }),
            System::Ceiling => [0, 1].map(|seat| Door {
                path: format!("/play/{match_number}/{seat}"),
                protocol: Box::new(Ceiling),
            }),
            System::Boardgame => [0, 1].map(|seat| Door {
                path: boardgame::PATH.to_owned(),
                protocol: Box::new(Boardgame::new(match_number, seat)),
            }),
            System::Colyseus => {
                colyseus::reserve(server).await?.map(|path| Door { path, protocol: Box::new(Colyseus) })
            }
        })
    }
}

/// The folder with the peers' scripts.
pub(crate) fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("server")
}

fn script(name: &str, address: SocketAddr) -> Command {
    let mut command = Command::new("node");
    command.arg(name).arg(address.port().to_string()).env("NODE_ENV", "production");
    command
}

/// Our own server, built beside this program, with its limits out of the way: all clients come from one address.
fn ours(address: SocketAddr, folder: &Path) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?.with_file_name("intermezzo"));
    command.arg("serve").arg("--listen").arg(address.to_string()).arg("--data").arg(folder);
    for limit in LIMITS {
        command.arg(limit).arg("1000000");
    }
    command.env("RUST_LOG", "error");
    Ok(command)
}
