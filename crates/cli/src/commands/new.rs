//! `intermezzo new`: a tiny ruleset that plays, to grow from.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::out::{GOOD, say};

const RULESET: &str = include_str!("new/ruleset.yaml");
const SCENARIO: &str = include_str!("new/first.yaml");

#[derive(Args)]
#[command(after_help = "\
Makes DIR/ruleset.yaml, a complete little game with comments, and DIR/scenarios/first.yaml, which
plays it. Nothing is ever overwritten.

Example:
  intermezzo new my-game
  intermezzo check my-game && intermezzo test my-game
  intermezzo play my-game")]
pub(crate) struct New {
    /// The folder to make
    dir: PathBuf,
    /// What the ruleset is called in files and on the wire [default: the name of the folder]
    #[arg(long)]
    id: Option<String>,
}

impl New {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let id = self.id()?;
        let files = [
            (self.dir.join("ruleset.yaml"), fill(RULESET, &id)),
            (self.dir.join("scenarios").join("first.yaml"), fill(SCENARIO, &id)),
        ];
        // All are looked at before any is written: half a ruleset helps nobody.
        if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
            let failure = Failure::unwritten(path, "it exists already, and nothing is overwritten");
            return Err(failure.hint("choose another folder"));
        }
        for (path, text) in &files {
            write(path, text).map_err(|error| Failure::unwritten(path, error))?;
        }
        let out = &mut context.out;
        let dir = self.dir.display();
        say!(out, "{GOOD}made{GOOD:#} {}", files[0].0.display());
        say!(out, "{GOOD}made{GOOD:#} {}", files[1].0.display());
        say!(out, "next: intermezzo check {dir}; intermezzo test {dir}; intermezzo play {dir}");
        Ok(Exit::Fine)
    }

    fn id(&self) -> Result<String, Failure> {
        // `.` is a folder with a name, too.
        let folder = std::path::absolute(&self.dir).unwrap_or_else(|_| self.dir.clone());
        let folder = folder.file_name().and_then(|name| name.to_str());
        let given = self.id.as_deref().or(folder).unwrap_or_default();
        let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        let is_id =
            given.starts_with(|first: char| first.is_ascii_lowercase()) && given.chars().all(is_plain);
        if is_id {
            return Ok(given.to_owned());
        }
        let failure = Failure::usage(format!("`{given}` cannot be the id of a ruleset"));
        Err(failure
            .hint("ids have lower-case letters, digits and `-`, and begin with a letter: --id my-game"))
    }
}

/// Puts the id and a name made of it into a template.
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
