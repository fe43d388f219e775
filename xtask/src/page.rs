//! The page: its types, its build, its tests, and the server that has it inside. Start with [`serve`].
//!
//! Everything that npm does happens in `web`. What is there already and still fits is not made again.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use crate::check::Verdict;
use crate::{cargo, root, succeeds, target};

/// What the built page follows from.
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
/// Browsers that will do, in the order in which they are looked for.
const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// Builds the page and the server as they are used, and runs the server.
pub(crate) fn serve(flags: &[&str]) -> bool {
    if !build() {
        return false;
    }
    let program = cargo().args(["build", "--release", "--package", "intermezzo-cli"]).status();
    if !program.is_ok_and(|status| status.success()) {
        return false;
    }
    let mut server = Command::new(target().join("release/intermezzo"));
    succeeds(server.current_dir(root()).arg("serve").args(flags))
}

/// Builds the page, if anything it follows from has changed.
pub(crate) fn build() -> bool {
    if !has_packages() {
        return false;
    }
    let newest = SOURCES.iter().filter_map(|source| newest(&web().join(source))).max();
    if changed(&web().join(BUILT)) > newest {
        return true;
    }
    println!("── building the page");
    succeeds(npm().args(["run", "build"]))
}

/// Writes the types of the wire from the server's documents.
pub(crate) fn types() -> bool {
    has_packages() && write_types(&web().join(GENERATED))
}

/// Everything that can be tested without a browser.
pub(crate) fn check() -> bool {
    if !has_packages() || !has_program() || !has_fresh_types() {
        return false;
    }
    let parts: [&[&str]; 3] =
        [&["run", "check"], &["test"], &["run", "build", "--workspace", "@intermezzo/sdk"]];
    let parts = parts.map(|part| succeeds(npm().args(part).env("INTERMEZZO_BIN", program())));
    build() && parts.iter().all(|is_fine| *is_fine)
}

/// The page in a real browser.
pub(crate) fn browse() -> Verdict {
    browse_with(None)
}

/// Takes the pictures of the page that the README shows: the same stories, seen by the same browser.
pub(crate) fn pictures() -> bool {
    let shelf = root().join("docs/pictures");
    std::fs::create_dir_all(&shelf).is_ok() && browse_with(Some(shelf)) == Verdict::Fine
}

fn browse_with(shelf: Option<PathBuf>) -> Verdict {
    let Some(browser) = browser() else {
        return Verdict::LeftOut(
            "no Chromium was found, and none could be installed; `CHROMIUM` may say where one is",
        );
    };
    if !build() || !has_program() {
        return Verdict::Wrong;
    }
    let mut tests = npm();
    tests.args(["run", "e2e"]).env("INTERMEZZO_BIN", program()).env("CHROMIUM", browser);
    tests.envs(shelf.map(|shelf| ("PICTURES", shelf)));
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

/// The server as it is built for tests. It reads the page from its folder.
fn program() -> PathBuf {
    target().join("debug/intermezzo")
}

fn has_program() -> bool {
    succeeds(cargo().args(["build", "--quiet", "--package", "intermezzo-cli"]))
}

/// Installs what the page is built with, unless it is there already.
fn has_packages() -> bool {
    // npm writes the inner one when it is done.
    let installed = changed(&web().join("node_modules/.package-lock.json"));
    if installed > changed(&web().join("package-lock.json")) {
        return true;
    }
    println!("── installing what the page is built with");
    let is_fine = succeeds(npm().args(["ci", "--no-audit", "--no-fund"]));
    if !is_fine {
        println!("the page is built with Node 20.19 or later and its npm: https://nodejs.org");
    }
    is_fine
}

fn write_types(folder: &Path) -> bool {
    let documents = ["openapi", "asyncapi"].map(|name| (name, target().join(format!("{name}.json"))));
    for (name, path) in &documents {
        let document = std::fs::File::create(path);
        let Ok(document) = document else {
            println!("{}: cannot be written", path.display());
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

/// Whether the types that are kept are those the server has now.
fn has_fresh_types() -> bool {
    let made = target().join("types");
    if !write_types(&made) {
        return false;
    }
    let read = |folder: &Path, name: &str| std::fs::read(folder.join(name)).ok();
    let kept = web().join(GENERATED);
    let is_fresh = ["http.ts", "frames.ts"].iter().all(|name| read(&made, name) == read(&kept, name));
    if !is_fresh {
        println!(
            "the types in web/{GENERATED} are not those of the server any more: run `cargo xtask types`"
        );
    }
    is_fresh
}

/// A browser for tests, installed if there is none and that is possible.
fn browser() -> Option<PathBuf> {
    known_browser().or_else(|| {
        println!("── installing Chromium");
        let mut install = Command::new("apt-get");
        install.args(["install", "--yes", "--quiet", "--no-install-recommends", "chromium"]);
        let installed = install.stdout(Stdio::null()).stderr(Stdio::null()).status();
        installed.ok().filter(std::process::ExitStatus::success).and_then(|_| known_browser())
    })
}

fn known_browser() -> Option<PathBuf> {
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

/// When a file was last written. Nothing if there is none, which is before everything.
fn changed(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

/// When a file, or anything in a folder, was last written.
fn newest(path: &Path) -> Option<SystemTime> {
    let Ok(entries) = std::fs::read_dir(path) else { return changed(path) };
    // The folder itself counts too: it changes when something is removed.
    entries.flatten().filter_map(|entry| newest(&entry.path())).chain(changed(path)).max()
}
