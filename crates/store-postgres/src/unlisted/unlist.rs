//! Moves listed submissions to the trash or to spam.

use crate::days::{self, Days};
use crate::errors::database;
use crate::query::column;
use crate::submissions::places::{self, Places};
use crate::{insert, query};
use contract::{FormId, SpamReason};
use deadpool_postgres::Transaction;
use store::Result;
use store::columns::count;
use store::unlisted::{Move, MoveOutcome, Selection, State};
use tokio_postgres::types::{ToSql, Type};

/// The keys of the moved submissions, as rows `n`. The statements below share their first three
/// parameters.
macro_rules! places {
    () => {
        "unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)"
    };
}

/// The condition that `s` has the key `n`.
macro_rules! is_at_place {
    () => {
        "s.form_id = $1 AND s.submitted_at = n.submitted_at AND s.id = n.id"
    };
}

/// Moves submissions. Returns `None` if the form does not exist.
pub(super) async fn run(tx: &Transaction<'_>, request: &Move) -> Result<Option<MoveOutcome>> {
    let form = &request.form;
    // No submission of the form is inserted or deleted from here on.
    let sql = "SELECT trash_days > 0 FROM forms WHERE form_id = $1 FOR NO KEY UPDATE";
    let Some(locked) = query::row(tx, sql, &[&form.as_str()]).await? else { return Ok(None) };
    let is_kept = request.state == State::Spam || column(&locked, 0)?;
    if !is_kept && !request.is_permanent {
        return Ok(Some(MoveOutcome::NotKept));
    }
    let (places, total) = match &request.selection {
        Selection::Ids(ids) => {
            let places = places::of_ids(tx, form, ids).await?;
            let total = places.len();
            (places, total)
        }
        Selection::Matching { filter, count } => {
            let (places, total) = places::matching(tx, form, filter, *count).await?;
            if total != *count {
                return Ok(Some(MoveOutcome::Changed(total)));
            }
            (places, total)
        }
    };
    let moved = places.len();
    if moved > 0 {
        lock(tx, form, &places).await?;
        if is_kept {
            copy(tx, request, &places).await?;
        }
        delete(tx, form, &places).await?;
    }
    Ok(Some(MoveOutcome::Moved { count: moved, remaining: total - moved, is_kept }))
}

/// Locks the submissions in the common lock order. This waits for concurrent corrections of
/// insights, so that the next statement sees them.
async fn lock(tx: &Transaction<'_>, form: &FormId, places: &Places) -> Result<()> {
    let sql = concat!(
        "SELECT count(*) FROM (SELECT 1 FROM ",
        places!(),
        " JOIN submissions AS s ON ",
        is_at_place!(),
        " ORDER BY s.submitted_at, s.id FOR UPDATE OF s) AS locked"
    );
    let form = form.as_str();
    let params: [(&(dyn ToSql + Sync), Type); 3] = [
        (&form, Type::TEXT),
        (&places.submitted_at, Type::INT8_ARRAY),
        (&places.ids, Type::TEXT_ARRAY),
    ];
    let row = tx.query_typed_one(sql, &params).await.map_err(database)?;
    match count(column(&row, 0)?)? {
        locked if locked == places.len() => Ok(()),
        locked => Err(database(format!("only {locked} submissions are left of {}", places.len()))),
    }
}

/// Copies the submissions and their corrections to `unlisted`.
async fn copy(tx: &Transaction<'_>, request: &Move, places: &Places) -> Result<()> {
    let sql = concat!(
        "INSERT INTO unlisted
           (form_id, state, submitted_at, id, moved_at, batch, reason, fields, utm_source,
            utm_medium, utm_campaign, json, searched, analysis, correction, corrected_at)
         SELECT $1, $4, s.submitted_at, s.id, $5, $6, $7, '[]', s.utm_source, s.utm_medium,
           s.utm_campaign, s.json, s.searched, c.analysis, c.correction, c.corrected_at
         FROM ",
        places!(),
        " JOIN submissions AS s ON ",
        is_at_place!(),
        " LEFT JOIN insight_corrections AS c ON c.form_id = $1
           AND c.submitted_at = n.submitted_at AND c.id = n.id
         ON CONFLICT (form_id, state, submitted_at, id) DO UPDATE SET
           moved_at = EXCLUDED.moved_at, batch = EXCLUDED.batch, reason = EXCLUDED.reason,
           fields = EXCLUDED.fields, utm_source = EXCLUDED.utm_source,
           utm_medium = EXCLUDED.utm_medium, utm_campaign = EXCLUDED.utm_campaign,
           json = EXCLUDED.json, searched = EXCLUDED.searched, analysis = EXCLUDED.analysis,
           correction = EXCLUDED.correction, corrected_at = EXCLUDED.corrected_at"
    );
    let reason = (request.state == State::Spam).then_some(SpamReason::Marked.as_str());
    let (form, state) = (request.form.as_str(), request.state.as_str());
    let (at, batch) = (request.at.micros(), request.batch.as_str());
    let params: [(&(dyn ToSql + Sync), Type); 7] = [
        (&form, Type::TEXT),
        (&places.submitted_at, Type::INT8_ARRAY),
        (&places.ids, Type::TEXT_ARRAY),
        (&state, Type::TEXT),
        (&at, Type::INT8),
        (&batch, Type::TEXT),
        (&reason, Type::TEXT),
    ];
    tx.execute_typed(sql, &params).await.map(drop).map_err(database)
}

/// Deletes the submissions and subtracts them from the counts. Their analysis data is deleted with
/// the rows.
async fn delete(tx: &Transaction<'_>, form: &FormId, places: &Places) -> Result<()> {
    let sql = concat!(
        "WITH counted AS (DELETE FROM submissions AS s USING ",
        places!(),
        " WHERE ",
        is_at_place!(),
        " RETURNING s.submitted_at, s.utm_source, s.utm_medium, s.utm_campaign) ",
        days::counted_by_day!()
    );
    let id = form.as_str();
    let params: [(&(dyn ToSql + Sync), Type); 3] = [
        (&id, Type::TEXT),
        (&places.submitted_at, Type::INT8_ARRAY),
        (&places.ids, Type::TEXT_ARRAY),
    ];
    let rows = tx.query_typed(sql, &params).await.map_err(database)?;
    let days = Days::read(&rows)?;
    insert::add_count(tx, form, -days.total()).await?;
    days::subtract(tx, form, &days).await
}
