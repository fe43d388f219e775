//! Has the server compiled again when the page it embeds was built again.

fn main() {
    // Other programs read the page when it is asked for.
    let is_embedded = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let watched = if is_embedded { "../../web/page/dist" } else { "build.rs" };
    println!("cargo::rerun-if-changed={watched}");
}
