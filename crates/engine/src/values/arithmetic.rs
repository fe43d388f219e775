//! Checked arithmetic, in which null is not a number.

use intermezzo_program::{FaultCode, NULL, Word, word};

type Result<T = Word> = std::result::Result<T, FaultCode>;

#[inline(always)]
fn require_both(a: Word, b: Word) -> Result<()> {
    if a == NULL || b == NULL { Err(FaultCode::Missing) } else { Ok(()) }
}

#[inline(always)]
fn checked(result: Option<Word>) -> Result {
    match result {
        Some(value) if value != NULL => Ok(value),
        _ => Err(FaultCode::Overflow),
    }
}

/// Returns the value, or a fault if it is null.
#[inline(always)]
pub(crate) fn present(value: Word) -> Result {
    if value == NULL { Err(FaultCode::Missing) } else { Ok(value) }
}

#[inline(always)]
pub(crate) fn add(a: Word, b: Word) -> Result {
    require_both(a, b)?;
    checked(a.checked_add(b))
}

#[inline(always)]
pub(crate) fn sub(a: Word, b: Word) -> Result {
    require_both(a, b)?;
    checked(a.checked_sub(b))
}

#[inline(always)]
pub(crate) fn mul(a: Word, b: Word) -> Result {
    require_both(a, b)?;
    checked(a.checked_mul(b))
}

/// Divides, rounding towards negative infinity.
pub(crate) fn div(a: Word, b: Word) -> Result {
    require_both(a, b)?;
    if b == 0 {
        return Err(FaultCode::DivisionByZero);
    }
    let quotient = a.wrapping_div(b);
    // Integer division truncates towards zero.
    let rounds_up = a % b != 0 && (a < 0) != (b < 0);
    checked(Some(quotient - Word::from(rounds_up)))
}

/// Returns the remainder of [`div`], which has the sign of `b`.
pub(crate) fn rem(a: Word, b: Word) -> Result {
    require_both(a, b)?;
    if b == 0 {
        return Err(FaultCode::DivisionByZero);
    }
    let rest = a % b;
    let other_sign = rest != 0 && (rest < 0) != (b < 0);
    Ok(if other_sign { rest + b } else { rest })
}

#[inline(always)]
pub(crate) fn min(a: Word, b: Word) -> Result {
    require_both(a, b)?;
    Ok(a.min(b))
}

#[inline(always)]
pub(crate) fn max(a: Word, b: Word) -> Result {
    require_both(a, b)?;
    Ok(a.max(b))
}

#[inline(always)]
pub(crate) fn less(a: Word, b: Word) -> Result {
    require_both(a, b)?;
    Ok(Word::from(a < b))
}

#[inline(always)]
pub(crate) fn at_most(a: Word, b: Word) -> Result {
    require_both(a, b)?;
    Ok(Word::from(a <= b))
}

/// Converts a number to a count.
#[inline]
pub(crate) fn count(value: Word) -> Result<usize> {
    usize::try_from(present(value)?).map_err(|_| FaultCode::BadCount)
}

pub(crate) fn dice(count: Word, sides: Word) -> Result {
    require_both(count, sides)?;
    match (u32::try_from(count), u32::try_from(sides)) {
        (Ok(count), Ok(sides)) if count <= i32::MAX as u32 && sides > 0 => Ok(word::dice(count, sides)),
        _ => Err(FaultCode::BadCount),
    }
}

/// Returns true if a condition holds. Null does not hold.
#[inline(always)]
pub(crate) fn holds(value: Word) -> bool {
    value != 0 && value != NULL
}
