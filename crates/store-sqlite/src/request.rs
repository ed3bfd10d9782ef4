//! The parameters of a list request.

use super::forms;
use super::memory_index::FormState;
use contract::{Filter, FormId};
use rusqlite::Connection;
use store::pages::{PAGE_BYTES_MAX, PageBuilder};
use store::{Owner, Position, Result};

/// A request for submissions of a form.
pub(super) struct ListRequest {
    pub(super) form: FormId,
    /// The required owner of the form, if any.
    owner: Option<Owner>,
    pub(super) filter: Filter,
    pub(super) behind: Option<Position>,
    pub(super) rows_max: usize,
    /// Maximum JSON bytes to read for one page.
    pub(super) bytes_max: usize,
}

impl ListRequest {
    /// Returns a request with copies of its parameters, so that another thread can take it.
    pub(super) fn new(
        form: &FormId,
        filter: &Filter,
        behind: Option<&Position>,
        rows_max: usize,
    ) -> Self {
        let form = form.clone();
        let filter = filter.clone();
        let behind = behind.cloned();
        Self { form, owner: None, filter, behind, rows_max, bytes_max: usize::MAX }
    }

    /// Returns a request for a page of `limit` submissions and one more, which shows that a next
    /// page exists.
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
            None => forms::find_state(conn, &self.form),
            Some(owner) => forms::find_state_for_owner(conn, &self.form, owner),
        }
    }

    pub(super) fn page_rows(&self) -> PageBuilder {
        PageBuilder::new(self.rows_max, self.bytes_max)
    }
}
