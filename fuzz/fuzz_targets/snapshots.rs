//! Any bytes as changes to snapshots, see [`intermezzo_fuzzing`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| intermezzo_fuzzing::run("snapshots", data));
