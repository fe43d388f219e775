//! Detection of hidden information in a ruleset.

use std::fmt;

use crate::native;
use crate::{Program, Prop, Visibility};

/// A part of a ruleset that some players cannot see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HiddenElement {
    /// The contents of a zone.
    Zone(String),
    Property(String),
    /// The occurrence of an event, or the entities in it.
    Event(String),
}

impl Program {
    /// Returns the first part that is hidden from some player; `None` if every player always sees everything.
    #[must_use]
    pub fn first_hidden_element(&self) -> Option<HiddenElement> {
        let is_open = |visible: Visibility| matches!(visible, Visibility::All);
        let zone = self.zones.iter().find(|zone| !is_open(zone.visible));
        if let Some(zone) = zone {
            return Some(HiddenElement::Zone(self.symbol(zone.name).to_owned()));
        }
        // Internal properties have a space in their names, which no author can write.
        let is_own = |prop: &&Prop| prop.name != native::KNOWN && !self.symbol(prop.name).contains(' ');
        let prop = self.props.iter().filter(is_own).find(|prop| !is_open(prop.visible));
        if let Some(prop) = prop {
            return Some(HiddenElement::Property(self.symbol(prop.name).to_owned()));
        }
        // An event that shows only visible entities hides nothing once everything in it is visible.
        let shows_all = |visible: Visibility| is_open(visible) || matches!(visible, Visibility::ByContents);
        let own = self.events.iter().skip(native::EVENTS.len());
        own.into_iter()
            .find(|event| !shows_all(event.visible))
            .map(|event| HiddenElement::Event(event.name.clone()))
    }
}

impl fmt::Display for HiddenElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HiddenElement::Zone(name) => write!(f, "not everyone sees what is in the zone `{name}`"),
            HiddenElement::Property(name) => write!(f, "not everyone sees the property `{name}`"),
            HiddenElement::Event(name) => write!(f, "not everyone sees the event `{name}`"),
        }
    }
}
