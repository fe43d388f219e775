//! The server under siege: a process that is started and killed, and a note of when it was away.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use intermezzo_client::Absences;
use tokio::sync::{Notify, oneshot};

use crate::doors::Doors;

/// Limits that a siege would run into are lifted.
const LIFTED: &[&str] = &[
    "--frames-per-second",
    "--account-per-second",
    "--address-per-second",
    "--accounts-per-minute",
    "--connections-per-address",
];
const LIFTED_TO: &str = "100000";
/// The server says that it is ready, and the siege hears of it, within this time.
const HEARSAY_MS: i64 = 150;
/// A server that is not ready by then never will be.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// The server under siege.
pub(crate) struct Fortress {
    program: PathBuf,
    folder: PathBuf,
    pub(crate) address: SocketAddr,
    pub(crate) absences: Absences,
    /// Told whenever a client hears that something is kept.
    pub(crate) heard: Arc<Notify>,
    running: Option<Child>,
    /// Since when it is away.
    away_since: Option<i64>,
    /// How long each start took that was not cut off.
    pub(crate) starts: Vec<Duration>,
}

impl Fortress {
    /// A server on a folder of its own and a free port; it does not run yet.
    pub(crate) fn new(program: &Path, folder: &Path) -> io::Result<Fortress> {
        // The port is given back at once, and is the server's from then on.
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        Ok(Fortress {
            program: program.to_owned(),
            folder: folder.to_owned(),
            address,
            absences: Absences::default(),
            heard: Arc::default(),
            running: None,
            away_since: None,
            starts: Vec::new(),
        })
    }

    pub(crate) fn ground(&self) -> Ground {
        Ground {
            program: self.program.clone(),
            folder: self.folder.clone(),
            doors: Doors::new([self.address]),
        }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join("server.log")
    }

    /// Starts the server. What comes back tells when it is ready.
    pub(crate) fn start(&mut self) -> io::Result<Starting> {
        let log = OpenOptions::new().create(true).append(true).open(self.log())?;
        let mut command = Command::new(&self.program);
        command.arg("serve").arg("--data").arg(self.data()).args(["--listen", &self.address.to_string()]);
        let begun = Instant::now();
        let (child, ready) = launch(command, log)?;
        self.running = Some(child);
        Ok(Starting { begun, ready })
    }

    /// Waits until the server is ready.
    pub(crate) async fn is_ready(&mut self, starting: Starting) -> io::Result<()> {
        let ready = tokio::time::timeout(READY_WITHIN, starting.ready).await;
        let Ok(Ok(ready)) = ready else {
            return Err(io::Error::other("the server does not start; see server.log"));
        };
        self.starts.push(ready - starting.begun);
        if let Some(since) = self.away_since.take() {
            self.absences.add(since, now_ms() - HEARSAY_MS - ready.elapsed().as_millis() as i64);
        }
        Ok(())
    }

    /// Whether the server does not run.
    pub(crate) fn is_away(&self) -> bool {
        self.running.is_none()
    }

    /// Kills the server, without any warning.
    pub(crate) fn kill(&mut self) -> io::Result<()> {
        if let Some(mut child) = self.running.take() {
            child.kill()?;
            child.wait()?;
            let now = now_ms();
            self.away_since.get_or_insert(now);
            self.absences.add_kill(now);
        }
        Ok(())
    }
}

/// Where a siege is laid.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    pub(crate) program: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) doors: Doors,
}

impl Ground {
    /// Runs the program with these arguments; true if it finds nothing wrong.
    pub(crate) fn says_yes(&self, args: &[&str]) -> io::Result<bool> {
        let log = OpenOptions::new().create(true).append(true).open(self.folder.join("verify.log"))?;
        let mut command = Command::new(&self.program);
        Ok(command.args(args).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).status()?.success())
    }
}

impl Drop for Fortress {
    fn drop(&mut self) {
        // Whatever ends the siege must not leave the server behind.
        let _ = self.kill();
    }
}

/// Starts a server as `command` says, with the limits lifted and its log there. What comes back is told when it is ready.
pub(crate) fn launch(mut command: Command, log: File) -> io::Result<(Child, oneshot::Receiver<Instant>)> {
    command.args(LIFTED.iter().flat_map(|flag| [flag, LIFTED_TO]));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).env("RUST_LOG", "warn");
    let mut child = command.spawn()?;
    let (tell, ready) = oneshot::channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut lines = BufReader::new(out).lines();
            if lines.by_ref().map_while(Result::ok).any(|line| line.contains("ready")) {
                // Nobody may listen any more.
                let _ = tell.send(Instant::now());
            }
            lines.for_each(drop);
        });
    }
    Ok((child, ready))
}

/// A server that is starting.
pub(crate) struct Starting {
    begun: Instant,
    ready: oneshot::Receiver<Instant>,
}

/// The time by the machine's clock, which is the server's.
pub(crate) fn now_ms() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since_1970.as_millis() as i64
}
