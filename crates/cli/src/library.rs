//! Ruleset lookup and loading: by path, by bare name, or from the binary.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use intermezzo_compiler::diagnostic::suggest;
use intermezzo_compiler::{Compilation, Ruleset, Severity, publishable_files, render};
use intermezzo_program::Program;
use intermezzo_server::BundledRulesets;

use crate::Context;
use crate::bundled::{BUNDLED, BundledRuleset};
use crate::failure::{CliError, ExitStatus};
use crate::out::count;

/// Location of a ruleset.
#[derive(Clone, Debug)]
pub(crate) enum RulesetSource {
    Path(PathBuf),
    Bundled(&'static BundledRuleset),
}

impl RulesetSource {
    /// Returns the name used in messages.
    pub(crate) fn label(&self) -> String {
        match self {
            RulesetSource::Path(path) => path.display().to_string(),
            RulesetSource::Bundled(bundled) => format!("{} (bundled)", bundled.name),
        }
    }

    pub(crate) fn load(&self) -> Result<Ruleset, CliError> {
        match self {
            RulesetSource::Path(path) => {
                Ruleset::load(path).map_err(|error| CliError::cannot_read(path, error))
            }
            RulesetSource::Bundled(bundled) => {
                let file = |(name, text): &(&str, &str)| ((*name).to_owned(), text.as_bytes().to_vec());
                let files = bundled.files.iter().map(file);
                let (pictures, rules): (Vec<_>, Vec<_>) =
                    files.partition(|(name, _)| name.starts_with("assets/"));
                Ok(Ruleset::from_files(&rules).with_assets(&pictures))
            }
        }
    }
}

/// Returns the rulesets that a server offers: the built-in ones, and those of the folder, which replace built-in
/// rulesets of the same name.
pub(crate) fn offered(folder: Option<&Path>) -> Result<BundledRulesets, CliError> {
    let file = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    let bundled = BUNDLED.iter().map(|one| (one.name.to_owned(), one.files.iter().map(file).collect()));
    let mut offered: BTreeMap<String, Vec<(String, String)>> = bundled.collect();
    if let Some(folder) = folder {
        let found = rulesets_in(folder).map_err(|error| CliError::cannot_read(folder, error))?;
        if found.is_empty() {
            let failure = CliError::cannot_read(folder, "the folder contains no ruleset");
            return Err(failure.hint("each ruleset is a folder of its own with .yaml or .json files"));
        }
        for path in found {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let files = publishable_files(&path).map_err(|error| CliError::cannot_read(&path, error))?;
            offered.insert(name, files);
        }
    }
    Ok(offered.into_iter().collect())
}

/// Compiled ruleset with its sources.
pub(crate) struct LoadedRuleset {
    pub(crate) ruleset: Ruleset,
    pub(crate) program: Arc<Program>,
}

/// Finds a ruleset by path or bare name.
pub(crate) fn find(context: &Context, given: &str) -> Result<RulesetSource, CliError> {
    let path = Path::new(given);
    if path.exists() {
        return Ok(RulesetSource::Path(path.to_owned()));
    }
    if !is_bare_name(given) {
        return Err(CliError::cannot_read(path, "no such file or folder"));
    }
    rulesets_named(context, given).into_iter().next().ok_or_else(|| unknown(context, given))
}

/// Returns all rulesets with that name: first the one in the folder of rulesets, then the built-in one.
pub(crate) fn rulesets_named(context: &Context, name: &str) -> Vec<RulesetSource> {
    let folder = context.rulesets.join(name);
    let here = (is_bare_name(name) && folder.is_dir()).then_some(RulesetSource::Path(folder));
    let bundled = BUNDLED.iter().find(|bundled| bundled.name == name).map(RulesetSource::Bundled);
    here.into_iter().chain(bundled).collect()
}

/// Finds, loads and compiles a ruleset. Prints its errors to standard error.
pub(crate) fn load_ruleset(context: &mut Context, given: &str) -> Result<LoadedRuleset, CliError> {
    let source = find(context, given)?;
    compile(context, &source)
}

/// Loads and compiles a ruleset. Prints its errors to standard error.
pub(crate) fn compile(context: &mut Context, source: &RulesetSource) -> Result<LoadedRuleset, CliError> {
    let ruleset = source.load()?;
    let compiled = ruleset.compile();
    let errors = error_count(&compiled);
    match compiled.program {
        Some(program) => Ok(LoadedRuleset { ruleset, program: Arc::new(program) }),
        None => {
            context.out.note(render(&compiled.diagnostics, ruleset.sources(), true).trim_end());
            let message = format!("`{}` has {} and cannot be played", source.label(), count(errors, "error"));
            Err(CliError::new(ExitStatus::Problems, message).hint("fix the errors above"))
        }
    }
}

/// Counts the errors of a ruleset.
pub(crate) fn error_count(compiled: &Compilation) -> usize {
    compiled.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}

/// Finds the rulesets for several paths or names. A folder of rulesets stands for all rulesets in it.
/// Without any path, the default folder is used.
pub(crate) fn find_all(context: &Context, given: &[String]) -> Result<Vec<RulesetSource>, CliError> {
    let default = [context.rulesets.display().to_string()];
    if given.is_empty() && !context.rulesets.is_dir() {
        let failure = CliError::cannot_read(&context.rulesets, "no such folder");
        return Err(failure.hint("name a ruleset, or set the folder of rulesets with --rulesets DIR"));
    }
    let given = if given.is_empty() { &default[..] } else { given };
    let mut found = Vec::new();
    for given in given {
        match find(context, given)? {
            RulesetSource::Path(path) if path.is_dir() && !has_rules(&path) => {
                let inside = rulesets_in(&path).map_err(|error| CliError::cannot_read(&path, error))?;
                if inside.is_empty() {
                    let failure = CliError::cannot_read(&path, "the folder contains no ruleset");
                    return Err(failure.hint(
                        "a ruleset is a folder with .yaml or .json files; `intermezzo new DIR` creates one",
                    ));
                }
                found.extend(inside.into_iter().map(RulesetSource::Path));
            }
            source => found.push(source),
        }
    }
    Ok(found)
}

fn has_rules(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(|entry| is_rules(&entry.path())))
}

fn is_rules(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    path.is_file() && matches!(extension, Some("yaml" | "yml" | "json"))
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

/// Returns whether the name is plain, so that it cannot lead out of the folder of rulesets.
fn is_bare_name(given: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    !given.is_empty() && given.chars().all(is_plain)
}

fn unknown(context: &Context, given: &str) -> CliError {
    let mut names: Vec<String> = BUNDLED.iter().map(|bundled| bundled.name.to_owned()).collect();
    for path in rulesets_in(&context.rulesets).unwrap_or_default() {
        names.extend(path.file_name().and_then(|name| name.to_str()).map(str::to_owned));
    }
    names.sort();
    names.dedup();
    let failure = CliError::usage(format!("unknown ruleset `{given}`"));
    let here: Vec<PathBuf> = rulesets_in(Path::new(".")).unwrap_or_default();
    let here = here.iter().filter_map(|path| path.file_name()?.to_str());
    match suggest(given, names.iter().map(String::as_str).chain(here)) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("known rulesets: {}; a path also works", names.join(", "))),
    }
}
