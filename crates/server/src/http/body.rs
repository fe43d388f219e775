//! Request bodies: limits of size, time and depth, and parsing with precise error messages.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use intermezzo_protocol::resources::JsonObject;
use intermezzo_protocol::{Code, Problem, is_too_deep};
use serde::de::DeserializeOwned;

/// Reads a body of at most `limit` bytes within a time limit.
pub(crate) async fn read(
    body: Body,
    headers: &HeaderMap,
    limit: usize,
    within: Duration,
) -> Result<Bytes, Problem> {
    let too_large = || {
        let detail = format!("the body may have at most {limit} bytes");
        Problem::new(Code::TooLarge, detail).with("limit", limit)
    };
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if announced.and_then(|length| length.parse::<u64>().ok()).is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let reading = tokio::time::timeout(within, axum::body::to_bytes(body, limit)).await;
    let late = || Problem::new(Code::Malformed, "the body did not arrive in time");
    match reading.map_err(|_| late())? {
        Ok(bytes) => Ok(bytes),
        Err(error) if is_length_limit(&error) => Err(too_large()),
        Err(_) => Err(Problem::new(Code::Malformed, "the body is incomplete")),
    }
}

fn is_length_limit(error: &axum::Error) -> bool {
    let mut source = Some(error as &(dyn std::error::Error + 'static));
    while let Some(error) = source {
        if error.to_string().contains("length limit exceeded") {
            return true;
        }
        source = error.source();
    }
    false
}

/// Rejects bodies that are not declared as JSON.
pub(crate) fn check_content_type(headers: &HeaderMap) -> Result<(), Problem> {
    let media = headers.get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
    let essence = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_json =
        essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"));
    if is_json {
        return Ok(());
    }
    let detail = match essence.as_str() {
        "" => "send `content-type: application/json`".to_owned(),
        other => format!("`{}` is not supported; send `application/json`", other.escape_default()),
    };
    Err(Problem::new(Code::WrongMedia, detail))
}

/// Parses a body as a JSON object.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8], max_depth: usize) -> Result<T, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Problem::new(Code::Malformed, format!("the body is not UTF-8 after {} bytes", error.valid_up_to()))
    })?;
    if is_too_deep(text, max_depth) {
        let detail = format!("lists and objects are nested more than {max_depth} levels deep");
        return Err(Problem::new(Code::Malformed, detail));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize::<_, JsonObject<T>>(&mut reader);
    let JsonObject(value) = value.map_err(|error| parse_problem(&error.path().to_string(), error.inner()))?;
    reader.end().map_err(|error| parse_problem(".", &error))?;
    Ok(value)
}

fn parse_problem(path: &str, error: &serde_json::Error) -> Problem {
    let (line, column) = (error.line(), error.column());
    let message = parse_message(error);
    let (code, detail) = match error.classify() {
        serde_json::error::Category::Data => {
            let field = if path == "." { String::new() } else { format!("`{path}`: ") };
            (Code::Invalid, format!("{field}{message}"))
        }
        _ => (Code::Malformed, format!("the body is not JSON: {message}")),
    };
    let mut problem = Problem::new(code, detail);
    if line > 0 {
        problem = problem.with("line", line).with("column", column);
    }
    if code == Code::Invalid && path != "." {
        problem = problem.with("field", path);
    }
    problem
}

/// Says in plain words what is wrong with a JSON text, and where.
pub(crate) fn parse_message(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = translate_serde_message(message.split(" at line ").next().unwrap_or_default());
    match error.line() {
        0 => message,
        line => format!("{message} (line {line}, column {})", error.column()),
    }
}

/// Replaces the names of Rust types in serde's messages.
fn translate_serde_message(message: &str) -> String {
    let words = [
        ("expected u8", "expected an integer from 0 to 255"),
        ("expected u32", "expected an integer from 0 to 4294967295"),
        ("expected u64", "expected a non-negative integer"),
        ("expected usize", "expected a non-negative integer"),
        ("expected i64", "expected an integer"),
        ("expected struct ", "expected an object, "),
        ("expected internally tagged enum ", "expected an object, "),
        ("unknown variant", "unknown value"),
        ("invalid type: sequence", "invalid type: list"),
        ("invalid type: map", "invalid type: object"),
        ("EOF while parsing", "the text ends inside"),
        ("data did not match any variant of untagged enum", "the value does not match any form of"),
    ];
    let mut message = message.to_owned();
    for (rust, plain) in words {
        if let Some(at) = message.find(rust) {
            let end = at + rust.len();
            let ends_word =
                rust.ends_with(' ') || !message[end..].starts_with(|next: char| next.is_alphanumeric());
            if ends_word {
                message.replace_range(at..end, plain);
            }
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use intermezzo_protocol::resources::{CreateMatch, Sit};

    fn error_of<T: DeserializeOwned>(text: &str) -> (Code, String) {
        let problem = parse::<T>(text.as_bytes(), 8).err().expect("the body is invalid");
        (problem.code, problem.detail)
    }

    #[test]
    fn errors_name_the_field_and_position() {
        let expected =
            "`seat`: invalid type: string \"x\", expected an integer from 0 to 255 (line 1, column 12)";
        assert_eq!(error_of::<Sit>(r#"{"seat": "x"}"#), (Code::Invalid, expected.to_owned()));
        let (code, detail) = error_of::<CreateMatch>("{\"ruleset\": \"orcain\",\n \"clock\": {\"bank\": 1}}");
        assert_eq!(code, Code::Invalid);
        assert!(detail.starts_with("`clock.bank`: unknown field `bank`, expected one of"), "{detail}");
        let (_, detail) = error_of::<CreateMatch>(r#"{"ruleset": "orcain", "places": ["alien"]}"#);
        assert!(detail.starts_with("`places[0]`: unknown value `alien`, expected one of"), "{detail}");
        let (_, detail) = error_of::<CreateMatch>(r#"{"ruleset": []}"#);
        assert!(detail.starts_with("`ruleset`: invalid type: list, expected"), "{detail}");
        let (code, detail) = error_of::<Sit>("{\"seat\": ");
        assert_eq!(code, Code::Malformed);
        assert!(detail.starts_with("the body is not JSON: the text ends inside a value (line 1"), "{detail}");
        assert_eq!(error_of::<Sit>("{} {}").0, Code::Malformed);
        assert_eq!(error_of::<serde_json::Value>(&"[".repeat(100_000)).0, Code::Malformed);
    }

    #[test]
    fn invalid_utf8_is_rejected() {
        let problem = parse::<Sit>(b"{\"code\": \"\xff\"}", 8).unwrap_err();
        assert_eq!(problem.detail, "the body is not UTF-8 after 10 bytes");
    }
}
