//! Any bytes as a ruleset, see [`intermezzo_simulator::fuzz::loader`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| intermezzo_simulator::fuzz::loader(data));
