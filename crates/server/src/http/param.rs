//! Path and query parameters, checked before the handler runs.

use intermezzo_protocol::{Code, Problem};
use serde_json::{Value, json};

/// The largest integer that JavaScript clients represent exactly.
pub(crate) const MAX_NUMBER: u64 = (1 << 53) - 1;

/// A path or query parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParamSpec {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) kind: ParamKind,
}

/// The syntax of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ParamKind {
    /// A match id.
    MatchId,
    /// Letters, digits and `._-+@`: ids, versions and hashes of rulesets, account names, codes.
    Name,
    /// The cursor of a page.
    Cursor,
    /// An integer.
    Number { min: u64, max: u64 },
    /// `true` or `false`.
    Flag,
    /// A file path within the playground folder.
    Path,
    /// The viewer of a replay: `all`, `spectator`, or a seat.
    Viewer,
}

pub(crate) const SEAT: ParamSpec = ParamSpec {
    name: "seat",
    about: "Selects one of the account's seats, if it has several",
    kind: ParamKind::Number { min: 0, max: 255 },
};
pub(crate) const SPECTATE: ParamSpec = ParamSpec {
    name: "spectate",
    about: "Watches as a spectator, even if the account has a seat",
    kind: ParamKind::Flag,
};
pub(crate) const SINCE: ParamSpec = ParamSpec {
    name: "since",
    about: "Returns only what came after this version",
    kind: ParamKind::Number { min: 0, max: MAX_NUMBER },
};
pub(crate) const LIMIT: ParamSpec = ParamSpec {
    name: "limit",
    about: "Maximum number of entries",
    kind: ParamKind::Number { min: 1, max: 100 },
};
pub(crate) const CURSOR: ParamSpec =
    ParamSpec { name: "cursor", about: "`next` of the previous page", kind: ParamKind::Cursor };

pub(crate) const RULESET_FILTER: ParamSpec = ParamSpec {
    name: "ruleset",
    about: "Returns only matches of this ruleset, by id",
    kind: ParamKind::Name,
};
pub(crate) const PLAYING: ParamSpec = ParamSpec {
    name: "playing",
    about: "Returns matches in progress that may be watched, instead of those waiting for players",
    kind: ParamKind::Flag,
};
pub(crate) const MATCH_FILTER: ParamSpec =
    ParamSpec { name: "match", about: "Returns only entries of this match", kind: ParamKind::MatchId };

/// Parameters of paged lists.
pub(crate) const PAGE_PARAMS: &[ParamSpec] = &[CURSOR, LIMIT];
/// Parameters of operations that show a match.
pub(crate) const VIEWER_PARAMS: &[ParamSpec] = &[SEAT, SPECTATE];
/// Parameters of commands.
pub(crate) const SEAT_PARAMS: &[ParamSpec] = &[SEAT];

/// All path parameters, with the name of the resource for `not_found`.
const PATH_PARAMS: &[(ParamSpec, &str)] = &[
    (ParamSpec { name: "id", about: "Id of the match", kind: ParamKind::MatchId }, "match"),
    (
        ParamSpec {
            name: "seat",
            about: "Seat number, from 0",
            kind: ParamKind::Number { min: 0, max: 255 },
        },
        "seat",
    ),
    (
        ParamSpec {
            name: "inputId",
            about: "`inputId` of the question",
            kind: ParamKind::Number { min: 0, max: u32::MAX as u64 },
        },
        "question",
    ),
    (
        ParamSpec { name: "name", about: "Id, `id@version` or hash of a ruleset", kind: ParamKind::Name },
        "ruleset",
    ),
    (ParamSpec { name: "ruleset", about: "Id of a ruleset", kind: ParamKind::Name }, "ruleset"),
    (
        ParamSpec {
            name: "at",
            about: "Number of an event; 0 is the state before the first one",
            kind: ParamKind::Number { min: 0, max: u32::MAX as u64 },
        },
        "event",
    ),
    (ParamSpec { name: "account", about: "Name or id of an account", kind: ParamKind::Name }, "account"),
    (ParamSpec { name: "code", about: "Code of a private match", kind: ParamKind::Name }, "match"),
    (ParamSpec { name: "file", about: "File name of a picture", kind: ParamKind::Name }, "picture"),
];

/// Returns the declaration of a path parameter.
pub(crate) fn path_param(name: &str) -> Option<&'static ParamSpec> {
    PATH_PARAMS.iter().map(|(param, _)| param).find(|param| param.name == name)
}

/// Checks a path parameter. A malformed one is reported as not found.
pub(crate) fn check_path_param(name: &str, value: &str) -> Result<(), Problem> {
    let known = PATH_PARAMS.iter().find(|(param, _)| param.name == name);
    match known {
        Some((param, _)) if param.kind.matches(value) => Ok(()),
        Some((_, missing)) => Err(Problem::not_found(missing)),
        None => Err(Problem::not_found("page")),
    }
}

/// Checks a query string against the declared parameters.
pub(crate) fn check_query(query: &[(String, String)], params: &[ParamSpec]) -> Result<(), Problem> {
    for (index, (name, value)) in query.iter().enumerate() {
        let Some(param) = params.iter().find(|param| param.name == name) else {
            let known: Vec<String> = params.iter().map(|param| format!("`{}`", param.name)).collect();
            let known = if known.is_empty() { "none is supported".to_owned() } else { known.join(", ") };
            let detail = format!("unknown query parameter `{}`; supported: {known}", name.escape_default());
            return Err(Problem::new(Code::Malformed, detail));
        };
        if query[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(Problem::new(Code::Malformed, format!("`{name}` is given twice")));
        }
        if !param.kind.matches(value) {
            return Err(Problem::new(Code::Malformed, format!("`{name}` must be {}", param.kind.describe())));
        }
    }
    Ok(())
}

impl ParamKind {
    fn matches(self, value: &str) -> bool {
        match self {
            ParamKind::MatchId => value.parse::<intermezzo_store::MatchId>().is_ok(),
            ParamKind::Name => {
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+@".contains(&byte);
                (1..=140).contains(&value.len()) && value.bytes().all(is_plain)
            }
            ParamKind::Cursor => {
                (1..=200).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_graphic())
            }
            ParamKind::Number { min, max } => {
                let is_plain =
                    !value.is_empty() && value.len() <= 16 && value.bytes().all(|byte| byte.is_ascii_digit());
                is_plain && value.parse().is_ok_and(|number: u64| (min..=max).contains(&number))
            }
            ParamKind::Flag => matches!(value, "true" | "false"),
            ParamKind::Path => (1..=300).contains(&value.len()) && !value.contains(char::is_control),
            ParamKind::Viewer => {
                let seat = value.strip_prefix("seat").unwrap_or_default();
                let is_seat = (1..=3).contains(&seat.len()) && seat.parse::<u8>().is_ok();
                matches!(value, "all" | "spectator") || is_seat && !seat.starts_with('+')
            }
        }
    }

    fn describe(self) -> String {
        match self {
            ParamKind::MatchId => "a match id".to_owned(),
            ParamKind::Name => "1 to 140 letters, digits, `.`, `_`, `-`, `+` or `@`".to_owned(),
            ParamKind::Cursor => "`next` of the previous page".to_owned(),
            ParamKind::Number { min, max } => format!("an integer from {min} to {max}"),
            ParamKind::Flag => "`true` or `false`".to_owned(),
            ParamKind::Path => "a path within the folder".to_owned(),
            ParamKind::Viewer => "`all`, `spectator`, or a seat such as `seat0`".to_owned(),
        }
    }

    /// Returns the parameter's JSON Schema.
    pub(crate) fn schema(self) -> Value {
        match self {
            ParamKind::MatchId => json!({"type": "string", "pattern": "^[0-9a-f]{32}$"}),
            ParamKind::Name => {
                json!({"type": "string", "pattern": "^[A-Za-z0-9._+@-]+$", "minLength": 1, "maxLength": 140})
            }
            ParamKind::Cursor => {
                json!({"type": "string", "pattern": "^[!-~]+$", "minLength": 1, "maxLength": 200})
            }
            ParamKind::Number { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
            ParamKind::Flag => json!({"type": "boolean"}),
            ParamKind::Path => json!({"type": "string", "minLength": 1, "maxLength": 300}),
            ParamKind::Viewer => {
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
    fn malformed_path_parameters_are_not_found() {
        for (name, value) in [
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
            assert_eq!(check_path_param(name, value).unwrap_err().code, Code::NotFound, "{name} `{value}`");
        }
    }

    #[test]
    fn a_misspelt_parameter_is_named() {
        let query = vec![("limti".to_owned(), "3".to_owned())];
        let problem = check_query(&query, PAGE_PARAMS).unwrap_err();
        assert_eq!(problem.detail, "unknown query parameter `limti`; supported: `cursor`, `limit`");
    }
}
