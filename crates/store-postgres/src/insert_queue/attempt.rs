//! One transaction of submissions: all together, or, if one of them fails, each in its own
//! savepoint.

use super::group::{self, LockedForm};
use super::{SWEEP_ROWS_MAX, group::lock_form, receipts};
use crate::errors::{database_error, sql_state};
use crate::live;
use crate::transaction::Conn;
use contract::FormId;
use contract::live::ChangeKind;
use deadpool_postgres::Transaction;
use store::new_submission::{InsertOutcome, PreparedInsert};
use store::{Result, StoreError};

/// Timeout for the row of a form that another process or a long write has locked.
const SET_LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '5s'";

/// Submissions of one form.
pub(super) struct FormGroup {
    pub(super) form: FormId,
    pub(super) ready: Vec<PreparedInsert>,
}

/// Results of each group; `None` if another transaction has locked its form.
pub(super) type GroupResults = Vec<Option<Vec<Result<InsertOutcome>>>>;

/// Why an attempt has no results.
pub(super) enum AttemptError {
    /// The transaction was rolled back and may be repeated.
    RolledBack(StoreError),
    /// The commit was interrupted. These are the results if it succeeded.
    Unknown(GroupResults, StoreError),
}

/// Returns the submissions of a group that were inserted now, without replays.
pub(super) fn newly_inserted<'g>(
    (group, answers): (&'g FormGroup, &Option<Vec<Result<InsertOutcome>>>),
) -> Vec<&'g PreparedInsert> {
    let answers = answers.iter().flatten();
    group
        .ready
        .iter()
        .zip(answers)
        .filter(|pair| is_newly_inserted(pair.0, pair.1))
        .map(|pair| pair.0)
        .collect()
}

fn is_newly_inserted(ready: &PreparedInsert, answer: &Result<InsertOutcome>) -> bool {
    matches!(answer, Ok(InsertOutcome::Inserted(receipt)) if receipt.id == ready.id)
}

/// Inserts the groups in one transaction. A single group waits for its form's lock.
pub(super) async fn insert_batch(
    conn: &mut Conn,
    groups: &[FormGroup],
) -> Result<GroupResults, AttemptError> {
    match insert_together(conn, groups).await {
        Err(AttemptError::RolledBack(error)) if concerns_one_submission(&error) => {
            insert_each(conn, groups).await
        }
        other => other,
    }
}

async fn insert_together(
    conn: &mut Conn,
    groups: &[FormGroup],
) -> Result<GroupResults, AttemptError> {
    let tx = begin_transaction(conn).await?;
    let mut answers = GroupResults::new();
    for (group, state) in groups.iter().zip(lock_forms(&tx, groups).await?) {
        answers.push(match state {
            FormState::Free(state) => {
                let outcomes = group::insert(&tx, &group.form, state, &group.ready).await;
                Some(outcomes.map_err(AttemptError::RolledBack)?.into_iter().map(Ok).collect())
            }
            FormState::Missing => {
                Some(group.ready.iter().map(|_| Ok(InsertOutcome::Stale)).collect())
            }
            FormState::Locked => None,
        });
    }
    finish_groups(&tx, groups, &answers).await.map_err(AttemptError::RolledBack)?;
    commit_transaction(tx, answers).await
}

async fn insert_each(conn: &mut Conn, groups: &[FormGroup]) -> Result<GroupResults, AttemptError> {
    let mut tx = begin_transaction(conn).await?;
    let mut answers = GroupResults::new();
    for (group, state) in groups.iter().zip(lock_forms(&tx, groups).await?) {
        if matches!(state, FormState::Locked) {
            answers.push(None);
            continue;
        }
        let mut outcomes = Vec::with_capacity(group.ready.len());
        for ready in &group.ready {
            outcomes.push(insert_in_savepoint(&mut tx, &group.form, ready).await?);
        }
        answers.push(Some(outcomes));
    }
    finish_groups(&tx, groups, &answers).await.map_err(AttemptError::RolledBack)?;
    commit_transaction(tx, answers).await
}

/// Deletes expired receipts, and notifies of the new submissions of all groups.
async fn finish_groups(
    tx: &Transaction<'_>,
    groups: &[FormGroup],
    answers: &GroupResults,
) -> Result<()> {
    delete_expired_receipts(tx, groups).await?;
    let mut created = Vec::new();
    for pair in groups.iter().zip(answers) {
        let new = newly_inserted(pair).into_iter().filter(|ready| ready.spam.is_none());
        let ids: Vec<&str> = new.map(|ready| ready.id.as_str()).collect();
        if !ids.is_empty() {
            created.push((pair.0.form.as_str(), live::encode_ids(&ids)?));
        }
    }
    if created.is_empty() {
        return Ok(());
    }
    live::notify_forms(tx, ChangeKind::Created, &created).await
}

/// Deletes some expired receipts of any form. It comes last, so that no other transaction waits for
/// these locks during the insertions.
async fn delete_expired_receipts(tx: &Transaction<'_>, groups: &[FormGroup]) -> Result<()> {
    let ready = groups.iter().flat_map(|group| &group.ready);
    let repeats = ready.filter(|ready| ready.repeat.is_some());
    let rows_max = i64::try_from(repeats.clone().count() * SWEEP_ROWS_MAX).unwrap_or(i64::MAX);
    match repeats.map(|ready| ready.submitted_at).max() {
        Some(last) => receipts::delete_expired(tx, last, rows_max).await,
        None => Ok(()),
    }
}

/// Inserts one submission in a savepoint.
async fn insert_in_savepoint(
    tx: &mut Transaction<'_>,
    form: &FormId,
    ready: &PreparedInsert,
) -> Result<Result<InsertOutcome>, AttemptError> {
    let point = tx.savepoint("arrival").await.map_err(rolled_back)?;
    let take = async {
        // An earlier submission may have added fields.
        let Some(locked_form) = lock_form(&point, form).await? else {
            return Ok(InsertOutcome::Stale);
        };
        let outcomes =
            group::insert(&point, form, locked_form, std::slice::from_ref(ready)).await?;
        outcomes
            .into_iter()
            .next()
            .ok_or_else(|| database_error("the insertion returned no result"))
    };
    match take.await {
        Ok(outcome) => {
            point.commit().await.map_err(rolled_back)?;
            Ok(Ok(outcome))
        }
        Err(error) if concerns_one_submission(&error) => {
            point.rollback().await.map_err(rolled_back)?;
            Ok(Err(error))
        }
        Err(error) => Err(AttemptError::RolledBack(error)),
    }
}

/// State of a form's row.
enum FormState {
    Free(LockedForm),
    /// Another transaction has locked it.
    Locked,
    /// The form does not exist.
    Missing,
}

async fn lock_forms(
    tx: &Transaction<'_>,
    groups: &[FormGroup],
) -> Result<Vec<FormState>, AttemptError> {
    let ids: Vec<&str> = groups.iter().map(|group| group.form.as_str()).collect();
    let free = group::lock_free_forms(tx, &ids).await.map_err(AttemptError::RolledBack)?;
    // `SKIP LOCKED` returns neither locked nor missing forms. A single group waits for the lock,
    // which also tells whether the form exists.
    if let [single_group] = groups
        && free.is_empty()
    {
        tx.batch_execute(SET_LOCK_TIMEOUT).await.map_err(rolled_back)?;
        let locked_form =
            lock_form(tx, &single_group.form).await.map_err(AttemptError::RolledBack)?;
        return Ok(vec![locked_form.map_or(FormState::Missing, FormState::Free)]);
    }
    Ok(ids
        .iter()
        .map(|id| free.get(*id).copied().map_or(FormState::Locked, FormState::Free))
        .collect())
}

async fn begin_transaction(conn: &mut Conn) -> Result<Transaction<'_>, AttemptError> {
    conn.transaction().await.map_err(rolled_back)
}

async fn commit_transaction(
    tx: Transaction<'_>,
    answers: GroupResults,
) -> Result<GroupResults, AttemptError> {
    match tx.commit().await {
        Ok(()) => Ok(answers),
        Err(error) => Err(AttemptError::Unknown(answers, database_error(error))),
    }
}

fn rolled_back(error: tokio_postgres::Error) -> AttemptError {
    AttemptError::RolledBack(database_error(error))
}

/// Whether an error concerns a single submission, so that the rest can be inserted without it.
fn concerns_one_submission(error: &StoreError) -> bool {
    match error {
        StoreError::Exists(_) | StoreError::Source(_) => true,
        // Classes 22 (data exception) and 23 (integrity constraint violation).
        error => sql_state(error).is_some_and(|code| ["22", "23"].contains(&&code.code()[..2])),
    }
}
