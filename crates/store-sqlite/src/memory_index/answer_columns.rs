//! Loads the answers of fields into the `SummaryIndex` of a form, when a filter or an order first
//! needs them.
//!
//! All columns of all forms share a limit. The least recently used ones make room for a new one.

use super::load::{self, LoadResult};
use super::{FormIndexes, FormState, IndexRead, MemoryIndex, SharedIndexes, lock};
use crate::connect;
use crate::index::{PropertyFilter, SummaryIndex};
use contract::Sort;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::answers::ColumnKey;

/// Maximum bytes of the answers in memory of all forms. Filters by further fields read the file.
const ANSWER_BYTES_MAX: usize = 256 << 20;

/// Columns of a form that are not loaded.
#[derive(Default)]
pub(super) struct MissingColumns {
    /// Being loaded.
    loading: Vec<ColumnKey>,
    /// Exceed the memory limit at this number of submissions.
    rows_limits: HashMap<ColumnKey, i64>,
}

impl MemoryIndex {
    /// Reads the `SummaryIndex` of a form with the answers that a filter and an order compare.
    pub(super) fn read_facts_with_answers<R>(
        &self,
        state: FormState,
        filter: &PropertyFilter,
        sort: Option<&Sort>,
        read: impl FnOnce(&SummaryIndex) -> Option<R>,
    ) -> IndexRead<R> {
        // Criteria that are not resolved match nothing in the file.
        let Some(mut columns) = ColumnKey::of(filter.fields()) else { return IndexRead::Missing };
        let sorted = sort.and_then(ColumnKey::of_sort).filter(|key| !columns.contains(key));
        columns.extend(sorted);
        let has_columns = |facts: &SummaryIndex| {
            columns.is_empty() || facts.has_columns(&columns, self.shared.next_use())
        };
        let result = self
            .read_loaded_facts(state, |facts| has_columns(facts).then(|| read(facts)).flatten());
        match result {
            IndexRead::Found(Some(found)) => return IndexRead::Found(found),
            IndexRead::Newer => return IndexRead::Newer,
            // If the index is not loaded either, its answers are loaded after it.
            IndexRead::Found(None) | IndexRead::Missing => self.load_columns(state, columns),
        }
        IndexRead::Missing
    }

    /// Loads the answers that a filter compares, in the background.
    pub(crate) fn load_answers(&self, state: FormState, filter: &PropertyFilter) {
        self.load_columns(state, ColumnKey::of(filter.fields()).unwrap_or_default());
    }

    fn load_columns(&self, state: FormState, mut columns: Vec<ColumnKey>) {
        if columns.is_empty() || self.is_small(state) {
            return;
        }
        let form = self.shared.form_indexes(state.seq);
        if state.rows >= form.facts_rows_limit.load(Ordering::Relaxed) {
            return;
        }
        let mut missing = lock(&form.missing_columns);
        columns.retain(|key| {
            let has_room = missing.rows_limits.get(key).is_none_or(|limit| state.rows < *limit);
            has_room && !missing.loading.contains(key)
        });
        if !columns.is_empty() {
            missing.loading.extend(columns.iter().cloned());
            drop(missing);
            self.maintainer.send_load_answers(state.seq, columns);
        }
    }
}

impl FormIndexes {
    /// Marks columns as loaded or dropped.
    pub(super) fn end_loading_columns(&self, columns: &[ColumnKey]) {
        lock(&self.missing_columns).loading.retain(|key| !columns.contains(key));
    }
}

impl SharedIndexes {
    /// Returns the next number of the use counter.
    pub(super) fn next_use(&self) -> u64 {
        self.uses.fetch_add(1, Ordering::Relaxed)
    }

    /// Drops least recently used columns until all columns are within the limit. `false` if this is
    /// not possible.
    fn make_room_for_answers(&self) -> bool {
        loop {
            let forms: Vec<_> = lock(&self.forms).values().map(Arc::clone).collect();
            let bytes = forms.iter().filter_map(|form| form.facts.peek(SummaryIndex::answer_bytes));
            if bytes.sum::<usize>() <= ANSWER_BYTES_MAX {
                return true;
            }
            let columns = forms.iter().filter_map(|form| {
                let (last_use, key) = form.facts.peek(SummaryIndex::least_used_column)??;
                Some((last_use, key, form))
            });
            let Some((_, key, form)) = columns.min_by_key(|(last_use, ..)| *last_use) else {
                return false;
            };
            form.facts.change(|facts| facts.drop_column(&key));
        }
    }
}

/// Loads columns of a form that has its `SummaryIndex` in memory.
pub(super) fn load_answers(
    shared: &SharedIndexes,
    seq: i64,
    columns: &[ColumnKey],
    is_ending: &AtomicBool,
) {
    let form = shared.form_indexes(seq);
    let begin = |facts: &mut SummaryIndex| {
        // Another task may have loaded some of them.
        let mut missing = columns.to_vec();
        missing.retain(|key| !facts.has_columns(std::slice::from_ref(key), shared.next_use()));
        facts.begin_columns(&missing);
        missing
    };
    let missing = form.facts.change(begin).unwrap_or_default();
    if !missing.is_empty() {
        fill_columns(shared, &form, &missing, is_ending);
    }
    form.end_loading_columns(columns);
}

fn fill_columns(
    shared: &SharedIndexes,
    form: &FormIndexes,
    columns: &[ColumnKey],
    is_ending: &AtomicBool,
) {
    let drop_columns = |facts: &mut SummaryIndex| {
        for key in columns {
            facts.drop_column(key);
        }
    };
    let add_rows = |rows: &[_]| {
        let is_loaded = form.facts.change(|facts| facts.set_answers(columns, rows)).is_some();
        is_loaded && shared.make_room_for_answers()
    };
    let loaded = connect::open_reader(&shared.path)
        .and_then(|conn| load::load_answers(&conn, form.seq, columns, add_rows, is_ending));
    match loaded {
        Ok(LoadResult::Complete { version, .. }) => {
            form.facts.catch_up_to(&form.change_log, version);
            let use_number = shared.next_use();
            form.facts.change(|facts| facts.finish_columns(columns, use_number));
            return;
        }
        // Without the index, there are no columns to fill.
        Ok(LoadResult::TooLarge { rows }) if form.facts.peek(|_| ()).is_some() => {
            let limits = columns.iter().map(|key| (key.clone(), rows));
            lock(&form.missing_columns).rows_limits.extend(limits);
            tracing::warn!(form = form.seq, rows, "no memory for answers; reading the file");
        }
        Ok(LoadResult::TooLarge { .. } | LoadResult::Cancelled) => {}
        Err(error) => {
            tracing::warn!(%error, form = form.seq, "could not load answers; reading the file");
        }
    }
    form.facts.change(drop_columns);
}
