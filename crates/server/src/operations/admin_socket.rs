//! The socket in the data folder through which `intermezzo admin` reaches a running server.
//!
//! Only the user who may read the data folder can connect: the socket lies in it and has mode 0600. A request and its
//! response are one line of JSON each.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use intermezzo_protocol::{Code, Problem};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::app::App;
use crate::operations::operator_request::{OperatorRequest, OperatorResponse, json};

/// Longest request in bytes. Requests contain names and ids only.
const MAX_REQUEST: u64 = 4096;
/// Time for a request to arrive.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the path of the socket in a data folder.
pub(crate) fn path(folder: &Path) -> PathBuf {
    folder.join("admin.sock")
}

/// The listening socket of a running server.
#[derive(Debug)]
pub(crate) struct AdminSocket {
    path: PathBuf,
    serving: JoinHandle<()>,
}

impl AdminSocket {
    /// Starts to listen. `stop` is notified when an operator stops the server.
    ///
    /// # Errors
    ///
    /// If the socket cannot be created, for example because its path is too long for one.
    pub(crate) fn start(folder: &Path, app: &Arc<App>, stop: &Arc<Notify>) -> io::Result<AdminSocket> {
        let path = path(folder);
        // A killed server leaves its socket behind. No other server can be using it, because this one has locked the
        // folder.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        let serving = tokio::spawn(serve(listener, Arc::clone(app), Arc::clone(stop)));
        Ok(AdminSocket { path, serving })
    }
}

impl Drop for AdminSocket {
    fn drop(&mut self) {
        self.serving.abort();
        let _ = std::fs::remove_file(&self.path);
    }
}

async fn serve(listener: UnixListener, app: Arc<App>, stop: Arc<Notify>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let work = handle(stream, Arc::clone(&app), Arc::clone(&stop));
        app.registry.tasks.spawn(async move {
            if let Err(error) = work.await {
                tracing::warn!(%error, "an operator's request failed");
            }
        });
    }
}

async fn handle(mut stream: UnixStream, app: Arc<App>, stop: Arc<Notify>) -> io::Result<()> {
    let (reader, mut writer) = stream.split();
    let mut line = String::new();
    let mut reader = BufReader::new(reader.take(MAX_REQUEST));
    tokio::time::timeout(READ_TIMEOUT, reader.read_line(&mut line)).await??;
    // Asked only whether somebody listens.
    if line.is_empty() {
        return Ok(());
    }
    let result = match serde_json::from_str::<OperatorRequest>(&line) {
        Ok(request) => {
            tracing::info!(?request, "request of an operator");
            execute(request, &app, &stop).await
        }
        Err(error) => Err(Problem::new(Code::Malformed, format!("not a request of an operator: {error}"))),
    };
    let response = match result {
        Ok(value) => OperatorResponse::Done(value),
        Err(problem) => OperatorResponse::Failed(problem),
    };
    let mut text = serde_json::to_vec(&response).map_err(io::Error::other)?;
    text.push(b'\n');
    writer.write_all(&text).await
}

async fn execute(request: OperatorRequest, app: &App, stop: &Notify) -> Result<Value, Problem> {
    match request {
        OperatorRequest::Status => json(&app.status()),
        OperatorRequest::Stop => {
            stop.notify_one();
            Ok(Value::Null)
        }
        request => request.execute(&app.services, &app.store).await,
    }
}

/// Returns true if a server listens on the socket.
pub(crate) async fn is_open(socket: &Path) -> bool {
    UnixStream::connect(socket).await.is_ok()
}

/// Sends a request to the running server and returns the result.
pub(crate) async fn send(socket: &Path, request: &OperatorRequest) -> Result<Value, Problem> {
    let failed = |error: io::Error| {
        Problem::new(
            Code::Busy,
            format!("the running server does not respond on {}: {error}", socket.display()),
        )
    };
    let mut text = serde_json::to_vec(request).map_err(|error| failed(error.into()))?;
    text.push(b'\n');
    let mut stream = UnixStream::connect(socket).await.map_err(failed)?;
    stream.write_all(&text).await.map_err(failed)?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.map_err(failed)?;
    match serde_json::from_slice(&response).map_err(|error| failed(error.into()))? {
        OperatorResponse::Done(value) => Ok(value),
        OperatorResponse::Failed(problem) => Err(problem),
    }
}
