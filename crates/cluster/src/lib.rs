//! A PostgreSQL of one's own, for tests and measurements.
//!
//! [`Cluster::start`] makes a database cluster in a temporary folder and runs it, with
//! everything synced to disk as in earnest; it can be [killed](Cluster::kill) and
//! [run again](Cluster::run). It goes away with its [`Cluster`], and also when the
//! process that started it is killed. The programs must be installed: `cargo xtask
//! check` sees to it where it may.

use std::fmt;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a cluster may take until it listens: it may have to recover first.
const MAX_START: Duration = Duration::from_secs(60);

/// How often one looks whether it does.
const LOOKING: Duration = Duration::from_millis(20);

/// Runs a program and stops it when nobody holds the other end of its input any more.
const KEEPER: &str = r#""$@" <&- & program=$!
while read -r line; do :; done
kill -QUIT $program 2>/dev/null
wait $program"#;

/// Why there is no cluster.
#[derive(Debug)]
pub enum NoCluster {
    /// The programs of PostgreSQL are not installed, or there is no user to run them as.
    Missing(&'static str),
    /// They are there, but something failed.
    Failed(String),
}

impl fmt::Display for NoCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoCluster::Missing(what) => f.write_str(what),
            NoCluster::Failed(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for NoCluster {}

/// A running PostgreSQL. It stops and its folder is removed when this is dropped.
pub struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    user: Option<User>,
    keeper: Option<(Child, ChildStdin)>,
    /// Where it listens on this machine's network; nothing if it does not.
    port: Option<u16>,
}

/// Whom the programs run as: they refuse to be run by root.
#[derive(Clone, Copy)]
struct User {
    id: u32,
    group: u32,
}

impl Cluster {
    /// Makes a cluster and runs it.
    pub fn start() -> Result<Cluster, NoCluster> {
        let programs = programs().ok_or(NoCluster::Missing("PostgreSQL is not installed"))?;
        let user = whom_to_run_as()?;
        let folder = new_folder(user).map_err(|error| failed("a folder cannot be made", error))?;
        let mut cluster = Cluster { folder, programs, user, keeper: None, port: None };
        cluster.make()?;
        cluster.run()?;
        Ok(cluster)
    }

    /// Makes a copy that follows this one under that name, and runs it. It can be read from, and [promoted](Cluster::promote).
    pub fn standby(&self, name: &str) -> Result<Cluster, NoCluster> {
        let folder = new_folder(self.user).map_err(|error| failed("a folder cannot be made", error))?;
        let mut standby =
            Cluster { folder, programs: self.programs.clone(), user: self.user, keeper: None, port: None };
        standby.rejoin(self, name)?;
        Ok(standby)
    }

    /// Has a server that does not run begin anew as a copy of another that follows it, in the place where it was.
    pub fn rejoin(&mut self, primary: &Cluster, name: &str) -> Result<(), NoCluster> {
        let _ = std::fs::remove_dir_all(self.data());
        let mut copy = self.program("pg_basebackup");
        copy.args(["--write-recovery-conf", "--no-sync", "--checkpoint=fast", "--wal-method=stream"]);
        run(copy.arg("--dbname").arg(primary.known_as(name)).arg("--pgdata").arg(self.data()))?;
        self.run()
    }

    /// Has every commit wait until one of these standbys has it, too.
    pub fn wait_for_one_of(&self, standbys: &[&str]) -> Result<(), NoCluster> {
        let names =
            if standbys.is_empty() { String::new() } else { format!("ANY 1 ({})", standbys.join(", ")) };
        psql(&self.url(), &format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'"))?;
        psql(&self.url(), "SELECT pg_reload_conf()").map(|_| ())
    }

    /// How far a standby has got, as a number to compare with those of others.
    pub fn received(&self) -> Result<u64, NoCluster> {
        let told = psql(&self.url(), "SELECT (pg_last_wal_receive_lsn() - '0/0')::text")?;
        told.trim().parse().map_err(|_| NoCluster::Failed(format!("that is no position: {told}")))
    }

    /// Makes a standby a server of its own.
    pub fn promote(&self) -> Result<(), NoCluster> {
        psql(&self.url(), "SELECT pg_promote(true, 60)").map(|_| ())
    }

    /// Has a standby follow another server from now on, under that name.
    pub fn follow(&self, primary: &Cluster, name: &str) -> Result<(), NoCluster> {
        let place = primary.known_as(name).replace('\'', "''");
        psql(&self.url(), &format!("ALTER SYSTEM SET primary_conninfo = '{place}'"))?;
        psql(&self.url(), "SELECT pg_reload_conf()").map(|_| ())
    }

    /// How a standby of that name finds this server.
    fn known_as(&self, name: &str) -> String {
        format!("host={} user=postgres dbname=postgres application_name={name}", self.folder.display())
    }

    /// Where to connect to whichever of several takes changes.
    pub fn url_of_any<'a>(clusters: impl IntoIterator<Item = &'a Cluster>) -> String {
        let folders =
            clusters.into_iter().map(|cluster| cluster.folder.display().to_string().replace('/', "%2F"));
        let folders: Vec<String> = folders.collect();
        format!("postgres://postgres@{}/postgres?target_session_attrs=read-write", folders.join(","))
    }

    /// Where to connect: as a user who may do everything, to a database that is empty at first.
    pub fn url(&self) -> String {
        let folder = self.folder.display().to_string().replace('/', "%2F");
        let port = self.port.map_or_else(String::new, |port| format!(":{port}"));
        format!("postgres://postgres@{folder}{port}/postgres")
    }

    /// Has it listen on this machine's network from now on, to those alone who encrypt what they say. Gives the address, by
    /// name, and the certificate to trust.
    pub fn listen_encrypted(&mut self) -> Result<(String, PathBuf), NoCluster> {
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
        let port = free.map_err(|error| failed("there is no port", error))?.port();
        let certificate = self.folder.join("trusted.crt");
        let mut openssl = self.as_user(Command::new("openssl"));
        openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]);
        openssl.args(["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
        openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
        openssl.arg("-keyout").arg(self.data().join("server.key"));
        run(openssl.arg("-out").arg(self.data().join("server.crt")))?;
        std::fs::copy(self.data().join("server.crt"), &certificate)
            .map_err(|error| failed("the certificate is not there", error))?;
        let who = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n";
        std::fs::write(self.data().join("pg_hba.conf"), who)
            .map_err(|error| failed("who may connect cannot be written", error))?;
        psql(&self.url(), "ALTER SYSTEM SET ssl = on")?;
        self.stop();
        self.port = Some(port);
        self.run()?;
        Ok((format!("postgres://postgres@localhost:{port}/postgres"), certificate))
    }

    /// Kills the server and all its processes at once (`SIGKILL`), as if its machine were gone. If any of them lived on, it could
    /// still commit, and have that confirmed by a standby that is not the one which is promoted.
    pub fn kill(&mut self) -> Result<(), NoCluster> {
        // It must not have more children while they are counted.
        self.signal("-STOP")?;
        self.signal("-KILL")?;
        self.stop();
        Ok(())
    }

    /// Stops a server for as long as it is not told to go on (`SIGSTOP`), or tells it to go on. It keeps all connections.
    pub fn freeze(&self, is_frozen: bool) -> Result<(), NoCluster> {
        self.signal(if is_frozen { "-STOP" } else { "-CONT" })
    }

    /// Sends a signal to the server and all its processes.
    fn signal(&self, signal: &str) -> Result<(), NoCluster> {
        let pid = self.pid().ok_or_else(|| NoCluster::Failed("the server does not run".to_owned()))?;
        let mut pids = vec![pid.clone()];
        let children = Command::new("pgrep").args(["-P", &pid]).output();
        let children = children.map_err(|error| failed("`pgrep` cannot be run", error))?;
        pids.extend(String::from_utf8_lossy(&children.stdout).lines().map(str::to_owned));
        // Some may have ended by themselves meanwhile.
        let told = Command::new("kill").arg(signal).args(pids).stderr(Stdio::null()).status();
        told.map(drop).map_err(|error| failed("`kill` cannot be run", error))
    }

    /// Runs the server, and returns when it takes connections.
    pub fn run(&mut self) -> Result<(), NoCluster> {
        let begun = Instant::now();
        loop {
            self.launch()?;
            if self.listens_in_time(begun)? {
                return Ok(());
            }
            // What is left of a server that was killed may have the folder for a moment.
            std::thread::sleep(LOOKING);
        }
    }

    /// Whether it takes connections; false if it has ended instead.
    fn listens_in_time(&mut self, begun: Instant) -> Result<bool, NoCluster> {
        while psql(&self.url(), "SELECT 1").is_err() {
            if begun.elapsed() > MAX_START {
                let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                return Err(NoCluster::Failed(format!("PostgreSQL does not start: {log}")));
            }
            if self.pid().is_none() && begun.elapsed() > Duration::from_secs(1) {
                self.stop();
                return Ok(false);
            }
            std::thread::sleep(LOOKING);
        }
        Ok(true)
    }

    fn make(&self) -> Result<(), NoCluster> {
        let mut initdb = self.program("initdb");
        initdb.args(["--auth=trust", "--username=postgres", "--no-sync", "--encoding=UTF8", "--locale=C"]);
        run(initdb.arg("--pgdata").arg(self.data())).map(|_| ())
    }

    fn launch(&mut self) -> Result<(), NoCluster> {
        let log = std::fs::File::options().create(true).append(true).open(self.folder.join("log"));
        let log = log.map_err(|error| failed("the log cannot be written", error))?;
        let mut keeper = self.as_user(Command::new("sh"));
        keeper.args(["-c", KEEPER, "keeper"]).arg(self.programs.join("postgres"));
        keeper.arg("-D").arg(self.data()).arg("-k").arg(&self.folder);
        // After being killed it syncs its whole folder: file by file, that would take seconds.
        keeper.args(["-c", "recovery_init_sync_method=syncfs"]);
        // A standby whose primary was away looks for it again this often; five seconds are usual.
        keeper.args(["-c", "wal_retrieve_retry_interval=200ms"]);
        keeper.args(["-c", "max_connections=200"]);
        match self.port {
            Some(port) => keeper.args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1"]),
            None => keeper.args(["-c", "listen_addresses="]),
        };
        keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        let mut keeper = keeper.spawn().map_err(|error| failed("PostgreSQL cannot be run", error))?;
        let input = keeper.stdin.take().ok_or_else(|| NoCluster::Failed("the input is gone".to_owned()))?;
        self.keeper = Some((keeper, input));
        Ok(())
    }

    /// The process of the server, if it runs.
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

    /// Lets go of the keeper, who stops the server, and waits for both.
    fn stop(&mut self) {
        if let Some((mut keeper, input)) = self.keeper.take() {
            drop(input);
            let _ = keeper.wait();
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.freeze(false);
        self.stop();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Names a PostgreSQL for tests, as an address with a user who may make schemas.
pub const TEST_VARIABLE: &str = "INTERMEZZO_TEST_POSTGRES";

/// A PostgreSQL that tests share: the one they are [given](TEST_VARIABLE), or one of their own.
pub struct Shared {
    url: String,
    _own: Option<Cluster>,
}

impl Shared {
    /// Finds or starts one. Without PostgreSQL there is none, and whoever reads the output is told.
    #[allow(clippy::print_stderr, reason = "tests are left out aloud")]
    pub fn find() -> Result<Option<Shared>, NoCluster> {
        if let Ok(url) = std::env::var(TEST_VARIABLE) {
            return Ok(Some(Shared { url, _own: None }));
        }
        match Cluster::start() {
            Ok(cluster) => Ok(Some(Shared { url: cluster.url(), _own: Some(cluster) })),
            Err(NoCluster::Missing(why)) => {
                eprintln!("left out: {why}");
                Ok(None)
            }
            Err(failed) => Err(failed),
        }
    }

    /// Makes empty schemas, and tells where to connect so that tables are in them.
    pub fn schemas(&self, names: &[String]) -> Result<Vec<String>, NoCluster> {
        let names: Vec<String> = names.iter().map(|name| own(name)).collect();
        let make = names.iter().map(|name| format!("CREATE SCHEMA {name};")).collect::<String>();
        psql(&self.url, &make)?;
        let joint = if self.url.contains('?') { '&' } else { '?' };
        let url = |name: &String| format!("{}{joint}options=-csearch_path%3D{name}", self.url);
        Ok(names.iter().map(url).collect())
    }

    /// Removes schemas and all that is in them.
    pub fn remove_schemas(&self, names: &[String]) -> Result<(), NoCluster> {
        let names: Vec<String> = names.iter().map(|name| own(name)).collect();
        let remove = format!("DROP SCHEMA {} CASCADE", names.join(", "));
        psql(&self.url, &format!("SET client_min_messages = warning; {remove}")).map(|_| ())
    }
}

/// A name that no other process uses.
fn own(name: &str) -> String {
    format!("{name}_{}", std::process::id())
}

/// Runs SQL at a place and tells what it prints.
pub fn psql(url: &str, sql: &str) -> Result<String, NoCluster> {
    run(Command::new("psql").args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]).args([
        "--set",
        "ON_ERROR_STOP=1",
        "--command",
        sql,
        url,
    ]))
}

/// Where the programs of the newest version are.
fn programs() -> Option<PathBuf> {
    let version = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?.flatten().map(|entry| entry.path());
    let newest = versions.filter(|path| path.join("bin/initdb").is_file()).max_by_key(|path| version(path));
    newest.map(|path| path.join("bin"))
}

fn whom_to_run_as() -> Result<Option<User>, NoCluster> {
    let me = run(Command::new("id").arg("-u"))?;
    if me.trim() != "0" {
        return Ok(None);
    }
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let postgres = accounts.lines().find(|line| line.starts_with("postgres:"));
    let user = postgres.and_then(|line| {
        let mut parts = line.split(':').skip(2);
        Some(User { id: parts.next()?.parse().ok()?, group: parts.next()?.parse().ok()? })
    });
    user.map(Some).ok_or(NoCluster::Missing("there is no user `postgres` to run PostgreSQL as"))
}

/// A new folder that belongs to a user.
fn new_folder(user: Option<User>) -> std::io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("intermezzo-cluster-{}-{count}", std::process::id()));
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

/// Runs a program to its end and tells what it printed.
fn run(command: &mut Command) -> Result<String, NoCluster> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| failed(&format!("`{name}` cannot be run"), error))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(NoCluster::Failed(format!("`{name}` failed: {}", told.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[allow(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn failed(what: &str, error: std::io::Error) -> NoCluster {
    NoCluster::Failed(format!("{what}: {error}"))
}
