//! Copying into memory used before.

/// Lets `to` be a copy of `from`. Most lists of a match are empty most of the time: then there is nothing to do.
#[inline]
pub(crate) fn copy_list<T: Clone>(to: &mut Vec<T>, from: &[T]) {
    if !(to.is_empty() && from.is_empty()) {
        copy_items(to, from);
    }
}

/// The same for lists of lists.
pub(crate) fn copy_lists<T: Clone>(to: &mut Vec<Vec<T>>, from: &[Vec<T>]) {
    to.truncate(from.len());
    let (shared, rest) = from.split_at(to.len());
    to.iter_mut().zip(shared).for_each(|(to, from)| copy_list(to, from));
    to.extend_from_slice(rest);
}

#[inline(never)]
fn copy_items<T: Clone>(to: &mut Vec<T>, from: &[T]) {
    match to.len() == from.len() {
        // Most lists stay as long as they are.
        true => to.clone_from_slice(from),
        false => from.clone_into(to),
    }
}
