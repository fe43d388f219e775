//! The messages on the wire, with their schemas.
