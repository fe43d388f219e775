//! Server process under test. It is started and killed, and its downtime is recorded.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use intermezzo_test_client::ServerDowntime;
use tokio::sync::{Notify, oneshot};

use crate::addresses::ServerAddresses;
use crate::cluster::signal;

/// Flags of the rate limits, which the test would exceed.
const RATE_LIMITS: &[&str] = &[
    "--frames-per-second",
    "--account-per-second",
    "--address-per-second",
    "--accounts-per-minute",
    "--connections-per-address",
];
const UNLIMITED: &str = "100000";
/// Longest time from the server's ready message until the test reads it.
const READY_NOTICE_MS: i64 = 150;
/// Longest time until the server is ready.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// Server process under test.
pub(crate) struct ServerProcess {
    program: PathBuf,
    folder: PathBuf,
    pub(crate) address: SocketAddr,
    pub(crate) downtime: ServerDowntime,
    /// Notified whenever a client receives an acknowledgement.
    pub(crate) acknowledged: Arc<Notify>,
    running: Option<Child>,
    /// Start of the current downtime.
    down_since: Option<i64>,
    /// Durations of the starts that were not killed.
    pub(crate) starts: Vec<Duration>,
}

impl ServerProcess {
    /// Creates a stopped server on its own folder and a free port.
    pub(crate) fn new(program: &Path, folder: &Path) -> io::Result<ServerProcess> {
        // The listener is dropped at once, so that the server can bind the port.
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        Ok(ServerProcess {
            program: program.to_owned(),
            folder: folder.to_owned(),
            address,
            downtime: ServerDowntime::default(),
            acknowledged: Arc::default(),
            running: None,
            down_since: None,
            starts: Vec::new(),
        })
    }

    pub(crate) fn environment(&self) -> TestEnvironment {
        TestEnvironment {
            program: self.program.clone(),
            folder: self.folder.clone(),
            addresses: ServerAddresses::new([self.address]),
        }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join("server.log")
    }

    /// Starts the server. Pass the result to [`Self::wait_until_ready`].
    pub(crate) fn start(&mut self) -> io::Result<ServerStart> {
        let log = OpenOptions::new().create(true).append(true).open(self.log())?;
        let mut command = Command::new(&self.program);
        command.arg("serve").arg("--data").arg(self.data()).args(["--listen", &self.address.to_string()]);
        let begun = Instant::now();
        let (child, ready) = launch(command, log)?;
        self.running = Some(child);
        Ok(ServerStart { begun, ready })
    }

    /// Waits until the server is ready, and records how long it took.
    pub(crate) async fn wait_until_ready(&mut self, starting: ServerStart) -> io::Result<()> {
        let ready = tokio::time::timeout(READY_WITHIN, starting.ready).await;
        let Ok(Ok(ready)) = ready else {
            return Err(io::Error::other("the server did not start; see server.log"));
        };
        self.starts.push(ready - starting.begun);
        if let Some(since) = self.down_since.take() {
            self.downtime.add(since, now_ms() - READY_NOTICE_MS - ready.elapsed().as_millis() as i64);
        }
        Ok(())
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.running.is_none()
    }

    /// Stops the process of the server for a while (`SIGSTOP`).
    pub(crate) async fn freeze(&self, lasts: Duration) -> io::Result<()> {
        signal(self.running.as_ref(), true)?;
        let from = now_ms();
        tokio::time::sleep(lasts).await;
        let until = now_ms();
        signal(self.running.as_ref(), false)?;
        self.downtime.add(from, until);
        Ok(())
    }

    /// Kills the server without warning.
    pub(crate) fn kill(&mut self) -> io::Result<()> {
        if let Some(mut child) = self.running.take() {
            child.kill()?;
            child.wait()?;
            let now = now_ms();
            self.down_since.get_or_insert(now);
            self.downtime.add_kill(now);
        }
        Ok(())
    }
}

/// Program, folder and addresses of a test.
#[derive(Clone, Debug)]
pub(crate) struct TestEnvironment {
    pub(crate) program: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) addresses: ServerAddresses,
}

impl TestEnvironment {
    /// Runs the program with these arguments. Returns true if it succeeds.
    pub(crate) fn run_succeeds(&self, args: &[&str]) -> io::Result<bool> {
        let log = OpenOptions::new().create(true).append(true).open(self.folder.join("verify.log"))?;
        let mut command = Command::new(&self.program);
        Ok(command.args(args).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).status()?.success())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // The server may not outlive the test, however it ends.
        let _ = self.kill();
    }
}

/// Starts a server without rate limits, with its log in that file. The receiver gets the time at which it is ready.
pub(crate) fn launch(mut command: Command, log: File) -> io::Result<(Child, oneshot::Receiver<Instant>)> {
    command.args(RATE_LIMITS.iter().flat_map(|flag| [flag, UNLIMITED]));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).env("RUST_LOG", "warn");
    let mut child = command.spawn()?;
    let (tell, ready) = oneshot::channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut lines = BufReader::new(out).lines();
            if lines.by_ref().map_while(Result::ok).any(|line| line.contains("ready")) {
                // The test may no longer wait for it.
                let _ = tell.send(Instant::now());
            }
            lines.for_each(drop);
        });
    }
    Ok((child, ready))
}

/// Start of a server.
pub(crate) struct ServerStart {
    begun: Instant,
    ready: oneshot::Receiver<Instant>,
}

/// Returns the time of the machine's clock, which the server uses too.
pub(crate) fn now_ms() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since_1970.as_millis() as i64
}
