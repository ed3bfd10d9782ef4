//! Changes the triage of listed submissions.
//!
//! The submissions are locked in the common order before their triage is read, so concurrent
//! changes of other properties are not lost. The form is not locked, so that intake goes on.

use super::columns::{TriageColumns, TriageWrite};
use super::settings;
use crate::errors::database_error;
use crate::insert;
use crate::live;
use crate::outbox;
use crate::query;
use crate::query::read_column;
use crate::query_params::QueryParams;
use crate::read_state;
use crate::submission_range::SubmissionRange;
use crate::submissions::submission_keys::{self, SubmissionKeys};
use contract::live::ChangeKind;
use contract::triage::{Tag, TooManyTags, TriageChange, TriageSettings};
use contract::webhook::WebhookEvent;
use contract::{Filter, FormId, SubmissionId};
use deadpool_postgres::Transaction;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use store::triage::{
    HISTORY_MAX, StoredTriage, TriageUpdate, UPDATE_MAX, UndoSteps, UpdateOutcome,
};
use store::unlisted::Selection;
use store::{Result, StoreError};
use tokio_postgres::Row;

/// Updates submissions. Returns `None` if the form does not exist. Unless submissions were changed,
/// the caller must roll back.
///
/// # Errors
/// [`StoreError::Busy`] if other transactions change the matches at the same time.
pub(super) async fn run(
    tx: &Transaction<'_>,
    update: &TriageUpdate,
) -> Result<Option<UpdateOutcome>> {
    let form = &update.form;
    let sql = "SELECT account FROM forms WHERE form_id = $1";
    let Some(found) = query::fetch_row(tx, sql, &[&form.as_str()]).await? else { return Ok(None) };
    let account: &str = read_column(&found, 0)?;
    // In the lock order the settings come before the submissions.
    let settings = lock_if_tag_is_new(tx, account, &update.change).await?;
    if let Some(status) = update.change.status.as_ref().filter(|status| !status.is_built_in()) {
        let has_status = match &settings {
            Some(settings) => settings.has_status(status.as_str()),
            None => settings::find_and_share(tx, account).await?.has_status(status.as_str()),
        };
        if !has_status {
            return Ok(Some(UpdateOutcome::UnknownStatus(status.clone())));
        }
    }
    let locked = match &update.selection {
        Selection::Ids(ids) => lock_ids(tx, form, ids).await?,
        Selection::Matching { filter, count } => {
            match lock_matching(tx, form, filter, *count).await? {
                Ok(locked) => locked,
                Err(count) => return Ok(Some(UpdateOutcome::CountDiffers(count))),
            }
        }
    };
    let mut changes = match Changes::new(&locked, update)? {
        Ok(changes) => changes,
        Err(problem) => return Ok(Some(UpdateOutcome::TooManyTags(problem))),
    };
    if let Some(mut settings) = settings {
        match settings.add_tags(&changes.added_tags) {
            Ok(()) => settings::write(tx, account, &settings).await?,
            Err(problem) => return Ok(Some(UpdateOutcome::Account(problem))),
        }
    }
    let mut undo = std::mem::take(&mut changes.undo);
    let mut changed_keys = match update.change.read {
        None => HashSet::new(),
        Some(is_read) => {
            let keys = SubmissionKeys::from_rows(&locked, 0)?;
            let differing = read_state::set(tx, form, &keys, &update.reader, is_read).await?;
            if update.with_undo {
                let inverse = TriageChange { read: Some(!is_read), ..TriageChange::default() };
                let read = keys.submitted_at.into_iter().zip(keys.ids);
                for (_, id) in read.filter(|key| differing.contains(key)) {
                    undo.add(&id, &inverse)?;
                }
            }
            differing
        }
    };
    let keys = changes.columns.keys();
    changed_keys.extend(keys.submitted_at.iter().copied().zip(keys.ids.iter().cloned()));
    if keys.len() > 0 {
        write_changes(tx, update, &changes).await?;
    }
    Ok(Some(UpdateOutcome::Changed(changed_keys.len() as u64, undo.into_steps())))
}

/// Writes the new triage of submissions with its history, and enqueues the updates.
async fn write_changes(
    tx: &Transaction<'_>,
    update: &TriageUpdate,
    changes: &Changes,
) -> Result<()> {
    let form = &update.form;
    insert_history(tx, update, changes).await?;
    if matches!(update.selection, Selection::Matching { .. }) {
        // A new version of a row is a new entry in each index.
        tx.batch_execute(insert::SET_INDEX_MEMORY).await.map_err(database_error)?;
    }
    changes.columns.run(tx, form).await?;
    let (keys, at) = (changes.columns.keys(), update.at.micros());
    let event = WebhookEvent::Updated;
    outbox::enqueue(tx, form.as_str(), event, at, &keys.submitted_at, &keys.ids).await?;
    live::notify(tx, form.as_str(), ChangeKind::Updated, &keys.ids).await
}

/// Locks and returns the settings of an account if a change may add a tag that they do not have.
async fn lock_if_tag_is_new(
    tx: &Transaction<'_>,
    account: &str,
    change: &TriageChange,
) -> Result<Option<TriageSettings>> {
    if change.add_tags.is_empty() {
        return Ok(None);
    }
    // Usually no tag is new, and then concurrent updates need not wait for each other.
    let known = settings::find(tx, account).await?;
    let is_known = |tag: &Tag| known.tags.iter().any(|known| known.name == *tag);
    if change.add_tags.iter().all(is_known) {
        return Ok(None);
    }
    settings::lock(tx, account).await
}

/// Locks the listed submissions of a form that have these ids.
async fn lock_ids(tx: &Transaction<'_>, form: &FormId, ids: &[SubmissionId]) -> Result<Vec<Row>> {
    let ids: Vec<&str> = ids.iter().map(SubmissionId::as_str).collect();
    let sql = "SELECT submitted_at, id, triage FROM submissions
               WHERE form_id = $1 AND id = ANY($2)
               ORDER BY submitted_at, id FOR NO KEY UPDATE";
    query::fetch_rows(tx, sql, &[&form.as_str(), &ids]).await
}

/// Locks the submissions of a form that match a filter. If their number is not `expected`, or over
/// [`UPDATE_MAX`], returns their number.
async fn lock_matching(
    tx: &Transaction<'_>,
    form: &FormId,
    filter: &Filter,
    expected: u64,
) -> Result<Result<Vec<Row>, u64>> {
    let (keys, total) = submission_keys::find_matching(tx, form, filter, expected).await?;
    if total != expected || total > UPDATE_MAX {
        return Ok(Err(total));
    }
    let mut params = QueryParams::default();
    let rows = SubmissionRange::new(form, filter).rows_condition(None, &mut params);
    let at = params.push_numbers(keys.submitted_at);
    let ids = params.push_texts(keys.ids.iter().map(String::as_str));
    // The condition is checked again for rows that changed before they were locked.
    let sql = format!(
        "SELECT s.submitted_at, s.id, s.triage \
         FROM unnest({at}::BIGINT[], {ids}::TEXT[]) AS n (submitted_at, id) \
           JOIN submissions AS s ON s.submitted_at = n.submitted_at AND s.id = n.id \
         WHERE {rows} ORDER BY s.submitted_at, s.id FOR NO KEY UPDATE OF s"
    );
    let locked = tx.query_typed(&sql, &params.as_typed()).await.map_err(database_error)?;
    if locked.len() as u64 == expected {
        return Ok(Ok(locked));
    }
    let (_, total) = submission_keys::find_matching(tx, form, filter, expected).await?;
    if total == expected { Err(StoreError::Busy(1)) } else { Ok(Err(total)) }
}

/// Effect of a change on submissions that have the same triage before it.
struct Effect {
    /// The effective change as JSON.
    change: String,
    /// The change that sets the former values back, except for the read state.
    inverse: TriageChange,
    columns: TriageColumns,
    added_tags: Vec<Tag>,
}

impl Effect {
    /// Applies a change to a triage in its column; `None` if it has no effect.
    fn new(
        triage: Option<&str>,
        update: &TriageUpdate,
    ) -> Result<Result<Option<Self>, TooManyTags>> {
        let mut triage = StoredTriage::parse(triage)?;
        let before = triage.triage.clone();
        let effect = match triage.apply(&update.change, update.at) {
            Ok(effect) if effect.is_empty() => return Ok(Ok(None)),
            Ok(effect) => effect,
            Err(problem) => return Ok(Err(problem)),
        };
        let change = serde_json::to_string(&effect).map_err(database_error)?;
        let columns = TriageColumns::new(&triage)?;
        let inverse = effect.inverse(&before);
        Ok(Ok(Some(Self { change, inverse, columns, added_tags: effect.add_tags })))
    }
}

/// Submissions that an update makes different.
#[derive(Default)]
struct Changes {
    columns: TriageWrite,
    /// The effective change of each submission as JSON.
    effects: Vec<String>,
    /// The tags that at least one submission gets, possibly repeated.
    added_tags: Vec<Tag>,
    /// The changes that undo the update, except for read states, if it asks for them.
    undo: UndoSteps,
}

impl Changes {
    /// Applies a change to locked submissions.
    fn new(locked: &[Row], update: &TriageUpdate) -> Result<Result<Self, TooManyTags>> {
        let mut changes = Self::default();
        // Most submissions have the same triage as another one.
        let mut effects: HashMap<Option<&str>, Option<Effect>> = HashMap::new();
        for row in locked {
            let triage: Option<&str> = read_column(row, 2)?;
            let effect = match effects.entry(triage) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => match Effect::new(triage, update)? {
                    Ok(effect) => {
                        let tags = effect.iter().flat_map(|effect| &effect.added_tags);
                        changes.added_tags.extend(tags.cloned());
                        new.insert(effect)
                    }
                    Err(problem) => return Ok(Err(problem)),
                },
            };
            if let Some(Effect { change, inverse, columns, .. }) = effect {
                let (submitted_at, id): (i64, String) =
                    (read_column(row, 0)?, read_column(row, 1)?);
                if update.with_undo {
                    changes.undo.add(&id, inverse)?;
                }
                changes.columns.push(submitted_at, id, columns.clone());
                changes.effects.push(change.clone());
            }
        }
        Ok(Ok(changes))
    }
}

/// Inserts a history entry for each change, and deletes the oldest entries beyond [`HISTORY_MAX`].
async fn insert_history(
    tx: &Transaction<'_>,
    update: &TriageUpdate,
    changes: &Changes,
) -> Result<()> {
    let form = update.form.as_str();
    let (keys, effects) = (changes.columns.keys(), &changes.effects);
    let sql = "WITH inserted AS (
                 INSERT INTO triage_history
                   (form_id, submitted_at, submission, place, at, person, change)
                 SELECT $1, n.submitted_at, n.id, 1 + coalesce((
                     SELECT h.place FROM triage_history AS h
                     WHERE h.form_id = $1 AND h.submitted_at = n.submitted_at
                       AND h.submission = n.id
                     ORDER BY h.place DESC LIMIT 1), 0), $5, $6, n.change
                 FROM unnest($2::BIGINT[], $3::TEXT[], $4::TEXT[])
                   AS n (submitted_at, id, change)
                 RETURNING submitted_at, submission, place)
               SELECT submitted_at, submission, place - $7 FROM inserted WHERE place > $7";
    let (at, person) = (update.at.micros(), update.reader.person.as_str());
    let entries_max = i64::try_from(HISTORY_MAX).map_err(database_error)?;
    let values: query::Parameters<'_> =
        &[&form, &keys.submitted_at, &keys.ids, effects, &at, &person, &entries_max];
    let full = query::fetch_rows(tx, sql, values).await?;
    if full.is_empty() {
        return Ok(());
    }
    let at: Vec<i64> = full.iter().map(|row| read_column(row, 0)).collect::<Result<_>>()?;
    let ids: Vec<&str> = full.iter().map(|row| read_column(row, 1)).collect::<Result<_>>()?;
    let places: Vec<i64> = full.iter().map(|row| read_column(row, 2)).collect::<Result<_>>()?;
    let sql = "DELETE FROM triage_history AS h
               USING unnest($2::BIGINT[], $3::TEXT[], $4::BIGINT[]) AS n (submitted_at, id, place)
               WHERE h.form_id = $1 AND h.submitted_at = n.submitted_at
                 AND h.submission = n.id AND h.place <= n.place";
    query::execute(tx, sql, &[&form, &at, &ids, &places]).await.map(drop)
}
