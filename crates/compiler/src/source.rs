//! Source files and positions in them.
//!
//! Start at [`SourceMap`]: it owns every text, and a [`Span`] points into one of them. Offsets are bytes;
//! people see lines and characters.

use crate::diagnostic::Diagnostic;

/// Maximum size of a file, in bytes.
pub const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FileId(pub u16);

/// A range of bytes in one file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Creates the span of the bytes `start..end` of `file`.
    pub fn at(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// Returns the smallest span that covers both. They must be in the same file.
    pub fn join(self, other: Self) -> Self {
        debug_assert_eq!(self.file, other.file, "only spans of one file can be joined");
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Every file that belongs to a ruleset.
#[derive(Default, Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

#[derive(Debug)]
struct SourceFile {
    name: String,
    text: String,
    /// Offset of each line.
    line_starts: Vec<u32>,
}

impl SourceMap {
    /// Adds a file. Diagnostics refer to it by `name`.
    ///
    /// # Panics
    ///
    /// If there are more files than a [`FileId`] can number.
    pub fn add(&mut self, name: &str, text: String) -> FileId {
        let id = u16::try_from(self.files.len()).expect("a ruleset has fewer than 65536 files");
        let line_starts = line_starts(&text);
        self.files.push(SourceFile { name: name.to_owned(), text, line_starts });
        FileId(id)
    }

    pub fn name(&self, file: FileId) -> &str {
        &self.file(file).name
    }

    pub fn text(&self, file: FileId) -> &str {
        &self.file(file).text
    }

    /// Returns the line and column of a byte, both counted from 1, the column in characters.
    pub fn line_column(&self, file: FileId, offset: u32) -> (u32, u32) {
        let source = self.file(file);
        let offset = floor_boundary(&source.text, offset as usize);
        let line = source.line_starts.partition_point(|&start| start as usize <= offset);
        let line_start = source.line_starts[line - 1] as usize;
        let column = source.text[line_start..offset].chars().count() + 1;
        (line as u32, column as u32)
    }

    /// Returns the files in the order they were added.
    pub fn files(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files.len()).map(|index| FileId(index as u16))
    }

    fn file(&self, file: FileId) -> &SourceFile {
        &self.files[usize::from(file.0)]
    }
}

/// Adds `bytes` as a file, or reports why they cannot be read as text.
///
/// A leading byte order mark is dropped, so that offsets begin at the text.
pub fn add_bytes(
    sources: &mut SourceMap,
    name: &str,
    bytes: &[u8],
    out: &mut Vec<Diagnostic>,
) -> Option<FileId> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if bytes.len() > MAX_FILE_BYTES {
        let file = sources.add(name, String::new());
        out.push(too_large(file, bytes.len()));
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(sources.add(name, text.to_owned())),
        Err(error) => {
            // The file is added all the same, so that the excerpt can show the position.
            let readable = String::from_utf8_lossy(bytes).into_owned();
            let at = error.valid_up_to() as u32;
            let file = sources.add(name, readable);
            let span = Span::at(file, at, at + 3);
            let message = format!("this file is not UTF-8 (byte {at})");
            out.push(
                Diagnostic::error("E-UTF8", span, message)
                    .label("these bytes are not a valid character")
                    .hint("save the file with the encoding UTF-8"),
            );
            None
        }
    }
}

/// Returns the diagnostic for a file larger than [`MAX_FILE_BYTES`].
pub(crate) fn too_large(file: FileId, byte_count: usize) -> Diagnostic {
    let message = format!("this file has {byte_count} bytes; at most {MAX_FILE_BYTES} are read");
    Diagnostic::error("E-LIMIT", Span::at(file, 0, 0), message).hint("split the ruleset into several files")
}

/// Returns the nearest character boundary at or before `offset`.
pub(crate) fn floor_boundary(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset.min(text.len()))
}

/// Returns the offset of each line. Lines end with `\n`; a `\r` before it belongs to the line.
fn line_starts(text: &str) -> Vec<u32> {
    let breaks = text.match_indices('\n');
    std::iter::once(0).chain(breaks.map(|(index, _)| index as u32 + 1)).collect()
}
