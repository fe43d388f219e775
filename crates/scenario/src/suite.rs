//! Ruleset with all its scenarios.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use intermezzo_compiler::diagnostic::sort;
use intermezzo_compiler::source::FileId;
use intermezzo_compiler::symbol_index::SymbolIndex;
use intermezzo_compiler::tree::{SourceNode, SourceText};
use intermezzo_compiler::{Diagnostic, Extras, Ruleset, Severity, SourceMap, render};
use intermezzo_program::Program;

use crate::bless::{TextEdit, apply};
use crate::play::{ScenarioOutcome, play};
use crate::reader::ScenarioReader;
use crate::report::{PlayedScenario, ScenarioFailure, SuiteReport};
use crate::scenario::Scenario;
use crate::shorthand::Shorthand;

/// Ruleset with all its scenarios: those in `scenarios/` next to it, and those in its `scenarios` section.
#[derive(Debug)]
pub struct Suite {
    path: PathBuf,
    ruleset: Ruleset,
    /// Scenario files that could be parsed.
    files: Vec<(PathBuf, SourceNode)>,
    /// Diagnostics of the files that could not be parsed.
    problems: Vec<Diagnostic>,
}

impl Suite {
    /// Loads a ruleset from a file or folder, with the scenarios next to it.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read.
    pub fn load(path: &Path) -> std::io::Result<Suite> {
        let ruleset = Ruleset::load(path)?;
        let mut suite = Suite { path: path.to_owned(), ruleset, files: Vec::new(), problems: Vec::new() };
        for file in scenario_files(path)? {
            let bytes = std::fs::read(&file)?;
            match suite.ruleset.parse_extra_file(&file.display().to_string(), &bytes) {
                Ok(node) => suite.files.push((file, node)),
                Err(problems) => suite.problems.extend(problems),
            }
        }
        Ok(suite)
    }

    /// Creates a suite from files in memory. Paths in `scenarios/` are scenarios; paths without a folder
    /// are rules.
    #[must_use]
    pub fn from_files(files: &[(String, Vec<u8>)]) -> Suite {
        let is_rules = |(path, _): &&(String, Vec<u8>)| !path.contains('/');
        let rules: Vec<(String, Vec<u8>)> = files.iter().filter(is_rules).cloned().collect();
        let ruleset = Ruleset::from_files(&rules);
        let mut suite = Suite { path: PathBuf::new(), ruleset, files: Vec::new(), problems: Vec::new() };
        for (path, bytes) in files {
            if path.strip_prefix("scenarios/").is_some_and(|name| !name.contains('/')) {
                match suite.ruleset.parse_extra_file(path, bytes) {
                    Ok(node) => suite.files.push((PathBuf::from(path), node)),
                    Err(problems) => suite.problems.extend(problems),
                }
            }
        }
        suite
    }

    /// Adds the pictures of the ruleset, see [`Ruleset::with_assets`].
    #[must_use]
    pub fn with_assets(self, files: &[(String, Vec<u8>)]) -> Suite {
        Suite { ruleset: self.ruleset.with_assets(files), ..self }
    }

    /// Returns the rules.
    #[must_use]
    pub fn ruleset(&self) -> &Ruleset {
        &self.ruleset
    }

    /// Returns the tree of a file of rules or scenarios, if it could be read.
    #[must_use]
    pub fn document(&self, file: FileId) -> Option<&SourceNode> {
        let scenarios = self.files.iter().map(|(_, node)| node).find(|node| node.span.file == file);
        self.ruleset.document(file).or(scenarios)
    }

    /// Returns the diagnostics of files that could not be read.
    #[must_use]
    pub fn unreadable(&self) -> &[Diagnostic] {
        &self.problems
    }

    /// Returns the names of the rules and of all valid scenarios, for editors. `None` if the rules cannot be read.
    #[must_use]
    pub fn index(&self) -> Option<SymbolIndex> {
        let compiled = self.ruleset.compile();
        let scenarios = compiled.program.as_ref().map(|program| self.read(program).0).unwrap_or_default();
        let mut shorthand = Shorthand::default();
        let given: Vec<SourceNode> = scenarios
            .iter()
            .flat_map(|scenario| &scenario.given)
            .map(|given| shorthand.node(given))
            .collect();
        let expressions: Vec<SourceText> =
            scenarios.iter().flat_map(Scenario::expressions).map(|text| shorthand.text(text)).collect();
        let extras = Extras {
            given: given.iter().collect(),
            expressions: expressions.iter().collect(),
            index: true,
            ..Extras::default()
        };
        let mut index = self.ruleset.compile_with(&extras).index?;
        index.map_places(|span| shorthand.original(span));
        self.ruleset.sections("scenarios").for_each(|list| index.add_scenario_list(list));
        self.files.iter().for_each(|(_, node)| index.add_scenarios(node));
        index.finish();
        Some(index)
    }

    /// Returns the sources, for rendering diagnostics.
    #[must_use]
    pub fn sources(&self) -> &SourceMap {
        self.ruleset.sources()
    }

    /// Lists all valid scenarios: name, file and line.
    #[must_use]
    pub fn list(&self) -> Vec<(String, String, u32)> {
        let compiled = self.ruleset.compile();
        let Some(program) = &compiled.program else { return Vec::new() };
        let (scenarios, _) = self.read(program);
        scenarios.iter().map(|scenario| self.place(scenario)).collect()
    }

    /// Runs the scenario with that name.
    #[must_use]
    pub fn run_one(&self, name: &str) -> SuiteReport {
        self.play_all(|scenario| scenario.name.value == name, false).0
    }

    /// Returns the file of a scenario, and its text with the listings of that scenario filled in.
    #[must_use]
    pub fn blessed(&self, name: &str) -> Option<(String, String)> {
        let (_, blessings) = self.play_all(|scenario| scenario.name.value == name, true);
        let edits: Vec<TextEdit> = blessings.into_iter().flatten().collect();
        let file = edits.first()?.span.file;
        let text = apply(self.ruleset.sources().text(file), edits);
        Some((self.ruleset.sources().name(file).to_owned(), text))
    }

    /// Runs the scenarios whose name or file contains `filter`. With `bless`, rewrites listings that differ
    /// in their files, and reports on the rewritten files.
    pub fn run(&mut self, filter: Option<&str>, bless: bool) -> SuiteReport {
        let (mut report, blessings) = self.play_all(|scenario| self.is_wanted(scenario, filter), bless);
        if blessings.is_empty() {
            return report;
        }
        let rewritten = self.rewrite(&blessings).and_then(|()| Suite::load(&self.path));
        match rewritten {
            Ok(suite) => {
                *self = suite;
                let (report, _) = self.play_all(|scenario| self.is_wanted(scenario, filter), false);
                SuiteReport { blessed: blessings.len(), ..report }
            }
            Err(error) => {
                let file = self.path.display().to_string();
                let message = format!("cannot write the blessed files: {error}");
                report.failed.push(ScenarioFailure { file, line: 1, name: "bless".to_owned(), message });
                report
            }
        }
    }

    /// Renders a report for people, with excerpts. The last line has the counts.
    #[must_use]
    pub fn render(&self, report: &SuiteReport, color: bool) -> String {
        let mut text = render(&report.diagnostics, self.ruleset.sources(), color);
        for failure in &report.failed {
            text.push_str(&format!("{failure}\n"));
        }
        let mut counts = vec![format!("{} passed", report.passed)];
        let mistakes =
            report.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
        let mistake = if mistakes == 1 { "error" } else { "errors" };
        let listing = if report.blessed == 1 { "listing blessed" } else { "listings blessed" };
        let others = [(report.failed.len(), "failed"), (mistakes, mistake), (report.blessed, listing)];
        counts.extend(
            others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")),
        );
        text + &counts.join(", ") + "\n"
    }

    fn play_all(
        &self,
        is_wanted: impl Fn(&Scenario<'_>) -> bool,
        bless: bool,
    ) -> (SuiteReport, Vec<Vec<TextEdit>>) {
        let mut report = SuiteReport { diagnostics: self.problems.clone(), ..SuiteReport::default() };
        let mut blessings = Vec::new();
        let compiled = self.ruleset.compile();
        let Some(program) = &compiled.program else {
            let errors =
                compiled.diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
            report.diagnostics.extend(errors);
            return (report, blessings);
        };
        let (scenarios, mut mistakes) = self.read(program);
        report.diagnostics.append(&mut mistakes);
        for scenario in scenarios.iter().filter(|scenario| is_wanted(scenario)) {
            let outcome = play(&self.ruleset, scenario, bless);
            self.note(scenario, outcome, &mut report, &mut blessings);
        }
        sort(&mut report.diagnostics);
        (report, blessings)
    }

    /// Reads all valid scenarios, and the diagnostics of the others.
    fn read(&self, program: &Program) -> (Vec<Scenario<'_>>, Vec<Diagnostic>) {
        let mut reader = ScenarioReader::new(program, self.ruleset.sources());
        let mut scenarios: Vec<Scenario<'_>> = Vec::new();
        for list in self.ruleset.sections("scenarios") {
            scenarios.extend(reader.scenarios(list, None));
        }
        for (_, node) in &self.files {
            scenarios.extend(reader.file(node));
        }
        (scenarios, reader.out)
    }

    /// Returns name, file and line of a scenario.
    fn place(&self, scenario: &Scenario<'_>) -> (String, String, u32) {
        let (sources, span) = (self.ruleset.sources(), scenario.name.span);
        let line = sources.line_column(span.file, span.start).0;
        (scenario.name.value.clone(), sources.name(span.file).to_owned(), line)
    }

    fn is_wanted(&self, scenario: &Scenario<'_>, filter: Option<&str>) -> bool {
        // Not the folder: where a ruleset lies says nothing about its scenarios.
        let file = Path::new(self.ruleset.sources().name(scenario.name.span.file)).file_name();
        let file = file.and_then(OsStr::to_str).unwrap_or_default();
        filter.is_none_or(|filter| scenario.name.value.contains(filter) || file.contains(filter))
    }

    fn note(
        &self,
        scenario: &Scenario<'_>,
        outcome: ScenarioOutcome,
        report: &mut SuiteReport,
        blessings: &mut Vec<Vec<TextEdit>>,
    ) {
        let is_mistaken = outcome.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        report.diagnostics.extend(outcome.diagnostics);
        blessings.extend(outcome.blessings);
        let sources = self.ruleset.sources();
        let (name, file, line) = self.place(scenario);
        let is_ok = !is_mistaken && outcome.problem.is_none();
        report.played.push(PlayedScenario { name, file, line, is_ok });
        match outcome.problem {
            Some(problem) => report.failed.push(ScenarioFailure {
                file: sources.name(problem.span.file).to_owned(),
                line: sources.line_column(problem.span.file, problem.span.start).0,
                name: scenario.name.value.clone(),
                message: problem.lines.join("\n"),
            }),
            None if is_mistaken => {}
            None => report.passed += 1,
        }
    }

    fn rewrite(&self, blessings: &[Vec<TextEdit>]) -> std::io::Result<()> {
        let mut by_file: BTreeMap<FileId, Vec<TextEdit>> = BTreeMap::new();
        for edit in blessings.iter().flatten() {
            by_file.entry(edit.span.file).or_default().push(edit.clone());
        }
        for (file, edits) in by_file {
            let path = self.path_of(file);
            let text = apply(self.ruleset.sources().text(file), edits);
            // Reading strips a byte order mark. Write it back, because blessing must not change anything
            // else.
            let mark = if std::fs::read(&path)?.starts_with(b"\xEF\xBB\xBF") { "\u{FEFF}" } else { "" };
            std::fs::write(&path, format!("{mark}{text}"))?;
        }
        Ok(())
    }

    fn path_of(&self, file: FileId) -> PathBuf {
        let beside = self.files.iter().find(|(_, node)| node.span.file == file);
        match beside {
            Some((path, _)) => path.clone(),
            None if self.path.is_dir() => self.path.join(self.ruleset.sources().name(file)),
            None => self.path.clone(),
        }
    }
}

/// Returns the scenario files next to a ruleset, sorted by name.
fn scenario_files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) }.join("scenarios");
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let file = entry?.path();
        let extension = file.extension().and_then(|extension| extension.to_str());
        if file.is_file() && matches!(extension, Some("yaml" | "yml" | "json")) {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}
