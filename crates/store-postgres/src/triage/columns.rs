//! Columns of the triage: JSON, and what filters need. All are `NULL` for the default.

use crate::errors::database_error;
use crate::property_conditions::{HASH_SEPARATOR, SEPARATOR, hash_digits};
use crate::submissions::submission_keys::SubmissionKeys;
use contract::triage::{Status, TAGS_MAX, Tag};
use contract::{FormId, PersonId};
use deadpool_postgres::Transaction;
use store::Result;
use store::triage::StoredTriage;
use tokio_postgres::types::{ToSql, Type};

/// Maximum length of the column `tags`, in bytes: the length of [`TAGS_MAX`] hashes. An index row
/// has at most 2,704 bytes, and the other columns use up to 2,330 of them.
const TAGS_BYTES_MAX: usize = 341;

/// The columns of one triage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TriageColumns {
    /// JSON of the triage.
    pub(crate) triage: Option<String>,
    /// Status other than `open`.
    pub(crate) status: Option<String>,
    /// `true` or `None`.
    pub(crate) is_starred: Option<bool>,
    /// Tags, each between two separators, or their hashes.
    pub(crate) tags: Option<String>,
    /// Assigned member.
    pub(crate) assignee: Option<String>,
}

impl TriageColumns {
    /// Returns the columns of a triage.
    ///
    /// # Errors
    /// If the triage cannot be serialized.
    pub(crate) fn new(stored: &StoredTriage) -> Result<Self> {
        let triage = &stored.triage;
        let is_open = triage.status.as_str() == Status::OPEN;
        Ok(Self {
            triage: stored.to_column()?,
            status: (!is_open).then(|| triage.status.to_string()),
            is_starred: triage.starred.then_some(true),
            tags: tags_column(&triage.tags),
            assignee: triage.assignee.as_ref().map(PersonId::to_string),
        })
    }
}

/// Returns the column of the tags. Tags beyond the allowed number are left out, because the index
/// could not store them.
fn tags_column(tags: &[Tag]) -> Option<String> {
    let tags = &tags[..tags.len().min(TAGS_MAX)];
    if tags.is_empty() {
        return None;
    }
    let join = |separator: char, texts: &mut dyn Iterator<Item = &str>| {
        texts.fold(String::from(separator), |mut column, text| {
            column.push_str(text);
            column.push(separator);
            column
        })
    };
    let texts = join(SEPARATOR, &mut tags.iter().map(Tag::as_str));
    if texts.len() <= TAGS_BYTES_MAX {
        return Some(texts);
    }
    let hashes: Vec<String> = tags.iter().map(|tag| hash_digits(tag.as_str())).collect();
    Some(join(HASH_SEPARATOR, &mut hashes.iter().map(String::as_str)))
}

/// New columns of the triage of several submissions.
#[derive(Default)]
pub(crate) struct TriageWrite {
    keys: SubmissionKeys,
    triage: Vec<Option<String>>,
    status: Vec<Option<String>>,
    is_starred: Vec<Option<bool>>,
    tags: Vec<Option<String>>,
    assignee: Vec<Option<String>>,
}

impl TriageWrite {
    /// Adds the columns of a submission.
    pub(crate) fn push(&mut self, submitted_at: i64, id: String, columns: TriageColumns) {
        self.keys.submitted_at.push(submitted_at);
        self.keys.ids.push(id);
        self.triage.push(columns.triage);
        self.status.push(columns.status);
        self.is_starred.push(columns.is_starred);
        self.tags.push(columns.tags);
        self.assignee.push(columns.assignee);
    }

    /// Returns the keys of the submissions.
    pub(super) fn keys(&self) -> &SubmissionKeys {
        &self.keys
    }

    /// Writes the columns, in one statement. The submissions are locked or new.
    pub(crate) async fn run(&self, tx: &Transaction<'_>, form: &FormId) -> Result<()> {
        if self.keys.len() == 0 {
            return Ok(());
        }
        let sql = "UPDATE submissions AS s
                   SET triage = n.triage, status = n.status, is_starred = n.is_starred,
                     tags = n.tags, assignee = n.assignee
                   FROM unnest($2, $3, $4, $5, $6, $7, $8)
                     AS n (submitted_at, id, triage, status, is_starred, tags, assignee)
                   WHERE s.form_id = $1 AND s.submitted_at = n.submitted_at AND s.id = n.id";
        let form = form.as_str();
        let params: [(&(dyn ToSql + Sync), Type); 8] = [
            (&form, Type::TEXT),
            (&self.keys.submitted_at, Type::INT8_ARRAY),
            (&self.keys.ids, Type::TEXT_ARRAY),
            (&self.triage, Type::TEXT_ARRAY),
            (&self.status, Type::TEXT_ARRAY),
            (&self.is_starred, Type::BOOL_ARRAY),
            (&self.tags, Type::TEXT_ARRAY),
            (&self.assignee, Type::TEXT_ARRAY),
        ];
        tx.execute_typed(sql, &params).await.map(drop).map_err(database_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(json: &str) -> TriageColumns {
        TriageColumns::new(&serde_json::from_str(json).unwrap()).unwrap()
    }

    #[test]
    fn default_has_no_values() {
        assert_eq!(columns("{}"), TriageColumns::default());
        assert_eq!(columns(r#"{"status":"open","starred":false}"#), TriageColumns::default());
        let done = columns(r#"{"status":"done"}"#);
        assert_eq!(done.triage.as_deref(), Some(r#"{"status":"done"}"#));
        assert_eq!(
            (done.status.as_deref(), done.is_starred, done.tags),
            (Some("done"), None, None)
        );
    }

    #[test]
    fn many_tags_are_hashed() {
        let tag = |number: usize, length: usize| Tag::try_from(format!("{number:é>length$}"));
        let tags = |count, length| -> Vec<Tag> {
            (0..count).map(|number| tag(number, length).unwrap()).collect()
        };
        assert_eq!(tags_column(&tags(2, 1)).as_deref(), Some("\u{7}0\u{7}1\u{7}"));
        for (count, length) in [(TAGS_MAX, 50), (TAGS_MAX, 9), (5, 50), (30, 50)] {
            let column = tags_column(&tags(count, length)).unwrap();
            assert!(column.starts_with(HASH_SEPARATOR) && column.len() <= TAGS_BYTES_MAX);
            assert_eq!(column.matches(HASH_SEPARATOR).count(), count.min(TAGS_MAX) + 1);
        }
    }
}
