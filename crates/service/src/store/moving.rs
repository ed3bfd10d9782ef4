//! Moving everything from a file into a database, so that several machines can serve it.
//!
//! Each table is read by its key and copied in pieces; with each piece stands how far its table is,
//! so that a move that was killed goes on there. At the end both sides are read anew and compared.
//! Nothing of the file is changed, and nobody else uses file or database meanwhile.

mod proof;
mod sum;
mod tables;
mod value;

pub use proof::{ChainProof, FormProof, Proof, Side, TableProof};
pub(in crate::store) use sum::{Sum, Sums};
pub(in crate::store) use tables::{Kind, SUBMISSIONS, Step, TABLES, Table};
pub(in crate::store) use value::Value;

use super::postgres::Setup;
use super::postgres::moving::{Standing, Target, encode};
use super::row::database;
use super::sqlite::moving::{Source, absent};
use super::{Hash, Result, StoreError};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

/// How many pieces wait to be written.
const WAITING_MAX: usize = 1;

/// A row that was read.
pub(in crate::store) struct Row {
    /// Its columns.
    pub(in crate::store) values: Vec<Value>,
    /// By which it is ordered.
    pub(in crate::store) key: Vec<Value>,
}

/// Rows that are written together.
pub(in crate::store) struct Piece {
    /// As the database holds them.
    pub(in crate::store) rows: Vec<Vec<Value>>,
    /// The key of the last one.
    pub(in crate::store) last: Vec<Value>,
}

/// How much is written at once.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Most rows of a piece.
    pub rows_max: usize,
    /// So many bytes are enough for a piece.
    pub bytes_max: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self { rows_max: 5_000, bytes_max: 4 << 20 }
    }
}

/// What a move is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// It copies rows.
    Moving,
    /// It makes the index of searches over the submissions.
    Indexing,
    /// It compares them.
    Comparing,
}

/// How far a move is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// What it is at.
    pub doing: Doing,
    /// How many rows are done.
    pub done: u64,
    /// How many there are in all.
    pub total: u64,
}

/// What there is to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inventory {
    /// How many rows each table has, in the order in which they are moved.
    pub tables: Vec<(&'static str, u64)>,
    /// How many submissions each form has, by its id.
    pub forms: Vec<(String, u64)>,
    /// Into which forms an import is under way, and how many submissions it has brought so far:
    /// these are not moved.
    pub unfinished: Vec<(String, u64)>,
}

/// Looks at what there is to move, also while a server runs. Changes nothing.
///
/// # Errors
/// A file that is not there, is not ours or is damaged.
pub async fn inventory(file: &Path) -> Result<Inventory> {
    let file = file.to_owned();
    blocking(move || {
        let source = Source::look(present(&file)?)?;
        let mut inventory = Inventory {
            tables: Vec::new(),
            forms: source.forms()?,
            unfinished: source.unfinished()?,
        };
        for table in compared() {
            let rows = match table.part {
                SUBMISSIONS => inventory.forms.iter().map(|(_, rows)| rows).sum(),
                _ => sum(&source, table)?.rows,
            };
            inventory.tables.push((table.part, rows));
        }
        Ok(inventory)
    })
    .await
}

/// Moves everything into an empty database, or goes on with that, and compares both sides. `told`
/// hears how far it is.
///
/// # Errors
/// [`StoreError::Unfit`] where the file is open elsewhere or damaged, or the database holds
/// anything else or is used by a server. After any error the same call goes on where this one was.
pub async fn run(
    file: &Path,
    setup: &Setup,
    pace: Pace,
    mut told: impl FnMut(Reached) + Send,
) -> Result<Proof> {
    let file = file.to_owned();
    let source = blocking(move || Source::take(present(&file)?)).await?;
    let source = Arc::new(Mutex::new(source));
    let state = with(&source, State::of).await?;
    let mut target = Target::open(setup).await?;
    let standing = target.begin(state.identity, state.hash).await?;
    let mut done = 0;
    let total = state.rows;
    for table in TABLES.iter().filter(|table| table.step != Step::Compared) {
        done += target.mark(table).await?.rows;
    }
    for table in TABLES.iter().filter(|table| table.step != Step::Compared) {
        let mark = target.mark(table).await?;
        if mark.is_done {
            continue;
        }
        let mut pieces = pieces(&source, table, mark.behind, pace);
        while let Some(piece) = pieces.recv().await {
            let piece = piece?;
            target.write(table, &piece).await?;
            done += piece.rows.len() as u64;
            told(Reached { doing: Doing::Moving, done: done.min(total), total });
        }
        target.end(table).await?;
    }
    let indexing = |done, all| told(indexed(done, all, state.submissions));
    target.make_index(indexing).await?;
    if standing != Standing::Done {
        target.settle().await?;
    }
    let proof = proof::prove(&source, &target, total, &mut told).await?;
    if proof.agrees() {
        target.done().await?;
    }
    Ok(proof)
}

/// How far an index is whose rows lie in so many blocks.
fn indexed(done: u64, all: u64, total: u64) -> Reached {
    let rows = (u128::from(total) * u128::from(done)).checked_div(u128::from(all));
    let done = rows.and_then(|rows| u64::try_from(rows).ok()).unwrap_or(total);
    Reached { doing: Doing::Indexing, done, total }
}

/// By what a source and its state are known.
struct State {
    identity: Hash,
    hash: Hash,
    rows: u64,
    /// How many of them are submissions.
    submissions: u64,
}

impl State {
    /// Reads all but the submissions, of which none comes, goes or changes without a trace there.
    fn of(source: &Source) -> Result<Self> {
        if let Some(finding) = source.audit_finding()? {
            return Err(StoreError::Unfit(format!(
                "the audit log of `{}` is not as it was written ({finding}); see `sheaf audit \
                 verify`, and put a backup in its place",
                source.path().display()
            )));
        }
        let submissions = source.forms()?.iter().map(|(_, rows)| rows).sum();
        let mut rows = submissions;
        let mut hash = Sha256::new();
        source.versions(&mut hash)?;
        for table in compared().filter(|table| table.part != SUBMISSIONS) {
            let sum = sum(source, table)?;
            hash.update(sum.checksum());
            rows += sum.rows;
        }
        Ok(Self { identity: source.identity()?, hash: hash.finalize().into(), rows, submissions })
    }
}

/// The tables that are compared.
fn compared() -> impl Iterator<Item = &'static Table> {
    TABLES.iter().filter(|table| table.step != Step::Moved)
}

fn present(file: &Path) -> Result<&Path> {
    if file.exists() { Ok(file) } else { Err(absent(file)) }
}

/// Sums a table of the source.
fn sum(source: &Source, table: &Table) -> Result<Sum> {
    let mut sum = Sum::default();
    source.read(table, None, |row| {
        sum.add(&encoded(table, row.values)?);
        Ok(true)
    })?;
    Ok(sum)
}

fn encoded(table: &Table, values: Vec<Value>) -> Result<Vec<Value>> {
    let columns = table.columns.iter().zip(values);
    columns.map(|(column, value)| encode(column.kind, value)).collect()
}

/// Reads a table behind a key on a thread of its own.
fn pieces(
    source: &Arc<Mutex<Source>>,
    table: &'static Table,
    behind: Option<Vec<Value>>,
    pace: Pace,
) -> mpsc::Receiver<Result<Piece>> {
    let (ready, pieces) = mpsc::channel(WAITING_MAX);
    let source = Arc::clone(source);
    spawn_blocking(move || {
        let source = source.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut rows, mut bytes, mut last) = (Vec::new(), 0, Vec::new());
        let read = source.read(table, behind.as_deref(), |row| {
            let values = encoded(table, row.values)?;
            bytes += values.iter().map(Value::length).sum::<usize>();
            rows.push(values);
            last = row.key;
            if rows.len() < pace.rows_max && bytes < pace.bytes_max {
                return Ok(true);
            }
            bytes = 0;
            let piece = Piece { rows: std::mem::take(&mut rows), last: last.clone() };
            // Where nobody takes it any more, the move has ended.
            Ok(ready.blocking_send(Ok(piece)).is_ok())
        });
        let rest = match read {
            Ok(()) if rows.is_empty() => return,
            Ok(()) => Ok(Piece { rows, last }),
            Err(error) => Err(error),
        };
        let _ = ready.blocking_send(rest);
    });
    pieces
}

async fn with<T: Send + 'static>(
    source: &Arc<Mutex<Source>>,
    work: impl FnOnce(&Source) -> Result<T> + Send + 'static,
) -> Result<T> {
    let source = Arc::clone(source);
    blocking(move || work(&source.lock().unwrap_or_else(PoisonError::into_inner))).await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    spawn_blocking(work).await.map_err(database)?
}
