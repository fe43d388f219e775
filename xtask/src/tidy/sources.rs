//! The files of the repository, as git lists them.

use std::process::Command;

use crate::root;

/// Returns the paths of all files in the work tree with one of these endings, sorted; ignored files are not listed.
pub(super) fn files(endings: &[&str]) -> Vec<String> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(root());
    let output = git.output().map(|output| output.stdout).unwrap_or_default();
    let listed = String::from_utf8_lossy(&output);
    let mut paths: Vec<String> = listed
        .lines()
        .filter(|path| endings.iter().any(|ending| path.ends_with(ending)))
        .filter(|path| root().join(path).is_file())
        .map(str::to_owned)
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Returns true if the line contains the word, not only as a part of a longer word.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric();
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(is_part);
        let after = line[at + word.len()..].chars().next().is_some_and(is_part);
        !before && !after
    })
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn only_whole_words_count() {
        assert!(has_word("let x: f64 = 1.0;", "f64"));
        assert!(has_word("take_damage()", "damage"));
        assert!(!has_word("shaped", "hp"));
        assert!(!has_word("unsafely", "unsafe"));
    }
}
