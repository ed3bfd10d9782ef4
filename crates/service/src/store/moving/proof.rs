//! Whether both sides of a move agree: read anew, whatever the move itself believes.

use super::super::Hash;
use super::super::Result;
use super::super::audit::chain::hex;
use super::super::postgres::moving::Target;
use super::super::sqlite::moving::Source;
use super::tables::AUDIT_HEADS;
use super::{Doing, Reached, SUBMISSIONS, Sum, Sums, Table, Value, compared, encoded, with};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// What stands on one side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Side {
    /// How many rows.
    pub rows: u64,
    /// A checksum of all their columns, in hexadecimal; empty where there is nothing.
    pub checksum: String,
}

/// A table on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableProof {
    /// Which.
    pub table: &'static str,
    /// In the file.
    pub source: Side,
    /// In the database.
    pub target: Side,
}

/// The submissions of a form on both sides, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FormProof {
    /// Which.
    pub form_id: String,
    /// In the file.
    pub source: Side,
    /// In the database.
    pub target: Side,
    /// How many the form counts in the database, and how many by its days.
    pub counted: [u64; 2],
}

/// The end of a chain of the audit log on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChainProof {
    /// Whose it is; empty where no account is known.
    pub account: String,
    /// Place and hash of its last note in the file.
    pub source: String,
    /// In the database.
    pub target: String,
}

/// Both sides of a move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// Each table.
    pub tables: Vec<TableProof>,
    /// Each form, by its id.
    pub forms: Vec<FormProof>,
    /// Each chain, by account.
    pub chains: Vec<ChainProof>,
}

impl TableProof {
    /// Whether both sides are the same.
    pub fn agrees(&self) -> bool {
        self.source == self.target
    }
}

impl FormProof {
    /// Whether both sides are the same, and all counts are right.
    pub fn agrees(&self) -> bool {
        self.source == self.target && self.counted == [self.source.rows; 2]
    }
}

impl ChainProof {
    /// Whether both sides are the same.
    pub fn agrees(&self) -> bool {
        self.source == self.target
    }
}

impl Proof {
    /// Whether both sides are the same.
    pub fn agrees(&self) -> bool {
        self.tables.iter().all(TableProof::agrees)
            && self.forms.iter().all(FormProof::agrees)
            && self.chains.iter().all(ChainProof::agrees)
    }
}

/// One side, summed.
#[derive(Default)]
struct Summed {
    tables: BTreeMap<&'static str, Side>,
    forms: BTreeMap<String, Side>,
    chains: BTreeMap<String, String>,
}

impl Summed {
    fn table(&mut self, table: &Table, sum: Sum) {
        let side = Side { rows: sum.rows, checksum: hex(sum.checksum()) };
        self.tables.insert(table.part, side);
    }

    /// Takes the sums of forms in, which together are those of the table.
    fn submissions(&mut self, sums: Sums) {
        let mut all = Sum::default();
        for (form, (rows, checksum)) in sums.done() {
            all.add(&[Value::Text(form.clone()), Value::Bytes(checksum.to_vec())]);
            self.forms.insert(form, Side { rows, checksum: hex(checksum) });
        }
        let rows = self.forms.values().map(|side| side.rows).sum();
        self.tables.insert(SUBMISSIONS, Side { rows, checksum: hex(all.checksum()) });
    }

    /// Notes the end of a chain.
    fn chain(&mut self, row: &[Value]) {
        if let [Value::Text(account), Value::Int(place), Value::Bytes(hash)] = row {
            let hash = Hash::try_from(hash.as_slice()).unwrap_or_default();
            self.chains.insert(account.clone(), format!("{place}:{}", hex(hash)));
        }
    }
}

/// Reads both sides at once.
pub(super) async fn prove(
    source: &Arc<Mutex<Source>>,
    target: &Target,
    total: u64,
    told: &mut (impl FnMut(Reached) + Send),
) -> Result<Proof> {
    let (there, here) =
        tokio::try_join!(with(source, source_side), target_side(target, total, told))?;
    let counts = target.counts().await?;
    let forms: BTreeSet<_> =
        there.forms.keys().chain(here.forms.keys()).chain(counts.keys()).collect();
    let nothing = Side::default();
    let form = |id: &&String| FormProof {
        form_id: (*id).clone(),
        source: there.forms.get(*id).unwrap_or(&nothing).clone(),
        target: here.forms.get(*id).unwrap_or(&nothing).clone(),
        counted: counts.get(*id).copied().unwrap_or_default(),
    };
    let accounts: BTreeSet<_> = there.chains.keys().chain(here.chains.keys()).collect();
    let chain = |account: &&String| ChainProof {
        account: (*account).clone(),
        source: there.chains.get(*account).cloned().unwrap_or_default(),
        target: here.chains.get(*account).cloned().unwrap_or_default(),
    };
    let table = |table: &'static Table| TableProof {
        table: table.part,
        source: there.tables.get(table.part).unwrap_or(&nothing).clone(),
        target: here.tables.get(table.part).unwrap_or(&nothing).clone(),
    };
    Ok(Proof {
        tables: compared().map(table).collect(),
        forms: forms.iter().map(form).collect(),
        chains: accounts.iter().map(chain).collect(),
    })
}

fn source_side(source: &Source) -> Result<Summed> {
    let mut summed = Summed::default();
    for table in compared() {
        if table.part == SUBMISSIONS {
            let mut sums = Sums::default();
            source.read(table, None, |row| {
                sums.add(&encoded(table, row.values)?);
                Ok(true)
            })?;
            summed.submissions(sums);
            continue;
        }
        let mut sum = Sum::default();
        source.read(table, None, |row| {
            let row = encoded(table, row.values)?;
            if table.part == AUDIT_HEADS {
                summed.chain(&row);
            }
            sum.add(&row);
            Ok(true)
        })?;
        summed.table(table, sum);
    }
    Ok(summed)
}

async fn target_side(
    target: &Target,
    total: u64,
    told: &mut (impl FnMut(Reached) + Send),
) -> Result<Summed> {
    let (mut summed, mut done) = (Summed::default(), 0);
    let mut reached = |done: u64| {
        told(Reached { doing: Doing::Comparing, done: done.min(total), total });
    };
    for table in compared() {
        if table.part == SUBMISSIONS {
            let (sums, all) = target.sum_by_form(table, |rows| reached(done + rows)).await?;
            summed.submissions(sums);
            if let Some(side) = summed.tables.get_mut(SUBMISSIONS) {
                side.rows = all;
            }
            done += all;
            continue;
        }
        let is_chains = table.part == AUDIT_HEADS;
        let sum = target
            .sum(table, |row| {
                if is_chains {
                    summed.chain(row);
                }
            })
            .await?;
        done += sum.rows;
        summed.table(table, sum);
        reached(done);
    }
    Ok(summed)
}
