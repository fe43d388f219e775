//! How deep a JSON text is, told without reading it: reading is recursive, and a stack is soon full.

/// Whether lists and objects are nested too deep, told without reading them.
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
    fn depth_is_counted_outside_of_texts_only() {
        assert!(!is_too_deep(r#"{"a":"[[[[[[\"[[["}"#, 1));
        assert!(is_too_deep("[[[]]]", 2));
        assert!(!is_too_deep("[[],[],[]]", 2));
    }
}
