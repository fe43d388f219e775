//! End-to-end tests of the built program.

mod bots;
mod cards;
mod check;
mod grids;
mod hidden_information;
mod new_ruleset;
mod play;
mod readme;
mod saved;
mod serve;
mod simulate;
mod store;
mod undo;
mod user_errors;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Exit code and output of one run of the program.
struct CommandRun {
    code: i32,
    out: String,
    err: String,
}

impl CommandRun {
    /// Returns everything, for messages of failed tests.
    fn all(&self) -> String {
        format!("exit {}\n--- out\n{}\n--- err\n{}", self.code, self.out, self.err)
    }

    /// Asserts the exit code.
    #[track_caller]
    fn exits(self, code: i32) -> CommandRun {
        assert_eq!(self.code, code, "{}", self.all());
        self
    }

    /// Asserts that the text occurs in the output.
    #[track_caller]
    fn says(self, text: &str) -> CommandRun {
        assert!(self.out.contains(text) || self.err.contains(text), "`{text}` is missing\n{}", self.all());
        self
    }
}

/// Runs the program in the root of the repository.
fn intermezzo(args: &[&str]) -> CommandRun {
    typed(args, "")
}

/// Runs the program in the root of the repository with text on standard input.
fn typed(args: &[&str], input: &str) -> CommandRun {
    run_in(&repository(), args, input)
}

fn run_in(folder: &Path, args: &[&str], input: &str) -> CommandRun {
    run_with(folder, args, input, &[])
}

fn run_with(folder: &Path, args: &[&str], input: &str, environment: &[(&str, &str)]) -> CommandRun {
    let mut child = Command::new(env!("CARGO_BIN_EXE_intermezzo"))
        .args(args)
        .envs(environment.iter().copied())
        .current_dir(folder)
        .env_remove("INTERMEZZO_RULESETS")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built");
    // The program may exit before it has read everything.
    let _ = child.stdin.take().expect("standard input is a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
    CommandRun {
        code: output.status.code().expect("the program exits"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository exists")
}

/// Creates an empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for tests can be written");
    folder
}

/// Creates a file in a new folder.
fn file(folder_name: &str, name: &str, text: &str) -> PathBuf {
    let path = folder(folder_name).join(name);
    std::fs::write(&path, text).expect("the folder for tests can be written");
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("paths of tests are plain")
}

/// Answers of two players in a duel that seat 0 wins: its attacks meet empty slots in three rounds.
const DUEL: &str = "1 - -\n- - -\n1 - -\n- - -\nattack - -\n- - -\n";

/// Plays that duel and saves it.
fn saved_duel(name: &str) -> PathBuf {
    let path = folder(name).join("duel.json");
    let args = ["play", "orcain", "--humans", "0,1", "--seed", "5", "--save", text(&path)];
    typed(&args, DUEL).exits(0).says("The match is over: normal");
    path
}
