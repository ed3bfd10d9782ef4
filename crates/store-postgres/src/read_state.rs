//! [`ReadStateStore`] for PostgreSQL.

use super::query::read_column;
use super::query_params::QueryParams;
use super::submission_range::SubmissionRange;
use super::submissions::submission_keys::SubmissionKeys;
use super::{PostgresStore, forms, query};
use crate::errors::database_error;
use async_trait::async_trait;
use contract::triage::{Reader, UnreadCount};
use contract::{AccountId, Filter, FormId, PersonId, SubmissionId};
use deadpool_postgres::Transaction;
use std::collections::HashSet;
use store::Result;
use store::columns::{parse, parse_count, parse_instant};
use store::read_state::ReadStateStore;

/// Number of changed marks from which on the statistics of their table are renewed at once. With
/// old ones, PostgreSQL expects few marks, and compares each with each row for minutes.
const ANALYZED_ROWS_MIN: usize = 100;

#[async_trait]
impl ReadStateStore for PostgresStore {
    async fn find_reader(&self, person: &PersonId) -> Result<Option<Reader>> {
        let conn = self.connections.get().await?;
        let sql = "SELECT coalesce(unread_from, created_at) FROM people WHERE id = $1";
        let Some(found) = query::fetch_row(&conn, sql, &[&person.as_str()]).await? else {
            return Ok(None);
        };
        let unread_from = parse_instant(read_column(&found, 0)?)?;
        Ok(Some(Reader { person: person.clone(), unread_from }))
    }

    async fn list_read(
        &self,
        form: &FormId,
        ids: &[SubmissionId],
        reader: &Reader,
    ) -> Result<Vec<SubmissionId>> {
        let mut conn = self.connections.get().await?;
        list_read(&self.begin_read(&mut conn).await?, form, ids, reader).await
    }

    async fn count_unread(&self, account: &AccountId, reader: &Reader) -> Result<Vec<UnreadCount>> {
        let mut conn = self.connections.get_long().await?;
        count_unread(&self.begin_read(&mut conn).await?, account, reader).await
    }
}

async fn list_read(
    tx: &Transaction<'_>,
    form: &FormId,
    ids: &[SubmissionId],
    reader: &Reader,
) -> Result<Vec<SubmissionId>> {
    // A deleted form may still have rows.
    if forms::find_owner(tx, form).await?.is_none() {
        return Ok(Vec::new());
    }
    let form = form.as_str();
    let ids: Vec<&str> = ids.iter().map(SubmissionId::as_str).collect();
    let sql = "SELECT submitted_at, id FROM submissions WHERE form_id = $1 AND id = ANY($2)";
    let listed = query::fetch_rows(tx, sql, &[&form, &ids]).await?;
    let sql = "SELECT submission FROM read_marks
               WHERE form_id = $1 AND submission = ANY($2) AND person = $3
                 AND submitted_at = ANY($4)";
    let instants: Vec<i64> = listed.iter().map(|row| read_column(row, 0)).collect::<Result<_>>()?;
    let person = reader.person.as_str();
    let marked = query::fetch_rows(tx, sql, &[&form, &ids, &person, &instants]).await?;
    let marked: HashSet<&str> =
        marked.iter().map(|row| read_column(row, 0)).collect::<Result<_>>()?;
    let mut read = Vec::new();
    for (row, at) in listed.iter().zip(instants) {
        let id: &str = read_column(row, 1)?;
        if reader.has_read(parse_instant(at)?, marked.contains(id)) {
            read.push(parse(id)?);
        }
    }
    Ok(read)
}

async fn count_unread(
    tx: &Transaction<'_>,
    account: &AccountId,
    reader: &Reader,
) -> Result<Vec<UnreadCount>> {
    let sql = "SELECT form_id FROM forms WHERE account = $1 AND submission_count > 0";
    let forms = query::fetch_rows(tx, sql, &[&account.as_str()]).await?;
    let mut counts = Vec::new();
    for row in &forms {
        let form_id: FormId = parse(read_column(row, 0)?)?;
        let unread = count_unread_of_form(tx, &form_id, reader).await?;
        if unread > 0 {
            counts.push(UnreadCount { form_id, unread });
        }
    }
    Ok(counts)
}

/// Counts the unread submissions of a form: those that are unread by default, without the marked
/// ones, and the marked ones of the others.
async fn count_unread_of_form(tx: &Transaction<'_>, form: &FormId, reader: &Reader) -> Result<u64> {
    let since = Filter { date_from: Some(reader.unread_from), ..Filter::default() };
    let mut params = QueryParams::default();
    let by_default = SubmissionRange::new(form, &since).count_expression(&mut params);
    let form = params.push_text(form.as_str());
    let person = params.push_text(reader.person.as_str());
    let unread_from = params.push_number(reader.unread_from.micros());
    // The form is a parameter of each table, because submissions can be distributed over machines.
    let sql = format!(
        "SELECT {by_default} + coalesce((
             SELECT sum(CASE WHEN r.submitted_at < {unread_from} THEN 1 ELSE -1 END)
             FROM read_marks AS r JOIN submissions AS s
               ON s.form_id = {form} AND s.submitted_at = r.submitted_at AND s.id = r.submission
             WHERE r.form_id = {form} AND r.person = {person}), 0)::BIGINT
         FROM forms AS f WHERE f.form_id = {form}"
    );
    let counted = tx.query_typed(&sql, &params.as_typed()).await.map_err(database_error)?;
    counted.first().map_or(Ok(0), |row| parse_count(read_column(row, 0)?))
}

/// Sets whether a member has read listed submissions of a form. Returns the keys of those that are
/// different now.
pub(super) async fn set(
    tx: &Transaction<'_>,
    form: &FormId,
    keys: &SubmissionKeys,
    reader: &Reader,
    is_read: bool,
) -> Result<HashSet<(i64, String)>> {
    let (mut marked, mut unmarked) = (SubmissionKeys::default(), SubmissionKeys::default());
    for (at, id) in keys.submitted_at.iter().zip(&keys.ids) {
        let is_marked = reader.has_read(parse_instant(*at)?, false) != is_read;
        let keys = if is_marked { &mut marked } else { &mut unmarked };
        keys.submitted_at.push(*at);
        keys.ids.push(id.clone());
    }
    let insert = "INSERT INTO read_marks (form_id, submitted_at, submission, person)
                  SELECT $1, n.submitted_at, n.id, $4
                  FROM unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)
                  ON CONFLICT DO NOTHING RETURNING submitted_at, submission";
    let delete = "DELETE FROM read_marks AS r
                  USING unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)
                  WHERE r.form_id = $1 AND r.submitted_at = n.submitted_at
                    AND r.submission = n.id AND r.person = $4
                  RETURNING r.submitted_at, r.submission";
    let mut changed = HashSet::new();
    for (sql, keys) in [(insert, marked), (delete, unmarked)] {
        if keys.ids.is_empty() {
            continue;
        }
        let (form, person) = (form.as_str(), reader.person.as_str());
        let params: query::Parameters<'_> = &[&form, &keys.submitted_at, &keys.ids, &person];
        for row in query::fetch_rows(tx, sql, params).await? {
            changed.insert((read_column(&row, 0)?, read_column(&row, 1)?));
        }
    }
    if changed.len() >= ANALYZED_ROWS_MIN {
        tx.batch_execute("ANALYZE read_marks").await.map_err(database_error)?;
    }
    Ok(changed)
}
