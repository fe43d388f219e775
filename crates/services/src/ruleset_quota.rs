//! Limits on published rulesets: how many an account owns, how much it publishes per day, and how large their texts are.

use intermezzo_protocol::resources::RulesetInfo;
use intermezzo_protocol::{Code, Problem};
use serde::{Deserialize, Serialize};

use super::accounts::AccountId;
use super::idempotency::Caller;
use super::publish::FilesByPath;
use super::transaction::ServiceTransaction;
use super::{Services, invalid};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Part of the quota that an account without a password has.
const GUEST_PART: u64 = 10;
const MAX_NAME_CHARS: usize = 80;
const MAX_DESCRIPTION_CHARS: usize = 1_000;
const MAX_UI_BYTES: usize = 256 << 10;
const MAX_OPTIONS_BYTES: usize = 64 << 10;
/// Longest text of the `ui` section that lists contain.
const MAX_LISTED_TEXT: usize = 200;
/// Entries of the `ui` section that lists contain.
const MAX_LISTED_ENTRIES: usize = 20;

/// Publications of an account.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PublishingRecord {
    /// Number of rulesets it owns.
    pub owned: u32,
    /// Day of the last publication, counted from 1970.
    day: i64,
    /// Bytes published on that day.
    bytes: u64,
}

impl PublishingRecord {
    pub(crate) fn key(account: &AccountId) -> String {
        format!("publishing/{account}")
    }
}

/// Returns the key under which a ruleset is listed for its owner.
pub(crate) fn owned_key(account: &AccountId, id: &str) -> String {
    format!("{}{id}", owned_prefix(account))
}

pub(crate) fn owned_prefix(account: &AccountId) -> String {
    format!("ruleset-of/{account}/")
}

impl Services {
    /// Counts a publication against the caller's quota.
    pub(crate) async fn count_publication(
        &self,
        tx: &mut ServiceTransaction<'_>,
        caller: &Caller,
        id: &str,
        files: &FilesByPath,
        is_new_id: bool,
    ) -> Result<(), Problem> {
        let account = &caller.account;
        let part = if account.guest { GUEST_PART } else { 1 };
        let key = PublishingRecord::key(&account.id);
        let mut record: PublishingRecord = tx.read(&key).await?.unwrap_or_default();
        let max_owned = (u64::from(self.limits.rulesets_per_account) / part).max(1);
        if is_new_id {
            record.owned += 1;
            if u64::from(record.owned) > max_owned {
                let detail = format!("an account like yours can own at most {max_owned} rulesets");
                return Err(Problem::new(Code::NotAllowed, detail).with("reason", "too_many_rulesets"));
            }
            tx.write(&owned_key(&account.id, id), &id)?;
        }
        let (now, max_bytes) = (self.now(), self.limits.ruleset_bytes_per_day / part);
        let today = now / DAY_MS;
        if record.day != today {
            (record.day, record.bytes) = (today, 0);
        }
        record.bytes += files.iter().map(|(path, text)| (path.len() + text.len()) as u64).sum::<u64>();
        if record.bytes > max_bytes {
            let detail = format!("an account like yours can publish at most {max_bytes} bytes per day");
            let wait = (today + 1) * DAY_MS - now;
            return Err(Problem::new(Code::TooMany, detail).with("retryAfterMs", wait));
        }
        tx.write(&key, &record)
    }

    /// Moves a ruleset from one account's list to another's.
    pub(crate) async fn move_ruleset(
        &self,
        tx: &mut ServiceTransaction<'_>,
        id: &str,
        from: Option<&AccountId>,
        to: Option<&AccountId>,
    ) -> Result<(), Problem> {
        if let Some(from) = from {
            let key = PublishingRecord::key(from);
            let mut record: PublishingRecord = tx.read(&key).await?.unwrap_or_default();
            record.owned = record.owned.saturating_sub(1);
            tx.write(&key, &record)?;
            tx.remove(&owned_key(from, id));
        }
        if let Some(to) = to {
            let key = PublishingRecord::key(to);
            let mut record: PublishingRecord = tx.read(&key).await?.unwrap_or_default();
            record.owned += 1;
            tx.write(&key, &record)?;
            tx.write(&owned_key(to, id), &id)?;
        }
        Ok(())
    }
}

/// Rejects a ruleset whose texts are too long for lists.
pub(crate) fn check_texts(info: &RulesetInfo) -> Result<(), Problem> {
    let too_long =
        |what: &str, max: usize, unit: &str| Err(invalid(format!("{what} can have at most {max} {unit}")));
    if info.name.chars().count() > MAX_NAME_CHARS {
        return too_long("the name of a ruleset", MAX_NAME_CHARS, "characters");
    }
    if info.description.chars().count() > MAX_DESCRIPTION_CHARS {
        return too_long("the description of a ruleset", MAX_DESCRIPTION_CHARS, "characters");
    }
    if json_size(&info.ui) > MAX_UI_BYTES {
        return too_long("the `ui` section", MAX_UI_BYTES, "bytes");
    }
    if json_size(&info.options) > MAX_OPTIONS_BYTES {
        return too_long("the options", MAX_OPTIONS_BYTES, "bytes");
    }
    Ok(())
}

fn json_size(value: &impl Serialize) -> usize {
    serde_json::to_vec(value).map_or(0, |text| text.len())
}

/// Returns the part of a ruleset's information that lists contain: without options, and of the `ui` section only
/// numbers, truth values and short texts.
pub(crate) fn summary(info: &RulesetInfo) -> RulesetInfo {
    let is_short = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.len() <= MAX_LISTED_TEXT,
        value => value.is_number() || value.is_boolean(),
    };
    let ui = info.ui.iter().filter(|(_, value)| is_short(value)).take(MAX_LISTED_ENTRIES);
    let cut = |text: &str, max: usize| text.chars().take(max).collect::<String>();
    RulesetInfo {
        ui: ui.map(|(name, value)| (name.clone(), value.clone())).collect(),
        options: Vec::new(),
        name: cut(&info.name, MAX_NAME_CHARS),
        description: cut(&info.description, MAX_DESCRIPTION_CHARS),
        ..info.clone()
    }
}
