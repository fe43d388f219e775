//! Temporary PostgreSQL clusters for tests and benchmarks.
//!
//! [`PostgresCluster::start`] creates a database cluster in a temporary folder and starts it. Everything is synced to
//! disk as in production, and the server can be [killed](PostgresCluster::kill) and
//! [started again](PostgresCluster::run). It stops with its [`PostgresCluster`], and also when the process that started it
//! is killed. PostgreSQL must be installed; `cargo xtask check` installs it where it may.

use std::fmt;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Longest time until a cluster accepts connections. It may have to recover first.
const MAX_START: Duration = Duration::from_secs(60);

/// Interval at which that is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Shell script that runs a program, and stops it when the other end of its standard input is closed.
const RUN_UNTIL_EOF: &str = r#""$@" <&- & program=$!
while read -r line; do :; done
kill -QUIT $program 2>/dev/null
wait $program"#;

/// Reason why a cluster is not available.
#[derive(Debug)]
pub enum PostgresClusterError {
    /// PostgreSQL is not installed, or no user exists to run it as.
    Missing(&'static str),
    /// PostgreSQL is installed, but something failed.
    Failed(String),
}

impl fmt::Display for PostgresClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PostgresClusterError::Missing(what) => f.write_str(what),
            PostgresClusterError::Failed(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for PostgresClusterError {}

/// Running PostgreSQL cluster. Dropping it stops the server and removes its folder.
pub struct PostgresCluster {
    folder: PathBuf,
    programs: PathBuf,
    user: Option<SystemUser>,
    shell: Option<(Child, ChildStdin)>,
    /// TCP port, if it listens on one.
    port: Option<u16>,
}

/// User that the programs run as, since they refuse to run as root.
#[derive(Clone, Copy)]
struct SystemUser {
    id: u32,
    group: u32,
}

impl PostgresCluster {
    /// Creates a cluster and starts it.
    pub fn start() -> Result<PostgresCluster, PostgresClusterError> {
        let programs = programs().ok_or(PostgresClusterError::Missing("PostgreSQL is not installed"))?;
        let user = run_as_user()?;
        let folder = new_folder(user).map_err(|error| io_failure("cannot create a folder", error))?;
        let mut cluster = PostgresCluster { folder, programs, user, shell: None, port: None };
        cluster.init()?;
        cluster.run()?;
        Ok(cluster)
    }

    /// Creates and starts a standby that follows this server under that name.
    pub fn standby(&self, name: &str) -> Result<PostgresCluster, PostgresClusterError> {
        let folder = new_folder(self.user).map_err(|error| io_failure("cannot create a folder", error))?;
        let mut standby = PostgresCluster {
            folder,
            programs: self.programs.clone(),
            user: self.user,
            shell: None,
            port: None,
        };
        standby.rejoin(self, name)?;
        Ok(standby)
    }

    /// Turns a stopped server into a new standby of another server, in its old folder.
    pub fn rejoin(&mut self, primary: &PostgresCluster, name: &str) -> Result<(), PostgresClusterError> {
        let _ = std::fs::remove_dir_all(self.data());
        let mut copy = self.program("pg_basebackup");
        copy.args(["--write-recovery-conf", "--no-sync", "--checkpoint=fast", "--wal-method=stream"]);
        run(copy.arg("--dbname").arg(primary.conninfo(name)).arg("--pgdata").arg(self.data()))?;
        self.run()
    }

    /// Makes every commit wait until one of these standbys has it too.
    pub fn require_one_standby(&self, standbys: &[&str]) -> Result<(), PostgresClusterError> {
        let names =
            if standbys.is_empty() { String::new() } else { format!("ANY 1 ({})", standbys.join(", ")) };
        psql(&self.url(), &format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'"))?;
        psql(&self.url(), "SELECT pg_reload_conf()").map(|_| ())
    }

    /// Returns the position up to which a standby has received the log, for comparison with other standbys.
    pub fn received_lsn(&self) -> Result<u64, PostgresClusterError> {
        let told = psql(&self.url(), "SELECT (pg_last_wal_receive_lsn() - '0/0')::text")?;
        told.trim().parse().map_err(|_| PostgresClusterError::Failed(format!("invalid position: {told}")))
    }

    /// Promotes a standby to a primary.
    pub fn promote(&self) -> Result<(), PostgresClusterError> {
        psql(&self.url(), "SELECT pg_promote(true, 60)").map(|_| ())
    }

    /// Makes a standby follow another server under that name.
    pub fn follow(&self, primary: &PostgresCluster, name: &str) -> Result<(), PostgresClusterError> {
        let place = primary.conninfo(name).replace('\'', "''");
        psql(&self.url(), &format!("ALTER SYSTEM SET primary_conninfo = '{place}'"))?;
        psql(&self.url(), "SELECT pg_reload_conf()").map(|_| ())
    }

    /// Returns the connection string with which a standby of that name finds this server.
    fn conninfo(&self, name: &str) -> String {
        format!("host={} user=postgres dbname=postgres application_name={name}", self.folder.display())
    }

    /// Returns the address of whichever server accepts writes.
    pub fn url_of_primary<'a>(clusters: impl IntoIterator<Item = &'a PostgresCluster>) -> String {
        let folders =
            clusters.into_iter().map(|cluster| cluster.folder.display().to_string().replace('/', "%2F"));
        let folders: Vec<String> = folders.collect();
        format!("postgres://postgres@{}/postgres?target_session_attrs=read-write", folders.join(","))
    }

    /// Returns the address of an initially empty database, as a superuser.
    pub fn url(&self) -> String {
        let folder = self.folder.display().to_string().replace('/', "%2F");
        let port = self.port.map_or_else(String::new, |port| format!(":{port}"));
        format!("postgres://postgres@{folder}{port}/postgres")
    }

    /// Makes the server listen on the loopback network for encrypted connections only. Returns the address by host name,
    /// and the certificate to trust.
    pub fn listen_encrypted(&mut self) -> Result<(String, PathBuf), PostgresClusterError> {
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
        let port = free.map_err(|error| io_failure("no free port", error))?.port();
        let certificate = self.folder.join("trusted.crt");
        let mut openssl = self.as_user(Command::new("openssl"));
        openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]);
        openssl.args(["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
        openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
        openssl.arg("-keyout").arg(self.data().join("server.key"));
        run(openssl.arg("-out").arg(self.data().join("server.crt")))?;
        std::fs::copy(self.data().join("server.crt"), &certificate)
            .map_err(|error| io_failure("cannot copy the certificate", error))?;
        let who = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n";
        std::fs::write(self.data().join("pg_hba.conf"), who)
            .map_err(|error| io_failure("cannot write pg_hba.conf", error))?;
        psql(&self.url(), "ALTER SYSTEM SET ssl = on")?;
        self.stop();
        self.port = Some(port);
        self.run()?;
        Ok((format!("postgres://postgres@localhost:{port}/postgres"), certificate))
    }

    /// Kills the server and all its processes at once (`SIGKILL`), as if its machine were gone. A surviving process could
    /// still commit, confirmed by a standby other than the promoted one.
    pub fn kill(&mut self) -> Result<(), PostgresClusterError> {
        // Stop the server first, so that it cannot fork while its children are listed.
        self.signal("-STOP")?;
        self.signal("-KILL")?;
        self.stop();
        Ok(())
    }

    /// Freezes the server (`SIGSTOP`) or lets it continue. Its connections stay open.
    pub fn freeze(&self, is_frozen: bool) -> Result<(), PostgresClusterError> {
        self.signal(if is_frozen { "-STOP" } else { "-CONT" })
    }

    /// Sends a signal to the server and all its processes.
    fn signal(&self, signal: &str) -> Result<(), PostgresClusterError> {
        let pid =
            self.pid().ok_or_else(|| PostgresClusterError::Failed("the server is not running".to_owned()))?;
        let mut pids = vec![pid.clone()];
        let children = Command::new("pgrep").args(["-P", &pid]).output();
        let children = children.map_err(|error| io_failure("cannot run `pgrep`", error))?;
        pids.extend(String::from_utf8_lossy(&children.stdout).lines().map(str::to_owned));
        // Some may have exited meanwhile.
        let told = Command::new("kill").arg(signal).args(pids).stderr(Stdio::null()).status();
        told.map(drop).map_err(|error| io_failure("cannot run `kill`", error))
    }

    /// Starts the server and waits until it accepts connections.
    pub fn run(&mut self) -> Result<(), PostgresClusterError> {
        let begun = Instant::now();
        loop {
            self.launch()?;
            if self.wait_until_ready(begun)? {
                return Ok(());
            }
            // Remains of a killed server may hold the folder for a moment.
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Waits until the server accepts connections. Returns false if it exited instead.
    fn wait_until_ready(&mut self, begun: Instant) -> Result<bool, PostgresClusterError> {
        while psql(&self.url(), "SELECT 1").is_err() {
            if begun.elapsed() > MAX_START {
                let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                return Err(PostgresClusterError::Failed(format!("PostgreSQL did not start: {log}")));
            }
            if self.pid().is_none() && begun.elapsed() > Duration::from_secs(1) {
                self.stop();
                return Ok(false);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(true)
    }

    fn init(&self) -> Result<(), PostgresClusterError> {
        let mut initdb = self.program("initdb");
        initdb.args(["--auth=trust", "--username=postgres", "--no-sync", "--encoding=UTF8", "--locale=C"]);
        run(initdb.arg("--pgdata").arg(self.data())).map(|_| ())
    }

    fn launch(&mut self) -> Result<(), PostgresClusterError> {
        let log = std::fs::File::options().create(true).append(true).open(self.folder.join("log"));
        let log = log.map_err(|error| io_failure("cannot write the log", error))?;
        let mut shell = self.as_user(Command::new("sh"));
        shell.args(["-c", RUN_UNTIL_EOF, "shell"]).arg(self.programs.join("postgres"));
        shell.arg("-D").arg(self.data()).arg("-k").arg(&self.folder);
        // After a kill, PostgreSQL syncs its whole folder; file by file, that would take seconds.
        shell.args(["-c", "recovery_init_sync_method=syncfs"]);
        // Interval at which a standby looks for a lost primary; the default is five seconds.
        shell.args(["-c", "wal_retrieve_retry_interval=200ms"]);
        shell.args(["-c", "max_connections=200"]);
        match self.port {
            Some(port) => shell.args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1"]),
            None => shell.args(["-c", "listen_addresses="]),
        };
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        let mut shell = shell.spawn().map_err(|error| io_failure("cannot run PostgreSQL", error))?;
        let input = shell
            .stdin
            .take()
            .ok_or_else(|| PostgresClusterError::Failed("the shell has no standard input".to_owned()))?;
        self.shell = Some((shell, input));
        Ok(())
    }

    /// Returns the process id of the server, if it runs.
    fn pid(&self) -> Option<String> {
        let file = std::fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        let pid = file.lines().next()?.trim().to_owned();
        Path::new("/proc").join(&pid).exists().then_some(pid)
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn program(&self, name: &str) -> Command {
        self.as_user(Command::new(self.programs.join(name)))
    }

    fn as_user(&self, mut command: Command) -> Command {
        if let Some(user) = self.user {
            command.uid(user.id).gid(user.group);
        }
        command.current_dir(&self.folder);
        command
    }

    /// Closes the shell's input, which stops the server, and waits for both.
    fn stop(&mut self) {
        if let Some((mut shell, input)) = self.shell.take() {
            drop(input);
            let _ = shell.wait();
        }
    }
}

impl Drop for PostgresCluster {
    fn drop(&mut self) {
        let _ = self.freeze(false);
        self.stop();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Environment variable with the address of a PostgreSQL for tests, as a user who may create schemas.
pub const TEST_VARIABLE: &str = "INTERMEZZO_TEST_POSTGRES";

/// PostgreSQL that tests share: the one that [`TEST_VARIABLE`] names, or a temporary one.
pub struct SharedPostgres {
    url: String,
    _own: Option<PostgresCluster>,
}

impl SharedPostgres {
    /// Finds or starts a PostgreSQL. Returns `None` with a message if none is installed.
    #[allow(clippy::print_stderr, reason = "a skipped test says so")]
    pub fn find_or_start() -> Result<Option<SharedPostgres>, PostgresClusterError> {
        if let Ok(url) = std::env::var(TEST_VARIABLE) {
            return Ok(Some(SharedPostgres { url, _own: None }));
        }
        match PostgresCluster::start() {
            Ok(cluster) => Ok(Some(SharedPostgres { url: cluster.url(), _own: Some(cluster) })),
            Err(PostgresClusterError::Missing(why)) => {
                eprintln!("skipped: {why}");
                Ok(None)
            }
            Err(failed) => Err(failed),
        }
    }

    /// Creates empty schemas. Returns an address for each that creates tables in it.
    pub fn create_schemas(&self, names: &[String]) -> Result<Vec<String>, PostgresClusterError> {
        let names: Vec<String> = names.iter().map(|name| unique_name(name)).collect();
        let make = names.iter().map(|name| format!("CREATE SCHEMA {name};")).collect::<String>();
        psql(&self.url, &make)?;
        let joint = if self.url.contains('?') { '&' } else { '?' };
        let url = |name: &String| format!("{}{joint}options=-csearch_path%3D{name}", self.url);
        Ok(names.iter().map(url).collect())
    }

    /// Removes schemas with their contents.
    pub fn remove_schemas(&self, names: &[String]) -> Result<(), PostgresClusterError> {
        let names: Vec<String> = names.iter().map(|name| unique_name(name)).collect();
        let remove = format!("DROP SCHEMA {} CASCADE", names.join(", "));
        psql(&self.url, &format!("SET client_min_messages = warning; {remove}")).map(|_| ())
    }
}

/// Returns a name that no other process uses.
fn unique_name(name: &str) -> String {
    format!("{name}_{}", std::process::id())
}

/// Runs SQL at an address and returns its output.
pub fn psql(url: &str, sql: &str) -> Result<String, PostgresClusterError> {
    run(Command::new("psql").args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]).args([
        "--set",
        "ON_ERROR_STOP=1",
        "--command",
        sql,
        url,
    ]))
}

/// Returns the folder with the programs of the newest version.
fn programs() -> Option<PathBuf> {
    let version = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?.flatten().map(|entry| entry.path());
    let newest = versions.filter(|path| path.join("bin/initdb").is_file()).max_by_key(|path| version(path));
    newest.map(|path| path.join("bin"))
}

fn run_as_user() -> Result<Option<SystemUser>, PostgresClusterError> {
    let me = run(Command::new("id").arg("-u"))?;
    if me.trim() != "0" {
        return Ok(None);
    }
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let postgres = accounts.lines().find(|line| line.starts_with("postgres:"));
    let user = postgres.and_then(|line| {
        let mut parts = line.split(':').skip(2);
        Some(SystemUser { id: parts.next()?.parse().ok()?, group: parts.next()?.parse().ok()? })
    });
    user.map(Some).ok_or(PostgresClusterError::Missing("no user `postgres` to run PostgreSQL as"))
}

/// Creates a folder that belongs to a user.
fn new_folder(user: Option<SystemUser>) -> std::io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("intermezzo-test-postgres-{}-{count}", std::process::id()));
        match std::fs::create_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            made => made?,
        }
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755))?;
        if let Some(user) = user {
            chown(&folder, Some(user.id), Some(user.group))?;
        }
        return Ok(folder);
    }
}

/// Runs a program to its end and returns its output.
fn run(command: &mut Command) -> Result<String, PostgresClusterError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| io_failure(&format!("cannot run `{name}`"), error))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(PostgresClusterError::Failed(format!("`{name}` failed: {}", told.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[allow(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
fn io_failure(what: &str, error: std::io::Error) -> PostgresClusterError {
    PostgresClusterError::Failed(format!("{what}: {error}"))
}
