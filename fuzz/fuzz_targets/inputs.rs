//! Any bytes as inputs, see [`intermezzo_simulator::fuzz::inputs`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| intermezzo_simulator::fuzz::inputs(data));
