//! Copies into existing memory.

/// Copies `from` into `to`. Most lists of a match are empty most of the time, so that case is checked inline.
#[inline]
pub(crate) fn copy_list<T: Clone>(to: &mut Vec<T>, from: &[T]) {
    if !(to.is_empty() && from.is_empty()) {
        copy_items(to, from);
    }
}

/// Copies a list of lists, reusing the inner lists.
pub(crate) fn copy_lists<T: Clone>(to: &mut Vec<Vec<T>>, from: &[Vec<T>]) {
    to.truncate(from.len());
    let (shared, rest) = from.split_at(to.len());
    to.iter_mut().zip(shared).for_each(|(to, from)| copy_list(to, from));
    to.extend_from_slice(rest);
}

#[inline(never)]
fn copy_items<T: Clone>(to: &mut Vec<T>, from: &[T]) {
    match to.len() == from.len() {
        // Most lists keep their length.
        true => to.clone_from_slice(from),
        false => from.clone_into(to),
    }
}
