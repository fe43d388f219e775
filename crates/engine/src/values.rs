//! Numbers: checked arithmetic, in which null is no number.

use intermezzo_ruleset::{FaultCode, NULL, Word, word};

type Result<T = Word> = std::result::Result<T, FaultCode>;

#[inline(always)]
fn both(a: Word, b: Word) -> Result<()> {
    if a == NULL || b == NULL { Err(FaultCode::Missing) } else { Ok(()) }
}

#[inline(always)]
fn number(result: Option<Word>) -> Result {
    match result {
        Some(value) if value != NULL => Ok(value),
        _ => Err(FaultCode::Overflow),
    }
}

/// A value that has to be there.
#[inline(always)]
pub(crate) fn present(value: Word) -> Result {
    if value == NULL { Err(FaultCode::Missing) } else { Ok(value) }
}

#[inline(always)]
pub(crate) fn add(a: Word, b: Word) -> Result {
    both(a, b)?;
    number(a.checked_add(b))
}

#[inline(always)]
pub(crate) fn sub(a: Word, b: Word) -> Result {
    both(a, b)?;
    number(a.checked_sub(b))
}

#[inline(always)]
pub(crate) fn mul(a: Word, b: Word) -> Result {
    both(a, b)?;
    number(a.checked_mul(b))
}

pub(crate) fn div(a: Word, b: Word) -> Result {
    both(a, b)?;
    if b == 0 {
        return Err(FaultCode::DivisionByZero);
    }
    let quotient = a.wrapping_div(b);
    let rounds_up = a % b != 0 && (a < 0) != (b < 0);
    number(Some(quotient - Word::from(rounds_up)))
}

pub(crate) fn rem(a: Word, b: Word) -> Result {
    both(a, b)?;
    if b == 0 {
        return Err(FaultCode::DivisionByZero);
    }
    let rest = a % b;
    let other_sign = rest != 0 && (rest < 0) != (b < 0);
    Ok(if other_sign { rest + b } else { rest })
}

#[inline(always)]
pub(crate) fn min(a: Word, b: Word) -> Result {
    both(a, b)?;
    Ok(a.min(b))
}

#[inline(always)]
pub(crate) fn max(a: Word, b: Word) -> Result {
    both(a, b)?;
    Ok(a.max(b))
}

#[inline(always)]
pub(crate) fn less(a: Word, b: Word) -> Result {
    both(a, b)?;
    Ok(Word::from(a < b))
}

#[inline(always)]
pub(crate) fn at_most(a: Word, b: Word) -> Result {
    both(a, b)?;
    Ok(Word::from(a <= b))
}

/// A number that counts something.
#[inline]
pub(crate) fn count(value: Word) -> Result<usize> {
    usize::try_from(present(value)?).map_err(|_| FaultCode::BadCount)
}

pub(crate) fn dice(count: Word, sides: Word) -> Result {
    both(count, sides)?;
    match (u32::try_from(count), u32::try_from(sides)) {
        (Ok(count), Ok(sides)) if count <= i32::MAX as u32 && sides > 0 => Ok(word::dice(count, sides)),
        _ => Err(FaultCode::BadCount),
    }
}

/// Whether a condition holds; null does not.
#[inline(always)]
pub(crate) fn holds(value: Word) -> bool {
    value != 0 && value != NULL
}
