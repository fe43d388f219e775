//! Encrypted database connections.
//!
//! The address decides. With `sslmode=require`, connections are encrypted and the database must present a
//! certificate for its name, issued by a root that this machine trusts. Otherwise connections are not
//! encrypted.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_tokio_postgres::MakeRustlsConnect;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use crate::error::StoreError;

/// Returns the TLS connector; `None` if the address does not ask for encryption.
pub(super) fn tls_connector(config: &Config) -> Result<Option<MakeRustlsConnect>, StoreError> {
    if config.get_ssl_mode() != SslMode::Require {
        return Ok(None);
    }
    let client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let client = client.with_safe_default_protocol_versions();
    let client = client.map_err(|error| StoreError::new(format!("TLS cannot be set up: {error}")))?;
    Ok(Some(MakeRustlsConnect::new(
        client.with_root_certificates(root_certificates()?).with_no_client_auth(),
    )))
}

/// Returns the root certificates of this machine, or those in the file named by `SSL_CERT_FILE`.
fn root_certificates() -> Result<RootCertStore, StoreError> {
    let found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        tracing::warn!(%error, "ignoring unreadable certificates");
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(StoreError::new(
            "no trusted root certificates found; set `SSL_CERT_FILE` to a file that contains them",
        ));
    }
    Ok(roots)
}
