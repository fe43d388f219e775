//! Keeps match logs: saved matches, replay and verification
