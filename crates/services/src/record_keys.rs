//! Record keys, and paged reads of many records.
//!
//! All values are JSON. Times in keys have leading zeros, so that keys sort by time.
//!
//! | key | value |
//! |---|---|
//! | `account/{id}`, `name/{folded name}` | the account; the id of the account with that name |
//! | `session/{hash of token}`, `session-of/{account}/{hash}` | the login session; its creation time |
//! | `ruleset/{hash}`, `ruleset-files/{hash}` | information about a ruleset; its files |
//! | `ruleset-id/{id}`, `ruleset-version/{id}/{version}` | owner and newest version; the hash |
//! | `ruleset-of/{account}/{id}`, `publishing/{account}` | an id that the account owns; what it published today |
//! | `ruleset-unused/{hash}` | a version of which no match was made yet |
//! | `ruleset-preludes/{hash}`, `preludes/{digest}` | the digest of a version's preludes; their texts |
//! | `match/{id}`, `code/{code}` | the match; its id |
//! | `open-match/{time}/{id}`, `open-private/…`, `open-of/{ruleset}/{time}/{id}` | the match's id |
//! | `live-match/{time}/{id}`, `live-of/{ruleset}/{time}/{id}` | the match's id |
//! | `match-of/{account}/{time}/{id}` | the match's id |
//! | `busy/{account}` | ids of its open and live matches |
//! | `balance/{holder}`, `transfer/{id}`, `transfer-of/{account}/{id}` | number of tokens; the transfer |
//! | `rating/{ruleset}/{account}`, `rating-of/{account}/{ruleset}` | the rating; the ruleset |
//! | `rank/{ruleset}/{descending}/{account}`, `result/{ruleset}/{time}/{match}` | the account; players and
//!   result |
//! | `queue/{ruleset}/{account}`, `queue-of/{account}/{ruleset}` | the queue entry; the ruleset |
//! | `mark/{time}/{id}`, `command/{account}/{key}/{change}` | markers of committed changes; outcomes of
//!   commands |
//! | `moderation/{time}/{match}/{row}`, `moderation-of/{match}/{time}/{row}` | a moderator's action |
//! | `report/{id}`, `reports-of/{account}` | a player's report; the number of open ones |
//! | `ticket/{hash}` | a one-time substitute for a token |
//! | `leaving/{account}` | an account whose deletion is unfinished |

use intermezzo_protocol::Problem;
use intermezzo_store::{StoredRecord, prefix};
use serde::de::DeserializeOwned;

use super::transaction::decode;
use super::{Services, invalid};

pub(crate) const MAX_PAGE: usize = 100;
const DEFAULT_PAGE: usize = 20;
const MAX_CURSOR: usize = 200;

/// Formats a time for use in keys.
pub(crate) fn time_key(ms: i64) -> String {
    format!("{:015}", ms.max(0))
}

/// Formats a number for use in keys that sort from largest to smallest.
pub(crate) fn descending_key(number: i64) -> String {
    const MIDDLE: i64 = 500_000_000_000_000;
    format!("{:015}", MIDDLE - number.clamp(1 - MIDDLE, MIDDLE - 1))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses exactly `N` bytes from hexadecimal digits.
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

/// The part of a list that a caller asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PageQuery<'a> {
    /// Value of `next` from the previous page.
    pub cursor: Option<&'a str>,
    /// Number of items; 20 by default, at most 100.
    pub limit: Option<usize>,
}

/// Records under one prefix. Keys are without the prefix.
pub struct RecordPage {
    pub rows: Vec<(String, StoredRecord)>,
    pub next: Option<String>,
}

impl RecordPage {
    /// Decodes the values.
    pub fn values<T: DeserializeOwned>(&self) -> Result<Vec<T>, Problem> {
        self.rows.iter().map(|(key, record)| decode(key, &record.value)).collect()
    }
}

impl Services {
    /// Reads one page of the records whose keys begin with `start`.
    pub async fn read_page(
        &self,
        start: &str,
        query: PageQuery<'_>,
        newest_first: bool,
    ) -> Result<RecordPage, Problem> {
        let limit = query.limit.unwrap_or(DEFAULT_PAGE).clamp(1, MAX_PAGE);
        let mut range = prefix(start);
        if let Some(cursor) = query.cursor {
            if cursor.len() > MAX_CURSOR {
                return Err(invalid("invalid cursor"));
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
        Ok(RecordPage { rows, next })
    }

    /// Reads all records whose keys begin with `start`.
    pub async fn read_all(&self, start: &str) -> Result<Vec<(String, StoredRecord)>, Problem> {
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

    pub async fn scan(
        &self,
        range: std::ops::Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> Result<Vec<(String, StoredRecord)>, Problem> {
        self.store.scan(range, limit, newest_first).await.map_err(|error| super::busy(&error.message))
    }
}
