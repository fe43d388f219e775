//! Any bytes as frames and bodies of requests, see [`intermezzo_fuzzing`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| intermezzo_fuzzing::run("frames", data));
