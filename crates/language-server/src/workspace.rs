//! The open files, and the rulesets they belong to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

use intermezzo_compiler::complete::FileKind;
use intermezzo_compiler::source::FileId;
use intermezzo_compiler::symbol_index::SymbolIndex;
use intermezzo_compiler::{Diagnostic, Extras, Severity, SourceMap, Span, load_assets, repair};
use intermezzo_scenario::Suite;
use serde_json::{Value, json};

use crate::positions::range;
use crate::scenario_checks::ScenarioJob;

/// The folder with the scenarios of a ruleset.
const SCENARIOS: &str = "scenarios";

/// Open files and rulesets.
#[derive(Default)]
pub(crate) struct Workspace {
    /// URI → text.
    open: BTreeMap<String, String>,
    /// The latest analysis of each ruleset, and the latest whose rules had an index.
    latest: BTreeMap<(PathBuf, Extent), Rc<Analysis>>,
    indexed: BTreeMap<PathBuf, Rc<Analysis>>,
    assets: BTreeMap<PathBuf, KnownAssets>,
}

/// The pictures of a ruleset, with the state of the folder when they were read.
struct KnownAssets {
    state: Vec<(PathBuf, u64, Option<SystemTime>)>,
    files: Vec<(String, Vec<u8>)>,
}

/// The files that are read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Extent {
    Rules,
    RulesAndScenarios,
}

/// The files of a ruleset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Project {
    /// The folder, or the file of a ruleset that stands next to others.
    pub(crate) root: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) rules: Vec<PathBuf>,
    pub(crate) scenarios: Vec<PathBuf>,
}

/// A compiled ruleset.
pub(crate) struct Analysis {
    pub(crate) project: Project,
    /// Names relative to the folder, and the texts as the author wrote them.
    texts: Vec<(String, String)>,
    pub(crate) suite: Suite,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) index: SymbolIndex,
    /// Some file could not be read, so parts of it are missing here.
    pub(crate) is_repaired: bool,
    /// Why files could not be read, in the order of the texts. The places belong to the texts as they are written.
    unreadable: Vec<Diagnostic>,
    unreadable_sources: Option<Suite>,
}

/// A file of a ruleset.
pub(crate) struct Place {
    pub(crate) analysis: Rc<Analysis>,
    pub(crate) file: FileId,
}

impl Workspace {
    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        self.open.insert(uri.to_owned(), text.to_owned());
    }

    pub(crate) fn close(&mut self, uri: &str) {
        self.open.remove(uri);
    }

    /// Returns the text of a file.
    pub(crate) fn text(&self, uri: &str) -> Option<String> {
        self.open.get(uri).cloned().or_else(|| std::fs::read_to_string(path_of(uri)?).ok())
    }

    /// Returns a check for every open scenario file of the ruleset of a file.
    pub(crate) fn scenario_jobs(&mut self, uri: &str) -> Vec<ScenarioJob> {
        let Some(path) = path_of(uri) else { return Vec::new() };
        let project = self.project(&path);
        let is_here = |uri: &&String| path_of(uri).is_some_and(|path| project.scenarios.contains(&path));
        let open: Vec<String> = self.open.keys().filter(is_here).cloned().collect();
        if open.is_empty() || self.analyse(uri, Extent::Rules, None).is_none() {
            return Vec::new();
        }
        let assets = self.assets(&project.folder);
        let texts = self.texts(&project, Extent::RulesAndScenarios, (Path::new(""), None));
        let files: Vec<(String, Vec<u8>)> =
            texts.into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
        let job = |uri: String| {
            let name = project.name_of(&path_of(&uri)?);
            Some(ScenarioJob { uri, name, files: files.clone(), assets: assets.clone() })
        };
        open.into_iter().filter_map(job).collect()
    }

    /// Returns the latest analysis of every ruleset with an open file.
    pub(crate) fn rulesets(&self) -> impl Iterator<Item = &Rc<Analysis>> {
        self.indexed.values()
    }

    /// Analyses the ruleset of a file, with its scenarios if the file has some. Returns the analysis, and the file in it.
    pub(crate) fn place(&mut self, uri: &str) -> Option<Place> {
        let extent = match kind_of(uri) {
            FileKind::Rules => Extent::Rules,
            FileKind::Scenarios => Extent::RulesAndScenarios,
        };
        self.place_in(uri, extent)
    }

    pub(crate) fn place_in(&mut self, uri: &str, extent: Extent) -> Option<Place> {
        let analysis = self.analyse(uri, extent, None)?;
        let file = analysis.file(&path_of(uri)?)?;
        Some(Place { analysis, file })
    }

    /// Analyses the ruleset of a file; with `replaced`, with another text for that file.
    pub(crate) fn analyse(
        &mut self,
        uri: &str,
        extent: Extent,
        replaced: Option<&str>,
    ) -> Option<Rc<Analysis>> {
        let path = path_of(uri)?;
        let project = self.project(&path);
        let texts = self.texts(&project, extent, (&path, replaced));
        if !is_ruleset(&texts) {
            return None;
        }
        let key = (project.root.clone(), extent);
        if let Some(known) = self.latest.get(&key).filter(|known| known.texts == texts) {
            return Some(Rc::clone(known));
        }
        let assets = self.assets(&project.folder);
        let analysis = Rc::new(Analysis::new(project, texts, &assets, extent));
        if replaced.is_none() {
            if !analysis.index.known.is_empty() {
                self.indexed.insert(key.0.clone(), Rc::clone(&analysis));
            }
            self.latest.insert(key, Rc::clone(&analysis));
        }
        Some(analysis)
    }

    /// Returns the latest analysis of the ruleset that has an index.
    pub(crate) fn indexed(&self, analysis: &Rc<Analysis>) -> Rc<Analysis> {
        if !analysis.index.known.is_empty() {
            return Rc::clone(analysis);
        }
        self.indexed.get(&analysis.project.root).map_or_else(|| Rc::clone(analysis), Rc::clone)
    }

    fn texts(
        &self,
        project: &Project,
        extent: Extent,
        (path, replaced): (&Path, Option<&str>),
    ) -> Vec<(String, String)> {
        let scenarios = project.scenarios.iter().filter(|_| extent == Extent::RulesAndScenarios);
        let read = |file: &PathBuf| {
            let text = match replaced.filter(|_| *file == path) {
                Some(text) => text.to_owned(),
                None => self.text(&uri_of(file))?,
            };
            Some((project.name_of(file), text))
        };
        project.rules.iter().chain(scenarios).filter_map(read).collect()
    }

    /// Returns the ruleset that a file belongs to: that of its folder, or only itself if it is a whole ruleset next to others.
    pub(crate) fn project(&self, path: &Path) -> Project {
        let parent = path.parent().unwrap_or(path);
        let folder = match parent.file_name() {
            Some(name) if name == SCENARIOS => parent.parent().unwrap_or(parent),
            _ => parent,
        };
        let rules = self.files_in(folder);
        let has_header = |file: &PathBuf| {
            let text = self.text(&uri_of(file)).unwrap_or_default();
            text.lines()
                .any(|line| line.starts_with("ruleset:") || line.trim_start().starts_with("\"ruleset\""))
        };
        let is_alone = parent == folder
            && has_header(&path.to_owned())
            && rules.iter().filter(|file| has_header(file)).count() > 1;
        if is_alone {
            let path = path.to_owned();
            let (folder, rules) = (folder.to_owned(), vec![path.clone()]);
            return Project { root: path, folder, rules, scenarios: Vec::new() };
        }
        let scenarios = self.files_in(&folder.join(SCENARIOS));
        Project { root: folder.to_owned(), folder: folder.to_owned(), rules, scenarios }
    }

    /// Returns the YAML and JSON files of a folder, also those that exist only in the editor.
    fn files_in(&self, folder: &Path) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default();
        files.extend(
            self.open.keys().filter_map(|uri| path_of(uri)).filter(|open| open.parent() == Some(folder)),
        );
        let is_rules = |file: &PathBuf| {
            matches!(file.extension().and_then(|extension| extension.to_str()), Some("yaml" | "yml" | "json"))
        };
        files.retain(is_rules);
        files.sort();
        files.dedup();
        files
    }

    /// Returns the pictures of a folder. They are read again only if a file has changed.
    fn assets(&mut self, folder: &Path) -> Vec<(String, Vec<u8>)> {
        let entries = std::fs::read_dir(folder.join("assets")).into_iter().flatten().flatten();
        let state = |entry: std::fs::DirEntry| {
            let about = entry.metadata().ok()?;
            Some((entry.path(), about.len(), about.modified().ok()))
        };
        let state: Vec<_> = entries.filter_map(state).collect();
        let known = self.assets.get(folder).filter(|known| known.state == state);
        if let Some(known) = known {
            return known.files.clone();
        }
        let files = load_assets(folder).unwrap_or_default();
        self.assets.insert(folder.to_owned(), KnownAssets { state, files: files.clone() });
        files
    }

    /// Returns the diagnostics of every file of the ruleset that a file belongs to. While a file cannot be read, only its own
    /// diagnostics are known.
    pub(crate) fn diagnostics(&mut self, uri: &str) -> Vec<(String, Value)> {
        let Some(analysis) = self.analyse(uri, Extent::Rules, None) else {
            return vec![(uri.to_owned(), json!([]))];
        };
        analysis.all_diagnostics().into_iter().map(|(uri, found)| (uri, Value::Array(found))).collect()
    }
}

impl Project {
    /// Returns the name of a file relative to the folder.
    pub(crate) fn name_of(&self, file: &Path) -> String {
        file.strip_prefix(&self.folder).unwrap_or(file).display().to_string()
    }

    /// Returns true if the file belongs to the ruleset.
    pub(crate) fn contains(&self, file: &Path) -> bool {
        self.rules.iter().chain(&self.scenarios).any(|own| own == file)
    }
}

impl Analysis {
    fn new(
        project: Project,
        texts: Vec<(String, String)>,
        assets: &[(String, Vec<u8>)],
        extent: Extent,
    ) -> Analysis {
        let suite_of = |texts: &[(String, String)]| {
            let files: Vec<(String, Vec<u8>)> =
                texts.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes())).collect();
            Suite::from_files(&files).with_assets(assets)
        };
        let mut suite = suite_of(&texts);
        let is_repaired = !suite.ruleset().is_readable() || !suite.unreadable().is_empty();
        let (mut unreadable, mut unreadable_sources) = (Vec::new(), None);
        if is_repaired {
            unreadable = suite.ruleset().compile().diagnostics;
            unreadable.extend(suite.unreadable().iter().cloned());
            let readable: Vec<(String, String)> =
                texts.iter().filter_map(|(name, text)| Some((name.clone(), repair(name, text)?))).collect();
            unreadable_sources = Some(std::mem::replace(&mut suite, suite_of(&readable)));
        }
        let with_index = Extras { index: true, ..Extras::default() };
        let compiled = suite.ruleset().compile_with(&with_index);
        let index = match extent {
            Extent::Rules => compiled.index,
            Extent::RulesAndScenarios => suite.index(),
        };
        Analysis {
            project,
            texts,
            suite,
            diagnostics: compiled.diagnostics,
            index: index.unwrap_or_default(),
            is_repaired,
            unreadable,
            unreadable_sources,
        }
    }

    pub(crate) fn sources(&self) -> &SourceMap {
        self.suite.sources()
    }

    /// Returns the number of a file.
    pub(crate) fn file(&self, path: &Path) -> Option<FileId> {
        let name = self.project.name_of(path);
        self.sources().files().find(|file| self.sources().name(*file) == name)
    }

    pub(crate) fn uri(&self, sources: &SourceMap, span: Span) -> String {
        uri_of(&self.project.folder.join(sources.name(span.file)))
    }

    /// Returns a place: the URI of the file and the range.
    pub(crate) fn location(&self, span: Span) -> Value {
        json!({"uri": self.uri(self.sources(), span), "range": range(self.sources(), span)})
    }

    /// Returns true if a place is in a file of the author, not in a prelude.
    pub(crate) fn is_own(&self, span: Span) -> bool {
        let files = self.sources().files().any(|file| file == span.file);
        files && self.project.contains(&self.project.folder.join(self.sources().name(span.file)))
    }

    /// Returns what is reported, and the files it is about: while a file cannot be read, only why.
    pub(crate) fn reported(&self) -> (&SourceMap, &[Diagnostic]) {
        match &self.unreadable_sources {
            Some(suite) => (suite.sources(), &self.unreadable),
            None => (self.sources(), &self.diagnostics),
        }
    }

    /// Returns the diagnostics of every file.
    fn all_diagnostics(&self) -> BTreeMap<String, Vec<Value>> {
        let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        if self.unreadable_sources.is_none() {
            found.extend(self.project.rules.iter().map(|file| (uri_of(file), Vec::new())));
        }
        let (sources, diagnostics) = self.reported();
        for diagnostic in diagnostics {
            let uri = self.uri(sources, diagnostic.span);
            let path = path_of(&uri);
            if path.is_some_and(|path| self.project.rules.contains(&path)) {
                found.entry(uri).or_default().push(self.diagnostic(sources, diagnostic));
            }
        }
        found
    }

    pub(crate) fn diagnostic(&self, sources: &SourceMap, diagnostic: &Diagnostic) -> Value {
        let severity = match diagnostic.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
            Severity::Note => 3,
        };
        let mut message = diagnostic.message.clone();
        for hint in &diagnostic.hints {
            message.push_str("\nhelp: ");
            message.push_str(hint);
        }
        let path = |span: &Span| self.project.folder.join(sources.name(span.file));
        let own = diagnostic.related.iter().filter(|(span, _)| self.project.contains(&path(span)));
        let location = |span: &Span| json!({"uri": uri_of(&path(span)), "range": range(sources, *span)});
        let related: Vec<Value> =
            own.map(|(span, text)| json!({"location": location(span), "message": text})).collect();
        let unused = ["W-UNUSED", "W-UNREACH"].contains(&diagnostic.code);
        json!({
            "range": range(sources, diagnostic.span),
            "severity": severity,
            "code": diagnostic.code,
            "source": "intermezzo",
            "message": message,
            "relatedInformation": related,
            "tags": if unused { json!([1]) } else { json!([]) },
        })
    }
}

/// Returns true if files are a ruleset or the beginning of one: some file has a header, or none has any key yet.
fn is_ruleset(texts: &[(String, String)]) -> bool {
    let is_header = |line: &str| {
        let line = line.trim_start_matches(['{', ' ', '\u{feff}']).trim_start_matches('"');
        ["ruleset", "prelude", "ir"].iter().any(|key| {
            line.strip_prefix(key)
                .is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with(':'))
        })
    };
    texts.iter().any(|(_, text)| text.lines().any(is_header))
        || !texts.iter().any(|(_, text)| {
            text.lines().any(|line| !line.trim_start().starts_with('#') && line.contains(':'))
        })
}

/// Returns the kind of a file.
pub(crate) fn kind_of(uri: &str) -> FileKind {
    let path = path_of(uri);
    let parent = path.as_deref().and_then(Path::parent).and_then(Path::file_name);
    if parent.is_some_and(|name| name == SCENARIOS) { FileKind::Scenarios } else { FileKind::Rules }
}

/// Returns the path of a file URI.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let written = uri.strip_prefix("file://")?;
    let mut bytes = Vec::new();
    let mut rest = written.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Returns the file URI of a path.
pub(crate) fn uri_of(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.display().to_string().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
