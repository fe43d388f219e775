//! A limit on the bytes of large responses that clients have not read yet.
//!
//! A response stays in memory until its client has read it. Without this limit, clients that request much and read
//! nothing would fill the memory.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use intermezzo_protocol::{Code, Problem};
use intermezzo_services::Requester;

/// Responses up to this size are not counted.
const SMALL_BYTES: usize = 64 << 10;
/// Size of the parts in which a large response is written.
const PART_BYTES: usize = 64 << 10;
/// Limit of all unread responses together.
const MAX_BYTES: usize = 128 << 20;
/// Limit of one requester's unread responses; a single larger response is allowed.
const MAX_BYTES_EACH: usize = 16 << 20;
const RETRY_AFTER_MS: u64 = 2_000;

/// The bytes of unread responses.
#[derive(Default)]
pub(crate) struct ResponseBudget(Mutex<UnreadBytes>);

#[derive(Default)]
struct UnreadBytes {
    all: usize,
    each: BTreeMap<Requester, usize>,
}

/// Bytes that are counted until this is dropped.
struct CountedBytes {
    budget: Arc<ResponseBudget>,
    requester: Requester,
    size: usize,
}

/// A response body that is counted until it is written.
struct CountedBody {
    rest: Bytes,
    _counted: CountedBytes,
}

impl ResponseBudget {
    /// Returns a response body, which counts until the client has read it.
    pub(crate) fn body(self: &Arc<Self>, requester: Requester, bytes: Bytes) -> Result<Body, Problem> {
        if bytes.len() <= SMALL_BYTES {
            return Ok(Body::from(bytes));
        }
        let counted = self.count(requester, bytes.len())?;
        Ok(Body::new(CountedBody { rest: bytes, _counted: counted }))
    }

    fn count(self: &Arc<Self>, requester: Requester, size: usize) -> Result<CountedBytes, Problem> {
        let mut unread = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = unread.each.get(&requester).copied().unwrap_or(0);
        if own > 0 && own + size > MAX_BYTES_EACH {
            let detail = "too many of your responses are unread; read them or try again later";
            return Err(Problem::new(Code::TooMany, detail).with("retryAfterMs", RETRY_AFTER_MS));
        }
        if unread.all > 0 && unread.all + size > MAX_BYTES {
            let detail = "the server is busy with large responses; try again later";
            return Err(Problem::new(Code::Busy, detail).with("retryAfterMs", RETRY_AFTER_MS));
        }
        unread.all += size;
        *unread.each.entry(requester.clone()).or_default() += size;
        Ok(CountedBytes { budget: Arc::clone(self), requester, size })
    }
}

impl Drop for CountedBytes {
    fn drop(&mut self) {
        let mut unread = self.budget.0.lock().unwrap_or_else(PoisonError::into_inner);
        unread.all = unread.all.saturating_sub(self.size);
        if let Some(own) = unread.each.get_mut(&self.requester) {
            *own = own.saturating_sub(self.size);
            if *own == 0 {
                unread.each.remove(&self.requester);
            }
        }
    }
}

impl hyper::body::Body for CountedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let size = self.rest.len().min(PART_BYTES);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(size)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(last: u8) -> Requester {
        Requester::Address([127, 0, 0, last].into())
    }

    #[test]
    fn unread_responses_are_limited_per_requester_and_in_total() {
        let budget = Arc::new(ResponseBudget::default());
        let large = Bytes::from(vec![b'x'; 10 << 20]);
        let first = budget.body(from(1), large.clone()).unwrap();
        assert_eq!(budget.body(from(1), large.clone()).unwrap_err().code, Code::TooMany);
        drop(budget.body(from(1), Bytes::from_static(b"small")).unwrap());
        let mut others: Vec<Body> =
            (2..13).map(|last| budget.body(from(last), large.clone()).unwrap()).collect();
        assert_eq!(budget.body(from(20), large.clone()).unwrap_err().code, Code::Busy);
        others.pop();
        drop(budget.body(from(20), large.clone()).unwrap());
        drop((first, others));
        assert_eq!(budget.0.lock().unwrap().all, 0, "nothing is counted twice");
        drop(budget.body(from(1), Bytes::from(vec![b'x'; 200 << 20])).unwrap());
    }
}
