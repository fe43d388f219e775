//! How one value becomes another: patches as in RFC 6902, written as text. Start with [`write`](fn@write).
//!
//! Only `add`, `remove` and `replace` are used. Things in lists that have an `id` stay the same thing as long as they
//! keep it. What comes out of [`apply`] has its entries in the same order as the value the patch was made for, so that
//! hashes of their texts agree.

use std::fmt;

use intermezzo_engine::{Datum, Text};

use crate::json;

/// Lists whose differing parts are longer than this together are not compared thing by thing.
const MAX_COMPARED: usize = 1 << 14;

/// Writes the patch that makes `after` of `before`, an array of operations.
pub fn write(before: &Datum, after: &Datum, out: &mut String) {
    out.push('[');
    let mut writer = Writer { out, path: String::new(), is_first: true };
    writer.change(before, after);
    out.push(']');
}

struct Writer<'a> {
    out: &'a mut String,
    /// Where the writer is: names and places, each after a slash.
    path: String,
    is_first: bool,
}

impl Writer<'_> {
    fn change(&mut self, before: &Datum, after: &Datum) {
        match (before, after) {
            (Datum::Map(old), Datum::Map(new)) if keeps_order(old, new) => self.change_map(old, new),
            (Datum::List(old), Datum::List(new)) => self.change_list(old, new),
            _ if before == after => {}
            _ => self.operation("replace", Some(after)),
        }
    }

    fn change_map(&mut self, old: &[(Text, Datum)], new: &[(Text, Datum)]) {
        let mut kept = 0;
        for (name, value) in old {
            match new.get(kept).filter(|entry| entry.0 == *name) {
                Some((_, after)) => {
                    kept += 1;
                    self.at_name(name, |writer| writer.change(value, after));
                }
                None => self.at_name(name, |writer| writer.operation("remove", None)),
            }
        }
        for (name, value) in &new[kept..] {
            self.at_name(name, |writer| writer.operation("add", Some(value)));
        }
    }

    fn change_list(&mut self, old: &[Datum], new: &[Datum]) {
        let same = |(a, b): &(&Datum, &Datum)| a == b;
        let head = old.iter().zip(new).take_while(same).count();
        let (old, new) = (&old[head..], &new[head..]);
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
        let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
        let mut place = head;
        for step in align(old, new) {
            match step {
                Step::Keep(before, after) => self.at_place(place, |writer| writer.change(before, after)),
                Step::Replace(after) => {
                    self.at_place(place, |writer| writer.operation("replace", Some(after)));
                }
                Step::Add(after) => self.at_place(place, |writer| writer.operation("add", Some(after))),
                Step::Remove => {
                    self.at_place(place, |writer| writer.operation("remove", None));
                    continue;
                }
            }
            place += 1;
        }
    }

    fn at_name(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        let len = self.path.len();
        self.path.push('/');
        for character in name.chars() {
            match character {
                '~' => self.path.push_str("~0"),
                '/' => self.path.push_str("~1"),
                other => self.path.push(other),
            }
        }
        write(self);
        self.path.truncate(len);
    }

    fn at_place(&mut self, place: usize, write: impl FnOnce(&mut Self)) {
        let len = self.path.len();
        self.path.push('/');
        json::write_number(place as i64, &mut self.path);
        write(self);
        self.path.truncate(len);
    }

    fn operation(&mut self, name: &str, value: Option<&Datum>) {
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

/// Whether removing what is gone and adding what is new at the end gives the new entries in their order.
fn keeps_order(old: &[(Text, Datum)], new: &[(Text, Datum)]) -> bool {
    let mut kept = 0;
    for (name, _) in old {
        if new.get(kept).is_some_and(|entry| entry.0 == *name) {
            kept += 1;
        }
    }
    // Nothing that was passed over may come again.
    new[kept..].iter().all(|(name, _)| old.iter().all(|entry| entry.0 != *name))
}

/// One step on the way from a list to another.
enum Step<'a> {
    /// The same thing, perhaps changed within.
    Keep(&'a Datum, &'a Datum),
    /// Another thing at this place.
    Replace(&'a Datum),
    Add(&'a Datum),
    Remove,
}

/// Whether two things of a list are the same thing.
fn is_same(a: &Datum, b: &Datum) -> bool {
    match (a, b) {
        (Datum::Map(_), Datum::Map(_)) => a.get("id") == b.get("id"),
        (Datum::List(_), Datum::List(_)) => true,
        _ => a == b,
    }
}

/// The steps that keep as many things as possible.
fn align<'a>(old: &'a [Datum], new: &'a [Datum]) -> Vec<Step<'a>> {
    let in_order = old.iter().zip(new).all(|(a, b)| is_same(a, b));
    if in_order || old.len() * new.len() > MAX_COMPARED {
        return one_by_one(old, new);
    }
    let kept = kept_from(old, new);
    let width = new.len() + 1;
    let (mut a, mut b, mut steps) = (0, 0, Vec::new());
    while a < old.len() || b < new.len() {
        let best = kept[a * width + b];
        if a < old.len() && b < new.len() && is_same(&old[a], &new[b]) {
            steps.push(Step::Keep(&old[a], &new[b]));
            (a, b) = (a + 1, b + 1);
        } else if a < old.len() && b < new.len() && kept[(a + 1) * width + b + 1] == best {
            steps.push(Step::Replace(&new[b]));
            (a, b) = (a + 1, b + 1);
        } else if a < old.len() && kept[(a + 1) * width + b] == best {
            steps.push(Step::Remove);
            a += 1;
        } else {
            steps.push(Step::Add(&new[b]));
            b += 1;
        }
    }
    steps
}

fn one_by_one<'a>(old: &'a [Datum], new: &'a [Datum]) -> Vec<Step<'a>> {
    let pairs = old.iter().zip(new);
    let both = pairs.map(|(a, b)| if is_same(a, b) { Step::Keep(a, b) } else { Step::Replace(b) });
    let gone = old.iter().skip(new.len()).map(|_| Step::Remove);
    both.chain(gone).chain(new.iter().skip(old.len()).map(Step::Add)).collect()
}

/// For every pair of places, how many things can be kept from there on.
fn kept_from(old: &[Datum], new: &[Datum]) -> Vec<u32> {
    let width = new.len() + 1;
    let mut kept = vec![0; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            kept[a * width + b] = match is_same(&old[a], &new[b]) {
                true => kept[(a + 1) * width + b + 1] + 1,
                false => kept[(a + 1) * width + b].max(kept[a * width + b + 1]),
            };
        }
    }
    kept
}

/// Why a patch cannot be applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatchError {
    /// It is not a list of operations that are known here.
    NoPatch,
    /// There is nothing at a place it names.
    NoSuchPlace {
        /// The path of the operation.
        path: String,
    },
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatchError::NoPatch => f.write_str("that is no patch"),
            PatchError::NoSuchPlace { path } => write!(f, "there is nothing at `{path}`"),
        }
    }
}

impl std::error::Error for PatchError {}

/// Carries out a patch as clients do. It may be carried out in part if it cannot be in full.
///
/// # Errors
///
/// If it is no patch, or not one for this value.
pub fn apply(patch: &Datum, value: &mut Datum) -> Result<(), PatchError> {
    let Datum::List(operations) = patch else { return Err(PatchError::NoPatch) };
    operations.iter().try_for_each(|operation| apply_one(operation, value))
}

fn apply_one(operation: &Datum, value: &mut Datum) -> Result<(), PatchError> {
    let (Some(Datum::Text(name)), Some(Datum::Text(path))) = (operation.get("op"), operation.get("path"))
    else {
        return Err(PatchError::NoPatch);
    };
    let new = operation.get("value");
    let done = match (path.rsplit_once('/'), new) {
        (None, Some(new)) if name == "replace" => {
            *value = new.clone();
            Some(())
        }
        (Some((parent, last)), _) => {
            find(value, parent).and_then(|parent| change_within(parent, name, &unescaped(last), new))
        }
        _ => None,
    };
    done.ok_or_else(|| PatchError::NoSuchPlace { path: path.clone().into() })
}

fn unescaped(name: &str) -> String {
    name.replace("~1", "/").replace("~0", "~")
}

fn find<'a>(value: &'a mut Datum, path: &str) -> Option<&'a mut Datum> {
    let steps = path.split('/').skip(1);
    steps.map(unescaped).try_fold(value, |value, step| match value {
        Datum::Map(entries) => entries.iter_mut().find(|entry| entry.0 == step).map(|entry| &mut entry.1),
        Datum::List(items) => items.get_mut(step.parse::<usize>().ok()?),
        _ => None,
    })
}

fn change_within(parent: &mut Datum, name: &str, last: &str, new: Option<&Datum>) -> Option<()> {
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
