//! Parses match files. Input is not trusted: every error has a position.

use std::io::Read;
use std::path::Path;

use serde::Deserialize;

use crate::branches::MAX_BRANCHES;
use crate::file::{FORMAT, MatchFile};

/// Maximum size of a file. A match of ten thousand inputs takes about 20 MB.
pub const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// The reason why a match file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error(transparent)]
    Io(std::io::Error),
    /// The file is larger than [`MAX_FILE_BYTES`].
    #[error("the file has more than {max_bytes} bytes")]
    TooLarge {
        /// The limit.
        max_bytes: u64,
    },
    /// The file has another format version.
    #[error("the file has format {found}, but only format {FORMAT} can be read")]
    WrongFormat {
        /// The version in the file.
        found: u64,
    },
    /// The file has more than [`MAX_BRANCHES`] branches.
    #[error("the file has more than {MAX_BRANCHES} branches")]
    TooManyBranches,
    /// The file is not a match file.
    #[error("not a match file: line {line}, column {column}: {problem}")]
    Malformed {
        /// The line, from 1; 0 if the file is empty.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The problem.
        problem: String,
    },
}

/// Reads the bytes of a match file for [`MatchFile::parse`], at most one more than [`MAX_FILE_BYTES`].
///
/// # Errors
///
/// If the file cannot be read.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let file = std::fs::File::open(path).map_err(ReadError::Io)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    Ok(bytes)
}

impl MatchFile {
    /// Reads the match file at `path`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a match file.
    pub fn read(path: &Path) -> Result<MatchFile, ReadError> {
        MatchFile::parse(&read_bytes(path)?)
    }

    /// Parses a match file.
    ///
    /// # Errors
    ///
    /// If the bytes are not a match file. Values nested deeper than 128 levels are rejected as well.
    pub fn parse(bytes: &[u8]) -> Result<MatchFile, ReadError> {
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(ReadError::TooLarge { max_bytes: MAX_FILE_BYTES });
        }
        let read = serde_json::from_slice::<MatchFile>(bytes);
        match read {
            Ok(file) if file.format == FORMAT && file.branches.len() > MAX_BRANCHES => {
                Err(ReadError::TooManyBranches)
            }
            Ok(file) if file.format == FORMAT => Ok(file),
            Ok(file) => Err(ReadError::WrongFormat { found: u64::from(file.format) }),
            Err(error) => Err(other_format(bytes).unwrap_or_else(|| malformed(&error))),
        }
    }
}

/// Returns the version error for a file of another format: such a file may differ anywhere, so its version is
/// the problem.
fn other_format(bytes: &[u8]) -> Option<ReadError> {
    #[derive(Deserialize)]
    struct FormatProbe {
        format: u64,
    }
    let head: FormatProbe = serde_json::from_slice(bytes).ok()?;
    (head.format != u64::from(FORMAT)).then_some(ReadError::WrongFormat { found: head.format })
}

fn malformed(error: &serde_json::Error) -> ReadError {
    let (line, column) = (error.line(), error.column());
    let position = format!(" at line {line} column {column}");
    let problem = error.to_string().replace(&position, "");
    ReadError::Malformed { line, column, problem }
}
