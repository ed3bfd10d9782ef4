//! The parameters of a list request.

use super::forms;
use super::memory_index::FormState;
use contract::{Filter, FormId};
use rusqlite::Connection;
use store::pages::PageBuilder;
use store::{Owner, Position, Result};

/// A request for submissions of a form.
pub(super) struct ListRequest {
    pub(super) form: FormId,
    /// The required owner of the form.
    owner: Owner,
    pub(super) filter: Filter,
    pub(super) after: Option<Position>,
    pub(super) rows_max: usize,
}

impl ListRequest {
    /// Returns a request for a page of `limit` submissions and one more, which shows that a next
    /// page exists. It has copies of its parameters, so that another thread can take it.
    pub(super) fn new(
        owner: &Owner,
        form: &FormId,
        filter: &Filter,
        after: Option<&Position>,
        limit: usize,
    ) -> Self {
        Self {
            form: form.clone(),
            owner: owner.clone(),
            filter: filter.clone(),
            after: after.cloned(),
            rows_max: limit.saturating_add(1),
        }
    }

    pub(super) fn form_state(&self, conn: &Connection) -> Result<Option<FormState>> {
        forms::find_state_for_owner(conn, &self.form, &self.owner)
    }

    pub(super) fn page_rows(&self) -> PageBuilder {
        PageBuilder::new(self.rows_max)
    }
}
