//! Publishing of rulesets: they are checked, compiled, and never changed afterwards.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_compiler::assets::Asset;
use intermezzo_compiler::{Diagnostic, Extras, PreludeTexts, Ruleset, to_json};
use intermezzo_engine::{Board, Seed, Setup, describe};
use intermezzo_program::{Program, word};
use intermezzo_protocol::resources::{OptionInfo, PublishRuleset, RulesetInfo, SeatRange};
use intermezzo_protocol::{Code, Problem};

use super::accounts::AccountId;
use super::compile_jobs::{CancelFlag, ShouldStop};
use super::fair_queue::Requester;
use super::idempotency::Caller;
use super::pictures::{PicturesByPath, picture_address, picture_files, pictures_key, write_pictures};
use super::record_keys;
use super::ruleset_quota::{check_texts, summary};
use super::rulesets::{RulesetIndexEntry, files_key, info_key, version_key};
use super::transaction::{ServiceTransaction, transact};
use super::{Services, internal, invalid};

pub(crate) type FilesByPath = BTreeMap<String, String>;

const MAX_BYTES: usize = 2 << 20;
const MAX_FILES: usize = 200;
const MAX_PATH: usize = 200;
const MAX_ID: usize = 64;

/// Rulesets bundled with a server, compiled once for any number of servers.
pub struct RulesetBundle(Vec<(FilesByPath, CompiledRuleset)>);

impl RulesetBundle {
    /// Compiles rulesets, each given by its name and files.
    ///
    /// # Errors
    ///
    /// If one of them has errors.
    pub fn compile(rulesets: Vec<(String, Vec<(String, String)>)>) -> Result<RulesetBundle, Problem> {
        let compiled = rulesets.into_iter().map(|(name, files)| {
            let files: FilesByPath = files.into_iter().collect();
            check_files(&files)?;
            let compiled =
                compile(&files, &|| false).map_err(|problem| internal(&format!("{name}: {problem}")))?;
            Ok((files, compiled))
        });
        compiled.collect::<Result<_, Problem>>().map(RulesetBundle)
    }
}

/// A program with its description and presentation.
pub(crate) struct CompiledRuleset {
    pub program: Arc<Program>,
    description: String,
    ui: serde_json::Map<String, serde_json::Value>,
    ruleset: Ruleset,
    pictures: PicturesByPath,
}

impl CompiledRuleset {
    /// Returns the preludes it was compiled with.
    pub(crate) fn preludes(&self) -> PreludeTexts {
        self.ruleset.preludes()
    }
}

impl Services {
    /// Publishes a version of a ruleset. Publishing an unchanged version again has no effect.
    ///
    /// # Errors
    ///
    /// If it has errors (listed in `diagnostics`), the id belongs to another account, or the version is
    /// already published with other rules.
    pub async fn publish(&self, caller: &Caller, request: &PublishRuleset) -> Result<RulesetInfo, Problem> {
        self.publish_unless(&CancelFlag::default(), caller, request).await
    }

    /// Publishes a version of a ruleset, unless it is cancelled before it is compiled.
    ///
    /// # Errors
    ///
    /// As for [`Services::publish`]; also if compiling takes too long.
    pub async fn publish_unless(
        &self,
        cancel: &CancelFlag,
        caller: &Caller,
        request: &PublishRuleset,
    ) -> Result<RulesetInfo, Problem> {
        check_files(&request.files)?;
        let (files, requester) = (request.files.clone(), Requester::Account(caller.account.id.clone()));
        let compiled = self
            .run_author_job(&requester, cancel, move |should_stop| compile(&files, should_stop))
            .await??;
        let removed = self.removed_names(&compiled.ruleset, &compiled.program).await?;
        if !removed.is_empty() {
            return Err(ruleset_errors(to_json(&removed, compiled.ruleset.sources())));
        }
        let mut info = self.describe_ruleset(&compiled)?;
        check_texts(&info)?;
        info.publisher = Some(caller.account.id.to_string());
        let preludes = compiled.preludes();
        let outcome = transact!(self, caller.marker(self, "publish")?, |tx| async {
            let entry: Option<RulesetIndexEntry> = tx.read(&RulesetIndexEntry::key(&info.id)).await?;
            if let Some(reason) = entry.as_ref().and_then(|entry| entry.taken_down.as_ref()) {
                let detail = format!("this ruleset was taken down: {reason}");
                return Err(Problem::new(Code::NotAllowed, detail).with("reason", "taken_down"));
            }
            let is_new_id = entry.is_none();
            if entry.is_some_and(|entry| entry.owner.as_ref() != Some(&caller.account.id)) {
                let detail = format!("the id `{}` belongs to another account", info.id);
                return Err(Problem::new(Code::NotAllowed, detail));
            }
            let published: Option<String> = tx.read(&version_key(&info.id, &info.version)).await?;
            if published.as_ref().is_some_and(|hash| *hash != info.hash) {
                return Err(version_taken(&info));
            }
            if published.is_none() {
                self.count_publication(&mut tx, caller, &info.id, &request.files, is_new_id).await?;
                self.mark_unused(&mut tx, &info.hash)?;
            }
            self.store_preludes(&mut tx, &info.hash, &preludes).await?;
            self.add_version(&mut tx, &info, &request.files, &compiled, Some(&caller.account.id)).await
        });
        self.program_cache.add(compiled.program);
        outcome
    }

    /// Publishes the rulesets bundled with the server, each given by its name and files. A ruleset that has
    /// changed without a new version replaces that version; the previous rules stay available by their hash.
    ///
    /// # Errors
    ///
    /// If one of them has errors.
    pub async fn publish_bundled(
        &self,
        rulesets: Vec<(String, Vec<(String, String)>)>,
    ) -> Result<Vec<RulesetInfo>, Problem> {
        let bundle = self.run_blocking(move || RulesetBundle::compile(rulesets)).await??;
        self.publish_bundle(&bundle).await
    }

    /// Publishes rulesets that are already compiled.
    pub async fn publish_bundle(&self, bundle: &RulesetBundle) -> Result<Vec<RulesetInfo>, Problem> {
        let mut published = Vec::new();
        for (files, compiled) in &bundle.0 {
            let mut info = self.describe_ruleset(compiled)?;
            info.bundled = true;
            let preludes = compiled.preludes();
            let info: RulesetInfo = transact!(self, self.new_marker()?, |tx| async {
                self.store_preludes(&mut tx, &info.hash, &preludes).await?;
                self.add_version(&mut tx, &info, files, compiled, None).await
            })?;
            self.program_cache.pin(Arc::clone(&compiled.program));
            published.push(info);
        }
        Ok(published)
    }

    /// Returns diagnostics for names that the newest version with the same major number had and this newer
    /// version lacks.
    pub async fn removed_names(
        &self,
        ruleset: &Ruleset,
        program: &Program,
    ) -> Result<Vec<Diagnostic>, Problem> {
        let entry: Option<RulesetIndexEntry> = self.read_record(&RulesetIndexEntry::key(&program.id)).await?;
        let Some(entry) = entry else { return Ok(Vec::new()) };
        if compare_versions(&entry.newest.version, &program.version) != Ordering::Less {
            return Ok(Vec::new());
        }
        let old = self.program(&entry.newest.hash).await?;
        Ok(ruleset.compare(&old, program))
    }

    async fn add_version(
        &self,
        tx: &mut ServiceTransaction<'_>,
        info: &RulesetInfo,
        files: &FilesByPath,
        compiled: &CompiledRuleset,
        owner: Option<&AccountId>,
    ) -> Result<RulesetInfo, Problem> {
        let pointer = version_key(&info.id, &info.version);
        let current: Option<String> = tx.read(&pointer).await?;
        let existing: Option<RulesetInfo> = tx.read(&info_key(&info.hash)).await?;
        let entry: Option<RulesetIndexEntry> = tx.read(&RulesetIndexEntry::key(&info.id)).await?;
        let pictures: Option<PicturesByPath> = tx.read(&pictures_key(&info.hash)).await?;
        // The hash covers the rules alone: pictures can change without a new version.
        if pictures.unwrap_or_default() != compiled.pictures {
            write_pictures(tx, &info.hash, compiled)?;
        } else if current.as_ref() == Some(&info.hash)
            && let Some(existing) = existing
        {
            return Ok(existing);
        }
        tx.write(&pointer, &info.hash)?;
        tx.write(&info_key(&info.hash), info)?;
        tx.write(&files_key(&info.hash), files)?;
        let newest = entry.as_ref().map(|entry| entry.newest.version.as_str());
        let is_newest =
            newest.is_none_or(|newest| compare_versions(newest, &info.version) != Ordering::Greater);
        let newest = match entry {
            Some(entry) if !is_newest => entry.newest,
            _ => summary(info),
        };
        let entry = RulesetIndexEntry { owner: owner.cloned(), newest, taken_down: None };
        tx.write(&RulesetIndexEntry::key(&info.id), &entry)?;
        Ok(info.clone())
    }

    fn describe_ruleset(&self, compiled: &CompiledRuleset) -> Result<RulesetInfo, Problem> {
        let program = &compiled.program;
        check_identifier("id", &program.id)?;
        check_identifier("version", &program.version)?;
        Ok(RulesetInfo {
            id: program.id.clone(),
            version: program.version.clone(),
            name: program.name.clone(),
            description: compiled.description.clone(),
            hash: record_keys::hex(&program.hash),
            seats: SeatRange {
                min: program.seats.min,
                max: program.seats.max,
                default: program.seats.default,
            },
            options: option_infos(program)?,
            currency: program.stakes.as_ref().map(|stakes| stakes.currency.clone()),
            ui: listed_ui(&compiled.ui),
            open_information: program.first_hidden_element().is_none(),
            bundled: false,
            publisher: None,
            cover: compiled.cover(),
            published_ms: self.now(),
        })
    }
}

impl CompiledRuleset {
    pub(crate) fn assets(&self) -> impl Iterator<Item = (&str, &Asset)> {
        self.ruleset.assets()
    }

    /// Returns the address of the cover: the one that `ui.theme` names, or the file of that name.
    fn cover(&self) -> Option<String> {
        let cover = self.ui.get("theme").map(|theme| &theme["cover"]).filter(|cover| !cover.is_null());
        let named = cover.and_then(|cover| cover.as_str().or_else(|| cover["file"].as_str()));
        let usual = ["assets/cover.svg", "assets/cover.webp"].into_iter().filter(|_| cover.is_none());
        let address = named.into_iter().chain(usual).find_map(|path| self.pictures.get(path))?;
        Some(address.url.clone())
    }

    pub(crate) fn pictures(&self) -> &PicturesByPath {
        &self.pictures
    }
}

/// Returns the part of `ui` that lists of rulesets contain: all but what only a table needs.
fn listed_ui(ui: &serde_json::Map<String, serde_json::Value>) -> serde_json::Map<String, serde_json::Value> {
    let listed = ui.iter().filter(|(key, _)| !matches!(key.as_str(), "art" | "layout"));
    listed.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Compiles new rule files, or gives up when `should_stop` returns true.
pub(crate) fn compile(files: &FilesByPath, should_stop: ShouldStop<'_>) -> Result<CompiledRuleset, Problem> {
    let ruleset = Ruleset::from_files(&rule_files(files)).with_assets(&picture_files(files)?);
    compile_ruleset(ruleset, &Extras { should_stop: Some(should_stop), ..Extras::default() })
}

/// Compiles the files of a published ruleset with the preludes it was published with. Less is checked, because an earlier
/// version has accepted it.
pub(crate) fn compile_accepted(
    files: &FilesByPath,
    preludes: &PreludeTexts,
) -> Result<CompiledRuleset, Problem> {
    let ruleset = Ruleset::with_preludes(&rule_files(files), preludes);
    compile_ruleset(ruleset, &Extras { is_published: true, ..Extras::default() })
}

fn compile_ruleset(ruleset: Ruleset, extras: &Extras<'_>) -> Result<CompiledRuleset, Problem> {
    let started = std::time::Instant::now();
    let compiled = ruleset.compile_with(extras);
    metrics::histogram!("intermezzo_compile_seconds").record(started.elapsed().as_secs_f64());
    let Some(program) = compiled.program else {
        return Err(ruleset_errors(to_json(&compiled.diagnostics, ruleset.sources())));
    };
    let head = ruleset.sections("ruleset").last();
    let description = head.and_then(|head| head.get("description")).map(|node| node.to_json());
    let description = description.and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default();
    let ui = ruleset.sections("ui").last().map(|node| node.to_json());
    let ui = ui.and_then(|ui| ui.as_object().cloned()).unwrap_or_default();
    let pictures = ruleset.assets().map(|(path, asset)| (path.to_owned(), picture_address(asset))).collect();
    Ok(CompiledRuleset { program: Arc::new(program), description, ui, ruleset, pictures })
}

/// Returns the rule files in the form that the compiler expects.
pub(crate) fn rule_files(files: &FilesByPath) -> Vec<(String, Vec<u8>)> {
    let rules = files.iter().filter(|(path, _)| is_rule_file(path));
    rules.map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect()
}

fn ruleset_errors(diagnostics: serde_json::Value) -> Problem {
    Problem::new(Code::BadRuleset, "the ruleset has errors").with("diagnostics", diagnostics)
}

fn version_taken(info: &RulesetInfo) -> Problem {
    let RulesetInfo { id, version, .. } = info;
    Problem::new(
        Code::VersionTaken,
        format!("version {version} of `{id}` is already published with other rules"),
    )
}

/// Lists the options with their defaults.
pub fn option_infos(program: &Program) -> Result<Vec<OptionInfo>, Problem> {
    let seats = program.seats.default.clamp(program.seats.min, program.seats.max);
    let setup = Setup { seats, options: Vec::new(), seed: Seed([0; 32]), script: None };
    let program = Arc::new(program.clone());
    let board = Board::new(&program, &setup)
        .map_err(|error| Problem::new(Code::RuleFailed, format!("a match cannot start: {error}")))?;
    let option = |(column, option): (usize, &intermezzo_program::MatchOption)| {
        let value = board.column(word::MATCH, column as u16);
        let value =
            value.map(|value| intermezzo_matchfile::to_json(&describe(&program, &board, value, option.ty)));
        OptionInfo {
            name: program.symbol(option.name).to_owned(),
            default: value.unwrap_or_default(),
            min: option.min,
            max: option.max,
            nullable: option.may_be_null,
        }
    };
    Ok(program.options.iter().enumerate().map(option).collect())
}

pub(crate) fn check_files(files: &FilesByPath) -> Result<(), Problem> {
    let bytes: usize = files.iter().map(|(path, text)| path.len() + text.len()).sum();
    if files.len() > MAX_FILES || bytes > MAX_BYTES {
        let detail = format!("a ruleset can have at most {MAX_FILES} files and {MAX_BYTES} bytes");
        return Err(Problem::new(Code::TooLarge, detail));
    }
    if let Some(path) = files.keys().find(|path| !is_valid_path(path)) {
        return Err(invalid(format!("`{}` is not a valid path in a ruleset", path.escape_default())));
    }
    match files.keys().any(|path| is_rule_file(path)) {
        true => Ok(()),
        false => Err(invalid("a ruleset needs a `.yaml`, `.yml` or `.json` file at the top level")),
    }
}

fn is_valid_path(path: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    let is_plain = |letter: char| !letter.is_control() && !matches!(letter, '\\' | ':');
    path.len() <= MAX_PATH && path.chars().all(is_plain) && path.split('/').all(is_part)
}

fn is_rule_file(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    !path.contains('/') && matches!(extension, Some("yaml" | "yml" | "json"))
}

/// Rejects ids and versions that cannot be part of a URL.
fn check_identifier(what: &str, name: &str) -> Result<(), Problem> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
    if (1..=MAX_ID).contains(&name.len()) && name.bytes().all(is_plain) {
        return Ok(());
    }
    Err(invalid(format!(
        "the {what} of a ruleset must have 1 to {MAX_ID} letters, digits, `.`, `_`, `-` or `+`"
    )))
}

/// Compares versions by their numbers, then as texts.
pub(crate) fn compare_versions(one: &str, other: &str) -> Ordering {
    let numbers = |version: &str| -> Vec<u64> {
        let parts = version.split(['.', '-', '+']);
        parts.map_while(|part| part.parse().ok()).collect()
    };
    numbers(one).cmp(&numbers(other)).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_outside_the_folder_are_rejected() {
        for path in [
            "",
            "/etc/x.yaml",
            "../x.yaml",
            "a/../x.yaml",
            "a//b.yaml",
            "a\\b.yaml",
            "c:x.yaml",
            "x\0.yaml",
            "./x",
        ] {
            assert!(!is_valid_path(path), "`{path}`");
        }
        for path in ["ruleset.yaml", "scenarios/first.yaml", "read me.txt", "..x.yaml"] {
            assert!(is_valid_path(path), "`{path}`");
        }
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert_eq!(compare_versions("1.9.0", "1.10.0"), Ordering::Less);
        assert_eq!(compare_versions("2.0.0", "1.10.0"), Ordering::Greater);
        assert_eq!(compare_versions("1.0.0", "1.0.0"), Ordering::Equal);
        assert_eq!(compare_versions("1.0", "1.0.1"), Ordering::Less);
    }
}
