//! One transaction of submissions: all together, or, if one of them fails, each in its own
//! savepoint.

use super::group::{self, Standing};
use super::{Ready, SWEEP_ROWS_MAX, group::stand, receipts};
use crate::errors::{code, database};
use crate::transaction::Conn;
use contract::FormId;
use deadpool_postgres::Transaction;
use store::new_submission::Arrived;
use store::{Result, StoreError};

/// Timeout for the row of a form that another process or a long write has locked.
const LOCK_WITHIN: &str = "SET LOCAL lock_timeout = '5s'";

/// Submissions of one form.
pub(super) struct Group {
    pub(super) form: FormId,
    pub(super) ready: Vec<Ready>,
}

/// Results of each group; `None` if another transaction has locked its form.
pub(super) type Answers = Vec<Option<Vec<Result<Arrived>>>>;

/// Why an attempt has no results.
pub(super) enum Failed {
    /// The transaction was rolled back and may be repeated.
    Undone(StoreError),
    /// The commit was interrupted. These are the results if it succeeded.
    Unknown(Answers, StoreError),
}

/// Inserts the groups in one transaction. A single group waits for its form's lock.
pub(super) async fn attempt(conn: &mut Conn, groups: &[Group]) -> Result<Answers, Failed> {
    match together(conn, groups).await {
        Err(Failed::Undone(error)) if is_of_one(&error) => each(conn, groups).await,
        other => other,
    }
}

async fn together(conn: &mut Conn, groups: &[Group]) -> Result<Answers, Failed> {
    let tx = begin(conn).await?;
    let mut answers = Answers::new();
    for (group, standing) in groups.iter().zip(stand_all(&tx, groups).await?) {
        answers.push(match standing {
            Place::Free(standing) => {
                let arrived = group::insert(&tx, &group.form, standing, &group.ready).await;
                Some(arrived.map_err(Failed::Undone)?.into_iter().map(Ok).collect())
            }
            Place::Nowhere => Some(group.ready.iter().map(|_| Ok(Arrived::Stale)).collect()),
            Place::Locked => None,
        });
    }
    clear_old(&tx, groups).await.map_err(Failed::Undone)?;
    commit(tx, answers).await
}

async fn each(conn: &mut Conn, groups: &[Group]) -> Result<Answers, Failed> {
    let mut tx = begin(conn).await?;
    let mut answers = Answers::new();
    for (group, standing) in groups.iter().zip(stand_all(&tx, groups).await?) {
        if matches!(standing, Place::Locked) {
            answers.push(None);
            continue;
        }
        let mut arrived = Vec::with_capacity(group.ready.len());
        for ready in &group.ready {
            arrived.push(alone(&mut tx, &group.form, ready).await?);
        }
        answers.push(Some(arrived));
    }
    clear_old(&tx, groups).await.map_err(Failed::Undone)?;
    commit(tx, answers).await
}

/// Deletes some expired receipts of any form. It comes last, so that no other transaction waits for
/// these locks during the insertions.
async fn clear_old(tx: &Transaction<'_>, groups: &[Group]) -> Result<()> {
    let ready = groups.iter().flat_map(|group| &group.ready);
    let repeats = ready.filter(|ready| ready.repeat.is_some());
    let rows_max = i64::try_from(repeats.clone().count() * SWEEP_ROWS_MAX).unwrap_or(i64::MAX);
    match repeats.map(|ready| ready.submitted_at).max() {
        Some(last) => receipts::clear_old(tx, last, rows_max).await,
        None => Ok(()),
    }
}

/// Inserts one submission in a savepoint.
async fn alone(
    tx: &mut Transaction<'_>,
    form: &FormId,
    ready: &Ready,
) -> Result<Result<Arrived>, Failed> {
    let point = tx.savepoint("arrival").await.map_err(undone)?;
    let take = async {
        // An earlier submission may have added fields.
        let Some(standing) = stand(&point, form).await? else { return Ok(Arrived::Stale) };
        let arrived = group::insert(&point, form, standing, std::slice::from_ref(ready)).await?;
        arrived.into_iter().next().ok_or_else(|| database("the insertion returned no result"))
    };
    match take.await {
        Ok(arrived) => {
            point.commit().await.map_err(undone)?;
            Ok(Ok(arrived))
        }
        Err(error) if is_of_one(&error) => {
            point.rollback().await.map_err(undone)?;
            Ok(Err(error))
        }
        Err(error) => Err(Failed::Undone(error)),
    }
}

/// State of a form's row.
enum Place {
    Free(Standing),
    /// Another transaction has locked it.
    Locked,
    /// The form does not exist.
    Nowhere,
}

async fn stand_all(tx: &Transaction<'_>, groups: &[Group]) -> Result<Vec<Place>, Failed> {
    let ids: Vec<&str> = groups.iter().map(|group| group.form.as_str()).collect();
    let free = group::stand_free(tx, &ids).await.map_err(Failed::Undone)?;
    // `SKIP LOCKED` returns neither locked nor missing forms. A single group waits for the lock,
    // which also tells whether the form exists.
    if let [only] = groups
        && free.is_empty()
    {
        tx.batch_execute(LOCK_WITHIN).await.map_err(undone)?;
        let standing = stand(tx, &only.form).await.map_err(Failed::Undone)?;
        return Ok(vec![standing.map_or(Place::Nowhere, Place::Free)]);
    }
    Ok(ids.iter().map(|id| free.get(*id).copied().map_or(Place::Locked, Place::Free)).collect())
}

async fn begin(conn: &mut Conn) -> Result<Transaction<'_>, Failed> {
    conn.transaction().await.map_err(undone)
}

async fn commit(tx: Transaction<'_>, answers: Answers) -> Result<Answers, Failed> {
    match tx.commit().await {
        Ok(()) => Ok(answers),
        Err(error) => Err(Failed::Unknown(answers, database(error))),
    }
}

fn undone(error: tokio_postgres::Error) -> Failed {
    Failed::Undone(database(error))
}

/// Whether an error concerns a single submission, so that the rest can be inserted without it.
fn is_of_one(error: &StoreError) -> bool {
    match error {
        StoreError::Exists(_) | StoreError::Source(_) => true,
        // Classes 22 (data exception) and 23 (integrity constraint violation).
        error => code(error).is_some_and(|code| ["22", "23"].contains(&&code.code()[..2])),
    }
}
