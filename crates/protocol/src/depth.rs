//! Nesting depth of a JSON text, counted without parsing it: the parser is recursive, so deep input would overflow the
//! stack.

/// Returns true if lists and objects are nested more than `max_depth` levels. Does not parse the text or check that it
/// is JSON.
#[must_use]
pub fn is_too_deep(text: &str, max_depth: usize) -> bool {
    let (mut depth, mut in_text, mut is_escaped) = (0usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                if depth > max_depth {
                    return true;
                }
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_inside_strings_are_not_counted() {
        assert!(!is_too_deep(r#"{"a":"[[[[[[\"[[["}"#, 1));
        assert!(is_too_deep("[[[]]]", 2));
        assert!(!is_too_deep("[[],[],[]]", 2));
    }
}
