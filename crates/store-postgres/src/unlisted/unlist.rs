//! Moves listed submissions to the trash or to spam.

use crate::days::{self, Days};
use crate::errors::database_error;
use crate::query::read_column;
use crate::query_params::QueryParams;
use crate::submission_range::SubmissionRange;
use crate::submissions::submission_keys::{self, SubmissionKeys};
use crate::{insert, live, outbox, query, triage};
use contract::live::ChangeKind;
use contract::webhook::WebhookEvent;
use contract::{Filter, FormId, SpamReason};
use deadpool_postgres::Transaction;
use store::columns::parse_count;
use store::unlisted::{MoveOutcome, Selection, UnlistRequest, UnlistedState};
use store::{Result, StoreError};
use tokio_postgres::types::{ToSql, Type};

/// The keys of the moved submissions, as rows `n`. The statements below share their first three
/// parameters.
macro_rules! moved_keys {
    () => {
        "unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)"
    };
}

/// The condition that `s` has the key `n`.
macro_rules! has_key {
    () => {
        "s.form_id = $1 AND s.submitted_at = n.submitted_at AND s.id = n.id"
    };
}

/// Moves submissions. Returns `None` if the form does not exist.
pub(super) async fn run(
    tx: &Transaction<'_>,
    request: &UnlistRequest,
) -> Result<Option<MoveOutcome>> {
    let form = &request.form;
    // No submission of the form is inserted or deleted from here on.
    let sql = "SELECT trash_days > 0 FROM forms WHERE form_id = $1 FOR NO KEY UPDATE";
    let Some(locked) = query::fetch_row(tx, sql, &[&form.as_str()]).await? else { return Ok(None) };
    let is_restorable = request.state == UnlistedState::Spam || read_column(&locked, 0)?;
    if !is_restorable && !request.is_permanent {
        return Ok(Some(MoveOutcome::TrashDisabled));
    }
    let (places, total) = match &request.selection {
        Selection::Ids(ids) => {
            let places = submission_keys::find_by_ids(tx, form, ids).await?;
            let total = places.len();
            (places, total)
        }
        Selection::Matching { filter, count } => {
            let (places, total) = submission_keys::find_matching(tx, form, filter, *count).await?;
            if total != *count {
                return Ok(Some(MoveOutcome::Changed(total)));
            }
            (places, total)
        }
    };
    let moved_count = places.len();
    if moved_count > 0 {
        if lock(tx, request, &places).await? != moved_count {
            return changed_meanwhile(tx, request).await.map(Some);
        }
        if is_restorable {
            copy_to_unlisted(tx, request, &places).await?;
        }
        delete_listed(tx, form, &places).await?;
        if !is_restorable {
            let form = form.as_str();
            outbox::delete_deliveries(tx, form, &places.ids).await?;
            triage::delete_notes_of(tx, form, &places.submitted_at, &places.ids).await?;
        }
        let at = request.at.micros();
        let event = WebhookEvent::Deleted;
        outbox::enqueue(tx, form.as_str(), event, at, &places.submitted_at, &places.ids).await?;
        live::notify(tx, form.as_str(), ChangeKind::Removed, &places.ids).await?;
    }
    Ok(Some(MoveOutcome::Moved {
        count: moved_count,
        remaining: total - moved_count,
        is_restorable,
    }))
}

/// Locks the submissions in the common lock order, and returns the number of those that still match
/// the filter. This waits for concurrent changes of the triage and corrections of insights, which
/// do not lock the form, so that the next statement sees them.
async fn lock(
    tx: &Transaction<'_>,
    request: &UnlistRequest,
    places: &SubmissionKeys,
) -> Result<u64> {
    let no_filter = Filter::default();
    let filter = match &request.selection {
        Selection::Ids(_) => &no_filter,
        Selection::Matching { filter, .. } => filter,
    };
    let mut params = QueryParams::default();
    let rows = SubmissionRange::new(&request.form, filter).rows_condition(None, &mut params);
    let at = params.push_numbers(places.submitted_at.clone());
    let ids = params.push_texts(places.ids.iter().map(String::as_str));
    let sql = format!(
        "SELECT count(*) FROM (SELECT 1 \
           FROM unnest({at}::BIGINT[], {ids}::TEXT[]) AS n (submitted_at, id) \
             JOIN submissions AS s ON s.submitted_at = n.submitted_at AND s.id = n.id \
           WHERE {rows} ORDER BY s.submitted_at, s.id FOR UPDATE OF s) AS locked"
    );
    let row = tx.query_typed_one(&sql, &params.as_typed()).await.map_err(database_error)?;
    parse_count(read_column(&row, 0)?)
}

/// Returns the outcome of a move if submissions have changed before they were locked.
///
/// # Errors
/// [`StoreError::Busy`] if the count is the confirmed one again.
async fn changed_meanwhile(tx: &Transaction<'_>, request: &UnlistRequest) -> Result<MoveOutcome> {
    let Selection::Matching { filter, count } = &request.selection else {
        return Err(database_error("a submission of a locked form is missing"));
    };
    let (_, total) = submission_keys::find_matching(tx, &request.form, filter, *count).await?;
    if total == *count { Err(StoreError::Busy(1)) } else { Ok(MoveOutcome::Changed(total)) }
}

/// Copies the submissions and their corrections to `unlisted`.
async fn copy_to_unlisted(
    tx: &Transaction<'_>,
    request: &UnlistRequest,
    places: &SubmissionKeys,
) -> Result<()> {
    let sql = concat!(
        "INSERT INTO unlisted
           (form_id, state, submitted_at, id, moved_at, batch, reason, fields, utm_source,
            utm_medium, utm_campaign, json, searched, triage, status, is_starred, tags, assignee,
            analysis, correction, corrected_at)
         SELECT $1, $4, s.submitted_at, s.id, $5, $6, $7, '[]', s.utm_source, s.utm_medium,
           s.utm_campaign, s.json, s.searched, s.triage, s.status, s.is_starred, s.tags,
           s.assignee, c.analysis, c.correction, c.corrected_at
         FROM ",
        moved_keys!(),
        " JOIN submissions AS s ON ",
        has_key!(),
        " LEFT JOIN insight_corrections AS c ON c.form_id = $1
           AND c.submitted_at = n.submitted_at AND c.id = n.id
         ON CONFLICT (form_id, state, submitted_at, id) DO UPDATE SET
           moved_at = EXCLUDED.moved_at, batch = EXCLUDED.batch, reason = EXCLUDED.reason,
           fields = EXCLUDED.fields, utm_source = EXCLUDED.utm_source,
           utm_medium = EXCLUDED.utm_medium, utm_campaign = EXCLUDED.utm_campaign,
           json = EXCLUDED.json, searched = EXCLUDED.searched, triage = EXCLUDED.triage,
           status = EXCLUDED.status, is_starred = EXCLUDED.is_starred, tags = EXCLUDED.tags,
           assignee = EXCLUDED.assignee, analysis = EXCLUDED.analysis,
           correction = EXCLUDED.correction, corrected_at = EXCLUDED.corrected_at"
    );
    let reason = (request.state == UnlistedState::Spam).then_some(SpamReason::Marked.as_str());
    let form = request.form.as_str();
    let state = request.state.as_str();
    let at = request.at.micros();
    let batch = request.batch.as_str();
    let params: [(&(dyn ToSql + Sync), Type); 7] = [
        (&form, Type::TEXT),
        (&places.submitted_at, Type::INT8_ARRAY),
        (&places.ids, Type::TEXT_ARRAY),
        (&state, Type::TEXT),
        (&at, Type::INT8),
        (&batch, Type::TEXT),
        (&reason, Type::TEXT),
    ];
    tx.execute_typed(sql, &params).await.map(drop).map_err(database_error)
}

/// Deletes the submissions and subtracts them from the counts. Their analysis data is deleted with
/// the rows.
async fn delete_listed(tx: &Transaction<'_>, form: &FormId, places: &SubmissionKeys) -> Result<()> {
    let sql = concat!(
        "WITH counted AS (DELETE FROM submissions AS s USING ",
        moved_keys!(),
        " WHERE ",
        has_key!(),
        " RETURNING s.submitted_at, s.utm_source, s.utm_medium, s.utm_campaign) ",
        days::counted_by_day!()
    );
    let id = form.as_str();
    let params: [(&(dyn ToSql + Sync), Type); 3] = [
        (&id, Type::TEXT),
        (&places.submitted_at, Type::INT8_ARRAY),
        (&places.ids, Type::TEXT_ARRAY),
    ];
    let rows = tx.query_typed(sql, &params).await.map_err(database_error)?;
    let days = Days::from_rows(&rows)?;
    insert::add_count(tx, form, -days.total()).await?;
    days::subtract_counts(tx, form, &days).await
}
