//! Excerpts in documents: the lines of a code block below `<!-- path -->` must be in that file.

use super::read;
use super::sources::files;

pub(super) fn check() -> Vec<String> {
    let mut problems = Vec::new();
    for page in files(&[".md"]) {
        for excerpt in excerpts(&read(&page)) {
            let source = read(&excerpt.path);
            if source.is_empty() {
                problems.push(format!("{page}:{}: {} does not exist", excerpt.line, excerpt.path));
            } else if !contains(&source, &excerpt.lines) {
                problems.push(format!("{page}:{}: these lines are not in {}", excerpt.line, excerpt.path));
            }
        }
    }
    problems
}

#[derive(PartialEq, Debug)]
struct Excerpt {
    path: String,
    line: usize,
    lines: Vec<String>,
}

fn excerpts(text: &str) -> Vec<Excerpt> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let path = line.trim().strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        let Some(path) = path.filter(|path| path.contains('/') && !path.contains(' ')) else { continue };
        let after = &lines[at + 1..];
        let opening = after.iter().position(|line| !line.trim().is_empty());
        let Some(opening) = opening.filter(|opening| after[*opening].trim_start().starts_with("```")) else {
            continue;
        };
        let inside = after[opening + 1..].iter().take_while(|line| !line.trim_start().starts_with("```"));
        let lines = inside.map(|line| (*line).to_owned()).collect();
        found.push(Excerpt { path: path.to_owned(), line: at + opening + 2, lines });
    }
    found
}

/// Returns true if the text contains the lines consecutively, all with the same extra indentation.
fn contains(text: &str, lines: &[String]) -> bool {
    let source: Vec<&str> = text.lines().collect();
    let Some(first) = lines.iter().find(|line| !line.trim().is_empty()) else { return false };
    source.windows(lines.len()).any(|window| {
        let Some(source_first) = window.iter().find(|line| !line.trim().is_empty()) else { return false };
        let Some(indent) = source_first.strip_suffix(first.as_str()) else { return false };
        indent.trim().is_empty()
            && window.iter().zip(lines).all(|(source, line)| {
                line.trim().is_empty() && source.trim().is_empty()
                    || source.strip_prefix(indent).is_some_and(|rest| rest.trim_end() == line.trim_end())
            })
    })
}

#[cfg(test)]
mod tests {
    use super::{contains, excerpts};

    #[test]
    fn an_excerpt_may_be_indented_less_than_its_source() {
        let source = "a:\n  b:\n    c: 1\n  d: 2\n";
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        assert!(contains(source, &lines("b:\n  c: 1")));
        assert!(!contains(source, &lines("b:\n  d: 2")));
        assert!(!contains(source, &lines("c: 2")));
    }

    #[test]
    fn only_blocks_with_a_path_are_excerpts() {
        let page = "<!-- note -->\n```yaml\na: 1\n```\n<!-- x/y.yaml -->\n```yaml\nb: 2\n```\n";
        let found = excerpts(page);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].path.as_str(), found[0].line), ("x/y.yaml", 6));
    }
}
