//! The hashes of the views of a match, kept up to date while somebody follows.

use intermezzo_engine::{Datum, ViewChange, Viewer};
use intermezzo_protocol::ViewHash;

/// The latest known hash of each viewer's view.
#[derive(Debug, Default)]
pub(crate) struct ViewHashes(Vec<KnownHash>);

#[derive(Debug)]
struct KnownHash {
    viewer: Viewer,
    /// The viewer's version to which the hash belongs.
    version: u64,
    hash: ViewHash,
}

impl ViewHashes {
    /// Returns the hash of a viewer's view at its current version.
    pub(crate) fn current(&mut self, viewer: Viewer, version: u64, view: &Datum) -> ViewHash {
        match self.known(viewer).filter(|known| known.version == version) {
            Some(known) => known.hash,
            None => self.remember(viewer, version, ViewHash::of(view)),
        }
    }

    /// Returns the hash of a viewer's view after a step to this version, which changed it like this.
    pub(crate) fn after_step(
        &mut self,
        viewer: Viewer,
        version: u64,
        changes: &[ViewChange],
        view: &Datum,
    ) -> ViewHash {
        match self.known(viewer) {
            Some(known) if known.version == version => known.hash,
            Some(known) if known.version + 1 == version => {
                let hash = known.hash.after(changes, view);
                self.remember(viewer, version, hash)
            }
            _ => self.remember(viewer, version, ViewHash::of(view)),
        }
    }

    fn known(&self, viewer: Viewer) -> Option<&KnownHash> {
        self.0.iter().find(|known| known.viewer == viewer)
    }

    fn remember(&mut self, viewer: Viewer, version: u64, hash: ViewHash) -> ViewHash {
        self.0.retain(|known| known.viewer != viewer);
        self.0.push(KnownHash { viewer, version, hash });
        hash
    }
}
