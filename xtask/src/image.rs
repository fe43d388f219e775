//! The container image without a container: runs the Dockerfile's own build commands in a clean folder that holds what
//! Docker would see, then starts the result with the image's own command and health check.
//!
//! Commands that need another system (packages and users of the final stage) are left out. `cargo xtask image` does all of
//! it. As a step of the checks, the server's sources are only checked in the clean folder, because an optimised build takes
//! minutes, and the debug server is started instead.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{root, succeeds, target};

/// Stands for the port in the image, because 8080 may be in use.
const PORT: &str = "18086";

/// How the server is built.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ServerBuild {
    /// As the Dockerfile says.
    Full,
    /// The compiler reads the sources, and the debug server stands for the result.
    CheckOnly,
}

/// Builds what the image contains, starts it and asks whether it is healthy.
pub(crate) fn build_all() -> bool {
    build_in_clean_folder(ServerBuild::Full)
}

/// Does the same quickly.
pub(crate) fn check() -> bool {
    build_in_clean_folder(ServerBuild::CheckOnly)
}

fn build_in_clean_folder(server_build: ServerBuild) -> bool {
    let folder = target().join("image");
    let _ = std::fs::remove_dir_all(&folder);
    let result = std::fs::read_to_string(root().join("deploy/Dockerfile"))
        .map_err(|error| format!("deploy/Dockerfile: {error}"))
        .and_then(|text| build_and_start(&parse(&text), &folder, server_build));
    let _ = std::fs::remove_dir_all(&folder);
    if let Err(problem) = &result {
        println!("deploy/Dockerfile: {problem}");
    }
    result.is_ok()
}

/// An instruction of a Dockerfile: its word and its arguments in one line.
struct Instruction {
    word: String,
    arguments: String,
}

/// The instructions from one `FROM` to the next.
struct Stage {
    name: String,
    instructions: Vec<Instruction>,
}

fn parse(text: &str) -> Vec<Stage> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let joined = lines.collect::<Vec<&str>>().join("\n").replace("\\\n", " ");
    let mut stages: Vec<Stage> = Vec::new();
    for line in joined.lines() {
        let Some((word, arguments)) = line.trim().split_once(' ') else { continue };
        if word == "FROM" {
            let name = arguments.rsplit_once(" AS ").map_or(arguments, |(_, name)| name);
            stages.push(Stage { name: name.to_owned(), instructions: Vec::new() });
        } else if let Some(stage) = stages.last_mut() {
            let instruction = Instruction { word: word.to_owned(), arguments: arguments.trim().to_owned() };
            stage.instructions.push(instruction);
        }
    }
    stages
}

fn build_and_start(stages: &[Stage], folder: &Path, server_build: ServerBuild) -> Result<(), String> {
    let context = folder.join("context");
    copy_context(&context)?;
    let Some((last, build_stages)) = stages.split_last() else { return Err("has no stage".to_owned()) };
    for stage in build_stages {
        build(stage, folder, &context, server_build)?;
    }
    let program = match server_build {
        ServerBuild::Full => folder.join("server/intermezzo/target/dist/intermezzo"),
        ServerBuild::CheckOnly => target().join("debug/intermezzo"),
    };
    start(last, &program, &folder.join("data"))
}

/// Copies the files that Docker would see: those of the repository that `.dockerignore` does not exclude.
fn copy_context(context: &Path) -> Result<(), String> {
    let ignored = std::fs::read_to_string(root().join(".dockerignore"))
        .map_err(|error| format!("cannot read .dockerignore: {error}"))?;
    let ignored: Vec<&str> =
        ignored.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let mut list = Command::new("git");
    list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root());
    let files = list.output().map_err(|error| format!("git: {error}"))?.stdout;
    let files = String::from_utf8_lossy(&files).into_owned();
    for file in files.split('\0').filter(|file| !file.is_empty()) {
        let source = root().join(file);
        if !ignored.iter().any(|pattern| excludes(pattern, file)) && source.is_file() {
            copy_file(&source, &context.join(file))?;
        }
    }
    Ok(())
}

/// Returns true if a pattern of `.dockerignore` excludes a file. Only plain paths and a leading `**/` are used there.
fn excludes(pattern: &str, file: &str) -> bool {
    match pattern.strip_prefix("**/") {
        Some(name) => file.split('/').any(|part| part == name),
        None => file == pattern || file.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('/')),
    }
}

/// Carries out the instructions of a stage below a folder of its own.
fn build(stage: &Stage, folder: &Path, context: &Path, server_build: ServerBuild) -> Result<(), String> {
    let stage_root = folder.join(&stage.name);
    let mut working_folder = stage_root.clone();
    for Instruction { word, arguments } in &stage.instructions {
        match word.as_str() {
            "WORKDIR" => working_folder = inside(&stage_root, arguments),
            "COPY" => {
                let from_stage = arguments.strip_prefix("--from=").and_then(|rest| rest.split_once(' '));
                let (source_root, paths) = match from_stage {
                    Some((name, paths)) => (folder.join(name), paths),
                    None => (context.to_owned(), arguments.as_str()),
                };
                let (source, destination) =
                    paths.split_once(' ').ok_or_else(|| format!("COPY {arguments} has no destination"))?;
                copy_folder(&inside(&source_root, source), &working_folder.join(destination))?;
            }
            "RUN" => run(arguments, &working_folder, server_build)?,
            "ARG" => {}
            _ => return Err(format!("stage {} has {word}, which this check does not know", stage.name)),
        }
    }
    Ok(())
}

/// Returns a path of the image below the folder that stands for the image's root.
fn inside(folder: &Path, path: &str) -> PathBuf {
    folder.join(path.trim_start_matches('/'))
}

fn run(command: &str, folder: &Path, server_build: ServerBuild) -> Result<(), String> {
    let mut shell = Command::new("sh");
    let command = match server_build {
        ServerBuild::Full => command.replace("${PROFILE}", "dist"),
        ServerBuild::CheckOnly => {
            // Dependencies are the repository's, so they are not checked again.
            shell.env("CARGO_TARGET_DIR", target());
            command.replace("cargo build", "cargo check").replace("${PROFILE}", "dev")
        }
    };
    println!("── {command}");
    shell.args(["-c", &command]).current_dir(folder).stdout(Stdio::null());
    if succeeds(&mut shell) { Ok(()) } else { Err(format!("`{command}` failed")) }
}

/// Starts the program as the final stage says, and waits until its health check passes.
fn start(stage: &Stage, program: &Path, data: &Path) -> Result<(), String> {
    let find = |word: &str| stage.instructions.iter().find(|instruction| instruction.word == word);
    let missing = |word: &str| format!("the final stage has no {word}");
    for word in ["USER", "VOLUME", "EXPOSE", "ENTRYPOINT"] {
        find(word).ok_or_else(|| missing(word))?;
    }
    let command = find("CMD").ok_or_else(|| missing("CMD"))?;
    let arguments: Vec<String> =
        serde_json::from_str(&command.arguments).map_err(|error| format!("CMD: {error}"))?;
    let settings = find("ENV").ok_or_else(|| missing("ENV"))?;
    let settings: BTreeMap<&str, String> = settings
        .arguments
        .split_whitespace()
        .filter_map(|setting| setting.split_once('='))
        .map(|(name, value)| (name, value.replace("8080", PORT)))
        .collect();
    let health = find("HEALTHCHECK").ok_or_else(|| missing("HEALTHCHECK"))?;
    let (_, health) = health.arguments.split_once("CMD ").ok_or("the health check has no command")?;
    std::fs::create_dir_all(data).map_err(|error| format!("{}: {error}", data.display()))?;
    let mut server = Command::new(program);
    server.args(arguments).envs(settings).current_dir(data).stdout(Stdio::null()).stderr(Stdio::null());
    let server = server.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
    wait_until_healthy(&health.replace("8080", PORT), StartedServer(server), data)
}

/// Stops the server when it is dropped.
struct StartedServer(Child);

impl Drop for StartedServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_until_healthy(health: &str, server: StartedServer, data: &Path) -> Result<(), String> {
    for _ in 0..60 {
        let mut check = Command::new("sh");
        check.args(["-c", health]).stdout(Stdio::null()).stderr(Stdio::null());
        if check.status().is_ok_and(|status| status.success()) {
            let page = format!("curl --fail --silent --header 'accept: text/html' http://localhost:{PORT}/");
            let page = Command::new("sh").args(["-c", &page]).output();
            let has_page =
                page.is_ok_and(|page| String::from_utf8_lossy(&page.stdout).contains("/page/assets/"));
            let is_stored = data.join("intermezzo-data").is_dir();
            drop(server);
            return match (has_page, is_stored) {
                (true, true) => Ok(()),
                (false, _) => Err("the server has no page".to_owned()),
                (true, false) => Err("the server does not store its data in the volume".to_owned()),
            };
        }
        std::thread::sleep(Duration::from_millis(250));
    }
    Err(format!("`{health}` does not pass"))
}

fn copy_file(source: &Path, destination: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot copy {}: {error}", source.display());
    if let Some(folder) = destination.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::copy(source, destination).map(drop).map_err(failed)
}

fn copy_folder(source: &Path, destination: &Path) -> Result<(), String> {
    let entries = std::fs::read_dir(source).map_err(|error| format!("COPY {}: {error}", source.display()))?;
    for entry in entries {
        let entry = entry.map_err(|error| format!("COPY {}: {error}", source.display()))?;
        let (path, destination) = (entry.path(), destination.join(entry.file_name()));
        // Links in installed packages point to what is copied, too.
        if path.is_dir() && !path.is_symlink() {
            copy_folder(&path, &destination)?;
        } else if path.is_file() {
            copy_file(&path, &destination)?;
        }
    }
    Ok(())
}
