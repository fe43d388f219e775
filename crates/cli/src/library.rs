//! Finds and loads rulesets: by path, by bare name, or from the binary.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use intermezzo_compiler::diagnostic::suggest;
use intermezzo_compiler::{Compiled, Ruleset, Severity, render};
use intermezzo_ruleset::Program;

use crate::Context;
use crate::bundled::{BUNDLED, Bundled};
use crate::failure::{Exit, Failure};
use crate::out::count;

/// Where a ruleset is.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Path(PathBuf),
    Bundled(&'static Bundled),
}

impl Source {
    /// What messages call it.
    pub(crate) fn label(&self) -> String {
        match self {
            Source::Path(path) => path.display().to_string(),
            Source::Bundled(bundled) => format!("{} (bundled)", bundled.name),
        }
    }

    pub(crate) fn load(&self) -> Result<Ruleset, Failure> {
        match self {
            Source::Path(path) => Ruleset::load(path).map_err(|error| Failure::unread(path, error)),
            Source::Bundled(bundled) => {
                let file = |(name, text): &(&str, &str)| ((*name).to_owned(), text.as_bytes().to_vec());
                Ok(Ruleset::from_files(&bundled.files.iter().map(file).collect::<Vec<_>>()))
            }
        }
    }
}

/// A ruleset that can be played.
pub(crate) struct Playable {
    pub(crate) ruleset: Ruleset,
    pub(crate) program: Arc<Program>,
}

/// The ruleset meant by what was typed: a path, or a bare name.
pub(crate) fn find(context: &Context, given: &str) -> Result<Source, Failure> {
    let path = Path::new(given);
    if path.exists() {
        return Ok(Source::Path(path.to_owned()));
    }
    if !is_bare_name(given) {
        return Err(Failure::unread(path, "there is no such file or folder"));
    }
    named(context, given).into_iter().next().ok_or_else(|| unknown(context, given))
}

/// All rulesets with that name: the one in the folder of rulesets, then the one in the binary.
pub(crate) fn named(context: &Context, name: &str) -> Vec<Source> {
    let folder = context.rulesets.join(name);
    let here = (is_bare_name(name) && folder.is_dir()).then_some(Source::Path(folder));
    let bundled = BUNDLED.iter().find(|bundled| bundled.name == name).map(Source::Bundled);
    here.into_iter().chain(bundled).collect()
}

/// Finds, loads and compiles a ruleset; what is wrong with it goes to standard error.
pub(crate) fn playable(context: &mut Context, given: &str) -> Result<Playable, Failure> {
    let source = find(context, given)?;
    compile(context, &source)
}

/// The same for a ruleset that was found.
pub(crate) fn compile(context: &mut Context, source: &Source) -> Result<Playable, Failure> {
    let ruleset = source.load()?;
    let compiled = ruleset.compile();
    let errors = errors(&compiled);
    match compiled.program {
        Some(program) => Ok(Playable { ruleset, program: Arc::new(program) }),
        None => {
            context.out.note(render(&compiled.diagnostics, ruleset.sources(), true).trim_end());
            let message = format!("`{}` has {} and cannot be played", source.label(), count(errors, "error"));
            Err(Failure::new(Exit::Problems, message).hint("correct what is marked above"))
        }
    }
}

/// How many things are wrong with a ruleset.
pub(crate) fn errors(compiled: &Compiled) -> usize {
    compiled.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}

/// The rulesets meant by several paths or names. A folder of rulesets stands for all of them; no path at all stands
/// for the usual folder.
pub(crate) fn find_all(context: &Context, given: &[String]) -> Result<Vec<Source>, Failure> {
    let usual = [context.rulesets.display().to_string()];
    if given.is_empty() && !context.rulesets.is_dir() {
        let failure = Failure::unread(&context.rulesets, "there is no such folder");
        return Err(failure.hint("name a ruleset, or say where they are with --rulesets DIR"));
    }
    let given = if given.is_empty() { &usual[..] } else { given };
    let mut found = Vec::new();
    for given in given {
        match find(context, given)? {
            Source::Path(path) if path.is_dir() && !has_rules(&path) => {
                let inside = rulesets_in(&path).map_err(|error| Failure::unread(&path, error))?;
                if inside.is_empty() {
                    let failure = Failure::unread(&path, "there is no ruleset in this folder");
                    return Err(failure.hint(
                        "a ruleset is a folder with .yaml or .json files; `intermezzo new DIR` makes one",
                    ));
                }
                found.extend(inside.into_iter().map(Source::Path));
            }
            source => found.push(source),
        }
    }
    Ok(found)
}

fn has_rules(folder: &Path) -> bool {
    let is_rules = |path: PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        path.is_file() && matches!(extension, Some("yaml" | "yml" | "json"))
    };
    std::fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(|entry| is_rules(entry.path())))
}

fn rulesets_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && has_rules(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Names that cannot lead out of the folder of rulesets.
fn is_bare_name(given: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    !given.is_empty() && given.chars().all(is_plain)
}

fn unknown(context: &Context, given: &str) -> Failure {
    let mut names: Vec<String> = BUNDLED.iter().map(|bundled| bundled.name.to_owned()).collect();
    for path in rulesets_in(&context.rulesets).unwrap_or_default() {
        names.extend(path.file_name().and_then(|name| name.to_str()).map(str::to_owned));
    }
    names.sort();
    names.dedup();
    let failure = Failure::usage(format!("unknown ruleset `{given}`"));
    let here: Vec<PathBuf> = rulesets_in(Path::new(".")).unwrap_or_default();
    let here = here.iter().filter_map(|path| path.file_name()?.to_str());
    match suggest(given, names.iter().map(String::as_str).chain(here)) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("there are {}; a path to a ruleset works, too", names.join(", "))),
    }
}
