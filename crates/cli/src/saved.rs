//! Saved matches and the rules they were played by.

use std::path::Path;
use std::sync::Arc;

use intermezzo_journal::{MatchFile, ReadError, file_bytes};
use intermezzo_ruleset::Program;

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::library::{Playable, compile, named, playable};
use crate::out::BAD;
use intermezzo_journal::sentences::clean;

/// Reads a match file.
pub(crate) fn read(path: &Path) -> Result<MatchFile, Failure> {
    MatchFile::read(path).map_err(unread(path))
}

/// Reads a match file, with how it is written.
pub(crate) fn read_with_bytes(path: &Path) -> Result<(MatchFile, Vec<u8>), Failure> {
    let bytes = file_bytes(path).map_err(unread(path))?;
    let file = MatchFile::parse(&bytes).map_err(unread(path))?;
    Ok((file, bytes))
}

fn unread(path: &Path) -> impl Fn(ReadError) -> Failure {
    move |error| {
        let hint = match &error {
            ReadError::Io(_) => "match files are made by `intermezzo play --save FILE`",
            ReadError::TooLarge { .. } | ReadError::TooManyBranches | ReadError::Malformed { .. } => {
                "is this a file saved by `intermezzo play`?"
            }
            ReadError::WrongFormat { .. } => "read it with the version of intermezzo that wrote it",
        };
        Failure::unread(path, error).hint(hint)
    }
}

/// What was taken back in a match, as a match of its own. Branches are numbered from 1.
pub(crate) fn branch(file: &MatchFile, number: usize) -> Result<MatchFile, Failure> {
    let at = number.checked_sub(1).filter(|at| *at < file.branches.len());
    let line = at.and_then(|at| file.line(Some(at)));
    let Some((at, inputs)) = at.zip(line.map(|line| line.len() as u32)) else {
        let branches = match file.branches.len() {
            0 => "none".to_owned(),
            1 => "only one".to_owned(),
            branches => format!("{branches}"),
        };
        return Err(Failure::usage(format!("there is no branch {number}: the match has {branches}"))
            .hint("`intermezzo replay FILE --branches` lists them"));
    };
    file.fork(Some(at), inputs).map_err(|mismatch| Failure::new(Exit::Untrue, mismatch.to_string()))
}

/// The rules a match was played by: those given, else those of that name, preferably with the same hash.
pub(crate) fn rules(
    context: &mut Context,
    file: &MatchFile,
    given: Option<&str>,
) -> Result<Playable, Failure> {
    if let Some(given) = given {
        let found = playable(context, given)?;
        warn_if_other(context, file, &found);
        return Ok(found);
    }
    let mut other = None;
    for source in named(context, &file.ruleset.id) {
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
        Failure::usage(format!("the rules of this match are not at hand: there is no ruleset `{id}`"))
            .hint("say where they are with --ruleset PATH")
    })
}

fn warn_if_other(context: &mut Context, file: &MatchFile, rules: &Playable) {
    if !is_same(file, &rules.program) {
        context.out.note(format_args!(
            "{BAD}warning{BAD:#}: the rules at hand are not those this match was played by"
        ));
    }
}

fn is_same(file: &MatchFile, program: &Arc<Program>) -> bool {
    file.ruleset.hash.0 == program.hash
}
