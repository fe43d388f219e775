//! Several servers, their shared database with two standbys, and NATS: all real processes on this machine.

use std::fs::OpenOptions;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use intermezzo_test_postgres::{PostgresCluster, PostgresClusterError};
use tokio::sync::oneshot;

use crate::addresses::ServerAddresses;
use crate::server_process::{TestEnvironment, launch};

/// Replication names of the standbys.
const STANDBYS: [&str; 2] = ["one", "two"];
/// Longest time until a server is ready.
const READY_WITHIN: Duration = Duration::from_secs(90);
/// Number of the signal. It ends a server that has not installed its handler yet.
const SIGTERM: i32 = 15;
/// Names of the NATS program.
const NATS: [&str; 2] = ["nats-server", "/usr/sbin/nats-server"];

/// Cluster under test.
pub(crate) struct TestCluster {
    program: PathBuf,
    folder: PathBuf,
    primary: PostgresCluster,
    standbys: Vec<(&'static str, PostgresCluster)>,
    url: String,
    nats: Option<NatsProcess>,
    pub(crate) servers: Vec<ClusterServer>,
}

/// Server of the cluster.
pub(crate) struct ClusterServer {
    address: SocketAddr,
    running: Option<Child>,
}

/// NATS, if it is installed.
struct NatsProcess {
    program: &'static str,
    port: u16,
    running: Option<Child>,
}

impl TestCluster {
    /// Creates a database with two standbys, one of which has every commit, NATS if installed, and stopped servers.
    pub(crate) fn create(program: &Path, folder: &Path, servers: usize) -> io::Result<TestCluster> {
        let primary = PostgresCluster::start().map_err(io_error)?;
        let mut standbys = Vec::new();
        for name in STANDBYS {
            standbys.push((name, primary.standby(name).map_err(io_error)?));
        }
        // A standby may become the primary: it must wait for the others from its first commit on.
        for database in standbys.iter().map(|(_, standby)| standby).chain([&primary]) {
            database.require_one_standby(&STANDBYS).map_err(io_error)?;
        }
        let servers = (0..servers).map(|_| Ok(ClusterServer { address: free_address()?, running: None }));
        let servers = servers.collect::<io::Result<Vec<ClusterServer>>>()?;
        let url = PostgresCluster::url_of_primary(
            std::iter::once(&primary).chain(standbys.iter().map(|(_, standby)| standby)),
        );
        let (program, folder) = (program.to_owned(), folder.to_owned());
        let mut cluster = TestCluster { program, folder, primary, standbys, url, nats: None, servers };
        if let Some(program) = NATS.into_iter().find(|program| is_installed(program)) {
            cluster.nats = Some(NatsProcess { program, port: free_address()?.port(), running: None });
        }
        cluster.run_nats()?;
        Ok(cluster)
    }

    pub(crate) fn environment(&self) -> TestEnvironment {
        let addresses = ServerAddresses::new(self.servers.iter().map(|server| server.address));
        TestEnvironment { program: self.program.clone(), folder: self.folder.clone(), addresses }
    }

    /// Returns the address of the database.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join("servers.log")
    }

    pub(crate) fn has_nats(&self) -> bool {
        self.nats.is_some()
    }

    /// Starts a server. The receiver gets the time at which it is ready.
    pub(crate) fn start(&mut self, server: usize) -> io::Result<oneshot::Receiver<Instant>> {
        let log = OpenOptions::new().create(true).append(true).open(self.log())?;
        let server = &mut self.servers[server];
        let mut command = Command::new(&self.program);
        command.args(["serve", "--database", &self.url, "--listen", &server.address.to_string()]);
        if let Some(nats) = &self.nats {
            command.args(["--nats", &format!("nats://127.0.0.1:{}", nats.port)]);
        }
        let (child, ready) = launch(command, log)?;
        server.running = Some(child);
        Ok(ready)
    }

    /// Starts all stopped servers and waits until they are ready. Starts a server again if it has exited because the
    /// database was down.
    pub(crate) async fn start_all(&mut self) -> io::Result<()> {
        for server in 0..self.servers.len() {
            for attempt in 1.. {
                let ready = match self.is_running(server) {
                    true => break,
                    false => self.start(server)?,
                };
                match tokio::time::timeout(READY_WITHIN, ready).await {
                    Ok(Ok(_)) => break,
                    _ if attempt < 5 => self.kill(server)?,
                    _ => return Err(io::Error::other("a server did not start; see servers.log")),
                }
            }
        }
        Ok(())
    }

    fn is_running(&mut self, server: usize) -> bool {
        let running = &mut self.servers[server].running;
        running.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)))
    }

    /// Kills a server without warning.
    pub(crate) fn kill(&mut self, server: usize) -> io::Result<()> {
        kill_child(&mut self.servers[server].running)
    }

    /// Replaces a server as a deployment does: SIGTERM, then a new process. Returns false if it exits with an error.
    pub(crate) fn replace(&mut self, server: usize) -> io::Result<bool> {
        let Some(mut child) = self.servers[server].running.take() else { return Ok(true) };
        // The process may have exited by itself.
        let was_running = matches!(child.try_wait(), Ok(None));
        if was_running {
            Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
        }
        let status = child.wait()?;
        drop(self.start(server)?);
        Ok(status.success() || !was_running || status.signal() == Some(SIGTERM))
    }

    /// Freezes a server, or lets it continue.
    pub(crate) fn freeze(&self, server: usize, is_frozen: bool) -> io::Result<()> {
        signal(self.servers[server].running.as_ref(), is_frozen)
    }

    pub(crate) fn kill_nats(&mut self) -> io::Result<()> {
        self.nats.as_mut().map_or(Ok(()), |nats| kill_child(&mut nats.running))
    }

    pub(crate) fn run_nats(&mut self) -> io::Result<()> {
        let log = OpenOptions::new().create(true).append(true).open(self.folder.join("nats.log"))?;
        if let Some(nats) = self.nats.as_mut().filter(|nats| nats.running.is_none()) {
            let mut command = Command::new(nats.program);
            command.args(["--addr", "127.0.0.1", "--port", &nats.port.to_string()]);
            nats.running = Some(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn()?);
        }
        Ok(())
    }

    pub(crate) fn freeze_nats(&self, is_frozen: bool) -> io::Result<()> {
        signal(self.nats.as_ref().and_then(|nats| nats.running.as_ref()), is_frozen)
    }

    /// Kills the database and restarts it.
    pub(crate) fn kill_database(&mut self) -> io::Result<()> {
        self.primary.kill().map_err(io_error)?;
        self.primary.run().map_err(io_error)
    }

    pub(crate) fn freeze_database(&self, is_frozen: bool) -> io::Result<()> {
        self.primary.freeze(is_frozen).map_err(io_error)
    }

    /// Kills the database for good and promotes the standby that has received most. The other standby follows it, and
    /// the lost database rejoins as a standby.
    pub(crate) fn promote(&mut self) -> io::Result<()> {
        self.primary.kill().map_err(io_error)?;
        let mut farthest = 0;
        for place in 1..self.standbys.len() {
            let received = |place: usize| self.standbys[place].1.received_lsn().map_err(io_error);
            if received(place)? > received(farthest)? {
                farthest = place;
            }
        }
        let (name, standby) = self.standbys.remove(farthest);
        standby.promote().map_err(io_error)?;
        for (other, follower) in &self.standbys {
            follower.follow(&standby, other).map_err(io_error)?;
        }
        let mut lost = std::mem::replace(&mut self.primary, standby);
        // Servers only know the addresses they were started with, so the lost database returns at its old address.
        lost.rejoin(&self.primary, name).map_err(io_error)?;
        self.standbys.push((name, lost));
        Ok(())
    }
}

impl Drop for TestCluster {
    fn drop(&mut self) {
        // No process may outlive the test, however it ends.
        for server in &mut self.servers {
            let _ = kill_child(&mut server.running);
        }
        let _ = self.kill_nats();
    }
}

fn kill_child(running: &mut Option<Child>) -> io::Result<()> {
    if let Some(mut child) = running.take() {
        child.kill()?;
        child.wait()?;
    }
    Ok(())
}

pub(crate) fn signal(running: Option<&Child>, is_frozen: bool) -> io::Result<()> {
    let Some(child) = running else { return Ok(()) };
    let signal = if is_frozen { "-STOP" } else { "-CONT" };
    Command::new("kill").args([signal, &child.id().to_string()]).status().map(drop)
}

/// Returns a free address. It is released at once, for the server to bind.
fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

fn is_installed(program: &str) -> bool {
    let mut version = Command::new(program);
    version.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

#[allow(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
fn io_error(error: PostgresClusterError) -> io::Error {
    match error {
        PostgresClusterError::Missing(what) => io::Error::new(io::ErrorKind::NotFound, what),
        PostgresClusterError::Failed(what) => io::Error::other(what),
    }
}
