//! The page: its types, its build, its tests, and the server that embeds it. Start with [`serve`].
//!
//! All npm commands run in `web`. Packages and builds that are up to date are not repeated.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use crate::check::StepResult;
use crate::{cargo, root, succeeds, target};

/// The files from which the page is built.
const SOURCES: &[&str] = &[
    "package-lock.json",
    "tsconfig.base.json",
    "sdk/package.json",
    "sdk/src",
    "page/package.json",
    "page/index.html",
    "page/vite.config.ts",
    "page/svelte.config.js",
    "page/compress.ts",
    "page/public",
    "page/src",
];
/// Written by every build of the page.
const BUILT: &str = "page/dist/files/index.html";
const GENERATED: &str = "sdk/src/generated";
/// Names of suitable browsers, in order of preference.
const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// Builds the page and a server, quickly, and runs the server.
pub(crate) fn serve(flags: &[&str]) -> bool {
    if !build() {
        return false;
    }
    let program = cargo().args(["build", "--profile", "serve", "--package", "intermezzo-cli"]).status();
    if !program.is_ok_and(|status| status.success()) {
        return false;
    }
    let mut server = Command::new(target().join("serve/intermezzo"));
    succeeds(server.current_dir(root()).arg("serve").args(flags))
}

/// Builds the page and a server for distribution, and prints its path and size.
pub(crate) fn dist() -> bool {
    let mut program = cargo();
    program.args(["build", "--profile", "dist", "--package", "intermezzo-cli", "--features", "otlp"]);
    if !build() || !succeeds(&mut program) {
        return false;
    }
    let path = target().join("dist").join(format!("intermezzo{}", std::env::consts::EXE_SUFFIX));
    let bytes = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
    println!("{} ({:.1} MB)", path.display(), bytes as f64 / 1e6);
    true
}

/// Builds the page if a source file has changed.
pub(crate) fn build() -> bool {
    if !install_packages() {
        return false;
    }
    let newest = SOURCES.iter().filter_map(|source| newest(&web().join(source))).max();
    if modified(&web().join(BUILT)) > newest {
        return true;
    }
    println!("── building the page");
    succeeds(npm().args(["run", "build"]))
}

/// Generates the SDK's wire types from the server's OpenAPI and AsyncAPI documents.
pub(crate) fn types() -> bool {
    install_packages() && write_types(&web().join(GENERATED))
}

/// Runs all checks of the page that need no browser.
pub(crate) fn check() -> bool {
    if !install_packages() || !build_program() || !check_types() {
        return false;
    }
    let commands: [&[&str]; 3] =
        [&["run", "check"], &["test"], &["run", "build", "--workspace", "@intermezzo/sdk"]];
    let results = commands.map(|command| succeeds(npm().args(command).env("INTERMEZZO_BIN", program())));
    let editor = check_editor();
    build() && editor && results.iter().all(|has_passed| *has_passed)
}

/// Drives the language server with the client library of Visual Studio Code.
fn check_editor() -> bool {
    let folder = root().join("editors/vscode");
    let in_folder = || {
        let mut npm = Command::new("npm");
        npm.current_dir(&folder).arg("--silent");
        npm
    };
    let installed = modified(&folder.join("node_modules/.package-lock.json"));
    let is_installed = installed > modified(&folder.join("package-lock.json"));
    // The tool that packages the extension is not needed.
    let install = ["ci", "--omit=dev", "--no-audit", "--no-fund"];
    (is_installed || succeeds(in_folder().args(install)))
        && succeeds(in_folder().arg("test").env("INTERMEZZO_BIN", program()))
}

/// Tests the page in a real browser.
pub(crate) fn browse() -> StepResult {
    browse_with(None)
}

/// Retakes the README's pictures with the browser tests.
pub(crate) fn pictures() -> bool {
    let folder = root().join("docs/pictures");
    std::fs::create_dir_all(&folder).is_ok() && browse_with(Some(folder)) == StepResult::Passed
}

fn browse_with(folder: Option<PathBuf>) -> StepResult {
    let Some(browser) = browser() else {
        return StepResult::Skipped(
            "Chromium is not installed and could not be installed; set `CHROMIUM` to its path",
        );
    };
    if !build() || !build_program() {
        return StepResult::Failed;
    }
    let mut tests = npm();
    tests.args(["run", "e2e"]).env("INTERMEZZO_BIN", program()).env("CHROMIUM", browser);
    tests.envs(folder.map(|folder| ("PICTURES", folder)));
    succeeds(&mut tests).into()
}

fn web() -> PathBuf {
    root().join("web")
}

fn npm() -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(web()).arg("--silent");
    npm
}

/// Returns the path of the debug server, which reads the page from its folder.
fn program() -> PathBuf {
    target().join("debug/intermezzo")
}

fn build_program() -> bool {
    succeeds(cargo().args(["build", "--quiet", "--package", "intermezzo-cli"]))
}

/// Installs the npm packages of the page unless they are up to date.
fn install_packages() -> bool {
    // npm writes the inner lock file last.
    let installed = modified(&web().join("node_modules/.package-lock.json"));
    if installed > modified(&web().join("package-lock.json")) {
        return true;
    }
    println!("── installing the npm packages of the page");
    let has_succeeded = succeeds(npm().args(["ci", "--no-audit", "--no-fund"]));
    if !has_succeeded {
        println!("building the page needs Node 20.19 or later with npm: https://nodejs.org");
    }
    has_succeeded
}

fn write_types(folder: &Path) -> bool {
    let documents = ["openapi", "asyncapi"].map(|name| (name, target().join(format!("{name}.json"))));
    for (name, path) in &documents {
        let document = std::fs::File::create(path);
        let Ok(document) = document else {
            println!("cannot write {}", path.display());
            return false;
        };
        let mut schema = cargo();
        schema.args(["run", "--quiet", "--package", "intermezzo-cli", "--", "schema", name]);
        if !succeeds(schema.stdout(document)) {
            return false;
        }
    }
    let mut types = Command::new("node");
    types.current_dir(web().join("sdk")).arg("scripts/types.mjs");
    succeeds(types.args(documents.map(|(_, path)| path)).arg(folder))
}

/// Compares the committed types with newly generated ones. Returns true if they are equal.
fn check_types() -> bool {
    let generated = target().join("types");
    if !write_types(&generated) {
        return false;
    }
    let read = |folder: &Path, name: &str| std::fs::read(folder.join(name)).ok();
    let committed = web().join(GENERATED);
    let is_fresh =
        ["http.ts", "frames.ts"].iter().all(|name| read(&generated, name) == read(&committed, name));
    if !is_fresh {
        println!("the types in web/{GENERATED} differ from the server's: run `cargo xtask types`");
    }
    is_fresh
}

/// Returns a browser for tests, after installing one if necessary and possible.
fn browser() -> Option<PathBuf> {
    find_browser().or_else(|| {
        println!("── installing Chromium");
        let mut install = Command::new("apt-get");
        install.args(["install", "--yes", "--quiet", "--no-install-recommends", "chromium"]);
        let installed = install.stdout(Stdio::null()).stderr(Stdio::null()).status();
        installed.ok().filter(std::process::ExitStatus::success).and_then(|_| find_browser())
    })
}

fn find_browser() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let found = || {
        BROWSERS
            .iter()
            .find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|program| program.is_file()))
    };
    named.or_else(found)
}

/// Returns when a file was last written. `None`, for a missing file, is less than any time.
fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

/// Returns when a file, or anything in a folder, was last written.
fn newest(path: &Path) -> Option<SystemTime> {
    let Ok(entries) = std::fs::read_dir(path) else { return modified(path) };
    // The folder itself counts too, because removing a file changes only the folder.
    entries.flatten().filter_map(|entry| newest(&entry.path())).chain(modified(path)).max()
}
