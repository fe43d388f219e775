//! Rebuilds the server when the embedded web page was rebuilt.

fn main() {
    // Other profiles read the page from disk for each request.
    let is_embedded = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let watched = if is_embedded { "../../web/page/dist" } else { "build.rs" };
    println!("cargo::rerun-if-changed={watched}");
}
