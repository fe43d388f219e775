//! RFC 6902 patches between two values, written as text. Start with [`write`](fn@write).
//!
//! Uses only `add`, `remove` and `replace`. List items with an `id` keep their identity as long as they keep it. The
//! result of [`apply`] has its entries in the same order as the value the patch was made for, so the hashes of their
//! texts agree.

use intermezzo_engine::{Datum, PartBefore, ShortText, ViewChange, ViewStep};

use crate::json;

/// Limit for aligning two lists: above this product of their lengths, items are compared by position. Alignment takes
/// time and memory proportional to the product.
const MAX_ALIGNED_PAIRS: usize = 1 << 14;

/// Writes the patch from `before` to `after`, an array of operations.
pub fn write(before: &Datum, after: &Datum, out: &mut String) {
    out.push('[');
    let mut writer = PatchWriter { out, path: String::new(), is_first: true };
    writer.write_change(before, after);
    out.push(']');
}

/// Writes the patch for the changes of a view, an array of operations. `view` is the view after them.
pub fn write_changes(changes: &[ViewChange], view: &Datum, out: &mut String) {
    out.push('[');
    let mut writer = PatchWriter { out, path: String::new(), is_first: true };
    for change in changes {
        let Some(after) = part_at(view, &change.path) else { continue };
        writer.path.clear();
        change.path.iter().for_each(|step| writer.push_step(step));
        match (&change.before, after) {
            (PartBefore::Value(before), _) => writer.write_change(before, after),
            (PartBefore::Owner(Datum::Map(old)), Datum::Map(new)) => {
                writer.write_map_changes(old, new, Some("zones"));
            }
            (PartBefore::Zone(before), _) => writer.write_zone_changes(before, after),
            _ => {}
        }
    }
    out.push(']');
}

/// Returns the part of a view to which a path leads.
pub(crate) fn part_at<'a>(view: &'a Datum, path: &[ViewStep]) -> Option<&'a Datum> {
    path.iter().try_fold(view, |part, step| match (part, step) {
        (part, ViewStep::Entry(name)) => part.get(name),
        (Datum::List(items), ViewStep::Item(index)) => items.get(*index as usize),
        _ => None,
    })
}

struct PatchWriter<'a> {
    out: &'a mut String,
    /// JSON Pointer of the current position.
    path: String,
    is_first: bool,
}

impl PatchWriter<'_> {
    fn write_change(&mut self, before: &Datum, after: &Datum) {
        match (before, after) {
            (Datum::Map(old), Datum::Map(new)) if can_patch_in_order(old, new) => {
                self.write_map_changes(old, new, None);
            }
            (Datum::List(old), Datum::List(new)) => self.write_list_changes(old, new, ItemDetail::Whole),
            _ if before == after => {}
            _ => self.write_operation("replace", Some(after)),
        }
    }

    /// Writes the changes of a zone apart from those within items that are still in it.
    fn write_zone_changes(&mut self, before: &Datum, after: &Datum) {
        if let (Some(old), Some(new)) = (before.get("count"), after.get("count")) {
            self.within_entry("count", |writer| writer.write_change(old, new));
        }
        self.within_entry("items", |writer| match (before.get("items"), after.get("items")) {
            (Some(Datum::List(old)), Some(Datum::List(new))) => {
                writer.write_list_changes(old, new, ItemDetail::Identity);
            }
            (Some(_), None) => writer.write_operation("remove", None),
            (None, Some(new)) => writer.write_operation("add", Some(new)),
            _ => {}
        });
    }

    /// Writes the changes of all entries, apart from the one called `unchanged`.
    fn write_map_changes(
        &mut self,
        old: &[(ShortText, Datum)],
        new: &[(ShortText, Datum)],
        unchanged: Option<&str>,
    ) {
        let mut matched = 0;
        for (name, value) in old {
            match new.get(matched).filter(|entry| entry.0 == *name) {
                Some((_, after)) => {
                    matched += 1;
                    if unchanged != Some(name) {
                        self.within_entry(name, |writer| writer.write_change(value, after));
                    }
                }
                None => self.within_entry(name, |writer| writer.write_operation("remove", None)),
            }
        }
        for (name, value) in &new[matched..] {
            self.within_entry(name, |writer| writer.write_operation("add", Some(value)));
        }
    }

    fn write_list_changes(&mut self, old: &[Datum], new: &[Datum], detail: ItemDetail) {
        let same = |(a, b): &(&Datum, &Datum)| match detail {
            ItemDetail::Whole => a == b,
            ItemDetail::Identity => is_same_item(a, b),
        };
        let head = old.iter().zip(new).take_while(same).count();
        let (old, new) = (&old[head..], &new[head..]);
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
        let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
        let mut index = head;
        for edit in align(old, new) {
            match edit {
                ListEdit::Keep(..) if detail == ItemDetail::Identity => {}
                ListEdit::Keep(before, after) => {
                    self.within_item(index, |writer| writer.write_change(before, after));
                }
                ListEdit::Replace(after) => {
                    self.within_item(index, |writer| writer.write_operation("replace", Some(after)));
                }
                ListEdit::Add(after) => {
                    self.within_item(index, |writer| writer.write_operation("add", Some(after)));
                }
                ListEdit::Remove => {
                    self.within_item(index, |writer| writer.write_operation("remove", None));
                    continue;
                }
            }
            index += 1;
        }
    }

    fn push_step(&mut self, step: &ViewStep) {
        match step {
            ViewStep::Entry(name) => self.push_entry(name),
            ViewStep::Item(index) => self.push_item(*index as usize),
        }
    }

    fn push_entry(&mut self, name: &str) {
        self.path.push('/');
        for character in name.chars() {
            match character {
                '~' => self.path.push_str("~0"),
                '/' => self.path.push_str("~1"),
                other => self.path.push(other),
            }
        }
    }

    fn push_item(&mut self, index: usize) {
        self.path.push('/');
        json::write_number(index as i64, &mut self.path);
    }

    fn within_entry(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        let len = self.path.len();
        self.push_entry(name);
        write(self);
        self.path.truncate(len);
    }

    fn within_item(&mut self, index: usize, write: impl FnOnce(&mut Self)) {
        let len = self.path.len();
        self.push_item(index);
        write(self);
        self.path.truncate(len);
    }

    fn write_operation(&mut self, name: &str, value: Option<&Datum>) {
        if !std::mem::replace(&mut self.is_first, false) {
            self.out.push(',');
        }
        self.out.push_str("{\"op\":\"");
        self.out.push_str(name);
        self.out.push_str("\",\"path\":");
        json::write_text(&self.path, self.out);
        if let Some(value) = value {
            self.out.push_str(",\"value\":");
            json::write(value, self.out);
        }
        self.out.push('}');
    }
}

/// Returns true if removing missing entries and appending new ones produces the new order.
fn can_patch_in_order(old: &[(ShortText, Datum)], new: &[(ShortText, Datum)]) -> bool {
    let mut matched = 0;
    for (name, _) in old {
        if new.get(matched).is_some_and(|entry| entry.0 == *name) {
            matched += 1;
        }
    }
    // An old entry must not reappear after a new one.
    new[matched..].iter().all(|(name, _)| old.iter().all(|entry| entry.0 != *name))
}

/// One edit that turns the old list into the new one.
enum ListEdit<'a> {
    /// The same item, possibly with changes inside.
    Keep(&'a Datum, &'a Datum),
    /// A different item at this position.
    Replace(&'a Datum),
    Add(&'a Datum),
    Remove,
}

/// The differences between two lists that are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemDetail {
    /// All.
    Whole,
    /// Only which items they have.
    Identity,
}

/// Returns true if two list items count as the same item. An item may be given by its name alone.
fn is_same_item(a: &Datum, b: &Datum) -> bool {
    match (a, b) {
        (Datum::Text(_), Datum::Map(_)) => b.get("id") == Some(a),
        (Datum::Map(_), Datum::Map(_)) => a.get("id") == b.get("id"),
        (Datum::List(_), Datum::List(_)) => true,
        _ => a == b,
    }
}

/// Returns the edits that keep as many items as possible.
fn align<'a>(old: &'a [Datum], new: &'a [Datum]) -> Vec<ListEdit<'a>> {
    let in_order = old.iter().zip(new).all(|(a, b)| is_same_item(a, b));
    if in_order || old.len() * new.len() > MAX_ALIGNED_PAIRS {
        return align_by_position(old, new);
    }
    let lengths = common_subsequence_lengths(old, new);
    let width = new.len() + 1;
    let (mut a, mut b, mut edits) = (0, 0, Vec::new());
    while a < old.len() || b < new.len() {
        let best = lengths[a * width + b];
        if a < old.len() && b < new.len() && is_same_item(&old[a], &new[b]) {
            edits.push(ListEdit::Keep(&old[a], &new[b]));
            (a, b) = (a + 1, b + 1);
        } else if a < old.len() && b < new.len() && lengths[(a + 1) * width + b + 1] == best {
            edits.push(ListEdit::Replace(&new[b]));
            (a, b) = (a + 1, b + 1);
        } else if a < old.len() && lengths[(a + 1) * width + b] == best {
            edits.push(ListEdit::Remove);
            a += 1;
        } else {
            edits.push(ListEdit::Add(&new[b]));
            b += 1;
        }
    }
    edits
}

fn align_by_position<'a>(old: &'a [Datum], new: &'a [Datum]) -> Vec<ListEdit<'a>> {
    let pairs = old.iter().zip(new);
    let both =
        pairs.map(|(a, b)| if is_same_item(a, b) { ListEdit::Keep(a, b) } else { ListEdit::Replace(b) });
    let removed = old.iter().skip(new.len()).map(|_| ListEdit::Remove);
    both.chain(removed).chain(new.iter().skip(old.len()).map(ListEdit::Add)).collect()
}

/// Returns, for every pair of positions, the length of the longest common subsequence of the rest of both lists.
fn common_subsequence_lengths(old: &[Datum], new: &[Datum]) -> Vec<u32> {
    let width = new.len() + 1;
    let mut lengths = vec![0; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            lengths[a * width + b] = match is_same_item(&old[a], &new[b]) {
                true => lengths[(a + 1) * width + b + 1] + 1,
                false => lengths[(a + 1) * width + b].max(lengths[a * width + b + 1]),
            };
        }
    }
    lengths
}

/// An error from applying a patch.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PatchError {
    /// The patch is not a list of known operations.
    #[error("not a patch")]
    NotAPatch,
    /// An operation names a path that does not exist.
    #[error("path `{path}` not found")]
    PathNotFound {
        /// The path of the operation.
        path: String,
    },
}

/// Applies a patch as clients do. On an error, part of the patch may have been applied.
///
/// # Errors
///
/// If the patch is malformed or does not fit the value.
pub fn apply(patch: &Datum, value: &mut Datum) -> Result<(), PatchError> {
    let Datum::List(operations) = patch else { return Err(PatchError::NotAPatch) };
    operations.iter().try_for_each(|operation| apply_operation(operation, value))
}

fn apply_operation(operation: &Datum, value: &mut Datum) -> Result<(), PatchError> {
    let (Some(Datum::Text(name)), Some(Datum::Text(path))) = (operation.get("op"), operation.get("path"))
    else {
        return Err(PatchError::NotAPatch);
    };
    let new = operation.get("value");
    let done = match (path.rsplit_once('/'), new) {
        (None, Some(new)) if name == "replace" => {
            *value = new.clone();
            Some(())
        }
        (Some((parent, last)), _) => {
            find_value(value, parent).and_then(|parent| edit_entry(parent, name, &unescape(last), new))
        }
        _ => None,
    };
    done.ok_or_else(|| PatchError::PathNotFound { path: path.clone().into() })
}

fn unescape(name: &str) -> String {
    name.replace("~1", "/").replace("~0", "~")
}

fn find_value<'a>(value: &'a mut Datum, path: &str) -> Option<&'a mut Datum> {
    let steps = path.split('/').skip(1);
    steps.map(unescape).try_fold(value, |value, step| match value {
        Datum::Map(entries) => entries.iter_mut().find(|entry| entry.0 == step).map(|entry| &mut entry.1),
        Datum::List(items) => items.get_mut(step.parse::<usize>().ok()?),
        _ => None,
    })
}

fn edit_entry(parent: &mut Datum, name: &str, last: &str, new: Option<&Datum>) -> Option<()> {
    match parent {
        Datum::Map(entries) => {
            let at = entries.iter().position(|entry| entry.0 == last);
            match (name, at, new) {
                ("remove", Some(at), None) => drop(entries.remove(at)),
                ("replace" | "add", Some(at), Some(new)) => entries[at].1 = new.clone(),
                ("add", None, Some(new)) => entries.push((last.into(), new.clone())),
                _ => return None,
            }
        }
        Datum::List(items) => {
            let at = last.parse::<usize>().ok().filter(|at| *at <= items.len())?;
            match (name, new) {
                ("remove", None) if at < items.len() => drop(items.remove(at)),
                ("replace", Some(new)) if at < items.len() => items[at] = new.clone(),
                ("add", Some(new)) => items.insert(at, new.clone()),
                _ => return None,
            }
        }
        _ => return None,
    }
    Some(())
}
