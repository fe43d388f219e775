//! Storage for an analysis that a runner of programs computes once per program.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A slot for one value that is derived from a program and expensive to compute.
///
/// Cloning empties the slot, because the clone may be changed into a different program.
#[derive(Default)]
pub struct CachedAnalysis(OnceLock<Arc<dyn Any + Send + Sync>>);

impl CachedAnalysis {
    /// Returns the value; computes it on first use. If the slot already holds a value of another type, it is
    /// computed on every call.
    pub fn get_or_compute<T: Any + Send + Sync>(&self, compute: impl Fn() -> T) -> Arc<T> {
        let value = self.0.get_or_init(|| Arc::new(compute()));
        Arc::clone(value).downcast().unwrap_or_else(|_| Arc::new(compute()))
    }
}

impl Clone for CachedAnalysis {
    fn clone(&self) -> CachedAnalysis {
        CachedAnalysis::default()
    }
}

impl fmt::Debug for CachedAnalysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CachedAnalysis")
    }
}
