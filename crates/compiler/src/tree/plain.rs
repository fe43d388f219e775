//! What an unquoted word means: a number, `true`, `false`, `null` or text.

use super::Value;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Reads an unquoted word; none means that it is text.
///
/// A word that may not stand there comes back as a diagnostic and a stand-in
/// that lets checking go on.
pub(super) fn read(word: &str, span: Span) -> Result<Option<Value>, (Diagnostic, Value)> {
    match word {
        "true" => return Ok(Some(Value::Bool(true))),
        "false" => return Ok(Some(Value::Bool(false))),
        "null" => return Ok(Some(Value::Null)),
        "~" => return Err((tilde(span), Value::Null)),
        _ => {}
    }
    let digits = word.strip_prefix('-').unwrap_or(word);
    if is_digits(digits) {
        return whole_number(word, digits, span).map(Some);
    }
    if is_fraction(word) {
        return Err((fraction(word, span), Value::Int(0)));
    }
    Ok(None)
}

fn whole_number(word: &str, digits: &str, span: Span) -> Result<Value, (Diagnostic, Value)> {
    let number = word.parse::<i64>();
    if digits.len() > 1 && digits.starts_with('0') {
        let message = format!("the number `{}` begins with a zero", shorten(word));
        let problem = Diagnostic::error("E-YAML", span, message)
            .hint("leave the zero out, or put quotes around it if it is text");
        return Err((problem, Value::Int(number.unwrap_or(0))));
    }
    number.map(Value::Int).map_err(|_| {
        let message = format!("the number `{}` is too large", shorten(word));
        let problem = Diagnostic::error("E-YAML", span, message)
            .hint(format!("numbers go from {} to {}", i64::MIN, i64::MAX));
        (problem, Value::Int(0))
    })
}

fn tilde(span: Span) -> Diagnostic {
    Diagnostic::error("E-YAML", span, "`~` is not a value here").hint("write `null`")
}

fn fraction(word: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E-YAML", span, "there are no fractions in rulesets")
        .label("not a whole number")
        .hint("use a whole number, in a smaller unit if need be")
        .hint(format!("if it is text, put quotes around it: `'{}'`", shorten(word)))
}

/// Whether a word is a number with a point or an exponent, and nothing else:
/// `1.5` and `1e3` are, the version `1.0.0` is not.
fn is_fraction(word: &str) -> bool {
    let word = word.strip_prefix(['-', '+']).unwrap_or(word);
    let (mantissa, exponent) = match word.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (word, None),
    };
    let exponent_is_fine = exponent.is_none_or(|exponent| {
        is_digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))
    });
    let mantissa_is_fine = match mantissa.split_once('.') {
        Some(("", decimals)) => is_digits(decimals),
        Some((whole, decimals)) => is_digits(whole) && (decimals.is_empty() || is_digits(decimals)),
        None => exponent.is_some() && is_digits(mantissa),
    };
    mantissa_is_fine && exponent_is_fine
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The start of a word, for a message that must stay readable.
fn shorten(word: &str) -> String {
    const SHOWN: usize = 24;
    match word.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &word[..cut]),
        None => word.to_owned(),
    }
}
