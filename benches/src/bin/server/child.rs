//! A server in a process of its own, ended when it is no longer needed.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::system::System;

const START_LIMIT: Duration = Duration::from_secs(20);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A server that runs. Dropping it ends it and removes its files.
pub(crate) struct Server {
    child: Child,
    folder: PathBuf,
    /// Where it listens.
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts a server and waits until it listens.
    ///
    /// Its input is a pipe from here: ceiling and peers stop when it closes, so
    /// that they are not left behind however this program ends.
    pub(crate) fn start(system: System) -> io::Result<Server> {
        let folder = folder()?.join(system.name());
        std::fs::create_dir_all(&folder)?;
        let address = free_address()?;
        let mut command = system.command(address, &folder)?;
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let mut server = Server { child, folder, address };
        server.wait_until_it_listens()?;
        Ok(server)
    }

    fn wait_until_it_listens(&mut self) -> io::Result<()> {
        let start = Instant::now();
        while TcpStream::connect(self.address).is_err() {
            if let Some(status) = self.child.try_wait()? {
                return Err(io::Error::other(format!("the server stopped at once: {status}")));
            }
            if start.elapsed() > START_LIMIT {
                return Err(io::Error::other("the server does not listen"));
            }
            std::thread::sleep(LOOK_AGAIN);
        }
        Ok(())
    }

    /// Kills it, and starts it again where it was, on what it has kept.
    pub(crate) fn kill_and_start_again(&mut self, system: System) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        let mut command = system.command(self.address, &self.folder)?;
        self.child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        self.wait_until_it_listens()
    }

    /// The number of its process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Its bytes in memory.
    pub(crate) fn resident_bytes(&self) -> io::Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib =
            line.and_then(|line| line.split_whitespace().next()).and_then(|kib| kib.parse::<u64>().ok());
        kib.map(|kib| kib << 10).ok_or_else(|| io::Error::other("the system does not tell what is resident"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing more can be done about a process that will not be ended or a file that will not go.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Beside the program: on the disk that builds go to, not in a folder that may be memory.
fn folder() -> io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    Ok(program.parent().unwrap_or(Path::new(".")).join("bench-server"))
}

fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}
