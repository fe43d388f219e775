//! Scenario tests: runs scenario files, compares the results, and updates listings ("blessing").
//!
//! A [`Suite`] is a ruleset with all its scenarios: the files in `scenarios/` next to it and the `scenarios:`
//! section inside it. [`Suite::run`] runs them and reports what differs.
//!
//! ```
//! use intermezzo_scenario::Suite;
//!
//! let rules = r#"
//! ir: 1
//! ruleset: {id: coin, version: 0.1.0, name: Coin}
//! outcomes: [done]
//! players: {seats: 2}
//! flow:
//!   - {choose: side, by: "players[0]", from: "[1, 2]"}
//!   - {end: done, winners: "[players[side - 1]]"}
//! "#;
//! let scenarios = r#"
//! scenarios:
//!   - name: the first player may let the other one win
//!     play:
//!       - {p0: 2, ended: {outcome: done, winners: [p1]}}
//! "#;
//! let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
//! let mut suite = Suite::from_files(&[file("coin.yaml", rules), file("scenarios/all.yaml", scenarios)]);
//! let report = suite.run(None, false);
//! assert!(report.is_ok() && report.passed == 1, "{}", suite.render(&report, false));
//! ```
//!
//! # Format
//!
//! ```yaml
//! ignore: [Changed, PhaseStarted, PhaseEnded]   # events that listings omit
//! scenarios:
//!   - name: an attack into a counter hurts the attacker only
//!     options: {rounds: 1}                      # also: seats, seed, dice, given, start
//!     play:
//!       - p0: [attack, null, null]              # inputs, as players would write them
//!         p1: [counter, null, null]
//!         events:                               # everything that happens, in order; `...` skips
//!           - StepRevealed: {step: 1, plays: {p0: attack, p1: counter}}
//!           - Hurt: {player: p0, amount: 2, by: p1}
//!           - ...
//!         expect: {p0.hp: 8, p1.hp: 10}         # expressions and their values; `p0` is `players[0]`
//!         ended: {outcome: normal, winners: [p1]}
//! ```
//!
//! | key of a step | meaning |
//! |---|---|
//! | `p0`, `draft p0` | seat 0 answers its question, or drafts an answer |
//! | `drag p0` | seat 0 drags a thing onto another: `[bear, p0.battlefield]` |
//! | `auto p0` | auto-pass of seat 0: `turn`, `always`, `off`, or `{until: turn, stack: stop}` |
//! | `timeout` | the deadline passes for a seat, some seats, or `all` |
//! | `leave`, `concede`, `kick`, `out_of_time` | a seat disconnects, concedes, is removed, or has no time left |
//! | `moderate` | a moderator ends the match: `{winners, pot}` |
//! | `late: true`, `to: p1` | answers the previous question, or that of another seat |
//! | `refused` | the reason why the input is refused, as text or name; nothing may change |
//! | `unseen_by` | viewers for whom nothing may change |
//! | `events` | what happens; blessing fills it in |
//! | `expect` | expressions with their values, or a list of expressions that must be true |
//! | `pending` | the open questions: `{p0: {title, options, draft …}, p1: false}` or `[p0]` |
//! | `actions` | the actions of a seat: `{p0: {available, only, unavailable, asked}}` |
//! | `sees` | by seat or `spectator`: `view` (path: value, questions under `prompts`), `hidden` (paths), `never` (texts), `events` |
//! | `ended` | `{outcome, winners, losers, pot}`, or `false` |
//! | `stakes` | `{entry, pot, currency}` |
//! | `clock` | `{bank, increment, grace}`, in milliseconds |
//!
//! A file can set `options`, `seats`, `seed`, `ignore` and `given` for all its scenarios. Only written fields are
//! compared. Entities are written as label and number, `attack#3`, or just `attack`. An event that was prevented or
//! failed matches only a line with its `status`.
//!
//! Offers are written as in an answer: `cast_bolt`, `{cast_bolt: p1}`, `{attack: {host: bear#3, defender: p1}}`.
//! Under `actions`, each entry of `available` must be offered, `only` lists all offers (blessing fills it in), and each
//! entry of `unavailable` must be unavailable: the action, or an object with `action`, `host` and `reason`.

mod answers;
mod bless;
mod checks;
mod comparison;
mod diff;
mod drags;
mod event_format;
mod event_listing;
mod names;
mod offers;
mod play;
mod reader;
mod recorder;
mod report;
mod running_match;
mod scenario;
mod shorthand;
mod steps;
mod submit;
mod suite;
mod values;

pub use recorder::{ScenarioRecording, write_failing_scenario, write_scenario};
pub use report::{PlayedScenario, ScenarioFailure, SuiteReport};
pub use suite::Suite;
