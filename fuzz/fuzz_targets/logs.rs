//! Any bytes as match files and logs, see [`intermezzo_fuzzing`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| intermezzo_fuzzing::run("logs", data));
