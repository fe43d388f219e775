//! Saved matches and the rules they were played with.

use std::path::Path;
use std::sync::Arc;

use intermezzo_matchfile::{MatchFile, ReadError, read_bytes};
use intermezzo_program::Program;

use crate::Context;
use crate::failure::{CliError, ExitStatus};
use crate::library::{LoadedRuleset, compile, load_ruleset, rulesets_named};
use crate::out::BAD;
use intermezzo_matchfile::sentences::clean;

pub(crate) fn read(path: &Path) -> Result<MatchFile, CliError> {
    MatchFile::read(path).map_err(read_error(path))
}

/// Reads a match file and its bytes.
pub(crate) fn read_with_bytes(path: &Path) -> Result<(MatchFile, Vec<u8>), CliError> {
    let bytes = read_bytes(path).map_err(read_error(path))?;
    let file = MatchFile::parse(&bytes).map_err(read_error(path))?;
    Ok((file, bytes))
}

fn read_error(path: &Path) -> impl Fn(ReadError) -> CliError {
    move |error| {
        let hint = match &error {
            ReadError::Io(_) => "`intermezzo play --save FILE` creates match files",
            ReadError::TooLarge { .. } | ReadError::TooManyBranches | ReadError::Malformed { .. } => {
                "is this a file saved by `intermezzo play`?"
            }
            ReadError::WrongFormat { .. } => "read it with the version of intermezzo that wrote it",
        };
        CliError::cannot_read(path, error).hint(hint)
    }
}

/// Returns an undone branch as a separate match. Branches are numbered from 1.
pub(crate) fn branch(file: &MatchFile, number: usize) -> Result<MatchFile, CliError> {
    let at = number.checked_sub(1).filter(|at| *at < file.branches.len());
    let line = at.and_then(|at| file.line_inputs(Some(at)));
    let Some((at, inputs)) = at.zip(line.map(|line| line.len() as u32)) else {
        let branches = match file.branches.len() {
            0 => "none".to_owned(),
            1 => "only one".to_owned(),
            branches => format!("{branches}"),
        };
        return Err(CliError::usage(format!("no branch {number}: the match has {branches}"))
            .hint("`intermezzo replay FILE --branches` lists them"));
    };
    file.fork(Some(at), inputs)
        .map_err(|mismatch| CliError::new(ExitStatus::Unverified, mismatch.to_string()))
}

/// Finds the rules a match was played with: the given ones, or else the ruleset with the id in the file,
/// preferably with the same hash.
pub(crate) fn rules(
    context: &mut Context,
    file: &MatchFile,
    given: Option<&str>,
) -> Result<LoadedRuleset, CliError> {
    if let Some(given) = given {
        let found = load_ruleset(context, given)?;
        warn_if_other(context, file, &found);
        return Ok(found);
    }
    let mut other = None;
    for source in rulesets_named(context, &file.ruleset.id) {
        let found = compile(context, &source)?;
        if is_same(file, &found.program) {
            return Ok(found);
        }
        other = other.or(Some(found));
    }
    if let Some(other) = &other {
        warn_if_other(context, file, other);
    }
    other.ok_or_else(|| {
        let id = clean(&file.ruleset.id);
        CliError::usage(format!("ruleset `{id}` of this match not found"))
            .hint("give its path with --ruleset PATH")
    })
}

fn warn_if_other(context: &mut Context, file: &MatchFile, rules: &LoadedRuleset) {
    if !is_same(file, &rules.program) {
        context.out.note(format_args!(
            "{BAD}warning{BAD:#}: this match was played with a different version of the rules"
        ));
    }
}

fn is_same(file: &MatchFile, program: &Arc<Program>) -> bool {
    file.ruleset.hash.0 == program.hash
}
