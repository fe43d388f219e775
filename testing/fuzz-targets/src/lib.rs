//! Fuzz targets for everything that reads bytes from outside. Start with [`TARGETS`].
//!
//! Each target takes any bytes and panics if an invariant is violated. `fuzz/` passes them to libFuzzer on the nightly
//! toolchain (`cargo xtask fuzz`); the test of this crate runs them on every file of the committed corpora and on
//! seeded [mutations](mutate()), on any toolchain. [`corpus`] writes those files.

pub mod corpus;
mod expressions;
mod frames;
mod logs;
mod mutate;
mod sample_matches;
mod snapshots;
mod websocket;

pub use mutate::mutate;

/// Fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct FuzzTarget {
    /// Name of its file in `fuzz/`.
    pub name: &'static str,
    /// Function under test. It panics if an invariant is violated.
    pub run: fn(&[u8]),
}

/// All fuzz targets.
pub const TARGETS: [FuzzTarget; 7] = [
    FuzzTarget { name: "loader", run: intermezzo_simulator::fuzz::loader },
    FuzzTarget { name: "expressions", run: expressions::expressions },
    FuzzTarget { name: "inputs", run: intermezzo_simulator::fuzz::inputs },
    FuzzTarget { name: "frames", run: frames::frames },
    FuzzTarget { name: "snapshots", run: snapshots::snapshots },
    FuzzTarget { name: "logs", run: logs::logs },
    FuzzTarget { name: "websocket", run: websocket::websocket },
];

/// Runs the target of that name.
///
/// # Panics
///
/// Panics if an invariant is violated, or the target does not exist.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.expect("the target exists").run)(data);
}
