//! Requests of the board: the pages of the columns, and what is loaded again after changes.

use std::{collections::HashSet, sync::Arc};

use contract::filter::{LabelProperty, Labels};
use contract::page::LIMIT_MAX;
use contract::triage::Status;
use contract::{ListQuery, Page, Submission, SubmissionId};
use leptos::prelude::*;

use super::{Board, LoadedColumn};
use crate::{
    api::ApiError,
    components::paginated::Paginated,
    pages::submissions::list::ListSource,
    state::changes::{Change, ChangeEvent, Changes},
    ui::run_effect,
};

/// Number of submissions of a page.
const PAGE_SIZE: u16 = 20;

impl Board {
    /// Loads the columns of the list in the URL, whenever the list or its columns change.
    pub(super) fn follow_source(self) {
        let owner = Owner::current().unwrap_or_default();
        let shown = StoredValue::new(None::<ListSource>);
        run_effect(move || {
            let statuses = self.statuses.get();
            let source = self.list.source.get();
            let is_same =
                shown.try_update_value(|shown| std::mem::replace(shown, source.clone()) == source);
            let known = self.loaded.get_untracked();
            let is_new = |status: &&Status| super::find(&known, status).is_none();
            let new: Vec<Status> = statuses.iter().filter(is_new).cloned().collect();
            let column = |status: Status| {
                // The pages outlive this run of the effect.
                let pages = owner.with(|| Paginated::new(self.list.session));
                LoadedColumn { status, pages }
            };
            if !new.is_empty() {
                self.loaded.update(|loaded| loaded.extend(new.iter().cloned().map(column)));
            }
            let needed = if is_same == Some(true) { &new } else { &statuses };
            untrack(|| needed.iter().for_each(|status| self.load(status, true)));
        });
    }

    /// Follows changes of submissions, and new ones.
    pub(super) fn follow_changes(self) {
        let changes = expect_context::<Changes>();
        changes.listen(move |event| untrack(|| self.apply_change(&event)));
        let rows = self.list.rows;
        run_effect(move || {
            if rows.new_count().get() > 0 {
                untrack(|| rows.reload());
            }
        });
        // A first page that is loaded again means that the list was out of date.
        Effect::new(move |before: Option<(Option<ListSource>, u32, bool)>| {
            let now = (self.list.source.get(), rows.generation(), rows.is_stale());
            if let Some((source, generation, was_stale)) = before {
                let is_reloaded = generation > 0 && generation != now.1 && !was_stale;
                if is_reloaded && source == now.0 {
                    untrack(|| self.reload());
                }
            }
            now
        });
    }

    fn apply_change(self, ChangeEvent { environment, form, change }: &ChangeEvent) {
        let is_shown = self.list.source.with(|source| {
            let source = source.as_ref().filter(|source| source.environment == *environment);
            source.is_some_and(|source| form.as_ref().is_none_or(|form| source.has_form(form)))
        });
        if !is_shown {
            return;
        }
        match change {
            Change::Removed(keys) => {
                let ids: HashSet<_> = keys.iter().map(|key| &key.1).collect();
                let is_loaded = self.are_loaded(ids.iter().copied());
                for column in self.loaded.get() {
                    column.pages.remove(|row| ids.contains(&row.id));
                }
                // The columns count submissions that are not loaded, too.
                if !is_loaded {
                    self.reload();
                }
            }
            // The list is loaded again, and then the board.
            Change::Restored(_) => {}
            // The triage of loaded submissions is loaded for the list. Others change the counts.
            Change::Updated(ids) => {
                if ids.is_empty() || !self.are_loaded(ids.iter()) {
                    self.reload();
                }
            }
        }
    }

    /// Returns whether all these submissions are loaded.
    fn are_loaded<'a>(self, mut ids: impl Iterator<Item = &'a SubmissionId>) -> bool {
        self.loaded.with(|loaded| {
            let rows = loaded.iter().map(|column| column.pages.rows);
            let loaded: Vec<_> = rows.map(|rows| rows.get()).collect();
            ids.all(|id| loaded.iter().flatten().any(|row| row.id == *id))
        })
    }

    /// Loads all columns again, at most once in an interval that grows with their number.
    fn reload(self) {
        let count = u32::try_from(self.statuses.with(Vec::len)).unwrap_or(u32::MAX);
        let interval = self.list.rows.event_interval() * count.max(1);
        self.reloads.run(interval, move || {
            untrack(|| self.statuses.get().iter().for_each(|status| self.load(status, true)));
        });
    }

    /// Loads the first page of a column, with as many submissions as are loaded now, or else the
    /// next page.
    pub(super) fn load(self, status: &Status, is_first: bool) {
        let pages = self.loaded.with_untracked(|loaded| super::find(loaded, status));
        let (Some(pages), Some(source)) = (pages, self.list.location()) else { return };
        let loaded_count = pages.rows.with_untracked(Vec::len);
        let loaded_count = u16::try_from(loaded_count).unwrap_or(u16::MAX);
        let limit = if is_first { loaded_count.clamp(PAGE_SIZE, LIMIT_MAX) } else { PAGE_SIZE };
        let mut filter = source.filter.clone();
        let labels = Labels::new([Some(status.to_string())]);
        filter.labels.set(LabelProperty::Status, labels);
        pages.load(is_first, move |cursor| {
            let query = ListQuery { filter, limit, cursor, sort: None };
            async move {
                let mut page = self.fetch(&source, &query).await?;
                if !is_first {
                    // Submissions that were moved here may be on this page.
                    pages.rows.try_with_untracked(|known| {
                        page.data.retain(|row| known.iter().all(|known| known.id != row.id));
                    });
                }
                Ok(page)
            }
        });
    }

    /// Requests a page with the triage of its submissions, so that they appear together.
    async fn fetch(
        self,
        source: &ListSource,
        query: &ListQuery,
    ) -> Result<Page<Arc<Submission>>, ApiError> {
        let page = self.list.rows.fetch_page(source, query, None).await?.body;
        let ids: Vec<_> = page.data.iter().map(|row| row.id.clone()).collect();
        self.triage.load(&ids).await?;
        let data = page.data.into_iter().map(Arc::new).collect();
        Ok(Page { data, pagination: page.pagination })
    }
}
