//! A server in a separate process, killed when it is no longer needed.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::system::ServerKind;

const START_LIMIT: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A running server. Dropping it kills the process and removes its files.
pub(crate) struct ServerUnderTest {
    child: Child,
    folder: PathBuf,
    pub(crate) address: SocketAddr,
}

impl ServerUnderTest {
    /// Starts a server and waits until it listens.
    ///
    /// Its standard input is a pipe from this program. Ceiling and peers stop when
    /// it closes, so that they end with this program in any case.
    pub(crate) fn start(system: ServerKind) -> io::Result<ServerUnderTest> {
        let folder = data_folder()?.join(system.name());
        std::fs::create_dir_all(&folder)?;
        let address = free_address()?;
        let mut command = system.command(address, &folder)?;
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let mut server = ServerUnderTest { child, folder, address };
        server.wait_until_listening()?;
        Ok(server)
    }

    fn wait_until_listening(&mut self) -> io::Result<()> {
        let start = Instant::now();
        while TcpStream::connect(self.address).is_err() {
            if let Some(status) = self.child.try_wait()? {
                return Err(io::Error::other(format!("the server stopped during startup: {status}")));
            }
            if start.elapsed() > START_LIMIT {
                return Err(io::Error::other("the server did not listen within 20 s"));
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    /// Kills the server and restarts it at the same address, with the same files.
    pub(crate) fn kill_and_restart(&mut self, system: ServerKind) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        let mut command = system.command(self.address, &self.folder)?;
        self.child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        self.wait_until_listening()
    }

    /// Returns the process id.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Returns the resident memory of the process in bytes.
    pub(crate) fn resident_bytes(&self) -> io::Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib =
            line.and_then(|line| line.split_whitespace().next()).and_then(|kib| kib.parse::<u64>().ok());
        kib.map(|kib| kib << 10).ok_or_else(|| io::Error::other("/proc has no resident memory of the server"))
    }
}

impl Drop for ServerUnderTest {
    fn drop(&mut self) {
        // Failures are ignored: nothing else can be done about the process or its files.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Returns a folder beside the program, on the build disk: the temporary folder may be in memory.
fn data_folder() -> io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    Ok(program.parent().unwrap_or(Path::new(".")).join("bench-server"))
}

fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}
