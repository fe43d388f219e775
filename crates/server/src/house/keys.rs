//! The names of records, and reading many of them in pages.
//!
//! All values are JSON. Times stand in keys with leading zeros, so that the order of keys is the order of times.
//!
//! | key | value |
//! |---|---|
//! | `account/{id}`, `name/{folded name}` | the account; whose name it is |
//! | `session/{hash of token}`, `session-of/{account}/{hash}` | whose token it is; since when |
//! | `ruleset/{hash}`, `ruleset-files/{hash}` | what is told about a ruleset; its files |
//! | `ruleset-id/{id}`, `ruleset-version/{id}/{version}` | owner and newest version; the hash |
//! | `match/{id}`, `code/{code}` | the match; its id |
//! | `open-match/{time}/{id}`, `open-private/…`, `open-of/{ruleset}/{time}/{id}` | the match's id |
//! | `match-of/{account}/{time}/{id}` | the match's id |
//! | `busy/{account}` | ids of its open and live matches |
//! | `balance/{holder}`, `transfer/{id}`, `transfer-of/{account}/{id}` | how many tokens; the transfer |
//! | `rating/{ruleset}/{account}`, `rating-of/{account}/{ruleset}` | the rating; the ruleset |
//! | `rank/{ruleset}/{falling}/{account}`, `result/{ruleset}/{time}/{match}` | the account; who played and how |
//! | `queue/{ruleset}/{account}`, `queue-of/{account}/{ruleset}` | who waits; for what |
//! | `mark/{time}/{id}`, `command/{account}/{key}/{change}` | changes that have landed; what came out of commands |
//! | `moderation/{time}/{match}/{row}`, `moderation-of/{match}/{time}/{row}` | what a moderator did |
//! | `leaving/{account}` | an account whose deletion is under way |

use intermezzo_protocol::Problem;
use intermezzo_store::{Record, prefix};
use serde::de::DeserializeOwned;

use super::change::read;
use super::{House, invalid};

/// The most items of a page.
pub(crate) const MAX_PAGE: usize = 100;
/// Items of a page unless told otherwise.
const USUAL_PAGE: usize = 20;
/// The longest cursor.
const MAX_CURSOR: usize = 200;

/// A time as it stands in keys.
pub(crate) fn time(ms: i64) -> String {
    format!("{:015}", ms.max(0))
}

/// A number in keys where the largest comes first.
pub(crate) fn falling(number: i64) -> String {
    const MIDDLE: i64 = 500_000_000_000_000;
    format!("{:015}", MIDDLE - number.clamp(1 - MIDDLE, MIDDLE - 1))
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes that hexadecimal digits stand for.
pub(crate) fn unhex<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let is_digit = |byte: u8| byte.is_ascii_hexdigit();
    if digits.len() != 2 * N || !digits.bytes().all(is_digit) {
        return None;
    }
    let mut bytes = [0; N];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(bytes)
}

/// Which part of a list is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Window<'a> {
    /// Where the part before ended.
    pub cursor: Option<&'a str>,
    /// How many; at most 100.
    pub limit: Option<usize>,
}

/// Records of one prefix: the rest of their keys with their values.
pub(crate) struct Found {
    pub(crate) rows: Vec<(String, Record)>,
    pub(crate) next: Option<String>,
}

impl Found {
    /// The values.
    pub(crate) fn values<T: DeserializeOwned>(&self) -> Result<Vec<T>, Problem> {
        self.rows.iter().map(|(key, record)| read(key, &record.value)).collect()
    }
}

impl House {
    /// A page of the records whose keys begin with `start`.
    pub(crate) async fn page(
        &self,
        start: &str,
        window: Window<'_>,
        newest_first: bool,
    ) -> Result<Found, Problem> {
        let limit = window.limit.unwrap_or(USUAL_PAGE).clamp(1, MAX_PAGE);
        let mut range = prefix(start);
        if let Some(cursor) = window.cursor {
            if cursor.len() > MAX_CURSOR {
                return Err(invalid("that cursor is not one of ours"));
            }
            if newest_first {
                range.end = format!("{start}{cursor}");
            } else {
                range.start = format!("{start}{cursor}\0");
            }
        }
        let mut rows = self.scan(range, limit + 1, newest_first).await?;
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        for (key, _) in &mut rows {
            key.drain(..start.len());
        }
        let next = rows.last().filter(|_| has_more).map(|(key, _)| key.clone());
        Ok(Found { rows, next })
    }

    /// All records whose keys begin with `start`, however many.
    pub(crate) async fn all(&self, start: &str) -> Result<Vec<(String, Record)>, Problem> {
        const AT_ONCE: usize = 1000;
        let mut range = prefix(start);
        let mut all = Vec::new();
        loop {
            let rows = self.scan(range.clone(), AT_ONCE, false).await?;
            let is_last = rows.len() < AT_ONCE;
            if let Some((key, _)) = rows.last() {
                range.start = format!("{key}\0");
            }
            all.extend(rows);
            if is_last {
                return Ok(all);
            }
        }
    }

    pub(crate) async fn scan(
        &self,
        range: std::ops::Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> Result<Vec<(String, Record)>, Problem> {
        self.store.scan(range, limit, newest_first).await.map_err(|error| super::busy(&error.what))
    }
}
