//! Connections to a database that nobody can read on the way.
//!
//! The address decides. With `sslmode=require` everything is encrypted, and the database has to show a certificate for
//! its name by somebody whom this machine trusts. Without it nothing is encrypted.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_tokio_postgres::MakeRustlsConnect;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use crate::error::StoreError;

/// What connections are encrypted by; nothing if the address does not ask for it.
pub(super) fn encryption(config: &Config) -> Result<Option<MakeRustlsConnect>, StoreError> {
    if config.get_ssl_mode() != SslMode::Require {
        return Ok(None);
    }
    let client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let client = client.with_safe_default_protocol_versions();
    let client = client.map_err(|error| StoreError::new(format!("nothing can be encrypted: {error}")))?;
    Ok(Some(MakeRustlsConnect::new(client.with_root_certificates(trusted()?).with_no_client_auth())))
}

/// Those whom this machine trusts, or those in the file that `SSL_CERT_FILE` names.
fn trusted() -> Result<RootCertStore, StoreError> {
    let found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        tracing::warn!(%error, "some certificates cannot be read, so they are not trusted");
    }
    let mut trusted = RootCertStore::empty();
    trusted.add_parsable_certificates(found.certs);
    if trusted.is_empty() {
        return Err(StoreError::new(
            "no certificates were found that could be trusted; `SSL_CERT_FILE` may name a file of them",
        ));
    }
    Ok(trusted)
}
