//! Publishing rulesets: checked, compiled, and never changed afterwards.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_compiler::{Diagnostic, Ruleset, to_json};
use intermezzo_engine::{Board, Seed, Setup, describe};
use intermezzo_protocol::resources::{OptionInfo, PublishRuleset, RulesetInfo, SeatRange};
use intermezzo_protocol::{Code, Problem};
use intermezzo_ruleset::{Program, word};

use super::accounts::AccountId;
use super::change::{Change, changing};
use super::once::Caller;
use super::rulesets::{Title, files_key, info_key, version_key};
use super::{House, internal, invalid, keys};

/// Files by path.
pub(crate) type Files = BTreeMap<String, String>;

const MAX_BYTES: usize = 2 << 20;
const MAX_FILES: usize = 200;
const MAX_PATH: usize = 200;
const MAX_ID: usize = 64;

/// Rulesets that come with a server, compiled once for any number of them.
pub struct Bundle(Vec<(Files, Compiled)>);

impl Bundle {
    /// Compiles rulesets: name and files of each.
    ///
    /// # Errors
    ///
    /// If one of them has errors.
    pub fn compile(rulesets: Vec<(String, Vec<(String, String)>)>) -> Result<Bundle, Problem> {
        let compiled = rulesets.into_iter().map(|(name, files)| {
            let files: Files = files.into_iter().collect();
            check_files(&files)?;
            let compiled = compile(&files).map_err(|problem| internal(&format!("{name}: {problem}")))?;
            Ok((files, compiled))
        });
        compiled.collect::<Result<_, Problem>>().map(Bundle)
    }
}

/// A program with what people are told about it.
pub(crate) struct Compiled {
    pub(crate) program: Arc<Program>,
    description: String,
    ui: serde_json::Map<String, serde_json::Value>,
    ruleset: Ruleset,
}

impl House {
    /// Publishes a version of a ruleset. Publishing the same again changes nothing.
    ///
    /// # Errors
    ///
    /// If it has errors (`diagnostics` has them), the id is somebody else's, or the version is there with other rules.
    pub async fn publish(&self, caller: &Caller, wish: &PublishRuleset) -> Result<RulesetInfo, Problem> {
        check_files(&wish.files)?;
        let compiled = self.compile(&wish.files).await?;
        let gone = self.names_gone(&compiled.ruleset, &compiled.program).await?;
        if !gone.is_empty() {
            return Err(bad_ruleset(to_json(&gone, compiled.ruleset.sources())));
        }
        let mut info = self.describe_ruleset(&compiled)?;
        info.publisher = Some(caller.account.id.to_string());
        let outcome = changing!(self, caller.mark(self, "publish")?, |change| async {
            let title: Option<Title> = change.read(&Title::key(&info.id)).await?;
            if title.is_some_and(|title| title.owner.as_ref() != Some(&caller.account.id)) {
                let whose = format!("the id `{}` is somebody else's", info.id);
                return Err(Problem::new(Code::NotAllowed, whose));
            }
            let published: Option<String> = change.read(&version_key(&info.id, &info.version)).await?;
            if published.as_ref().is_some_and(|hash| *hash != info.hash) {
                return Err(version_taken(&info));
            }
            self.add_version(&mut change, &info, &wish.files, Some(&caller.account.id)).await
        });
        self.programs.add(compiled.program);
        outcome
    }

    /// Publishes the rulesets that come with the server: name and files of each. One that has changed without a new
    /// version takes that version over; what was there before stays under its hash.
    ///
    /// # Errors
    ///
    /// If one of them has errors.
    pub async fn publish_bundled(
        &self,
        rulesets: Vec<(String, Vec<(String, String)>)>,
    ) -> Result<Vec<RulesetInfo>, Problem> {
        let bundle = self.compiling_thread(move || Bundle::compile(rulesets)).await??;
        self.publish_bundle(&bundle).await
    }

    /// The same with what is compiled already.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn publish_bundle(&self, bundle: &Bundle) -> Result<Vec<RulesetInfo>, Problem> {
        let mut published = Vec::new();
        for (files, compiled) in &bundle.0 {
            let mut info = self.describe_ruleset(compiled)?;
            info.bundled = true;
            let info: RulesetInfo = changing!(self, self.mark()?, |change| {
                self.add_version(&mut change, &info, files, None)
            })?;
            self.programs.add(Arc::clone(&compiled.program));
            published.push(info);
        }
        Ok(published)
    }

    async fn compile(&self, files: &Files) -> Result<Compiled, Problem> {
        let files = files.clone();
        self.compiling_thread(move || compile(&files)).await?
    }

    /// What is to be said about names that a newer version lacks and the newest one with the same first number had.
    pub(crate) async fn names_gone(
        &self,
        ruleset: &Ruleset,
        program: &Program,
    ) -> Result<Vec<Diagnostic>, Problem> {
        let title: Option<Title> = self.look(&Title::key(&program.id)).await?;
        let Some(title) = title else { return Ok(Vec::new()) };
        if in_order(&title.newest.version, &program.version) != Ordering::Less {
            return Ok(Vec::new());
        }
        let old = self.program(&title.newest.hash).await?;
        Ok(ruleset.compare(&old, program))
    }

    async fn add_version(
        &self,
        change: &mut Change<'_>,
        info: &RulesetInfo,
        files: &Files,
        owner: Option<&AccountId>,
    ) -> Result<RulesetInfo, Problem> {
        let pointer = version_key(&info.id, &info.version);
        let current: Option<String> = change.read(&pointer).await?;
        let kept: Option<RulesetInfo> = change.read(&info_key(&info.hash)).await?;
        let title: Option<Title> = change.read(&Title::key(&info.id)).await?;
        if current.as_ref() == Some(&info.hash)
            && let Some(kept) = kept
        {
            return Ok(kept);
        }
        change.write(&pointer, &info.hash)?;
        change.write(&info_key(&info.hash), info)?;
        change.write(&files_key(&info.hash), files)?;
        let newest = title.as_ref().map(|title| title.newest.version.as_str());
        let is_newest = newest.is_none_or(|newest| in_order(newest, &info.version) != Ordering::Greater);
        let newest = match title {
            Some(title) if !is_newest => title.newest,
            _ => info.clone(),
        };
        change.write(&Title::key(&info.id), &Title { owner: owner.cloned(), newest })?;
        Ok(info.clone())
    }

    fn describe_ruleset(&self, compiled: &Compiled) -> Result<RulesetInfo, Problem> {
        let program = &compiled.program;
        check_name("id", &program.id)?;
        check_name("version", &program.version)?;
        Ok(RulesetInfo {
            id: program.id.clone(),
            version: program.version.clone(),
            name: program.name.clone(),
            description: compiled.description.clone(),
            hash: keys::hex(&program.hash),
            seats: SeatRange { min: program.seats.min, max: program.seats.max, usual: program.seats.usual },
            options: option_infos(program)?,
            currency: program.stakes.as_ref().map(|stakes| stakes.currency.clone()),
            ui: compiled.ui.clone(),
            open_information: program.hidden().is_none(),
            bundled: false,
            publisher: None,
            published_ms: self.now(),
        })
    }
}

/// The program of some files.
pub(crate) fn compile(files: &Files) -> Result<Compiled, Problem> {
    let ruleset = Ruleset::from_files(&rules_of(files));
    let compiled = ruleset.compile();
    let Some(program) = compiled.program else {
        return Err(bad_ruleset(to_json(&compiled.diagnostics, ruleset.sources())));
    };
    let head = ruleset.sections("ruleset").last();
    let description = head.and_then(|head| head.get("description")).map(|node| node.to_json());
    let description = description.and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default();
    let ui = ruleset.sections("ui").last().map(|node| node.to_json());
    let ui = ui.and_then(|ui| ui.as_object().cloned()).unwrap_or_default();
    Ok(Compiled { program: Arc::new(program), description, ui, ruleset })
}

/// The files that are rules, as the compiler takes them.
pub(crate) fn rules_of(files: &Files) -> Vec<(String, Vec<u8>)> {
    let rules = files.iter().filter(|(path, _)| is_rules(path));
    rules.map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect()
}

fn bad_ruleset(diagnostics: serde_json::Value) -> Problem {
    let count = diagnostics.as_array().map_or(0, Vec::len);
    let detail = format!("there {} to say about it", if count == 1 { "is one thing" } else { "are things" });
    Problem::new(Code::BadRuleset, detail).with("diagnostics", diagnostics)
}

fn version_taken(info: &RulesetInfo) -> Problem {
    let RulesetInfo { id, version, .. } = info;
    Problem::new(
        Code::VersionTaken,
        format!("version {version} of `{id}` has been published with other rules"),
    )
}

/// What can be set, with what is set if nothing is said.
pub(crate) fn option_infos(program: &Program) -> Result<Vec<OptionInfo>, Problem> {
    let seats = program.seats.usual.clamp(program.seats.min, program.seats.max);
    let setup = Setup { seats, options: Vec::new(), seed: Seed([0; 32]), script: None };
    let program = Arc::new(program.clone());
    let board = Board::new(&program, &setup)
        .map_err(|error| Problem::new(Code::RuleFailed, format!("a match cannot begin: {error}")))?;
    let option = |(column, option): (usize, &intermezzo_ruleset::MatchOption)| {
        let value = board.column(word::MATCH, column as u16);
        let value =
            value.map(|value| intermezzo_journal::to_json(&describe(&program, &board, value, option.ty)));
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

pub(crate) fn check_files(files: &Files) -> Result<(), Problem> {
    let bytes: usize = files.iter().map(|(path, text)| path.len() + text.len()).sum();
    if files.len() > MAX_FILES || bytes > MAX_BYTES {
        let most = format!("a ruleset has at most {MAX_FILES} files and {MAX_BYTES} bytes");
        return Err(Problem::new(Code::TooLarge, most));
    }
    if let Some(path) = files.keys().find(|path| !is_path(path)) {
        return Err(invalid(format!("`{}` is not a path within a ruleset", path.escape_default())));
    }
    match files.keys().any(|path| is_rules(path)) {
        true => Ok(()),
        false => Err(invalid("a ruleset needs a `.yaml`, `.yml` or `.json` file that is in no folder")),
    }
}

fn is_path(path: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    let is_plain = |letter: char| !letter.is_control() && !matches!(letter, '\\' | ':');
    path.len() <= MAX_PATH && path.chars().all(is_plain) && path.split('/').all(is_part)
}

fn is_rules(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    !path.contains('/') && matches!(extension, Some("yaml" | "yml" | "json"))
}

/// Ids and versions stand in addresses.
fn check_name(what: &str, name: &str) -> Result<(), Problem> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
    if (1..=MAX_ID).contains(&name.len()) && name.bytes().all(is_plain) {
        return Ok(());
    }
    Err(invalid(format!("the {what} of a ruleset has 1 to {MAX_ID} letters, digits, `.`, `_`, `-` or `+`")))
}

/// Versions by their numbers, then as texts.
fn in_order(one: &str, other: &str) -> Ordering {
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
    fn paths_that_lead_elsewhere_are_refused() {
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
            assert!(!is_path(path), "`{path}`");
        }
        for path in ["ruleset.yaml", "scenarios/first.yaml", "read me.txt", "..x.yaml"] {
            assert!(is_path(path), "`{path}`");
        }
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert_eq!(in_order("1.9.0", "1.10.0"), Ordering::Less);
        assert_eq!(in_order("2.0.0", "1.10.0"), Ordering::Greater);
        assert_eq!(in_order("1.0.0", "1.0.0"), Ordering::Equal);
        assert_eq!(in_order("1.0", "1.0.1"), Ordering::Less);
    }
}
