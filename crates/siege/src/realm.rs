//! Several servers, the database they share with its two standbys, and NATS between them: all real, all on this machine.

use std::fs::OpenOptions;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use intermezzo_cluster::{Cluster, NoCluster};
use tokio::sync::oneshot;

use crate::doors::Doors;
use crate::fortress::{Ground, launch};

/// The names under which standbys follow.
const STANDBYS: [&str; 2] = ["one", "two"];
/// A server that is not ready by then never will be.
const READY_WITHIN: Duration = Duration::from_secs(90);
/// Ends whoever does not listen to it yet.
const SIGTERM: i32 = 15;
/// Where NATS is found besides the usual places.
const NATS: [&str; 2] = ["nats-server", "/usr/sbin/nats-server"];

/// All of it.
pub(crate) struct Realm {
    program: PathBuf,
    folder: PathBuf,
    primary: Cluster,
    standbys: Vec<(&'static str, Cluster)>,
    url: String,
    nats: Option<Nats>,
    pub(crate) servers: Vec<Server>,
}

/// One server.
pub(crate) struct Server {
    address: SocketAddr,
    running: Option<Child>,
}

/// NATS, if it is installed.
struct Nats {
    program: &'static str,
    port: u16,
    running: Option<Child>,
}

impl Realm {
    /// A database with two standbys of which one has every commit, NATS if it is there, and servers that do not run yet.
    pub(crate) fn found(program: &Path, folder: &Path, servers: usize) -> io::Result<Realm> {
        let primary = Cluster::start().map_err(failed)?;
        let mut standbys = Vec::new();
        for name in STANDBYS {
            standbys.push((name, primary.standby(name).map_err(failed)?));
        }
        // Those who may take its place wait for the others from their first moment on.
        for cluster in standbys.iter().map(|(_, standby)| standby).chain([&primary]) {
            cluster.wait_for_one_of(&STANDBYS).map_err(failed)?;
        }
        let servers = (0..servers).map(|_| Ok(Server { address: free_address()?, running: None }));
        let servers = servers.collect::<io::Result<Vec<Server>>>()?;
        let url =
            Cluster::url_of_any(std::iter::once(&primary).chain(standbys.iter().map(|(_, standby)| standby)));
        let (program, folder) = (program.to_owned(), folder.to_owned());
        let mut realm = Realm { program, folder, primary, standbys, url, nats: None, servers };
        if let Some(program) = NATS.into_iter().find(|program| is_there(program)) {
            realm.nats = Some(Nats { program, port: free_address()?.port(), running: None });
        }
        realm.run_nats()?;
        Ok(realm)
    }

    pub(crate) fn ground(&self) -> Ground {
        let doors = Doors::new(self.servers.iter().map(|server| server.address));
        Ground { program: self.program.clone(), folder: self.folder.clone(), doors }
    }

    /// Where the database is.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join("servers.log")
    }

    pub(crate) fn has_nats(&self) -> bool {
        self.nats.is_some()
    }

    /// Starts a server. What comes back is told when it is ready.
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

    /// Starts all servers that do not run, and waits until they are ready. One that has ended by itself, since there was no
    /// database when it started, is started again.
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
                    _ => return Err(io::Error::other("a server does not start; see servers.log")),
                }
            }
        }
        Ok(())
    }

    fn is_running(&mut self, server: usize) -> bool {
        let running = &mut self.servers[server].running;
        running.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)))
    }

    /// Kills a server, without any warning.
    pub(crate) fn kill(&mut self, server: usize) -> io::Result<()> {
        end(&mut self.servers[server].running)
    }

    /// Tells a server to end as one does for a new version, and starts another in its place. False if it does not end well.
    pub(crate) fn replace(&mut self, server: usize) -> io::Result<bool> {
        let Some(mut child) = self.servers[server].running.take() else { return Ok(true) };
        // One that has not begun to listen to signals may have ended by itself.
        let was_running = matches!(child.try_wait(), Ok(None));
        if was_running {
            Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
        }
        let status = child.wait()?;
        drop(self.start(server)?);
        Ok(status.success() || !was_running || status.signal() == Some(SIGTERM))
    }

    /// Has a server stand still, or go on.
    pub(crate) fn freeze(&self, server: usize, is_frozen: bool) -> io::Result<()> {
        signal(self.servers[server].running.as_ref(), is_frozen)
    }

    pub(crate) fn kill_nats(&mut self) -> io::Result<()> {
        self.nats.as_mut().map_or(Ok(()), |nats| end(&mut nats.running))
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

    /// Kills the database and has it recover.
    pub(crate) fn kill_database(&mut self) -> io::Result<()> {
        self.primary.kill().map_err(failed)?;
        self.primary.run().map_err(failed)
    }

    pub(crate) fn freeze_database(&self, is_frozen: bool) -> io::Result<()> {
        self.primary.freeze(is_frozen).map_err(failed)
    }

    /// Kills the database for good. The standby that has got farthest takes its place and the other follows that one;
    /// what was lost begins anew as a standby.
    pub(crate) fn promote(&mut self) -> io::Result<()> {
        self.primary.kill().map_err(failed)?;
        let mut farthest = 0;
        for place in 1..self.standbys.len() {
            let received = |place: usize| self.standbys[place].1.received().map_err(failed);
            if received(place)? > received(farthest)? {
                farthest = place;
            }
        }
        let (name, standby) = self.standbys.remove(farthest);
        standby.promote().map_err(failed)?;
        for (other, follower) in &self.standbys {
            follower.follow(&standby, other).map_err(failed)?;
        }
        let mut lost = std::mem::replace(&mut self.primary, standby);
        // Servers look for the database where it was when they started: all places stay what they are.
        lost.rejoin(&self.primary, name).map_err(failed)?;
        self.standbys.push((name, lost));
        Ok(())
    }
}

impl Drop for Realm {
    fn drop(&mut self) {
        // Whatever ends the siege must leave nothing behind.
        for server in &mut self.servers {
            let _ = end(&mut server.running);
        }
        let _ = self.kill_nats();
    }
}

fn end(running: &mut Option<Child>) -> io::Result<()> {
    if let Some(mut child) = running.take() {
        child.kill()?;
        child.wait()?;
    }
    Ok(())
}

fn signal(running: Option<&Child>, is_frozen: bool) -> io::Result<()> {
    let Some(child) = running else { return Ok(()) };
    let signal = if is_frozen { "-STOP" } else { "-CONT" };
    Command::new("kill").args([signal, &child.id().to_string()]).status().map(drop)
}

/// An address that is given back at once, and is a server's from then on.
fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

fn is_there(program: &str) -> bool {
    let mut version = Command::new(program);
    version.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

#[allow(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn failed(error: NoCluster) -> io::Error {
    match error {
        NoCluster::Missing(what) => io::Error::new(io::ErrorKind::NotFound, what),
        NoCluster::Failed(what) => io::Error::other(what),
    }
}
