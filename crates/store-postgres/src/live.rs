//! Live updates between processes, by `NOTIFY` and `LISTEN`.
//!
//! A transaction notifies once for each form and kind of change. PostgreSQL delivers that after the
//! commit, to every listening process, also to this one. The listening connection opens with the
//! first subscriber. After each connect, subscribers get a reset, because they may have missed
//! notifications.

mod listener;

pub(super) use listener::LiveListener;

use super::PostgresStore;
use super::query;
use crate::errors::database_error;
use async_trait::async_trait;
use contract::live::{ChangeKind, FormChange, IDS_MAX};
use contract::{AccountId, Environment, FormId, SubmissionId};
use deadpool_postgres::Transaction;
use store::live::{LiveChange, LiveMessage, LiveReceiver, LiveStore};
use store::{Owner, Result};

/// Maximum length of the ids in a notification, in bytes. PostgreSQL admits 7,999 bytes in all.
const IDS_BYTES_MAX: usize = 6000;

#[async_trait]
impl LiveStore for PostgresStore {
    async fn subscribe_changes(&self) -> LiveReceiver {
        self.live.subscribe().await
    }
}

/// Notifies of changed submissions of a form when the transaction is committed. Call it once for
/// each form and kind of a transaction, while the form exists. Empty `ids` mean that they are not
/// known.
pub(super) async fn notify<T: AsRef<str>>(
    tx: &Transaction<'_>,
    form: &str,
    kind: ChangeKind,
    ids: &[T],
) -> Result<()> {
    notify_forms(tx, kind, &[(form, encode_ids(ids)?)]).await
}

/// As [`notify`], for ids of several forms as JSON from [`encode_ids`], with one statement.
pub(super) async fn notify_forms(
    tx: &Transaction<'_>,
    kind: ChangeKind,
    changes: &[(&str, String)],
) -> Result<()> {
    let forms: Vec<&str> = changes.iter().map(|(form, _)| *form).collect();
    let ids: Vec<&str> = changes.iter().map(|(_, ids)| ids.as_str()).collect();
    let sql = "SELECT pg_notify('sheaf_live', json_build_array(
                 f.account, f.environment, f.form_id, $3::TEXT, n.ids::JSON)::TEXT)
               FROM unnest($1::TEXT[], $2::TEXT[]) AS n (form_id, ids)
                 JOIN forms AS f ON f.form_id = n.form_id";
    query::execute(tx, sql, &[&forms, &ids, &kind.as_str()]).await.map(drop)
}

/// Returns ids as a JSON list, which is empty if there are too many.
pub(super) fn encode_ids<T: AsRef<str>>(ids: &[T]) -> Result<String> {
    if ids.len() > IDS_MAX {
        return Ok("[]".to_owned());
    }
    let ids: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
    let json = serde_json::to_string(&ids).map_err(database_error)?;
    Ok(if json.len() > IDS_BYTES_MAX { "[]".to_owned() } else { json })
}

/// Returns the message of a notification. A payload of another version is a reset.
fn parse_payload(payload: &str) -> LiveMessage {
    type Payload = (AccountId, Environment, FormId, ChangeKind, Vec<SubmissionId>);
    let Ok((account_id, environment, form_id, kind, ids)) =
        serde_json::from_str::<Payload>(payload)
    else {
        return LiveMessage::Reset;
    };
    let owner = Owner { account_id, environment };
    LiveMessage::Change(LiveChange { owner, kind, change: FormChange { form_id, ids } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_of_ids_are_omitted() {
        let ids = |count: usize, chars: usize| vec!["x".repeat(chars); count];
        assert_eq!(encode_ids(&["sub_1", "sub_2"]).unwrap(), r#"["sub_1","sub_2"]"#);
        assert_eq!(encode_ids(&ids(101, 1)).unwrap(), "[]");
        assert_eq!(encode_ids(&ids(100, 68)).unwrap(), "[]");
        assert_eq!(encode_ids(&ids(100, 36)).unwrap().len(), 3901);
    }

    #[test]
    fn unknown_payload_is_a_reset() {
        let known = r#"["acc_1", "test", "frm_1", "removed", ["sub_1"]]"#;
        let LiveMessage::Change(change) = parse_payload(known) else { panic!() };
        assert_eq!(change.owner.account_id.as_str(), "acc_1");
        assert_eq!(
            (change.owner.environment, change.kind),
            (Environment::Test, ChangeKind::Removed)
        );
        assert_eq!((change.change.form_id.as_str(), change.change.ids.len()), ("frm_1", 1));
        for unknown in ["", "{}", r#"["acc_1","live","frm_1","archived",[]]"#] {
            assert_eq!(parse_payload(unknown), LiveMessage::Reset, "{unknown}");
        }
    }
}
