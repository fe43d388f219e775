//! The hash of a view as the sum of the hashes of its parts. Start with [`ViewHash::of`].
//!
//! A part that changes changes the sum by the difference of its hashes, so neither server nor client ever hashes a whole
//! view again. Each part is hashed with a label, and refers to other parts by their names:
//!
//! | part | label | text |
//! |---|---|---|
//! | an entry of the view, apart from `players` and `zones` | `/` and its name | the value |
//! | a player or a visible entity | its `id` | the object without `zones` |
//! | a zone of the game | its name | `count` and, if there are any, `items`: the `id` of each visible entity, else null |
//! | a zone of a player or an entity | the owner's `id`, a dot and the zone's name | the same |
//!
//! The hash of a part is the first 8 bytes, as a big-endian number, of the BLAKE3 hash of its label, a line feed and its
//! text in JSON. Sums are modulo 2⁶⁴.

use std::collections::BTreeSet;

use intermezzo_engine::{Datum, PartBefore, ViewChange, ViewStep};

use crate::json;
use crate::patch::part_at;

/// The hash of a view, for clients that keep a view up to date part by part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ViewHash(u64);

impl ViewHash {
    /// Hashes all parts of a view.
    #[must_use]
    pub fn of(view: &Datum) -> ViewHash {
        let mut hasher = PartHasher::default();
        let Datum::Map(entries) = view else { return ViewHash(0) };
        let sum = entries.iter().fold(0_u64, |sum, (name, value)| {
            sum.wrapping_add(match (name.as_str(), value) {
                ("players", Datum::List(players)) => hasher.owners(players),
                ("zones", Datum::Map(zones)) => hasher.zones("", zones),
                _ => hasher.entry(name, value),
            })
        });
        ViewHash(sum)
    }

    /// Follows the changes of a view. `view` is the view after them.
    #[must_use]
    pub fn after(self, changes: &[ViewChange], view: &Datum) -> ViewHash {
        let mut hasher = PartHasher::default();
        let mut sum = self.0;
        for change in changes {
            let Some(after) = part_at(view, &change.path) else { return ViewHash::of(view) };
            let (removed, added) = match (&change.before, &change.path[..]) {
                (PartBefore::Value(before), [ViewStep::Entry(name)]) => {
                    (hasher.entry(name, before), hasher.entry(name, after))
                }
                (PartBefore::Owner(before), _) => (hasher.owner(before), hasher.owner(after)),
                (PartBefore::Zone(before), [owner @ .., _, ViewStep::Entry(name)]) => {
                    let label = zone_label(part_at(view, owner).map_or("", id), name);
                    hasher.contents_changed(&label, before, after)
                }
                _ => return ViewHash::of(view),
            };
            sum = sum.wrapping_sub(removed).wrapping_add(added);
        }
        ViewHash(sum)
    }

    /// Returns the hash as clients receive it: 16 lowercase hexadecimal digits.
    #[must_use]
    pub fn to_hex(self) -> String {
        format!("{:016x}", self.0)
    }
}

/// Hashes parts. The text is only a buffer.
#[derive(Default)]
struct PartHasher {
    text: String,
}

impl PartHasher {
    fn begin(&mut self, label: &str) {
        self.text.clear();
        self.text.push_str(label);
        self.text.push('\n');
    }

    fn finish(&self) -> u64 {
        let hash = blake3::hash(self.text.as_bytes());
        hash.as_bytes()[..8].try_into().map_or(0, u64::from_be_bytes)
    }

    fn entry(&mut self, name: &str, value: &Datum) -> u64 {
        self.begin("/");
        self.text.insert_str(1, name);
        json::write(value, &mut self.text);
        self.finish()
    }

    /// Hashes players or entities with everything in their zones.
    fn owners<'a>(&mut self, owners: impl IntoIterator<Item = &'a Datum>) -> u64 {
        owners.into_iter().fold(0, |sum, owner| {
            let zones = match owner.get("zones") {
                Some(Datum::Map(zones)) => self.zones(id(owner), zones),
                _ => 0,
            };
            sum.wrapping_add(self.owner(owner)).wrapping_add(zones)
        })
    }

    /// Hashes a player or an entity without its zones.
    fn owner(&mut self, owner: &Datum) -> u64 {
        let Datum::Map(entries) = owner else { return 0 };
        self.begin(id(owner));
        let mut separator = '{';
        for (name, value) in entries.iter().filter(|entry| entry.0 != "zones") {
            self.text.push(separator);
            json::write_text(name, &mut self.text);
            self.text.push(':');
            json::write(value, &mut self.text);
            separator = ',';
        }
        self.text.push('}');
        self.finish()
    }

    /// Hashes zones with everything in them.
    fn zones(&mut self, owner: &str, zones: &[(intermezzo_engine::ShortText, Datum)]) -> u64 {
        zones.iter().fold(0, |sum, (name, zone)| {
            let inside = self.owners(items(zone).iter().filter(|item| matches!(item, Datum::Map(_))));
            sum.wrapping_add(self.zone(&zone_label(owner, name), zone)).wrapping_add(inside)
        })
    }

    /// Hashes a zone without the entities in it.
    fn zone(&mut self, label: &str, zone: &Datum) -> u64 {
        self.begin(label);
        self.text.push_str("{\"count\":");
        json::write(zone.get("count").unwrap_or(&Datum::Null), &mut self.text);
        let mut separator = ",\"items\":[";
        for item in items(zone) {
            self.text.push_str(separator);
            match item {
                Datum::Map(_) => json::write_text(id(item), &mut self.text),
                name => json::write(name, &mut self.text),
            }
            separator = ",";
        }
        self.text.push_str(if separator == "," { "]}" } else { "}" });
        self.finish()
    }

    /// Returns what must be subtracted and added for a zone whose items have changed.
    fn contents_changed(&mut self, label: &str, before: &Datum, after: &Datum) -> (u64, u64) {
        let gone = items(before).iter().filter(|item| matches!(item, Datum::Map(_)));
        let kept: BTreeSet<&str> = items(before).iter().filter_map(text).collect();
        let new =
            items(after).iter().filter(|item| matches!(item, Datum::Map(_)) && !kept.contains(id(item)));
        let removed = self.owners(gone).wrapping_add(self.zone(label, before));
        (removed, self.owners(new).wrapping_add(self.zone(label, after)))
    }
}

fn items(zone: &Datum) -> &[Datum] {
    match zone.get("items") {
        Some(Datum::List(items)) => items,
        _ => &[],
    }
}

fn zone_label(owner: &str, name: &str) -> String {
    if owner.is_empty() { name.to_owned() } else { format!("{owner}.{name}") }
}

fn id(owner: &Datum) -> &str {
    owner.get("id").and_then(text).unwrap_or_default()
}

fn text(datum: &Datum) -> Option<&str> {
    match datum {
        Datum::Text(text) => Some(text),
        _ => None,
    }
}
