//! Saved views of forms.
//!
//! A shared view belongs to the form, a private one to a member and a form. Names are unique in
//! each of these scopes, ignoring case, and each scope has at most one default view.

use crate::audit::{AffectedRows, CountAffected};
use crate::columns::{damaged_row, parse, parse_instant};
use crate::{Result, StoreError};
use async_trait::async_trait;
use contract::view::{DatePreset, ViewChange};
use contract::{FormId, PersonId, View, ViewId};

/// Error: a view does not suit the notifications that use it.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// A notification cannot use the view; the text has the reason and what to do.
    #[error("{0}")]
    Unusable(String),
    /// This number of notifications use the view, and could not after the change.
    #[error(
        "notifications that use this view: {0}; it must stay shared and without `read` in its \
         query, so delete or change them first"
    )]
    InUse(u64),
}

/// Identifies a view for a member: a shared one, or a private one of theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewKey {
    /// The form.
    pub form: FormId,
    /// The member.
    pub person: PersonId,
    /// The view.
    pub view: ViewId,
}

/// Columns of a view as both databases return them.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns have the names of the members of `View`")]
pub struct ViewColumns {
    pub id: String,
    pub name: String,
    pub query: String,
    pub dates: Option<String>,
    pub columns: String,
    pub shared: bool,
    pub is_default: bool,
    pub created_at: i64,
}

impl TryFrom<ViewColumns> for View {
    type Error = StoreError;

    fn try_from(row: ViewColumns) -> Result<Self> {
        let preset = |name: String| {
            DatePreset::from_name(&name)
                .ok_or_else(|| damaged_row(format!("`{name}` is no date range")))
        };
        Ok(Self {
            id: parse(&row.id)?,
            name: row.name,
            query: row.query,
            dates: row.dates.map(preset).transpose()?,
            columns: row.columns,
            shared: row.shared,
            is_default: row.is_default,
            created_at: parse_instant(row.created_at)?,
        })
    }
}

impl CountAffected for Option<View> {
    fn affected_rows(&self) -> AffectedRows {
        self.is_some().affected_rows()
    }
}

/// Saved views of the store. Each method is one transaction.
#[async_trait]
pub trait ViewStore: Send + Sync + 'static {
    /// Lists the shared views of a form, then the private ones of a member, each by name.
    async fn list_views(&self, form: &FormId, person: &PersonId) -> Result<Vec<View>>;
    /// Finds a view.
    async fn find_view(&self, key: &ViewKey) -> Result<Option<View>>;
    /// Inserts a view that a member creates; `false` if there is no such form or member. A default
    /// view replaces the previous default.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the name is taken; [`StoreError::TooManyViews`].
    async fn insert_view(&self, form: &FormId, person: &PersonId, view: View) -> Result<bool>;
    /// Changes a view, and returns it; `None` if there is no such view. A view that is not shared
    /// any more belongs to the member of the key.
    ///
    /// # Errors
    /// As [`ViewStore::insert_view`]; [`ViewError::InUse`] if a notification could not use the
    /// changed view.
    async fn update_view(&self, key: &ViewKey, change: ViewChange) -> Result<Option<View>>;
    /// Deletes a view; `false` if there is no such view.
    ///
    /// # Errors
    /// [`ViewError::InUse`].
    async fn delete_view(&self, key: &ViewKey) -> Result<bool>;
}
