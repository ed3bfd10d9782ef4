//! A chunk of an export: submissions that are read at once, in one buffer.
//!
//! The buffer is reused for each chunk, so the memory of an export does not depend on its length.

use super::Position;
use contract::Triage;
use contract::triage::{ExportedTriage, TriageColumns};

/// Extra capacity in bytes beyond the limit. The last submission of most chunks fits into it.
const RESERVE_BYTES: usize = 4096;

/// A chunk of submissions as JSON.
#[derive(Debug, Default)]
pub struct Chunk {
    json: String,
    ends: Vec<usize>,
    limit_bytes: usize,
    triage_columns: TriageColumns,
    /// Triage of each submission; empty without columns of it.
    triage: Vec<ExportedTriage>,
    next: Option<Position>,
}

impl Chunk {
    /// Sets the size in bytes at which the chunk is full when it is filled next. At least one
    /// submission of any length fits.
    #[must_use]
    pub fn with_size_limit(self, limit_bytes: usize) -> Self {
        Self { limit_bytes, ..self }
    }

    /// Sets the columns of the triage that the chunk has when it is filled next.
    #[must_use]
    pub fn with_triage(self, triage_columns: TriageColumns) -> Self {
        Self { triage_columns, ..self }
    }

    /// Returns the columns of the triage to read.
    pub fn triage_columns(&self) -> TriageColumns {
        self.triage_columns
    }

    /// Returns the triage of the submissions, in their order; empty without columns of it.
    pub fn triage(&self) -> &[ExportedTriage] {
        &self.triage
    }

    /// Iterates over the submissions as JSON.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let json = &self.json[start..end];
            start = end;
            json
        })
    }

    /// Returns the position after which the next chunk begins; `None` after the last chunk. An
    /// empty chunk need not be the last: the search may have scanned many rows without a match.
    pub fn next_position(&self) -> Option<&Position> {
        self.next.as_ref()
    }

    /// Empties the chunk. Keeps its memory up to the size limit and a small reserve.
    pub fn clear(&mut self) {
        let bytes = self.limit_bytes + RESERVE_BYTES;
        self.json.clear();
        // Release the memory of an unusually long submission, and avoid doubling on growth.
        self.json.shrink_to(bytes);
        self.json.reserve_exact(bytes);
        self.ends.clear();
        self.triage.clear();
        self.next = None;
    }

    /// Adds a submission; returns whether more fit.
    pub fn push(&mut self, json: &str) -> bool {
        self.json.push_str(json);
        self.ends.push(self.json.len());
        self.json.len() < self.limit_bytes
    }

    /// Adds the triage of the submission that is added next. Call this only if the chunk has
    /// columns of the triage.
    pub fn push_triage(&mut self, triage: Triage, notes_count: u32) {
        self.triage.push(ExportedTriage::new(self.triage_columns, triage, notes_count));
    }

    /// Returns the mean length of the submissions in bytes; `None` for an empty chunk.
    pub fn mean_bytes(&self) -> Option<usize> {
        self.json.len().checked_div(self.ends.len())
    }

    /// Returns the number of bytes until the chunk is full.
    pub fn remaining_bytes(&self) -> usize {
        self.limit_bytes.saturating_sub(self.json.len())
    }

    /// Sets the position after which the next chunk begins.
    pub fn set_next_position(&mut self, next: Position) {
        self.next = Some(next);
    }
}
