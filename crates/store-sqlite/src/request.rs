//! What a list is asked for.

use super::forms;
use super::memory_index::FormState;
use contract::{Filter, FormId};
use rusqlite::Connection;
use store::pages::{PAGE_BYTES_MAX, PageRows};
use store::{Owner, Position, Result};

/// Which rows of a form are asked for.
pub(super) struct Request {
    pub(super) form: FormId,
    /// The owner that the form must have, if any.
    owner: Option<Owner>,
    pub(super) filter: Filter,
    pub(super) behind: Option<Position>,
    pub(super) rows_max: usize,
    /// Of rows that are read at once.
    pub(super) bytes_max: usize,
}

impl Request {
    /// A request of its own parts, so that another thread may take it.
    pub(super) fn new(
        form: &FormId,
        filter: &Filter,
        behind: Option<&Position>,
        rows_max: usize,
    ) -> Self {
        let (form, filter, behind) = (form.clone(), filter.clone(), behind.cloned());
        Self { form, owner: None, filter, behind, rows_max, bytes_max: usize::MAX }
    }

    /// A request for a page of at most `limit` submissions of an owner's form, and for one more.
    pub(super) fn page(
        owner: &Owner,
        form: &FormId,
        filter: &Filter,
        behind: Option<&Position>,
        limit: usize,
    ) -> Self {
        let request = Self::new(form, filter, behind, limit.saturating_add(1));
        Self { owner: Some(owner.clone()), bytes_max: PAGE_BYTES_MAX, ..request }
    }

    pub(super) fn form_state(&self, conn: &Connection) -> Result<Option<FormState>> {
        match &self.owner {
            None => forms::state(conn, &self.form),
            Some(owner) => forms::state_for(conn, &self.form, owner),
        }
    }

    pub(super) fn page_rows(&self) -> PageRows {
        PageRows::new(self.rows_max, self.bytes_max)
    }
}
