//! `intermezzo fmt`: formats ruleset and scenario files.

use std::path::{Path, PathBuf};

use clap::Args;
use intermezzo_compiler::{Ruleset, format, render};

use crate::Context;
use crate::failure::{CliError, ExitStatus};
use crate::out::{BAD, count, say};

#[derive(Args)]
#[command(after_help = "\
Examples:
  intermezzo fmt my-game           format all YAML files of a folder and its subfolders
  intermezzo fmt my-game --check   for CI: list files that are not formatted, and change nothing

Formatting sets indentation, spaces and blank lines. It keeps line breaks, comments and quotes, and the content
of the files stays the same. Exits with 1 if a file cannot be read as YAML or, with --check, is not formatted.")]
pub(crate) struct FmtArgs {
    /// Files or folders [default: the folder of rulesets]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Change nothing; list the files that are not formatted
    #[arg(long)]
    check: bool,
}

impl FmtArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let paths = if self.paths.is_empty() { vec![context.rulesets.clone()] } else { self.paths.clone() };
        let mut files = Vec::new();
        for path in &paths {
            add_files(path, &mut files)?;
        }
        let (mut changed, mut unreadable) = (0, 0);
        for file in &files {
            let text = std::fs::read_to_string(file).map_err(|error| CliError::cannot_read(file, error))?;
            let formatted = match format(&text) {
                Ok(formatted) => formatted,
                Err(_) => {
                    unreadable += 1;
                    show_problems(context, file, &text);
                    continue;
                }
            };
            if formatted == text {
                continue;
            }
            changed += 1;
            let out = &mut context.out;
            if self.check {
                say!(out, "{BAD}not formatted{BAD:#} {}", file.display());
            } else {
                std::fs::write(file, formatted).map_err(|error| CliError::cannot_write(file, error))?;
                say!(out, "formatted {}", file.display());
            }
        }
        let out = &mut context.out;
        say!(
            out,
            "{}, {changed} {}",
            count(files.len(), "file"),
            if self.check { "not formatted" } else { "changed" }
        );
        let is_bad = unreadable > 0 || self.check && changed > 0;
        Ok(if is_bad { ExitStatus::Problems } else { ExitStatus::Success })
    }
}

fn show_problems(context: &mut Context, file: &Path, text: &str) {
    let mut ruleset = Ruleset::from_files(&[]);
    if let Err(problems) = ruleset.parse_extra_file(&file.display().to_string(), text.as_bytes()) {
        context.out.text(render(&problems, ruleset.sources(), true));
    }
}

/// Adds a YAML file, or those of a folder and its subfolders.
fn add_files(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), CliError> {
    if !path.is_dir() {
        if !path.exists() {
            return Err(CliError::cannot_read(path, "no such file or folder"));
        }
        files.push(path.to_owned());
        return Ok(());
    }
    let entries = std::fs::read_dir(path).map_err(|error| CliError::cannot_read(path, error))?;
    let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    inside.sort();
    for inner in inside {
        let is_yaml = inner.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        if inner.is_dir() || is_yaml {
            add_files(&inner, files)?;
        }
    }
    Ok(())
}
