//! One transaction of arrivals: all together, or, where one of them cannot be, each in a savepoint
//! of its own.

use super::group::{self, Standing};
use super::{Ready, SWEEP_ROWS_MAX, group::stand, receipts};
use crate::errors::{code, database};
use crate::transaction::Conn;
use contract::FormId;
use deadpool_postgres::Transaction;
use store::new_submission::Arrived;
use store::{Result, StoreError};

/// How long is waited for a form that another process or a long write has locked.
const LOCK_WITHIN: &str = "SET LOCAL lock_timeout = '5s'";

/// Arrivals of one form.
pub(super) struct Group {
    pub(super) form: FormId,
    pub(super) ready: Vec<Ready>,
}

/// What became of the arrivals of each group; nothing where its form is locked by somebody else.
pub(super) type Answers = Vec<Option<Vec<Result<Arrived>>>>;

/// Why an attempt has no answers.
pub(super) enum Failed {
    /// Nothing was done, and it may be tried again.
    Undone(StoreError),
    /// It was being committed: these are the answers if it was.
    Unknown(Answers, StoreError),
}

/// Takes these in, in one transaction. One group alone waits for its form.
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

/// Deletes some receipts that are too old, of any form. It comes last, so that nobody waits behind
/// these locks.
async fn clear_old(tx: &Transaction<'_>, groups: &[Group]) -> Result<()> {
    let ready = groups.iter().flat_map(|group| &group.ready);
    let repeats = ready.filter(|ready| ready.repeat.is_some());
    let rows_max = i64::try_from(repeats.clone().count() * SWEEP_ROWS_MAX).unwrap_or(i64::MAX);
    match repeats.map(|ready| ready.submitted_at).max() {
        Some(last) => receipts::clear_old(tx, last, rows_max).await,
        None => Ok(()),
    }
}

/// Takes one in, in a savepoint.
async fn alone(
    tx: &mut Transaction<'_>,
    form: &FormId,
    ready: &Ready,
) -> Result<Result<Arrived>, Failed> {
    let point = tx.savepoint("arrival").await.map_err(undone)?;
    let take = async {
        // One before it may have brought fields.
        let Some(standing) = stand(&point, form).await? else { return Ok(Arrived::Stale) };
        let arrived = group::insert(&point, form, standing, std::slice::from_ref(ready)).await?;
        arrived.into_iter().next().ok_or_else(|| database("an arrival without an answer"))
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

/// Where a form is.
enum Place {
    Free(Standing),
    /// Somebody else has locked it.
    Locked,
    /// There is none.
    Nowhere,
}

async fn stand_all(tx: &Transaction<'_>, groups: &[Group]) -> Result<Vec<Place>, Failed> {
    let ids: Vec<&str> = groups.iter().map(|group| group.form.as_str()).collect();
    let free = group::stand_free(tx, &ids).await.map_err(Failed::Undone)?;
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

/// Whether an error is about one arrival, so that others can be taken in without it.
fn is_of_one(error: &StoreError) -> bool {
    match error {
        StoreError::Exists(_) | StoreError::Source(_) => true,
        // Bad data and broken constraints.
        error => code(error).is_some_and(|code| ["22", "23"].contains(&&code.code()[..2])),
    }
}
