//! Scenario files: play, compare, bless.
//!
//! A [`Suite`] is a ruleset with all its scenarios: the files in `scenarios/`
//! beside it and the `scenarios:` section inside it. [`Suite::run`] plays them
//! and says what did not come out as written.
//!
//! ```yaml
//! ignore: [Changed, PhaseStarted, PhaseEnded]   # events that listings leave out
//! scenarios:
//!   - name: an attack into a counter hurts the attacker only
//!     options: {rounds: 1}                      # also: seats, seed, dice, given, start
//!     play:
//!       - p0: [attack, null, null]              # what is sent, as players would write it
//!         p1: [counter, null, null]
//!         events:                               # all that happened, in order; `...` skips
//!           - StepRevealed: {step: 1, plays: {p0: attack, p1: counter}}
//!           - Hurt: {player: p0, amount: 2, by: p1}
//!           - ...
//!         expect: {p0.hp: 8, p1.hp: 10}         # expressions and their values; `p0` is `players[0]`
//!         ended: {outcome: normal, winners: [p1]}
//! ```
//!
//! | key of a step | means |
//! |---|---|
//! | `p0`, `draft p0` | seat 0 answers, or drafts an answer to, what it is asked |
//! | `drag p0` | seat 0 drags something onto something: `[bear, p0.battlefield]` |
//! | `auto p0` | seat 0 passes by itself: `turn`, `always`, `off`, or `{until: turn, stack: stop}` |
//! | `timeout` | the deadline passes for a seat, some seats, or `all` |
//! | `leave`, `concede`, `kick`, `out_of_time` | a seat disconnects, gives up, is removed, or has no time left |
//! | `moderate` | a moderator ends the match: `{winners, pot}` |
//! | `late: true`, `to: p1` | send it to the question before, or to that of another seat |
//! | `refused` | why it is refused, in words or by name; nothing may have changed |
//! | `unseen_by` | viewers for whom everything looks the same before and after |
//! | `events` | what happened; filled in by a blessing if nothing is written |
//! | `expect` | expressions with their values, or a list of those that must be true |
//! | `pending` | who is asked what: `{p0: {title, options, draft …}, p1: false}` or `[p0]` |
//! | `actions` | what a seat can do: `{p0: {available, only, unavailable, asked}}` |
//! | `sees` | by seat or `spectator`: `view` (path: value, what is asked under `prompts`), `hidden` (paths), `never` (texts), `events` |
//! | `ended` | `{outcome, winners, losers, pot}`, or `false` |
//! | `stakes` | `{entry, pot, currency}` |
//! | `clock` | `{bank, increment, grace}`, in milliseconds |
//!
//! A file may say `options`, `seats`, `seed`, `ignore` and `given` once for all its
//! scenarios. Only the fields that are written are compared. Entities are called by their
//! label and number, `attack#3`, or just `attack`. An event that was prevented or failed is
//! listed with its `status`, and only with it.
//!
//! Offers are written as in an answer: `cast_bolt`, `{cast_bolt: p1}`, `{attack: {host: bear#3,
//! defender: p1}}`. Under `actions`, each in `available` is offered, `only` lists all of them
//! (a blessing fills it in), and each in `unavailable` cannot be done: the action alone, or an
//! object with `action`, `host` and `reason`.

mod align;
mod answers;
mod bless;
mod checks;
mod drags;
mod happened;
mod listings;
mod names;
mod offers;
mod play;
mod reader;
mod recording;
mod report;
mod scenario;
mod sending;
mod shorthand;
mod sides;
mod steps;
mod suite;
mod table;
mod values;

pub use recording::{Recording, write, write_find};
pub use report::{Failure, Played, Report};
pub use suite::Suite;
