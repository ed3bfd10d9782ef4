//! Inserts pending e-mails, in the transaction that inserts their submissions.

use super::notifications::is_confirmed;
use crate::query;
use contract::FormId;
use deadpool_postgres::Transaction;
use store::Result;
use store::columns::SubmissionRow;

/// Inserts a pending e-mail about each of the submissions that arrived, for each enabled and
/// confirmed notification of their form. The form's row is locked.
pub(crate) async fn enqueue(
    tx: &Transaction<'_>,
    form: &FormId,
    rows: &[&SubmissionRow],
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let sql = concat!(
        "INSERT INTO pending_mails (notification, form_id, submitted_at, submission, created_at)
         SELECT n.id, $1, s.submitted_at, s.id, s.submitted_at
         FROM notifications AS n
           CROSS JOIN unnest($2::BIGINT[], $3::TEXT[])
             WITH ORDINALITY AS s (submitted_at, id, place)
         WHERE n.form_id = $1 AND n.disabled_at IS NULL AND ",
        is_confirmed!(),
        " ORDER BY s.place, n.id"
    );
    let submitted_at: Vec<i64> = rows.iter().map(|row| row.submitted_at).collect();
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    query::execute(tx, sql, &[&form.as_str(), &submitted_at, &ids]).await.map(drop)
}
