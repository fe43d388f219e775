//! What those who run a program have worked out about it, kept with it.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A place for one thing that follows from a program and takes time to work out.
///
/// A copy of the program may become another one, so it begins without.
#[derive(Default)]
pub struct Notes(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Notes {
    /// The thing, worked out by `work_out` if nobody has done so before. Something else is kept there already: then it
    /// is worked out every time.
    pub fn get_or<T: Any + Send + Sync>(&self, work_out: impl Fn() -> T) -> Arc<T> {
        let kept = self.0.get_or_init(|| Arc::new(work_out()));
        Arc::clone(kept).downcast().unwrap_or_else(|_| Arc::new(work_out()))
    }
}

impl Clone for Notes {
    fn clone(&self) -> Notes {
        Notes::default()
    }
}

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notes")
    }
}
