//! Any bytes as inputs of a match, see [`intermezzo_fuzzing`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| intermezzo_fuzzing::run("inputs", data));
