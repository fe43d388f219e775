//! What stands in addresses: parts of the path and of the query, checked before any handler sees them.

use intermezzo_protocol::{Code, Problem};
use serde_json::{Value, json};

/// The largest number that every client can write.
pub(crate) const MAX_NUMBER: u64 = (1 << 53) - 1;

/// Something in an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) kind: Kind,
}

/// What may stand there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The id of a match.
    MatchId,
    /// Letters, digits and a few signs: ids of rulesets, with versions.
    Name,
    /// Where a page ended.
    Cursor,
    /// A whole number.
    Number { min: u64, max: u64 },
    /// `true` or `false`.
    Flag,
    /// A path within a folder.
    Path,
    /// Who goes through a match: `all`, `spectator`, or a seat.
    Viewer,
}

/// As whom one looks at a match.
pub(crate) const SEAT: Param = Param {
    name: "seat",
    about: "which of the account's seats, if it has several",
    kind: Kind::Number { min: 0, max: 255 },
};
pub(crate) const SPECTATE: Param =
    Param { name: "spectate", about: "looks on, even if the account has a seat", kind: Kind::Flag };
pub(crate) const SINCE: Param = Param {
    name: "since",
    about: "the version the client has: what came after it",
    kind: Kind::Number { min: 0, max: MAX_NUMBER },
};
pub(crate) const LIMIT: Param =
    Param { name: "limit", about: "how many at most", kind: Kind::Number { min: 1, max: 100 } };
pub(crate) const CURSOR: Param =
    Param { name: "cursor", about: "`next` of the page before", kind: Kind::Cursor };

/// Which part of a longer list.
pub(crate) const OF_RULESET: Param =
    Param { name: "ruleset", about: "of that ruleset only, by its id", kind: Kind::Name };
pub(crate) const PLAYING: Param = Param {
    name: "playing",
    about: "those that are being played and may be watched, in place of those that wait for players",
    kind: Kind::Flag,
};
pub(crate) const OF_MATCH: Param = Param { name: "match", about: "in that match only", kind: Kind::MatchId };

/// For lists in pages.
pub(crate) const PAGED: &[Param] = &[CURSOR, LIMIT];
/// For looking at a match.
pub(crate) const LOOKING: &[Param] = &[SEAT, SPECTATE];
/// For doing something at a match.
pub(crate) const DOING: &[Param] = &[SEAT];

/// Everything that is filled in in paths, and what is missing if there is none such.
const PLACES: &[(Param, &str)] = &[
    (Param { name: "id", about: "the match", kind: Kind::MatchId }, "match"),
    (Param { name: "seat", about: "the seat, from 0", kind: Kind::Number { min: 0, max: 255 } }, "seat"),
    (
        Param {
            name: "inputId",
            about: "the question, as `inputId` of the prompt",
            kind: Kind::Number { min: 0, max: u32::MAX as u64 },
        },
        "question",
    ),
    (Param { name: "name", about: "`id`, `id@version` or hash of a ruleset", kind: Kind::Name }, "ruleset"),
    (Param { name: "ruleset", about: "the id of a ruleset", kind: Kind::Name }, "ruleset"),
    (
        Param {
            name: "at",
            about: "the number of an event; 0 is before anything happened",
            kind: Kind::Number { min: 0, max: u32::MAX as u64 },
        },
        "event",
    ),
    (Param { name: "account", about: "the name or id of an account", kind: Kind::Name }, "account"),
    (Param { name: "code", about: "the code of a private match", kind: Kind::Name }, "match"),
];

/// What is filled in at that place of a path.
pub(crate) fn place(name: &str) -> Option<&'static Param> {
    PLACES.iter().map(|(param, _)| param).find(|param| param.name == name)
}

/// Checks what is filled in in a path. What cannot be a name names nothing.
pub(crate) fn check_place(name: &str, value: &str) -> Result<(), Problem> {
    let known = PLACES.iter().find(|(param, _)| param.name == name);
    match known {
        Some((param, _)) if param.kind.fits(value) => Ok(()),
        Some((_, missing)) => Err(Problem::not_found(missing)),
        None => Err(Problem::not_found("page")),
    }
}

/// Checks a query against what may stand there.
pub(crate) fn check_query(query: &[(String, String)], params: &[Param]) -> Result<(), Problem> {
    for (index, (name, value)) in query.iter().enumerate() {
        let Some(param) = params.iter().find(|param| param.name == name) else {
            let known: Vec<String> = params.iter().map(|param| format!("`{}`", param.name)).collect();
            let known = if known.is_empty() { "none is taken here".to_owned() } else { known.join(", ") };
            let detail = format!("there is no parameter `{}`: {known}", name.escape_default());
            return Err(Problem::new(Code::Malformed, detail));
        };
        if query[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(Problem::new(Code::Malformed, format!("`{name}` is there twice")));
        }
        if !param.kind.fits(value) {
            return Err(Problem::new(Code::Malformed, format!("`{name}` has to be {}", param.kind.words())));
        }
    }
    Ok(())
}

impl Kind {
    fn fits(self, value: &str) -> bool {
        match self {
            Kind::MatchId => value.parse::<intermezzo_store::MatchId>().is_ok(),
            Kind::Name => {
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+@".contains(&byte);
                (1..=140).contains(&value.len()) && value.bytes().all(is_plain)
            }
            Kind::Cursor => {
                (1..=200).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_graphic())
            }
            Kind::Number { min, max } => {
                let is_plain =
                    !value.is_empty() && value.len() <= 16 && value.bytes().all(|byte| byte.is_ascii_digit());
                is_plain && value.parse().is_ok_and(|number: u64| (min..=max).contains(&number))
            }
            Kind::Flag => matches!(value, "true" | "false"),
            Kind::Path => (1..=300).contains(&value.len()) && !value.contains(char::is_control),
            Kind::Viewer => {
                let seat = value.strip_prefix("seat").unwrap_or_default();
                let is_seat = (1..=3).contains(&seat.len()) && seat.parse::<u8>().is_ok();
                matches!(value, "all" | "spectator") || is_seat && !seat.starts_with('+')
            }
        }
    }

    fn words(self) -> String {
        match self {
            Kind::MatchId => "the id of a match".to_owned(),
            Kind::Name => "a name of letters, digits, `.`, `_`, `-`, `+` or `@`".to_owned(),
            Kind::Cursor => "`next` of the page before".to_owned(),
            Kind::Number { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Flag => "`true` or `false`".to_owned(),
            Kind::Path => "a path within the folder".to_owned(),
            Kind::Viewer => "`all`, `spectator`, or a seat such as `seat0`".to_owned(),
        }
    }

    /// As the documents say it.
    pub(crate) fn schema(self) -> Value {
        match self {
            Kind::MatchId => json!({"type": "string", "pattern": "^[0-9a-f]{32}$"}),
            Kind::Name => {
                json!({"type": "string", "pattern": "^[A-Za-z0-9._+@-]+$", "minLength": 1, "maxLength": 140})
            }
            Kind::Cursor => {
                json!({"type": "string", "pattern": "^[!-~]+$", "minLength": 1, "maxLength": 200})
            }
            Kind::Number { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Path => json!({"type": "string", "minLength": 1, "maxLength": 300}),
            Kind::Viewer => {
                let seat = "25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9]";
                json!({"type": "string", "pattern": format!("^(all|spectator|seat({seat}))$")})
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_name_names_nothing() {
        for (place, value) in [
            ("id", "../../etc/passwd"),
            ("id", "0"),
            ("seat", "-1"),
            ("seat", "256"),
            ("seat", "１"),
            ("name", "a/b"),
            ("name", ""),
            ("name", "a\0b"),
            ("inputId", "4294967296"),
            ("inputId", "+1"),
        ] {
            assert_eq!(check_place(place, value).unwrap_err().code, Code::NotFound, "{place} `{value}`");
        }
    }

    #[test]
    fn a_misspelt_parameter_is_named() {
        let query = vec![("limti".to_owned(), "3".to_owned())];
        let problem = check_query(&query, PAGED).unwrap_err();
        assert_eq!(problem.detail, "there is no parameter `limti`: `cursor`, `limit`");
    }
}
