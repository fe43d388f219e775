//! An event as one viewer sees it. What several viewers see alike is described once.

use std::sync::{Arc, OnceLock};

use crate::values::datum::{Datum, ShortText};

/// An event as one viewer sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViewerEvent {
    /// The viewer's own number of the event.
    pub number: u32,
    /// The viewer's number of the event that caused it, if the viewer saw that one.
    pub cause: Option<u32>,
    pub content: Arc<EventContent>,
}

/// The content of an event, which several viewers may see alike.
#[derive(Debug)]
pub struct EventContent {
    /// Name of the event.
    pub event: ShortText,
    pub payload: Datum,
    /// `failed` or `prevented`, unless the event took effect.
    pub status: Option<ShortText>,
    /// The content as text, in the only format that the host uses.
    text: OnceLock<Box<str>>,
}

impl EventContent {
    pub(crate) fn new(event: ShortText, payload: Datum) -> EventContent {
        EventContent { event, payload, status: None, text: OnceLock::new() }
    }

    /// Returns the content as text. `write` writes it once for all viewers.
    pub fn text(&self, write: impl FnOnce(&EventContent) -> String) -> &str {
        self.text.get_or_init(|| write(self).into_boxed_str())
    }
}

/// The text does not count: it follows from the rest.
impl PartialEq for EventContent {
    fn eq(&self, other: &EventContent) -> bool {
        (&self.event, &self.payload, &self.status) == (&other.event, &other.payload, &other.status)
    }
}

impl Eq for EventContent {}

impl ViewerEvent {
    /// Does what [`into_datum`](ViewerEvent::into_datum) does with a copy.
    #[must_use]
    pub fn to_datum(&self) -> Datum {
        self.clone().into_datum()
    }

    /// Returns the event as one value, with the entries `n`, `event`, `cause`, `payload` and, if it has one, `status`.
    #[must_use]
    pub fn into_datum(self) -> Datum {
        let (event, payload, status) = match Arc::try_unwrap(self.content) {
            Ok(own) => (own.event, own.payload, own.status),
            Err(shared) => (shared.event.clone(), shared.payload.clone(), shared.status.clone()),
        };
        let name = ShortText::new_static;
        let mut entries = Vec::with_capacity(5);
        entries.push((name("n"), Datum::Int(i64::from(self.number))));
        entries.push((name("event"), Datum::Text(event)));
        entries.push((name("cause"), self.cause.map_or(Datum::Null, |cause| Datum::Int(i64::from(cause)))));
        entries.push((name("payload"), payload));
        entries.extend(status.map(|status| (name("status"), Datum::Text(status))));
        Datum::Map(entries)
    }
}
