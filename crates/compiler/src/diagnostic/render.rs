//! Shows diagnostics to people and to tools.

use crate::diagnostic::Diagnostic;
use crate::source::SourceMap;

/// Renders for people.
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap, color: bool) -> String {
    let _ = (diagnostics, sources, color);
    String::new()
}

/// Renders for tools.
pub fn to_json(diagnostics: &[Diagnostic], sources: &SourceMap) -> serde_json::Value {
    let _ = (diagnostics, sources);
    serde_json::Value::Null
}
