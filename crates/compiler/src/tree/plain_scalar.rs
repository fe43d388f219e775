//! Unquoted scalars: numbers, `true`, `false`, `null` or text.

use super::NodeValue;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// The meaning of an unquoted scalar.
pub(super) struct PlainScalar {
    /// The value; `None` if the word is text.
    pub(super) value: Option<NodeValue>,
    /// The problem with the word. The value is then a substitute, so that checking can continue.
    pub(super) problem: Option<Diagnostic>,
}

/// Interprets an unquoted word.
pub(super) fn read(word: &str, span: Span) -> PlainScalar {
    let digits = word.strip_prefix('-').unwrap_or(word);
    match word {
        "true" => PlainScalar::value(NodeValue::Bool(true)),
        "false" => PlainScalar::value(NodeValue::Bool(false)),
        "null" => PlainScalar::value(NodeValue::Null),
        "~" => PlainScalar::rejected(tilde(span), NodeValue::Null),
        _ if is_digits(digits) => whole_number(word, digits, span),
        _ if is_fraction(word) => PlainScalar::rejected(fraction(span), NodeValue::Int(0)),
        _ => PlainScalar { value: None, problem: None },
    }
}

impl PlainScalar {
    fn value(value: NodeValue) -> Self {
        Self { value: Some(value), problem: None }
    }

    fn rejected(problem: Diagnostic, stand_in: NodeValue) -> Self {
        Self { value: Some(stand_in), problem: Some(problem) }
    }
}

fn whole_number(word: &str, digits: &str, span: Span) -> PlainScalar {
    // The smallest 64-bit number represents null.
    let Some(number) = word.parse::<i64>().ok().filter(|number| *number != i64::MIN) else {
        return PlainScalar::rejected(too_large(word, span), NodeValue::Int(0));
    };
    if digits.len() > 1 && digits.starts_with('0') {
        return PlainScalar::rejected(leading_zero(word, span), NodeValue::Int(number));
    }
    PlainScalar::value(NodeValue::Int(number))
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

/// Returns true for numbers with a point or an exponent, such as `1.5` and `1e3`, but not for the version
/// `1.0.0`.
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

/// Returns the start of a word, to keep messages readable.
fn shorten(word: &str) -> String {
    const SHOWN: usize = 24;
    match word.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &word[..cut]),
        None => word.to_owned(),
    }
}
