//! Type names that several types of the workspace share: one name, one type.

use std::collections::BTreeMap;

use super::baseline::Count;
use super::read;
use super::sources::files;

pub(super) const COUNT: Count = Count { key: "shared_type_names", measure: shared };

/// Names by convention: a reader expects one in every module.
const CONVENTIONAL: &[&str] = &["Error", "Result", "Args", "Config", "Options"];

pub(super) fn check() -> Vec<String> {
    COUNT.compare()
}

/// Lists every name that several types have, with the files that declare them.
fn shared() -> Vec<String> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files(&[".rs"]) {
        for name in declared(&read(&path)) {
            places.entry(name).or_default().push(path.clone());
        }
    }
    let shared = places
        .into_iter()
        .filter(|(name, places)| places.len() > 1 && !CONVENTIONAL.contains(&name.as_str()));
    shared.map(|(name, places)| format!("{name}: {}", places.join(", "))).collect()
}

/// Returns the types a file declares, not counting associated types.
fn declared(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace().peekable();
        if words.peek().is_some_and(|word| word.starts_with("pub")) {
            words.next();
        }
        let Some(keyword) = words.next() else { continue };
        let is_type = match keyword {
            "struct" | "enum" | "trait" | "union" => true,
            "type" => !line.starts_with(' '),
            _ => false,
        };
        if let (true, Some(rest)) = (is_type, words.next()) {
            let name: String = rest.chars().take_while(|letter| letter.is_alphanumeric()).collect();
            if name.starts_with(char::is_uppercase) {
                names.push(name);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::declared;

    #[test]
    fn declarations_are_found_and_associated_types_are_not() {
        let text = "pub(crate) struct A<T>(T);\nenum B { C }\n    type Output = u8;\ntype D = A<B>;\n    struct E;\nlet trait_ = 1;";
        assert_eq!(declared(text), ["A", "B", "D", "E"]);
    }
}
