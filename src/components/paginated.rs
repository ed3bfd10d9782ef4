//! Rows that are loaded page by page, using the cursors of the server.

use contract::Page;
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::ApiError, components::page::Failure, state::session::SessionStore,
    ui::skeleton::SkeletonLines,
};

/// End of a request for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageOutcome {
    /// The rows are loaded.
    Loaded,
    /// The request failed; [`Paginated::error`] has the reason.
    Failed,
    /// The response was dropped: a later request was sent, or the list is gone.
    Dropped,
}

/// Loaded pages. Cheap to copy.
pub struct Paginated<T: Send + Sync + 'static> {
    /// Rows of the loaded pages.
    pub rows: RwSignal<Vec<T>>,
    /// Total number of rows; `None` until the first page is loaded.
    pub total: RwSignal<Option<u64>>,
    /// Error of the last request.
    pub error: RwSignal<Option<ApiError>>,
    /// Whether a request is running.
    pub busy: RwSignal<bool>,
    cursor: RwSignal<Option<String>>,
    /// Number of the latest request. Responses to earlier ones are dropped.
    request: StoredValue<u32>,
    session: SessionStore,
}

impl<T: Send + Sync + 'static> Clone for Paginated<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Paginated<T> {}

impl<T: Send + Sync + 'static> Paginated<T> {
    /// Returns an empty list that belongs to the current reactive owner.
    pub fn new(session: SessionStore) -> Self {
        Self {
            rows: RwSignal::new(Vec::new()),
            total: RwSignal::new(None),
            error: RwSignal::new(None),
            busy: RwSignal::new(false),
            cursor: RwSignal::new(None),
            request: StoredValue::new(0),
            session,
        }
    }

    /// Requests a page by its cursor: the first one, which replaces all rows, or the next one.
    pub fn load<F>(self, is_first: bool, ask: impl FnOnce(Option<String>) -> F)
    where
        F: Future<Output = Result<Page<T>, ApiError>> + 'static,
    {
        let response = ask(self.next_cursor(is_first));
        let loading = self.load_and_wait(is_first, response);
        spawn_local(async move {
            loading.await;
        });
    }

    /// Returns the cursor of the next page; `None` for the first one.
    pub fn next_cursor(self, is_first: bool) -> Option<String> {
        self.cursor.get_untracked().filter(|_| !is_first)
    }

    /// Like [`Self::load`] with a request that is not yet sent, and awaits its end. Responses to
    /// earlier requests are dropped from now on.
    pub fn load_and_wait(
        self,
        is_first: bool,
        response: impl Future<Output = Result<Page<T>, ApiError>> + 'static,
    ) -> impl Future<Output = PageOutcome> + 'static {
        let request = self.request.get_value() + 1;
        self.request.set_value(request);
        self.busy.set(true);
        self.error.set(None);
        async move {
            let answer = response.await;
            if self.request.try_get_value() != Some(request) {
                return PageOutcome::Dropped;
            }
            self.busy.try_set(false);
            match answer {
                Ok(page) => {
                    self.rows.try_update(|rows| {
                        if is_first {
                            rows.clear();
                        }
                        rows.extend(page.data);
                    });
                    self.cursor.try_set(page.pagination.next_cursor);
                    self.total.try_set(Some(page.pagination.total));
                    PageOutcome::Loaded
                }
                Err(error) => {
                    self.session.handle_error(&error);
                    self.error.try_set(Some(error));
                    PageOutcome::Failed
                }
            }
        }
    }

    /// Returns the cursor of the next page, if any. Tracked.
    pub fn cursor(self) -> Option<String> {
        self.cursor.get()
    }

    /// Returns whether there are more pages. Tracked.
    pub fn has_more(self) -> bool {
        self.cursor.with(Option::is_some)
    }

    /// Removes the matching rows, and reduces the total by their number.
    pub fn remove(self, matches: impl Fn(&T) -> bool) {
        let removed = self.rows.try_update(|rows| {
            let before = rows.len();
            rows.retain(|row| !matches(row));
            before - rows.len()
        });
        let removed = removed.unwrap_or_default() as u64;
        self.total.try_update(|total| *total = total.map(|total| total.saturating_sub(removed)));
    }

    /// Removes all rows and sets the total; `None` if it is unknown.
    pub fn clear(self, total: Option<u64>) {
        self.rows.try_set(Vec::new());
        self.total.try_set(total);
        self.cursor.try_set(None);
    }
}

/// Returns a view of the pages: placeholders with the label `loading`, an error about `what` with a
/// button that calls `retry`, or `view`, which receives whether there are rows.
pub fn paginated_view<T: Send + Sync + 'static>(
    pages: Paginated<T>,
    (loading, what): (&'static str, &'static str),
    retry: impl Fn() + Copy + Send + Sync + 'static,
    view: impl Fn(bool) -> AnyView + Send + 'static,
) -> impl Fn() -> AnyView + Send + 'static {
    // An error must not rebuild the loaded rows: one of their buttons may have the focus.
    let state = Memo::new(move |_| match pages.total.get() {
        Some(total) => Ok(total > 0),
        None => Err(pages.error.get()),
    });
    move || match state.get() {
        Err(Some(error)) => {
            view! { <Failure error object=what on_retry=move |()| retry() /> }.into_any()
        }
        Err(None) => view! { <SkeletonLines label=loading /> }.into_any(),
        Ok(has_rows) => view(has_rows),
    }
}
