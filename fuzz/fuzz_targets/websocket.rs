//! Runs the target `websocket` of [`intermezzo_fuzz_targets`] with libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| intermezzo_fuzz_targets::run("websocket", data));
