//! The hash of a view. Clients use it to check that they patched their copy correctly.

use intermezzo_engine::Datum;

use crate::json;

/// Returns the hash of a view: the first 16 lowercase hexadecimal digits of the BLAKE3 hash of its JSON text in UTF-8.
///
/// The text is what [`json::write`](fn@json::write) produces: no whitespace; object entries in insertion order, new
/// ones at the end; only `"`, `\` and characters below U+0020 are escaped, as `\"`, `\\`, `\b`, `\t`, `
/// `, `\f`, `\r`, otherwise as `\u` and four lowercase digits. `JSON.stringify` produces the same text for a view that
/// was parsed with `JSON.parse` and patched in place.
#[must_use]
pub fn view_hash(view: &Datum) -> String {
    let mut text = String::new();
    json::write(view, &mut text);
    text_hash(&text)
}

/// Returns the hash of a view that is already JSON text.
#[must_use]
pub fn text_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}
