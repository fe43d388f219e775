//! The pure state machine: input in, events out
