//! Short programs that use Intermezzo as a library, one per file in `src/bin`.
//!
//! Run them from the root of the repository, for example `cargo run -p intermezzo-examples --bin embed-the-engine`.
//! A test runs all of them. The code in the how-to pages is compiled here, too.

#[cfg(doctest)]
mod how_to {
    #[doc = include_str!("../../../docs/how-to/embed-the-engine.md")]
    struct EmbedTheEngine;
    #[doc = include_str!("../../../docs/how-to/train-a-bot.md")]
    struct TrainABot;
}
