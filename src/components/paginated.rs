//! Rows that are loaded page by page, using the cursors of the server.

use contract::Page;
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::ApiError, components::page::Failure, state::session::SessionStore,
    ui::skeleton::SkeletonLines,
};

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
        let asked = ask(self.cursor.get_untracked().filter(|_| !is_first));
        let request = self.request.get_value() + 1;
        self.request.set_value(request);
        self.busy.set(true);
        self.error.set(None);
        spawn_local(async move {
            let answer = asked.await;
            if self.request.try_get_value() != Some(request) {
                return;
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
                }
                Err(error) => {
                    self.session.handle_error(&error);
                    self.error.try_set(Some(error));
                }
            }
        });
    }

    /// Returns whether there are more pages. Tracked.
    pub fn has_more(self) -> bool {
        self.cursor.with(Option::is_some)
    }

    /// Removes the matching rows and reduces the total by one.
    pub fn remove(self, matches: impl Fn(&T) -> bool) {
        self.rows.try_update(|rows| rows.retain(|row| !matches(row)));
        self.total.try_update(|total| *total = total.map(|total| total.saturating_sub(1)));
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
    let state = Memo::new(move |_| (pages.total.get().map(|total| total > 0), pages.error.get()));
    move || match state.get() {
        (None, Some(error)) => {
            view! { <Failure error what on_retry=move |()| retry() /> }.into_any()
        }
        (None, None) => view! { <SkeletonLines label=loading /> }.into_any(),
        (Some(has_rows), _) => view(has_rows),
    }
}
