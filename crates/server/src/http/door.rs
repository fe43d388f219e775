//! The door: requests are counted, recognised and checked before a handler sees them. Start with [`router`].

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, FromRequestParts, Query, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use intermezzo_protocol::{Code, Problem};
use serde_json::Value;

use super::call::Call;
use super::reply::{Content, Reply, refused};
use super::route::{Route, Size, Twice, Who};
use super::{Api, body, headers, param};
use crate::app::{App, account_number};
use crate::house::Caller;

/// Who believes whom: more names in `X-Forwarded-For` than this are not looked at.
const MAX_FORWARDED: usize = 32;

/// All operations at one path.
struct Spot {
    routes: Vec<Arc<Route>>,
    /// What can be done there, for `Allow`.
    methods: HeaderValue,
}

/// The router of all operations.
pub(crate) fn router(api: &Arc<Api>, routes: Vec<Route>) -> Router<Arc<App>> {
    let mut spots: BTreeMap<&'static str, Vec<Arc<Route>>> = BTreeMap::new();
    for route in routes {
        spots.entry(route.path).or_default().push(Arc::new(route));
    }
    let mut router = Router::new();
    for (path, routes) in spots {
        let (api, spot) = (Arc::clone(api), Arc::new(Spot::new(routes)));
        router = router.route(path, axum::routing::any(move |request| enter(api, Some(spot), request)));
    }
    let api = Arc::clone(api);
    router.fallback(move |request| enter(api, None, request))
}

impl Spot {
    fn new(routes: Vec<Arc<Route>>) -> Spot {
        let mut methods: Vec<&str> = routes.iter().map(|route| route.method.as_str()).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.push("OPTIONS");
        let methods = HeaderValue::from_str(&methods.join(", "));
        Spot { routes, methods: methods.unwrap_or(HeaderValue::from_static("OPTIONS")) }
    }

    fn route(&self, method: &Method) -> Option<&Arc<Route>> {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        self.routes.iter().find(|route| route.method == *method)
    }
}

async fn enter(api: Arc<Api>, spot: Option<Arc<Spot>>, request: Request) -> Response {
    let origin = request.headers().get(header::ORIGIN).cloned();
    let may_read = check_origin(&api.app, request.headers());
    let allowed = origin.as_ref().filter(|_| may_read.is_ok()).cloned();
    let mut response = match may_read {
        Ok(()) => pass(api, spot, request).await,
        Err(problem) => refused(&problem),
    };
    headers::add(response.headers_mut(), allowed.as_ref());
    response
}

async fn pass(api: Arc<Api>, spot: Option<Arc<Spot>>, request: Request) -> Response {
    let Some(spot) = spot else { return refused(&Problem::not_found("page")) };
    let Some(route) = spot.route(request.method()) else {
        let mut response = match *request.method() {
            Method::OPTIONS => {
                let mut response = Reply::nothing().into_response();
                headers::add_permissions(response.headers_mut(), &spot.methods);
                response
            }
            _ => {
                let detail = format!("only {} can be done here", spot.methods.to_str().unwrap_or_default());
                refused(&Problem::new(Code::WrongMethod, detail))
            }
        };
        response.headers_mut().insert(header::ALLOW, spot.methods.clone());
        return response;
    };
    let (path, method) = (route.path, route.method.as_str().to_owned());
    let begun = std::time::Instant::now();
    let response = match serve(&api, Arc::clone(route), request).await {
        Ok(reply) => reply.into_response(),
        Err(problem) => refused(&problem),
    };
    let status = response.status().as_u16().to_string();
    metrics::counter!("intermezzo_requests_total", "path" => path, "method" => method, "status" => status)
        .increment(1);
    metrics::histogram!("intermezzo_request_seconds", "path" => path).record(begun.elapsed().as_secs_f64());
    response
}

/// Recognises and checks a request, and has it carried out.
async fn serve(api: &Arc<Api>, route: Arc<Route>, request: Request) -> Result<Reply, Problem> {
    let app = &api.app;
    if app.hub.is_draining() && !route.while_draining {
        return Err(Problem::new(Code::Draining, "the server is about to stop"));
    }
    let (mut parts, body) = request.into_parts();
    let address = address_of(app, &parts);
    app.throttle.address(address)?;
    let (caller, token) = recognise(app, &route, &parts.headers).await?;
    let places = places(&mut parts).await?;
    let query = query(&parts, &route)?;
    let body = match &route.takes {
        Some(takes) => {
            let limits = &app.config.limits;
            let limit = match takes.size {
                Size::Message => limits.message_bytes,
                Size::Ruleset => limits.ruleset_bytes,
            };
            let within = Duration::from_millis(limits.request_ms);
            let bytes = body::read(body, &parts.headers, limit, within).await?;
            if takes.is_required || !bytes.is_empty() {
                body::check_media(&parts.headers)?;
            }
            if takes.is_required && bytes.is_empty() {
                return Err(Problem::new(Code::Malformed, "a JSON body is needed here"));
            }
            bytes
        }
        None => axum::body::Bytes::new(),
    };
    let call =
        Call { api: Arc::clone(api), address, caller, token, places, query, headers: parts.headers, body };
    let target = parts.uri.path().to_owned();
    // A task of its own: it goes on if the client hangs up, and if it fails it fails alone.
    let done = app.hub.tasks.run(async move { carry_out(&route, &target, call).await }).await;
    done.unwrap_or_else(|| {
        tracing::error!("a request has failed");
        Err(Problem::new(Code::Internal, "something is wrong with the server"))
    })
}

/// Whose token the request has.
async fn recognise(
    app: &App,
    route: &Route,
    headers: &HeaderMap,
) -> Result<(Option<Caller>, Option<String>), Problem> {
    if route.who == Who::Anybody {
        return Ok((None, None));
    }
    let Some(header) = headers.get(header::AUTHORIZATION) else {
        return match route.who {
            Who::SignedIn => Err(Problem::new(Code::NotSignedIn, "send `authorization: Bearer` and a token")),
            _ => Ok((None, None)),
        };
    };
    let text = header.to_str().unwrap_or_default();
    let token = text.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let token = token.map(|(_, token)| token.trim());
    let token = token.ok_or_else(|| {
        Problem::new(Code::NotSignedIn, "the header is `authorization: Bearer` and a token")
    })?;
    let account = app.house.who(token).await?;
    app.throttle.account(account_number(&account.id))?;
    Ok((Some(Caller::from(account)), Some(token.to_owned())))
}

async fn places(parts: &mut Parts) -> Result<Vec<(String, String)>, Problem> {
    let params = RawPathParams::from_request_parts(parts, &()).await;
    let params = params.map_err(|_| Problem::not_found("page"))?;
    let places: Vec<(String, String)> =
        params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    for (name, value) in &places {
        param::check_place(name, value)?;
    }
    Ok(places)
}

fn query(parts: &Parts, route: &Route) -> Result<Vec<(String, String)>, Problem> {
    let query = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
    let Query(query) = query.map_err(|_| Problem::new(Code::Malformed, "the query cannot be read"))?;
    param::check_query(&query, route.query)?;
    Ok(query)
}

/// Carries out an operation; one with a key has one effect however often it is sent.
async fn carry_out(route: &Route, target: &str, call: Call) -> Result<Reply, Problem> {
    let key = match route.twice {
        Twice::Once => call.command_id()?,
        _ => String::new(),
    };
    let Some(account) = call.account().cloned().filter(|_| !key.is_empty()) else {
        return (route.handler)(call).await;
    };
    let fingerprint = fingerprint(route, target, &call);
    let app = Arc::clone(call.app());
    let carry_out = |caller| async {
        let call = Call { caller: Some(caller), ..call };
        match (route.handler)(call).await {
            Ok(reply) => (reply.status, as_value(reply)),
            Err(problem) => (problem.status, serde_json::to_value(&problem).unwrap_or_default()),
        }
    };
    let (status, answer) = app.house.once(&account, &key, &fingerprint, carry_out).await?;
    if status >= 400 {
        return Err(serde_json::from_value(answer)
            .unwrap_or_else(|_| Problem::new(Code::Internal, "the first answer cannot be read")));
    }
    let content = if answer.is_null() { Content::Nothing } else { Content::Json(answer) };
    Ok(Reply { status, content, version: None, location: None })
}

fn as_value(reply: Reply) -> Value {
    match reply.content {
        Content::Json(value) => value,
        Content::Text(_, text) => serde_json::from_str(&text).unwrap_or_default(),
        Content::Nothing | Content::Stream(..) | Content::Page(_) => Value::Null,
    }
}

/// Stands for all that makes a request the same.
fn fingerprint(route: &Route, target: &str, call: &Call) -> String {
    let mut hasher = blake3::Hasher::new();
    let query: String = call.query.iter().map(|(name, value)| format!("{name}={value}&")).collect();
    for part in [route.method.as_str().as_bytes(), target.as_bytes(), query.as_bytes(), &call.body] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_hex().to_string()
}

fn address_of(app: &App, parts: &Parts) -> IpAddr {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map_or(SocketAddr::from(([0, 0, 0, 0], 0)), |ConnectInfo(peer)| *peer);
    address(app, peer, &parts.headers)
}

/// Where a request comes from: the last address that no trusted proxy vouches for.
pub(crate) fn address(app: &App, peer: SocketAddr, headers: &HeaderMap) -> IpAddr {
    let is_trusted = |address: &IpAddr| app.config.trusted_proxies.contains(address);
    let mut address = peer.ip().to_canonical();
    if !is_trusted(&address) {
        return address;
    }
    let forwarded = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let forwarded: Vec<&str> = forwarded.flat_map(|value| value.split(',')).collect();
    for named in forwarded.iter().rev().take(MAX_FORWARDED) {
        let Ok(named) = named.trim().parse::<IpAddr>() else { break };
        address = named.to_canonical();
        if !is_trusted(&address) {
            break;
        }
    }
    address
}

/// Whether a page from where this one says it comes from may talk to the server.
pub(crate) fn check_origin(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or_default();
    let is_listed = app.config.origins.iter().any(|known| known == "*" || known.eq_ignore_ascii_case(origin));
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let own = origin.split_once("://").map(|(_, authority)| authority);
    if is_listed || own.is_some_and(|authority| !host.is_empty() && authority.eq_ignore_ascii_case(host)) {
        return Ok(());
    }
    let detail = format!("pages from `{}` may not connect", origin.escape_default());
    Err(Problem::new(Code::WrongOrigin, detail))
}
