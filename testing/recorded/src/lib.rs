//! Recordings that every version must read.
//!
//! Each folder `<game>` holds a match saved by an earlier version (`match.json`) and the rules it was
//! played by (`ruleset/`); `store/` holds the database of a server, `snapshot/` a snapshot of the engine.
//! The tests read, verify and continue them. A change of a format adds a new recording and keeps the old ones.
