//! Request processing before and after the handler: rate limits, authentication, checks, metrics. Start with
//! [`router`].

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, FromRequestParts, Query, RawPathParams, Request, State};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use intermezzo_protocol::{Code, Problem};
use serde_json::Value;
use tracing::Instrument;

use super::ApiState;
use super::body;
use super::call::Call;
use super::headers;
use super::param;
use super::reply::{HttpReply, ReplyBody, problem_response};
use super::request_id::{REQUEST_ID, request_id};
use super::route::{Access, BodyLimit, Idempotency, Route};
use crate::app::{App, account_number};
use crate::network::client_network;
use intermezzo_services::{Caller, CancelFlag, Requester};

/// Maximum number of `X-Forwarded-For` entries that are examined.
const MAX_FORWARDED: usize = 32;

/// The operations of one path.
struct PathRoutes {
    routes: Vec<Arc<Route>>,
    /// Allowed methods, for the `Allow` header.
    methods: HeaderValue,
}

/// Returns the router for all operations.
pub(crate) fn router(api: &Arc<ApiState>, routes: Vec<Route>) -> Router<Arc<App>> {
    let mut by_path: BTreeMap<&'static str, Vec<Arc<Route>>> = BTreeMap::new();
    for route in routes {
        by_path.entry(route.path).or_default().push(Arc::new(route));
    }
    let mut router = Router::new();
    for (path, routes) in by_path {
        let (api, path_routes) = (Arc::clone(api), Arc::new(PathRoutes::new(routes)));
        router =
            router.route(path, axum::routing::any(move |request| handle(api, Some(path_routes), request)));
    }
    let api = Arc::clone(api);
    router.fallback(move |request| handle(api, None, request))
}

impl PathRoutes {
    fn new(routes: Vec<Arc<Route>>) -> PathRoutes {
        let mut methods: Vec<&str> = routes.iter().map(|route| route.method.as_str()).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.push("OPTIONS");
        let methods = HeaderValue::from_str(&methods.join(", "));
        PathRoutes { routes, methods: methods.unwrap_or(HeaderValue::from_static("OPTIONS")) }
    }

    fn route(&self, method: &Method) -> Option<&Arc<Route>> {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        self.routes.iter().find(|route| route.method == *method)
    }
}

async fn handle(api: Arc<ApiState>, path_routes: Option<Arc<PathRoutes>>, request: Request) -> Response {
    let app = Arc::clone(&api.app);
    in_request_span(app, request, |request| handle_in_span(api, path_routes, request)).await
}

/// Handles a request that is no operation of the API: a file of the page, or a WebSocket.
pub(crate) async fn handle_other(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    in_request_span(app, request, |request| next.run(request)).await
}

/// Handles a request inside a span, so that every line it logs has its id, and writes the access log.
async fn in_request_span<F: Future<Output = Response>>(
    app: Arc<App>,
    request: Request,
    handler: impl FnOnce(Request) -> F,
) -> Response {
    let id = request_id(&app.services, request.headers());
    let address = request_address(&app, request.extensions(), request.headers());
    let span = tracing::info_span!(
        "request",
        id = id.to_str().unwrap_or_default(),
        account = tracing::field::Empty,
        %address
    );
    let handling = async move {
        let started = std::time::Instant::now();
        // Without the query, which may contain codes and tickets.
        let line = app.config.access_log.then(|| (request.method().clone(), request.uri().path().to_owned()));
        let response = handler(request).await;
        if let Some((method, path)) = line {
            let (status, ms) = (response.status().as_u16(), started.elapsed().as_millis() as u64);
            tracing::info!(target: "intermezzo_server::access", %method, path, status, ms, "request");
        }
        response
    };
    let mut response = handling.instrument(span).await;
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

async fn handle_in_span(
    api: Arc<ApiState>,
    path_routes: Option<Arc<PathRoutes>>,
    request: Request,
) -> Response {
    let origin = request.headers().get(header::ORIGIN).cloned();
    let may_read = check_origin(&api.app, request.headers());
    let allowed = origin.as_ref().filter(|_| may_read.is_ok()).cloned();
    let address = request_address(&api.app, request.extensions(), request.headers());
    // Refused requests count, too.
    let may_ask = api.app.rate_limits.check_address(address).and(may_read);
    let mut response = match may_ask {
        Ok(()) => dispatch(api, path_routes, request).await,
        Err(problem) => problem_response(&problem),
    };
    headers::add_defaults(response.headers_mut(), allowed.as_ref());
    response
}

async fn dispatch(api: Arc<ApiState>, path_routes: Option<Arc<PathRoutes>>, request: Request) -> Response {
    let Some(path_routes) = path_routes else { return problem_response(&Problem::not_found("page")) };
    let Some(route) = path_routes.route(request.method()) else {
        let mut response = match *request.method() {
            Method::OPTIONS => {
                let mut response = HttpReply::no_content().into_response();
                headers::add_preflight(response.headers_mut(), &path_routes.methods);
                response
            }
            _ => {
                let detail = format!("allowed methods: {}", path_routes.methods.to_str().unwrap_or_default());
                problem_response(&Problem::new(Code::WrongMethod, detail))
            }
        };
        response.headers_mut().insert(header::ALLOW, path_routes.methods.clone());
        return response;
    };
    let (path, method) = (route.path, route.method.as_str().to_owned());
    let started = std::time::Instant::now();
    let response = match serve(&api, Arc::clone(route), request).await {
        Ok(reply) => reply.into_response(),
        Err(problem) => problem_response(&problem),
    };
    let status = response.status().as_u16().to_string();
    metrics::counter!("intermezzo_requests_total", "path" => path, "method" => method, "status" => status)
        .increment(1);
    metrics::histogram!("intermezzo_request_seconds", "path" => path).record(started.elapsed().as_secs_f64());
    response
}

/// Authenticates and checks a request, then runs its handler.
async fn serve(api: &Arc<ApiState>, route: Arc<Route>, request: Request) -> Result<HttpReply, Problem> {
    let app = &api.app;
    if app.registry.is_draining() && !route.while_draining {
        return Err(Problem::new(Code::Draining, "the server is shutting down"));
    }
    let (mut parts, body) = request.into_parts();
    let address = request_address(app, &parts.extensions, &parts.headers);
    let span = tracing::Span::current();
    let (caller, token) = authenticate(app, &route, &parts.headers).await?;
    if let Some(caller) = &caller {
        span.record("account", tracing::field::display(&caller.account.id));
    }
    let path_params = read_path_params(&mut parts).await?;
    let query = read_query(&parts, &route)?;
    let body = match &route.request_body {
        Some(request_body) => {
            let limits = &app.config.limits;
            let limit = match request_body.limit {
                BodyLimit::Message => limits.message_bytes,
                BodyLimit::Ruleset => limits.ruleset_bytes,
            };
            let within = Duration::from_millis(limits.request_ms);
            let bytes = body::read(body, &parts.headers, limit, within).await?;
            if request_body.is_required || !bytes.is_empty() {
                body::check_content_type(&parts.headers)?;
            }
            if request_body.is_required && bytes.is_empty() {
                return Err(Problem::new(Code::Malformed, "a JSON body is required"));
            }
            bytes
        }
        None => axum::body::Bytes::new(),
    };
    let hang_up = CancelOnHangUp(CancelFlag::default());
    let call = Call {
        api: Arc::clone(api),
        address,
        caller,
        token,
        path_params,
        query,
        headers: parts.headers,
        body,
        hung_up: hang_up.0.clone(),
    };
    let target = parts.uri.path().to_owned();
    let (requester, is_read_only) = (call.requester(), route.is_read_only());
    // A separate task: a panic affects only this request. One that changes something completes even if the client
    // disconnects; others end with their client.
    let work = async move { execute(&route, &target, call).await }.instrument(span);
    let done = match is_read_only {
        true => app.registry.tasks.run_while_awaited(work).await,
        false => app.registry.tasks.run(work).await,
    };
    let reply = done.unwrap_or_else(|| {
        tracing::error!("request handler failed");
        Err(Problem::new(Code::Internal, "internal server error"))
    })?;
    count_unread(api, requester, reply)
}

/// Sets a flag when the client hangs up: the connection then drops the future that serves its request.
struct CancelOnHangUp(CancelFlag);

impl Drop for CancelOnHangUp {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Counts a large response against the limit of unread ones.
fn count_unread(api: &ApiState, requester: Requester, reply: HttpReply) -> Result<HttpReply, Problem> {
    let (media, bytes) = match reply.body {
        ReplyBody::Json(value) => ("application/json", axum::body::Bytes::from(value.to_string())),
        ReplyBody::Text(media, text) => (media, text),
        body => return Ok(HttpReply { body, ..reply }),
    };
    let body = api.responses.body(requester, bytes)?;
    Ok(HttpReply { body: ReplyBody::Stream(media, body), ..reply })
}

/// Returns the caller and the token of a request.
async fn authenticate(
    app: &App,
    route: &Route,
    headers: &HeaderMap,
) -> Result<(Option<Caller>, Option<String>), Problem> {
    if route.access == Access::Public {
        return Ok((None, None));
    }
    if !headers.contains_key(header::AUTHORIZATION) {
        return match route.access {
            Access::Token => {
                Err(Problem::new(Code::NotSignedIn, "send `authorization: Bearer` with a token"))
            }
            _ => Ok((None, None)),
        };
    }
    let token = bearer_token(headers)?;
    let account = app.services.authenticate(&token).await?;
    app.rate_limits.check_account(account_number(&account.id))?;
    Ok((Some(Caller::from(account)), Some(token)))
}

/// Returns the token of the `authorization` header.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Result<String, Problem> {
    let text = headers.get(header::AUTHORIZATION).and_then(|header| header.to_str().ok()).unwrap_or_default();
    let token = text.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    token.map(|(_, token)| token.trim().to_owned()).ok_or_else(|| {
        Problem::new(Code::NotSignedIn, "the `authorization` header must be `Bearer` followed by a token")
    })
}

async fn read_path_params(parts: &mut Parts) -> Result<Vec<(String, String)>, Problem> {
    let params = RawPathParams::from_request_parts(parts, &()).await;
    let params = params.map_err(|_| Problem::not_found("page"))?;
    let path_params: Vec<(String, String)> =
        params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    for (name, value) in &path_params {
        param::check_path_param(name, value)?;
    }
    Ok(path_params)
}

fn read_query(parts: &Parts, route: &Route) -> Result<Vec<(String, String)>, Problem> {
    let query = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
    let Query(query) = query.map_err(|_| Problem::new(Code::Malformed, "the query string is malformed"))?;
    param::check_query(&query, route.query)?;
    Ok(query)
}

/// Runs the handler. A request with an idempotency key runs only once; repetitions get the stored response.
async fn execute(route: &Route, target: &str, call: Call) -> Result<HttpReply, Problem> {
    let key = match route.idempotency {
        Idempotency::StoredResponse => call.command_id()?,
        _ => String::new(),
    };
    let Some(account) = call.account().cloned().filter(|_| !key.is_empty()) else {
        return (route.handler)(call).await;
    };
    let fingerprint = fingerprint(route, target, &call);
    let app = Arc::clone(call.app());
    let run_handler = |caller| async {
        let call = Call { caller: Some(caller), ..call };
        match (route.handler)(call).await {
            Ok(reply) => (reply.status, body_as_json(reply)),
            Err(problem) => (problem.status, serde_json::to_value(&problem).unwrap_or_default()),
        }
    };
    let (status, answer) = app.services.run_once(&account, &key, &fingerprint, run_handler).await?;
    if status >= 400 {
        return Err(serde_json::from_value(answer)
            .unwrap_or_else(|_| Problem::new(Code::Internal, "the stored response cannot be read")));
    }
    let content = if answer.is_null() { ReplyBody::Empty } else { ReplyBody::Json(answer) };
    Ok(HttpReply { status, body: content, version: None, location: None })
}

fn body_as_json(reply: HttpReply) -> Value {
    match reply.body {
        ReplyBody::Json(value) => value,
        ReplyBody::Text(_, text) => serde_json::from_slice(&text).unwrap_or_default(),
        ReplyBody::Empty | ReplyBody::Stream(..) | ReplyBody::Page(_) => Value::Null,
    }
}

/// Returns a hash of everything that identifies a request.
fn fingerprint(route: &Route, target: &str, call: &Call) -> String {
    let mut hasher = blake3::Hasher::new();
    let query: String = call.query.iter().map(|(name, value)| format!("{name}={value}&")).collect();
    for part in [route.method.as_str().as_bytes(), target.as_bytes(), query.as_bytes(), &call.body] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_hex().to_string()
}

fn request_address(app: &App, extensions: &Extensions, headers: &HeaderMap) -> IpAddr {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map_or(SocketAddr::from(([0, 0, 0, 0], 0)), |ConnectInfo(peer)| *peer);
    client_address(app, peer, headers)
}

/// Returns the address by which the client is counted: the last one in the forwarding chain that is not a trusted proxy.
pub(crate) fn client_address(app: &App, peer: SocketAddr, headers: &HeaderMap) -> IpAddr {
    let mut address = peer.ip().to_canonical();
    if !app.config.trusts(address) {
        return client_network(address);
    }
    let forwarded = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let forwarded: Vec<&str> = forwarded.flat_map(|value| value.split(',')).collect();
    for entry in forwarded.iter().rev().take(MAX_FORWARDED) {
        let Ok(entry) = entry.trim().parse::<IpAddr>() else { break };
        address = entry.to_canonical();
        if !app.config.trusts(address) {
            break;
        }
    }
    client_network(address)
}

/// Rejects requests from pages whose origin is neither this host nor allowed by the configuration.
pub(crate) fn check_origin(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or_default();
    let is_listed = app.config.origins.iter().any(|known| known == "*" || known.eq_ignore_ascii_case(origin));
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let own = origin.split_once("://").map(|(_, authority)| authority);
    if is_listed || own.is_some_and(|authority| !host.is_empty() && authority.eq_ignore_ascii_case(host)) {
        return Ok(());
    }
    let detail = format!("origin `{}` is not allowed", origin.escape_default());
    Err(Problem::new(Code::WrongOrigin, detail))
}
