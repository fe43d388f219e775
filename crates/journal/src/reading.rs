//! Reading match files. Nothing in them is trusted: what does not fit is an error with its place.

use std::fmt;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;

use crate::branches::MAX_BRANCHES;
use crate::file::{FORMAT, MatchFile};

/// Larger files are not read. A match of ten thousand inputs takes about 20 MB.
pub const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Why a match file cannot be read.
#[derive(Debug)]
pub enum ReadError {
    /// The file cannot be opened or read.
    Io(std::io::Error),
    /// The file is larger than [`MAX_FILE_BYTES`].
    TooLarge {
        /// At most this many bytes are read.
        max_bytes: u64,
    },
    /// The file was written by another version.
    WrongFormat {
        /// The version it says.
        found: u64,
    },
    /// More was taken back than [`MAX_BRANCHES`] times.
    TooManyBranches,
    /// The file is not a match file.
    Malformed {
        /// Line, from 1; 0 if the file is empty.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong there.
        problem: String,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(error) => error.fmt(f),
            ReadError::TooLarge { max_bytes } => write!(f, "the file has more than {max_bytes} bytes"),
            ReadError::WrongFormat { found } => {
                write!(f, "the file has format {found}, but only format {FORMAT} can be read")
            }
            ReadError::TooManyBranches => write!(f, "the file has more than {MAX_BRANCHES} branches"),
            ReadError::Malformed { line, column, problem } => {
                write!(f, "not a match file: line {line}, column {column}: {problem}")
            }
        }
    }
}

impl std::error::Error for ReadError {}

/// What a match file at `path` has, for [`MatchFile::parse`]; not much more than [`MAX_FILE_BYTES`] of it.
///
/// # Errors
///
/// If the file cannot be read.
pub fn file_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let file = std::fs::File::open(path).map_err(ReadError::Io)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    Ok(bytes)
}

impl MatchFile {
    /// The match saved at `path`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a match file.
    pub fn read(path: &Path) -> Result<MatchFile, ReadError> {
        MatchFile::parse(&file_bytes(path)?)
    }

    /// The match that `bytes` tell of.
    ///
    /// # Errors
    ///
    /// If they are not a match file. Values nested deeper than 128 levels are refused, too.
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

/// A file of another version may differ anywhere; then its version is the problem.
fn other_format(bytes: &[u8]) -> Option<ReadError> {
    #[derive(Deserialize)]
    struct Head {
        format: u64,
    }
    let head: Head = serde_json::from_slice(bytes).ok()?;
    (head.format != u64::from(FORMAT)).then_some(ReadError::WrongFormat { found: head.format })
}

fn malformed(error: &serde_json::Error) -> ReadError {
    let (line, column) = (error.line(), error.column());
    let place = format!(" at line {line} column {column}");
    let problem = error.to_string().replace(&place, "");
    ReadError::Malformed { line, column, problem }
}
