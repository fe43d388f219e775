//! Settings that must not appear in logs.

use std::fmt;

use serde::Deserialize;

/// A URL that may contain a password. Its debug output hides it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct SecretUrl(String);

impl SecretUrl {
    /// Returns the URL in full, for connecting.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<&str> for SecretUrl {
    fn from(url: &str) -> SecretUrl {
        SecretUrl(url.to_owned())
    }
}

impl fmt::Debug for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretUrl(…)")
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn settings_can_be_shown_without_their_passwords() {
        let text = "database = 'postgres://ann:hunter2@db/intermezzo'\nnats = 'nats://ann:hunter2@bus'";
        let config = Config::from_toml(text).unwrap();
        assert_eq!(config.nats.as_ref().map(super::SecretUrl::reveal), Some("nats://ann:hunter2@bus"));
        let shown = format!("{config:?} {config:#?}");
        assert!(
            shown.contains("SecretUrl(…)") && !shown.contains("hunter2") && !shown.contains("ann"),
            "{shown}"
        );
    }

    #[test]
    fn a_setting_that_cannot_be_read_does_not_show_its_neighbours() {
        let text = "database = 'postgres://ann:hunter2@db/intermezzo'\nlisten = 7";
        let error = Config::from_toml(text).unwrap_err();
        assert!(error.contains("listen") && !error.contains("hunter2"), "{error}");
    }
}
