//! Bodies of requests: read up to a limit of size and time, checked for depth, and told precisely what is wrong with them.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use intermezzo_protocol::resources::Object;
use intermezzo_protocol::{Code, Problem, is_too_deep};
use serde::de::DeserializeOwned;

/// Reads a body up to so many bytes, if it comes in time.
pub(crate) async fn read(
    body: Body,
    headers: &HeaderMap,
    limit: usize,
    within: Duration,
) -> Result<Bytes, Problem> {
    let too_large = || {
        let detail = format!("at most {limit} bytes are taken here");
        Problem::new(Code::TooLarge, detail).with("limit", limit)
    };
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if announced.and_then(|length| length.parse::<u64>().ok()).is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let reading = tokio::time::timeout(within, axum::body::to_bytes(body, limit)).await;
    let late = || Problem::new(Code::Malformed, "the body does not come in time");
    match reading.map_err(|_| late())? {
        Ok(bytes) => Ok(bytes),
        Err(error) if is_limit(&error) => Err(too_large()),
        Err(_) => Err(Problem::new(Code::Malformed, "the body ends before it should")),
    }
}

fn is_limit(error: &axum::Error) -> bool {
    let mut source = Some(error as &(dyn std::error::Error + 'static));
    while let Some(error) = source {
        if error.to_string().contains("length limit exceeded") {
            return true;
        }
        source = error.source();
    }
    false
}

/// Whether the headers say that the body is JSON.
pub(crate) fn check_media(headers: &HeaderMap) -> Result<(), Problem> {
    let media = headers.get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
    let essence = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_json =
        essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"));
    if is_json {
        return Ok(());
    }
    let detail = match essence.as_str() {
        "" => "say `content-type: application/json`".to_owned(),
        other => format!("`{}` is not taken here, only `application/json`", other.escape_default()),
    };
    Err(Problem::new(Code::WrongMedia, detail))
}

/// The object that a body holds.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8], max_depth: usize) -> Result<T, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Problem::new(Code::Malformed, format!("the body is not UTF-8 after {} bytes", error.valid_up_to()))
    })?;
    if is_too_deep(text, max_depth) {
        let detail = format!("lists and objects are more than {max_depth} levels deep");
        return Err(Problem::new(Code::Malformed, detail));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize::<_, Object<T>>(&mut reader);
    let Object(value) = value.map_err(|error| unfit(&error.path().to_string(), error.inner()))?;
    reader.end().map_err(|error| unfit(".", &error))?;
    Ok(value)
}

fn unfit(path: &str, error: &serde_json::Error) -> Problem {
    let (line, column) = (error.line(), error.column());
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    let place = if line == 0 { String::new() } else { format!(" (line {line}, column {column})") };
    let (code, detail) = match error.classify() {
        serde_json::error::Category::Data => {
            let field = if path == "." { String::new() } else { format!("`{path}`: ") };
            (Code::Invalid, format!("{field}{}{place}", plain(said)))
        }
        _ => (Code::Malformed, format!("the body is not JSON: {said}{place}")),
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

/// The same without the names of Rust types.
fn plain(said: &str) -> String {
    let words = [
        ("expected u8", "expected a whole number from 0 to 255"),
        ("expected u32", "expected a whole number from 0 to 4294967295"),
        ("expected u64", "expected a whole number that is not negative"),
        ("expected usize", "expected a whole number that is not negative"),
        ("expected i64", "expected a whole number"),
        ("expected struct ", "expected an object, "),
        ("expected internally tagged enum ", "expected an object, "),
        ("data did not match any variant of untagged enum", "this is none of the shapes of"),
    ];
    let mut said = said.to_owned();
    for (rust, plain) in words {
        if let Some(at) = said.find(rust) {
            let end = at + rust.len();
            let ends_word =
                rust.ends_with(' ') || !said[end..].starts_with(|next: char| next.is_alphanumeric());
            if ends_word {
                said.replace_range(at..end, plain);
            }
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use intermezzo_protocol::resources::{CreateMatch, Sit};

    fn told<T: DeserializeOwned>(text: &str) -> (Code, String) {
        let problem = parse::<T>(text.as_bytes(), 8).err().expect("it is refused");
        (problem.code, problem.detail)
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let expected =
            "`seat`: invalid type: string \"x\", expected a whole number from 0 to 255 (line 1, column 12)";
        assert_eq!(told::<Sit>(r#"{"seat": "x"}"#), (Code::Invalid, expected.to_owned()));
        let (code, detail) = told::<CreateMatch>("{\"ruleset\": \"orcain\",\n \"clock\": {\"bank\": 1}}");
        assert_eq!(code, Code::Invalid);
        assert!(detail.starts_with("`clock.bank`: unknown field `bank`, expected one of"), "{detail}");
        assert_eq!(told::<Sit>("{\"seat\": ").0, Code::Malformed);
        assert_eq!(told::<Sit>("{} {}").0, Code::Malformed);
        assert_eq!(told::<serde_json::Value>(&"[".repeat(100_000)).0, Code::Malformed);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let problem = parse::<Sit>(b"{\"code\": \"\xff\"}", 8).unwrap_err();
        assert_eq!(problem.detail, "the body is not UTF-8 after 10 bytes");
    }
}
