//! Changes the triage of many submissions in one transaction.
//!
//! Most submissions of an update have the same triage before it. So a change is applied once for
//! each distinct triage, and the rows refer to its result.

use super::settings;
use crate::index::Change;
use crate::memory_index::MemoryIndex;
use crate::submission_range::{ListKey, row_sql};
use crate::{forms, outbox, query, read_state, submissions, unlisted};
use contract::triage::{Tag, TooManyTags, TriageChange, UndoStep};
use contract::{FormId, PersonId, Timestamp};
use rusqlite::Connection;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::Result;
use store::columns::database_error;
use store::triage::{
    HISTORY_MAX, StoredTriage, TriageUpdate, UPDATE_MAX, UndoSteps, UpdateOutcome,
};
use store::unlisted::Selection;

/// Sets the triage of a submission. `NOT INDEXED` prevents SQLite from searching the index of ids
/// first.
const UPDATE_TRIAGE: &str = "UPDATE submissions NOT INDEXED SET triage = ?4
     WHERE form = ?1 AND submitted_at = ?2 AND id = ?3";

/// Changes the triage of listed submissions, within a writer job. Returns `None` if there is no
/// such form. Nothing is written before everything has been checked.
pub(super) fn update_triage(
    conn: &Connection,
    index: &MemoryIndex,
    update: &TriageUpdate,
) -> Result<Option<UpdateOutcome>> {
    let Some((form, account)) = find_form(conn, &update.form)? else { return Ok(None) };
    if let Some(status) = update.change.status.as_ref().filter(|status| !status.is_built_in())
        && !settings::find(conn, &account)?.has_status(status.as_str())
    {
        return Ok(Some(UpdateOutcome::UnknownStatus(status.clone())));
    }
    let mut keys = match &update.selection {
        Selection::Ids(ids) => unlisted::find_listed_keys(conn, form, ids)?,
        Selection::Matching { filter, count } => {
            let (keys, total) = submissions::find_keys(conn, form, filter, UPDATE_MAX)?;
            if total != *count || total > UPDATE_MAX {
                return Ok(Some(UpdateOutcome::CountDiffers(total)));
            }
            keys
        }
    };
    // SQLite fills pages best if rows are inserted in ascending order.
    keys.sort_unstable();
    let plan = match UpdatePlan::new(conn, form, &keys, (&update.change, update.at))? {
        Ok(plan) => plan,
        Err(too_many) => return Ok(Some(UpdateOutcome::TooManyTags(too_many))),
    };
    if let Err(problem) = settings::add_tags(conn, &account, &plan.added_tags())? {
        return Ok(Some(UpdateOutcome::Account(problem)));
    }
    let read = match update.change.read {
        None => Vec::new(),
        Some(is_read) => read_state::set(conn, form, &keys, &update.reader, is_read)?,
    };
    if plan.rows.is_empty() && read.is_empty() {
        return Ok(Some(UpdateOutcome::changed(0)));
    }
    plan.write(conn, form, &update.reader.person, update.at).map_err(database_error)?;
    let changed_keys = plan.rows.iter().map(|((at, id), _)| (*at, id.as_str()));
    outbox::enqueue_updated(conn, form, changed_keys, update.at)?;
    let count = count_changed(&plan, &read);
    let undo =
        if update.with_undo { undo_steps(&plan, &read, &update.change)? } else { Vec::new() };
    let version = forms::next_version(conn, form)?;
    let mut changes = plan.into_changes();
    let person: Arc<str> = update.reader.person.as_str().into();
    changes.extend(read.into_iter().map(|((at, id), is_marked)| Change::Read {
        at,
        id,
        person: Arc::clone(&person),
        is_marked,
    }));
    index.record_changes(form, version, changes);
    Ok(Some(UpdateOutcome::Changed(count, undo)))
}

/// Returns the changes that undo an update.
fn undo_steps(
    plan: &UpdatePlan,
    read: &[(ListKey, bool)],
    change: &TriageChange,
) -> Result<Vec<UndoStep>> {
    let mut steps = UndoSteps::default();
    for ((_, id), effect) in &plan.rows {
        steps.add(id, &plan.effects[*effect].inverse)?;
    }
    let inverse = TriageChange { read: change.read.map(|read| !read), ..TriageChange::default() };
    for ((_, id), _) in read {
        steps.add(id, &inverse)?;
    }
    Ok(steps.into_steps())
}

/// Sets the time of the last change of a listed submission.
pub(super) fn set_updated_at(
    conn: &Connection,
    index: &MemoryIndex,
    form: i64,
    (submitted_at, id): ListKey,
    at: Timestamp,
) -> Result<()> {
    let json: Option<String> =
        query::one(conn, row_sql!("triage"), (form, submitted_at, &id), |row| row.get(0))?;
    let mut stored = StoredTriage::parse(json.as_deref())?;
    stored.set_updated_at(at);
    let triage: Option<Arc<str>> = stored.to_column()?.map(Arc::from);
    query::execute(conn, UPDATE_TRIAGE, (form, submitted_at, &id, triage.as_deref()))?;
    let version = forms::next_version(conn, form)?;
    index.record_changes(form, version, vec![Change::Triage { at: submitted_at, id, triage }]);
    Ok(())
}

/// Counts the submissions that have another triage or read state now.
fn count_changed(plan: &UpdatePlan, read: &[(ListKey, bool)]) -> u64 {
    let of_triage: HashSet<&ListKey> = plan.rows.iter().map(|(key, _)| key).collect();
    let only_read = read.iter().filter(|(key, _)| !of_triage.contains(key)).count();
    (of_triage.len() + only_read) as u64
}

/// Finds a form's number and its account.
fn find_form(conn: &Connection, id: &FormId) -> Result<Option<(i64, String)>> {
    let sql = "SELECT seq, account FROM forms WHERE id = ?";
    query::find(conn, sql, [id.as_str()], |row| row.try_into())
}

/// The effect of a change on submissions that have the same triage before it.
struct Effect {
    /// The new triage as JSON; `None` is the default.
    triage: Option<Arc<str>>,
    /// The effective change as JSON.
    change: String,
    /// The change that sets the former values back, except for the read state.
    inverse: TriageChange,
    added_tags: Vec<Tag>,
}

/// The submissions that an update changes.
struct UpdatePlan {
    effects: Vec<Effect>,
    /// Keys with the index of their effect.
    rows: Vec<(ListKey, usize)>,
}

impl UpdatePlan {
    /// Applies a change to the submissions with these keys. Leaves out those that it does not
    /// change.
    fn new(
        conn: &Connection,
        form: i64,
        keys: &[ListKey],
        (change, at): (&TriageChange, Timestamp),
    ) -> Result<std::result::Result<Self, TooManyTags>> {
        let mut plan = Self { effects: Vec::new(), rows: Vec::new() };
        // The effect of each distinct triage; the inner `None` is no effect.
        let mut of_new: Option<Option<usize>> = None;
        let mut of_stored: HashMap<Box<str>, Option<usize>> = HashMap::new();
        let mut stored = conn.prepare_cached(row_sql!("triage")).map_err(database_error)?;
        for key in keys {
            let mut found = stored.query((form, key.0, &key.1)).map_err(database_error)?;
            let row = found.next().map_err(database_error)?;
            let row = row.ok_or_else(|| database_error(format!("`{}` has no row", key.1)))?;
            let json = row.get_ref(0).map_err(database_error)?;
            let json = json.as_str_or_null().map_err(database_error)?;
            let known = json.map_or(of_new, |json| of_stored.get(json).copied());
            let effect = if let Some(known) = known {
                known
            } else {
                let effect = match plan.add_effect(json, change, at)? {
                    Ok(effect) => effect,
                    Err(too_many) => return Ok(Err(too_many)),
                };
                match json {
                    None => of_new = Some(effect),
                    Some(json) => drop(of_stored.insert(json.into(), effect)),
                }
                effect
            };
            plan.rows.extend(effect.map(|effect| (key.clone(), effect)));
        }
        Ok(Ok(plan))
    }

    /// Adds the effect of a change on a triage; returns its index, or `None` without an effect.
    fn add_effect(
        &mut self,
        json: Option<&str>,
        change: &TriageChange,
        at: Timestamp,
    ) -> Result<std::result::Result<Option<usize>, TooManyTags>> {
        let mut triage = StoredTriage::parse(json)?;
        let before = triage.triage.clone();
        let effect = match triage.apply(change, at) {
            Ok(effect) if effect.is_empty() => return Ok(Ok(None)),
            Ok(effect) => effect,
            Err(too_many) => return Ok(Err(too_many)),
        };
        self.effects.push(Effect {
            triage: triage.to_column()?.map(Arc::from),
            change: serde_json::to_string(&effect).map_err(database_error)?,
            inverse: effect.inverse(&before),
            added_tags: effect.add_tags,
        });
        Ok(Ok(Some(self.effects.len() - 1)))
    }

    /// Returns the tags that at least one submission gets, without duplicates.
    fn added_tags(&self) -> Vec<Tag> {
        let mut tags: Vec<Tag> =
            self.effects.iter().flat_map(|effect| effect.added_tags.iter().cloned()).collect();
        tags.sort_unstable();
        tags.dedup();
        tags
    }

    /// Writes the new triage and a history entry of each submission.
    fn write(
        &self,
        conn: &Connection,
        form: i64,
        person: &PersonId,
        at: Timestamp,
    ) -> rusqlite::Result<()> {
        let mut update = conn.prepare_cached(UPDATE_TRIAGE)?;
        let mut last = conn.prepare_cached(
            "SELECT COALESCE(MAX(place), 0) FROM triage_history
             WHERE form = ?1 AND submitted_at = ?2 AND submission = ?3",
        )?;
        // Statements that insert exactly one row need no statement journal. An `INSERT` with
        // `SELECT` or `RETURNING` has one, and its end takes longer the more pages the savepoint of
        // the job has changed.
        let mut insert = conn.prepare_cached(
            "INSERT INTO triage_history (form, submitted_at, submission, place, at, person, change)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?;
        let mut trim = conn.prepare_cached(
            "DELETE FROM triage_history
             WHERE form = ?1 AND submitted_at = ?2 AND submission = ?3 AND place <= ?4",
        )?;
        let entries_max = i64::try_from(HISTORY_MAX).unwrap_or(i64::MAX);
        let (person, at) = (person.as_str(), at.micros());
        for ((submitted_at, id), effect) in &self.rows {
            let Effect { triage, change, .. } = &self.effects[*effect];
            update.execute((form, submitted_at, id, triage.as_deref()))?;
            let last: i64 = last.query_row((form, submitted_at, id), |row| row.get(0))?;
            let place = last + 1;
            insert.execute((form, submitted_at, id, place, at, person, change))?;
            if place > entries_max {
                trim.execute((form, submitted_at, id, place - entries_max))?;
            }
        }
        Ok(())
    }

    /// Returns the changes for the in-memory indexes.
    fn into_changes(self) -> Vec<Change> {
        let Self { effects, rows } = self;
        let change = |((at, id), effect): (ListKey, usize)| Change::Triage {
            at,
            id,
            triage: effects[effect].triage.clone(),
        };
        rows.into_iter().map(change).collect()
    }
}
