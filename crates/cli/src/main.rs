//! The intermezzo command.

fn main() {}
