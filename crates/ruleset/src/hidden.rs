//! Whether anything in a ruleset is hidden from any player.

use std::fmt;

use crate::native;
use crate::{Program, Prop, Visibility};

/// Something not everyone sees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hidden {
    /// What is in a zone.
    Zone(String),
    /// A property.
    Property(String),
    /// That an event happens, or whom it is about.
    Event(String),
}

impl Program {
    /// The first thing that is hidden from some player; nothing if everyone always sees everything.
    #[must_use]
    pub fn hidden(&self) -> Option<Hidden> {
        let is_open = |visible: Visibility| matches!(visible, Visibility::All);
        let zone = self.zones.iter().find(|zone| !is_open(zone.visible));
        if let Some(zone) = zone {
            return Some(Hidden::Zone(self.symbol(zone.name).to_owned()));
        }
        // What the machinery keeps for itself has names with a space, which no author can write.
        let is_own = |prop: &&Prop| prop.name != native::KNOWN && !self.symbol(prop.name).contains(' ');
        let prop = self.props.iter().filter(is_own).find(|prop| !is_open(prop.visible));
        if let Some(prop) = prop {
            return Some(Hidden::Property(self.symbol(prop.name).to_owned()));
        }
        // Where everything in it can be seen, an event that shows what can be seen hides nothing.
        let is_told = |visible: Visibility| is_open(visible) || matches!(visible, Visibility::ByContents);
        let own = self.events.iter().skip(native::EVENTS.len());
        own.into_iter().find(|event| !is_told(event.visible)).map(|event| Hidden::Event(event.name.clone()))
    }
}

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hidden::Zone(name) => write!(f, "not everyone sees what is in the zone `{name}`"),
            Hidden::Property(name) => write!(f, "not everyone sees the property `{name}`"),
            Hidden::Event(name) => write!(f, "not everyone sees the event `{name}`"),
        }
    }
}
