//! The hash of a view, by which a client sees that it has patched its view rightly.

use intermezzo_engine::Datum;

use crate::json;

/// The hash of a view: the first 16 hexadecimal digits, in lower case, of the BLAKE3 hash of its JSON text in UTF-8.
///
/// The text is as [`json::write`](fn@json::write) writes it: no spaces; the entries of objects in the order in which
/// they came, new ones at the end; of characters only `"`, `\` and those below U+0020 are escaped, as `\"`, `\\`,
/// `\b`, `\t`, `\n`, `\f`, `\r`, else as `\u` and four digits in lower case. That is what `JSON.stringify` writes of a
/// view that was parsed by `JSON.parse` and patched in place.
#[must_use]
pub fn view_hash(view: &Datum) -> String {
    let mut text = String::new();
    json::write(view, &mut text);
    text_hash(&text)
}

/// The same of a view that has been written already.
#[must_use]
pub fn text_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}
