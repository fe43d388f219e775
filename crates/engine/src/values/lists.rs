//! List operations that cost more than one step.

use intermezzo_program::{FaultCode, NULL, Word};

use crate::run::frames::Meter;
use crate::storage::heap::Heap;
use crate::values::arithmetic::{count, present};

type Result<T = Word> = std::result::Result<T, FaultCode>;

pub(crate) fn finish(heap: &mut Heap, building: &mut Vec<Word>, mark: Word) -> Result {
    let mark = usize::try_from(mark).ok().filter(|mark| *mark <= building.len());
    let mark = mark.ok_or(FaultCode::Missing)?;
    let list = heap.new_list(&building[mark..])?;
    building.truncate(mark);
    Ok(list)
}

pub(crate) fn get(heap: &Heap, list: Word, index: Word) -> Result {
    let items = heap.items(list)?;
    let index = usize::try_from(present(index)?).map_err(|_| FaultCode::OutOfRange)?;
    items.get(index).copied().ok_or(FaultCode::OutOfRange)
}

pub(crate) fn try_get(heap: &Heap, list: Word, index: Word) -> Result {
    let items = heap.items(list)?;
    let index = usize::try_from(index).ok();
    Ok(index.and_then(|index| items.get(index).copied()).unwrap_or(NULL))
}

pub(crate) fn concat(heap: &mut Heap, meter: &mut Meter, a: Word, b: Word) -> Result {
    meter.charge_steps(heap.items(a)?.len() + heap.items(b)?.len())?;
    heap.new_joined(a, b)
}

pub(crate) fn contains(heap: &Heap, meter: &mut Meter, list: Word, value: Word) -> Result {
    let items = heap.items(list)?;
    meter.charge_steps(items.len())?;
    Ok(Word::from(items.contains(&value)))
}

pub(crate) fn first(heap: &mut Heap, meter: &mut Meter, list: Word, wanted: Word) -> Result {
    let wanted = count(wanted)?.min(heap.items(list)?.len());
    meter.charge_steps(wanted)?;
    heap.new_slice(list, 0, wanted)
}

pub(crate) fn last(heap: &mut Heap, meter: &mut Meter, list: Word, wanted: Word) -> Result {
    let len = heap.items(list)?.len();
    let wanted = count(wanted)?.min(len);
    meter.charge_steps(wanted)?;
    heap.new_slice(list, len - wanted, len)
}

pub(crate) fn replace(heap: &mut Heap, meter: &mut Meter, list: Word, index: Word, value: Word) -> Result {
    let len = heap.items(list)?.len();
    let index = usize::try_from(present(index)?).ok().filter(|index| *index < len);
    let index = index.ok_or(FaultCode::OutOfRange)?;
    meter.charge_steps(len)?;
    let copy = heap.new_slice(list, 0, len)?;
    heap.put(copy, index + 1, value)?;
    Ok(copy)
}

pub(crate) fn sort_by(heap: &mut Heap, meter: &mut Meter, items: Word, keys: Word) -> Result {
    let (values, numbers) = (heap.items(items)?, heap.items(keys)?);
    if values.len() != numbers.len() {
        return Err(FaultCode::OutOfRange);
    }
    meter.charge_steps(values.len().saturating_mul(2))?;
    if numbers.contains(&NULL) {
        return Err(FaultCode::Missing);
    }
    let mut pairs: Vec<(Word, Word)> = numbers.iter().copied().zip(values.iter().copied()).collect();
    pairs.sort_by_key(|pair| pair.0);
    heap.new_list_of(pairs.len(), pairs.iter().map(|pair| pair.1))
}

pub(crate) fn range(heap: &mut Heap, meter: &mut Meter, from: Word, to: Word) -> Result {
    let (from, to) = (present(from)?, present(to)?);
    if to < from {
        return Ok(0);
    }
    let len = to.checked_sub(from).and_then(|len| usize::try_from(len).ok());
    let len = len.ok_or(FaultCode::BadCount)?.saturating_add(1);
    meter.charge_steps(len)?;
    heap.new_list_of(len, from..=to)
}

/// Removes duplicates. Compares each item with all distinct ones before it, and charges for that.
pub(crate) fn distinct(heap: &mut Heap, meter: &mut Meter, list: Word, building: &mut Vec<Word>) -> Result {
    let mark = building.len();
    for item in heap.items(list)? {
        meter.charge_steps(1 + (building.len() - mark) / 8)?;
        if !building[mark..].contains(item) {
            building.push(*item);
        }
    }
    finish(heap, building, mark as Word)
}
