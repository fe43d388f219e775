//! Suites as authors use them: files in, a report out, and files blessed.

mod actions;
mod bless;
mod failures;
mod mistakes;
mod steps;

use std::path::PathBuf;

use intermezzo_scenario::{ScenarioFailure, Suite, SuiteReport};

/// Small game: in turn, players may play a card, which scores what a die shows.
const RULES: &str = "
ir: 1
ruleset: {id: cards, version: 1.0.0, name: Cards, uses: [core@1]}
options:
  goal: {type: int, default: 100, min: 1, max: 100}
outcomes: [normal]
players: {seats: 2, props: {score: {type: int, default: 0, visible: all}}}
kinds: {card: {}}
zones:
  hand: {of: player, visible: owner}
  table: {visible: all}
defs:
  ace: {kind: card}
  king: {kind: card}
events:
  Scored:
    payload: {player: player, amount: int}
    apply: [{add: {event.player.score: event.amount}}]
    visible: all
  Passed: {payload: {player: player}, visible: all}
setup:
  - each: players
    as: p
    do:
      - {create: ace, owner: p, in: p.hand}
      - {create: king, owner: p, in: p.hand}
flow:
  - repeat: forever
    do:
      - each: players
        as: p
        do:
          - {choose: card, by: p, from: p.hand, pass: true, title: Play a card}
          - if: card == null
            then: [{emit: Passed, player: p}]
            else:
              - {move: card, to: table}
              - {roll: 1d6, for: luck, as: r}
              - {emit: Scored, player: p, amount: r.total}
          - if: p.score >= options.goal
            then: [{end: normal, winners: '[p]', losers: players.where(it != p), pot: winners}]
";

/// Suite of one scenario file in its own folder.
struct SuiteFolder {
    path: PathBuf,
}

impl SuiteFolder {
    fn new(name: &str, scenarios: &str) -> SuiteFolder {
        SuiteFolder::of(RULES, name, scenarios)
    }

    fn of(rules: &str, name: &str, scenarios: &str) -> SuiteFolder {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::remove_dir_all(&path).ok();
        std::fs::create_dir_all(path.join("scenarios")).expect("a folder can be made");
        let folder = SuiteFolder { path };
        folder.write("ruleset.yaml", rules);
        folder.write("scenarios/all.yaml", scenarios);
        folder
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path.join(file), text).expect("a file can be written");
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path.join(file)).expect("a file can be read")
    }

    fn run(&self) -> SuiteReport {
        self.suite().run(None, false)
    }

    fn bless(&self) -> SuiteReport {
        self.suite().run(None, true)
    }

    fn suite(&self) -> Suite {
        Suite::load(&self.path).expect("a suite can be loaded")
    }
}

/// Returns the only failure of a scenario file.
fn failure(name: &str, scenarios: &str) -> ScenarioFailure {
    only_failure(&SuiteFolder::new(name, scenarios))
}

fn only_failure(folder: &SuiteFolder) -> ScenarioFailure {
    let report = folder.run();
    let rendered = folder.suite().render(&report, false);
    let [failure] = report.failed.as_slice() else { panic!("expected one failure:\n{rendered}") };
    assert!(!report.is_ok() && report.diagnostics.is_empty(), "{rendered}");
    failure.clone()
}

/// Returns the report of a scenario file with errors.
fn mistakes(name: &str, scenarios: &str) -> String {
    all_mistakes(&SuiteFolder::new(name, scenarios))
}

fn all_mistakes(folder: &SuiteFolder) -> String {
    let report = folder.run();
    assert!(!report.diagnostics.is_empty() && !report.is_ok());
    folder.suite().render(&report, false).replace(&folder.path.display().to_string(), "")
}

#[track_caller]
fn passes(name: &str, scenarios: &str) {
    all_pass(&SuiteFolder::new(name, scenarios));
}

#[track_caller]
fn all_pass(folder: &SuiteFolder) {
    let report = folder.run();
    assert!(report.is_ok() && report.passed > 0, "\n{}", folder.suite().render(&report, false));
}
