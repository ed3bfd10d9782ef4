//! Whether a chain of the audit log is what was written: each note behind the one before, to the
//! end that is kept beside them. Reads nothing by itself, and never mends anything.

use super::super::Hash;
use super::chain::{Line, hex};

/// How one chain stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// Whose it is; empty where no account is known.
    pub account: String,
    /// How many notes are in it.
    pub notes: u64,
    /// The place of its last note, and its hash in hexadecimal: kept elsewhere, they tell later
    /// that nothing before was changed.
    pub end: (i64, String),
    /// The first thing that does not fit, in words.
    pub finding: Option<String>,
}

/// How all chains stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditReport {
    /// Each, by account.
    pub chains: Vec<Chain>,
    /// Which of the notes that were asked for, by place and hash in hexadecimal, no chain holds.
    pub missing: Vec<(i64, String)>,
}

/// A chain while it is looked through.
pub(in crate::store) struct Look {
    last: (i64, Hash),
    notes: u64,
    finding: Option<String>,
}

impl Look {
    /// Begins behind a place.
    pub(in crate::store) fn behind(start: (i64, Hash)) -> Self {
        Self { last: start, notes: 0, finding: None }
    }

    /// Whether everything fits so far.
    pub(in crate::store) fn goes_on(&self) -> bool {
        self.finding.is_none()
    }

    /// Looks at the next line, and the hash that is kept with it.
    pub(in crate::store) fn take(&mut self, line: &Line, kept: Hash) {
        self.finding = wrong(line, kept, self.last);
        self.last = (line.place, kept);
        self.notes += 1;
    }

    /// Compares the last line with the end that is kept.
    pub(in crate::store) fn end(self, account: String, end: (i64, Hash)) -> Chain {
        let Self { last, notes, mut finding } = self;
        if finding.is_none() && last != end {
            finding = Some(format!(
                "the log should end with note {}, but ends with note {}",
                end.0, last.0
            ));
        }
        Chain { account, notes, end: (end.0, hex(end.1)), finding }
    }
}

/// Says what of a line does not fit behind the one before.
fn wrong(line: &Line, kept: Hash, (place, hash): (i64, Hash)) -> Option<String> {
    let due = place + 1;
    if line.place != due {
        return Some(format!("note {due} is missing; note {} stands there", line.place));
    }
    if line.prev_hash != hash {
        return Some(format!("note {due} does not stand behind the note before it"));
    }
    (line.hash() != kept).then(|| format!("note {due} is not as it was written"))
}
