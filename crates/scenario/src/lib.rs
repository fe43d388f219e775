//! Scenario files: play, compare, bless
