//! The start of a WebSocket. Start with [`Upgrade`].

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use hyper::upgrade::{OnUpgrade, Upgraded};
use intermezzo_protocol::{Code, Problem};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// The only version of the WebSocket protocol.
const WEBSOCKET_VERSION: &str = "13";

/// A request to continue as a WebSocket.
pub(crate) struct Upgrade {
    /// The answer to the client's key.
    accept: HeaderValue,
    offered_protocols: HeaderMap,
    upgraded: OnUpgrade,
}

impl Upgrade {
    /// Reads the request of a client that wants a WebSocket.
    pub(crate) fn from_request(mut request: Request) -> Result<Upgrade, Problem> {
        let malformed = |detail: &str| Problem::new(Code::Malformed, detail);
        let upgraded = request.extensions_mut().remove::<OnUpgrade>();
        let headers = request.headers();
        let has = |name, word: &str| tokens(headers, &name).any(|token| token.eq_ignore_ascii_case(word));
        if !has(header::CONNECTION, "upgrade") || !has(header::UPGRADE, "websocket") {
            return Err(malformed(
                "a WebSocket needs the headers `connection: upgrade` and `upgrade: websocket`",
            ));
        }
        if !has(header::SEC_WEBSOCKET_VERSION, WEBSOCKET_VERSION) {
            return Err(malformed("`sec-websocket-version` must be 13"));
        }
        let key = headers.get(&header::SEC_WEBSOCKET_KEY);
        let key = key.ok_or_else(|| malformed("the header `sec-websocket-key` is missing"))?;
        let accept = HeaderValue::from_str(&derive_accept_key(key.as_bytes()));
        let accept = accept.map_err(|_| malformed("`sec-websocket-key` is invalid"))?;
        let upgraded = upgraded.ok_or_else(|| malformed("this connection cannot become a WebSocket"))?;
        let offered = headers.get_all(&header::SEC_WEBSOCKET_PROTOCOL).iter();
        let offered_protocols =
            offered.map(|protocol| (header::SEC_WEBSOCKET_PROTOCOL, protocol.clone())).collect();
        Ok(Upgrade { accept, offered_protocols, upgraded })
    }

    /// Returns true if the client offers a subprotocol.
    pub(crate) fn offers(&self, subprotocol: &str) -> bool {
        tokens(&self.offered_protocols, &header::SEC_WEBSOCKET_PROTOCOL).any(|offered| offered == subprotocol)
    }

    /// Returns the response that accepts the WebSocket, with this subprotocol if the client offers it, and runs a task with
    /// the connection.
    pub(crate) fn accept<F, T>(self, subprotocol: Option<&'static str>, task: F) -> Response
    where
        F: FnOnce(Upgraded) -> T + Send + 'static,
        T: Future<Output = ()> + Send,
    {
        let subprotocol = subprotocol.filter(|name| self.offers(name));
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, self.accept);
        if let Some(subprotocol) = subprotocol {
            headers.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(subprotocol));
        }
        let upgraded = self.upgraded;
        tokio::spawn(async move {
            match upgraded.await {
                Ok(upgraded) => Box::pin(task(upgraded)).await,
                Err(error) => tracing::debug!(%error, "a connection did not become a WebSocket"),
            }
        });
        response
    }
}

/// Returns the comma-separated values of a header.
fn tokens<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}
