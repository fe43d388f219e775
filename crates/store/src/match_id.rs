//! Match ids.

use std::fmt;
use std::str::FromStr;

/// The id of a match: a UUID as a number. Its text form is 32 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchId(pub u128);

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for MatchId {
    type Err = InvalidMatchId;

    fn from_str(text: &str) -> Result<MatchId, InvalidMatchId> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() != 32 || !text.bytes().all(is_digit) {
            return Err(InvalidMatchId);
        }
        u128::from_str_radix(text, 16).map(MatchId).map_err(|_| InvalidMatchId)
    }
}

/// The error for a text that is not a match id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a match id has 32 lower-case hexadecimal digits")]
pub struct InvalidMatchId;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written() {
        for number in [0, 1, 0xabc, u128::MAX] {
            let text = MatchId(number).to_string();
            assert_eq!(text.len(), 32);
            assert_eq!(text.parse(), Ok(MatchId(number)));
        }
    }

    #[test]
    fn a_name_is_written_in_one_way_only() {
        let digits = "0".repeat(31);
        for text in
            [String::new(), digits.clone(), format!("{digits}A"), format!("+{digits}"), format!("{digits}00")]
        {
            assert_eq!(text.parse::<MatchId>(), Err(InvalidMatchId), "`{text}`");
        }
    }
}
