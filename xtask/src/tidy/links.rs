//! Links in Markdown: every relative link names a file that exists, and every anchor a heading in it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::root;

use super::read;
use super::sources::files;

const SUMMARY: &str = "docs/SUMMARY.md";

pub(super) fn check() -> Vec<String> {
    let mut problems = Vec::new();
    let pages = files(&[".md"]);
    for page in &pages {
        for (line, link) in links(&read(page)) {
            if let Some(problem) = problem_of(page, &link) {
                problems.push(format!("{page}:{line}: {problem}"));
            }
        }
    }
    problems.extend(unlisted(&pages));
    problems
}

/// Returns the pages of `docs/` that the book's table of contents does not list.
fn unlisted(pages: &[String]) -> Vec<String> {
    let listed: BTreeSet<PathBuf> = links(&read(SUMMARY))
        .iter()
        .map(|(_, link)| resolve(SUMMARY, link.split('#').next().unwrap_or(link)))
        .collect();
    let in_docs = pages.iter().filter(|page| page.starts_with("docs/") && *page != SUMMARY);
    let missing = in_docs.filter(|page| !listed.contains(Path::new(page)));
    missing.map(|page| format!("{SUMMARY} does not list {page}")).collect()
}

fn problem_of(page: &str, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let target = if path.is_empty() { PathBuf::from(page) } else { resolve(page, path) };
    if !root().join(&target).exists() {
        return Some(format!("`{link}` does not exist"));
    }
    let anchor = anchor?;
    if target.extension().is_none_or(|extension| extension != "md") {
        return None;
    }
    let text = read(&target.to_string_lossy());
    (!anchors(&text).contains(anchor)).then(|| format!("`{link}`: the page has no such heading"))
}

/// Resolves a link relative to its page.
fn resolve(page: &str, link: &str) -> PathBuf {
    let mut path = Path::new(page).parent().unwrap_or(Path::new("")).to_path_buf();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

/// Returns the targets of all inline links outside of code, with their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        // Text between backticks is code. It may contain the middle of a link's label, never its target.
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("](") {
            let Some((target, behind)) = after.split_once(')') else { break };
            let target = target.split_whitespace().next().unwrap_or_default();
            if !target.is_empty() && !target.starts_with('`') {
                found.push((at + 1, target.to_owned()));
            }
            rest = behind;
        }
    }
    found
}

/// Returns the anchors of a page's headings, as GitHub and mdBook form them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        let title = line.trim_start_matches('#');
        if in_code || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let slug: String = title
            .trim()
            .to_lowercase()
            .chars()
            .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
            .map(|letter| if letter == ' ' { '-' } else { letter })
            .collect();
        let mut unique = slug.clone();
        let mut number = 0;
        while !anchors.insert(unique.clone()) {
            number += 1;
            unique = format!("{slug}-{number}");
        }
    }
    anchors
}

#[cfg(test)]
mod tests {
    use super::{anchors, links, resolve};

    #[test]
    fn links_are_found_outside_of_code() {
        let text = "See [a](b.md#c), [`d`](../e.md).\n```\n[no](f.md)\n```\n![p](p.webp)";
        let found: Vec<String> = links(text).into_iter().map(|(_, link)| link).collect();
        assert_eq!(found, ["b.md#c", "../e.md", "p.webp"]);
    }

    #[test]
    fn links_are_relative_to_their_page() {
        assert_eq!(resolve("docs/a/b.md", "../c.md").to_string_lossy(), "docs/c.md");
    }

    #[test]
    fn headings_become_anchors() {
        let found = anchors("# A `b` c?\n## Same\n## Same\n```\n# not\n```\n");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a-b-c", "same", "same-1"]);
    }
}
