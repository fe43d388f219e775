//! `intermezzo new`: creates a small playable ruleset.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::Context;
use crate::failure::{CliError, ExitStatus};
use crate::out::{GOOD, say};

const RULESET: &str = include_str!("new/ruleset.yaml");
const SCENARIO: &str = include_str!("new/first.yaml");

#[derive(Args)]
#[command(after_help = "\
Creates DIR/ruleset.yaml, a complete small game with comments, and DIR/scenarios/first.yaml.
Existing files are never overwritten.

Example:
  intermezzo new my-game
  intermezzo check my-game && intermezzo test my-game
  intermezzo play my-game")]
pub(crate) struct NewArgs {
    /// Folder to create
    dir: PathBuf,
    /// Id of the ruleset [default: the name of the folder]
    #[arg(long)]
    id: Option<String>,
}

impl NewArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let id = self.id()?;
        let files = [
            (self.dir.join("ruleset.yaml"), fill(RULESET, &id)),
            (self.dir.join("scenarios").join("first.yaml"), fill(SCENARIO, &id)),
        ];
        // Check all files before writing any, so that a failure leaves no half-written ruleset.
        if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
            let failure = CliError::cannot_write(path, "the file already exists");
            return Err(failure.hint("choose another folder"));
        }
        for (path, text) in &files {
            write(path, text).map_err(|error| CliError::cannot_write(path, error))?;
        }
        let out = &mut context.out;
        let dir = self.dir.display();
        say!(out, "{GOOD}created{GOOD:#} {}", files[0].0.display());
        say!(out, "{GOOD}created{GOOD:#} {}", files[1].0.display());
        say!(out, "next: intermezzo check {dir}; intermezzo test {dir}; intermezzo play {dir}");
        Ok(ExitStatus::Success)
    }

    fn id(&self) -> Result<String, CliError> {
        // Make the path absolute, because `.` has no file name.
        let folder = std::path::absolute(&self.dir).unwrap_or_else(|_| self.dir.clone());
        let folder = folder.file_name().and_then(|name| name.to_str());
        let given = self.id.as_deref().or(folder).unwrap_or_default();
        let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        let is_id =
            given.starts_with(|first: char| first.is_ascii_lowercase()) && given.chars().all(is_plain);
        if is_id {
            return Ok(given.to_owned());
        }
        let failure = CliError::usage(format!("`{given}` is not a valid ruleset id"));
        Err(failure
            .hint("an id has lower-case letters, digits and `-`, and starts with a letter: --id my-game"))
    }
}

/// Fills the id and a display name into a template.
fn fill(template: &str, id: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect::<String>())
    };
    let name = id.split('-').map(word).collect::<Vec<_>>().join(" ");
    template.replace("MY_ID", id).replace("MY_NAME", name.trim())
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::File::create_new(path)?.write_all(text.as_bytes())
}
