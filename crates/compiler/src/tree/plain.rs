//! What an unquoted word means: a number, `true`, `false`, `null` or text.

use super::Value;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// What an unquoted word turned out to be.
pub(super) struct Meaning {
    /// The value; none means that the word is text.
    pub(super) value: Option<Value>,
    /// Why the word may not stand there. Its value is then a stand-in that
    /// lets checking go on.
    pub(super) problem: Option<Diagnostic>,
}

/// Reads an unquoted word.
pub(super) fn read(word: &str, span: Span) -> Meaning {
    let digits = word.strip_prefix('-').unwrap_or(word);
    match word {
        "true" => Meaning::value(Value::Bool(true)),
        "false" => Meaning::value(Value::Bool(false)),
        "null" => Meaning::value(Value::Null),
        "~" => Meaning::refused(tilde(span), Value::Null),
        _ if is_digits(digits) => whole_number(word, digits, span),
        _ if is_fraction(word) => Meaning::refused(fraction(span), Value::Int(0)),
        _ => Meaning { value: None, problem: None },
    }
}

impl Meaning {
    fn value(value: Value) -> Self {
        Self { value: Some(value), problem: None }
    }

    fn refused(problem: Diagnostic, stand_in: Value) -> Self {
        Self { value: Some(stand_in), problem: Some(problem) }
    }
}

fn whole_number(word: &str, digits: &str, span: Span) -> Meaning {
    // The smallest 64-bit number stands for null.
    let Some(number) = word.parse::<i64>().ok().filter(|number| *number != i64::MIN) else {
        return Meaning::refused(too_large(word, span), Value::Int(0));
    };
    if digits.len() > 1 && digits.starts_with('0') {
        return Meaning::refused(leading_zero(word, span), Value::Int(number));
    }
    Meaning::value(Value::Int(number))
}

fn too_large(word: &str, span: Span) -> Diagnostic {
    let message = format!("the number `{}` is too large", shorten(word));
    Diagnostic::error("E-YAML", span, message).hint(format!(
        "numbers go from {} to {}",
        i64::MIN + 1,
        i64::MAX
    ))
}

fn leading_zero(word: &str, span: Span) -> Diagnostic {
    let message = format!("the number `{}` begins with a zero", shorten(word));
    Diagnostic::error("E-YAML", span, message)
        .hint("leave the zero out, or put quotes around it if it is text")
}

fn tilde(span: Span) -> Diagnostic {
    Diagnostic::error("E-YAML", span, "`~` is not a value here").hint("write `null`")
}

fn fraction(span: Span) -> Diagnostic {
    Diagnostic::error("E-YAML", span, "there are no fractions in rulesets")
        .label("not a whole number")
        .hint("use a whole number, in a smaller unit if need be")
        .hint("if it is text, put quotes around it")
}

/// Whether a word is a number with a point or an exponent, and nothing else:
/// `1.5` and `1e3` are, the version `1.0.0` is not.
fn is_fraction(word: &str) -> bool {
    let word = word.strip_prefix(['-', '+']).unwrap_or(word);
    let (mantissa, exponent) = match word.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (word, None),
    };
    let exponent_is_fine =
        exponent.is_none_or(|exponent| is_digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent)));
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
