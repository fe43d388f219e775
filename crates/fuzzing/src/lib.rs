//! What fuzzers call: any bytes wherever bytes come from outside. Start with [`TARGETS`].
//!
//! Each target takes any bytes and panics if something is not as it must be. `fuzz/` hands them to libFuzzer on the
//! nightly toolchain (`cargo xtask fuzz`); the test of this crate hands them every file of the committed corpora and
//! seeded [mutations](mutate()) of it on any toolchain. [`corpus`] writes those files.

pub mod corpus;
mod expressions;
mod frames;
mod logs;
mod mutate;
mod snapshots;
mod tables;

pub use mutate::mutate;

/// Something that takes bytes from outside.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// As the files in `fuzz/` call it.
    pub name: &'static str,
    /// What takes them. Panics if something is wrong.
    pub run: fn(&[u8]),
}

/// Everything that is fuzzed.
pub const TARGETS: [Target; 6] = [
    Target { name: "loader", run: intermezzo_simulator::fuzz::loader },
    Target { name: "expressions", run: expressions::expressions },
    Target { name: "inputs", run: intermezzo_simulator::fuzz::inputs },
    Target { name: "frames", run: frames::frames },
    Target { name: "snapshots", run: snapshots::snapshots },
    Target { name: "logs", run: logs::logs },
];

/// Runs the target of that name.
///
/// # Panics
///
/// If something is not as it must be, or there is no such target.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.expect("the target is one of the list").run)(data);
}
