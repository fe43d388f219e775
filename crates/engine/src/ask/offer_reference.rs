//! Short forms of an offered action in an answer, as scenario files write them too.
//!
//! | form | means |
//! |---|---|
//! | `"strike"` | the action of that id |
//! | `"#3"` | an action of that host |
//! | `{"strike": "#5"}` | with that first target; a list for several targets in their order |
//! | `{"strike": {"host": "#3", "foe": "#5"}}` | with host and targets by name |
//! | `{"action": "strike", "host": "#3", "foe": "#5"}` | the same |

use crate::values::datum::{Datum, ShortText};

/// Tells whether a value of an option is an offer that the client means.
pub(crate) fn is_meant(offer: &Datum, item: &Datum) -> bool {
    let (Some(Datum::Text(action)), Some(Datum::Map(targets))) = (offer.get("action"), offer.get("targets"))
    else {
        return false;
    };
    match item {
        Datum::Text(name) => name == action || offer.get("host") == Some(item),
        Datum::Map(entries) => match item.get("action") {
            Some(named) => *named == Datum::Text(action.clone()) && has_all(offer, entries),
            None => match &entries[..] {
                [(name, aims)] if name == action => has_targets(offer, targets, aims),
                _ => false,
            },
        },
        _ => false,
    }
}

fn has_targets(offer: &Datum, targets: &[(ShortText, Datum)], aims: &Datum) -> bool {
    match aims {
        Datum::Null => true,
        Datum::Map(entries) => has_all(offer, entries),
        Datum::List(items) => items.iter().eq(targets.iter().map(|(_, target)| target)),
        one => targets.first().is_some_and(|(_, target)| target == one),
    }
}

/// Tells whether an offer has all these values: targets by name, else other parts of the offer.
fn has_all(offer: &Datum, entries: &[(ShortText, Datum)]) -> bool {
    let targets = offer.get("targets");
    entries.iter().all(|(name, value)| {
        let target = targets.and_then(|targets| targets.get(name)).filter(|_| name != "host");
        target.or_else(|| offer.get(name)) == Some(value)
    })
}
