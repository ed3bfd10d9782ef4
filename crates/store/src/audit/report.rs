//! Whether a chain of the audit log is what was written: each note behind the one before, to the
//! end that is kept beside them. Reads nothing by itself, and never mends anything.

use super::chain::{Line, hex};
use crate::Hash;
use contract::audit::Action;
use serde::Deserialize;

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
pub struct Look {
    /// The place of the last note that was dropped for its age, or 0.
    start: i64,
    /// Up to which place the notes themselves say that notes were dropped.
    dropped: i64,
    last: (i64, Hash),
    notes: u64,
    finding: Option<String>,
}

impl Look {
    /// Begins behind a place.
    pub fn behind(start: (i64, Hash)) -> Self {
        Self { start: start.0, dropped: 0, last: start, notes: 0, finding: None }
    }

    /// Whether everything fits so far.
    pub fn goes_on(&self) -> bool {
        self.finding.is_none()
    }

    /// Looks at the next line, and the hash that is kept with it.
    pub fn take(&mut self, line: &Line, kept: Hash) {
        self.finding = wrong(line, kept, self.last);
        self.dropped = self.dropped.max(dropped_up_to(line).unwrap_or_default());
        self.last = (line.place, kept);
        self.notes += 1;
    }

    /// Compares the last line with the end that is kept, and the beginning with what the notes say
    /// was dropped.
    pub fn end(self, account: String, end: (i64, Hash)) -> Chain {
        let Self { start, dropped, last, notes, mut finding } = self;
        if finding.is_none() && start != dropped {
            finding = Some(format!(
                "the log begins behind note {start}, but its notes say that those up to {dropped} \
                 were dropped"
            ));
        }
        if finding.is_none() && last != end {
            finding = Some(format!(
                "the log should end with note {}, but ends with note {}",
                end.0, last.0
            ));
        }
        Chain { account, notes, end: (end.0, hex(end.1)), finding }
    }
}

/// What a note says of the notes that were dropped.
#[derive(Deserialize)]
struct DroppedDetail {
    last_place: i64,
}

/// Returns up to which place a note says that notes were dropped, if it does.
fn dropped_up_to(line: &Line) -> Option<i64> {
    if line.action != Action::AuditDropped.as_str() {
        return None;
    }
    serde_json::from_str::<DroppedDetail>(&line.detail).ok().map(|detail| detail.last_place)
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
