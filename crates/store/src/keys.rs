//! Key ranges for scans.

use std::ops::Range;

use crate::limits::MAX_KEY_BYTES;

/// Returns the range of all keys that start with `prefix`.
pub fn prefix(prefix: &str) -> Range<String> {
    prefix.to_owned()..end_of_prefix(prefix)
}

/// Returns the first string greater than every string that starts with `prefix`.
fn end_of_prefix(prefix: &str) -> String {
    let mut end = prefix.to_owned();
    while let Some(last) = end.pop() {
        if let Some(next) = next_char(last) {
            end.push(next);
            return end;
        }
    }
    // Every character was `char::MAX`, so no successor exists: use a string longer than any key.
    char::MAX.to_string().repeat(MAX_KEY_BYTES / char::MAX.len_utf8() + 1)
}

/// Returns the next character, skipping the surrogate gap.
fn next_char(character: char) -> Option<char> {
    (character..=char::MAX).nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_holds_exactly_the_keys_that_begin_with_it() {
        let last = char::MAX.to_string();
        let keys =
            ["", "a", "a/", "a/1", "a/\u{10ffff}", "a0", "b", "\u{d7ff}", "\u{d7ff}x", "\u{e000}", &last];
        for start in keys {
            for key in keys {
                assert_eq!(
                    prefix(start).contains(&key.to_owned()),
                    key.starts_with(start),
                    "`{start}` `{key}`"
                );
            }
        }
    }

    #[test]
    fn the_longest_key_is_within_the_prefix_of_everything() {
        let longest = char::MAX.to_string().repeat(MAX_KEY_BYTES / 4);
        assert!(prefix("").contains(&longest));
        assert!(prefix(&char::MAX.to_string()).contains(&longest));
    }
}
