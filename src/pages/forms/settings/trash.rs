//! The tab with the trash of a form: search, restore and permanently delete submissions, and set
//! the retention. Readers see only the list.

pub mod days;
pub mod row;
pub mod table;

use std::time::Duration;

use contract::filter::Search;
use contract::trash::{TrashRequest, TrashedSubmission};
use contract::{Filter, Form, FormId, ListQuery, Submission, SubmissionId};
use leptos::{prelude::*, task::spawn_local};

use super::reload_form;
use days::RetentionSetting;
use table::TrashTable;

use crate::{
    api::{self, MoveTarget},
    components::{
        page::{Failure, explain_failure, rescue_focus},
        paginated::{PageOutcome, Paginated, paginated_view},
    },
    domain::answers::{isolate_bidi, submission_title},
    i18n,
    state::{
        changes::{Change, Changes},
        confirm::Confirm,
        session::SessionStore,
        toasts::Toasts,
    },
    ui::{debounce::Debounce, empty::Empty, field::SearchField, icon::Glyph},
};

/// Submissions per page.
const PAGE_ROWS: u16 = 50;
/// Delay between the last key press and the search.
const SEARCH_DELAY: Duration = Duration::from_millis(250);

/// State of the tab. Cheap to copy.
#[derive(Clone, Copy)]
pub struct TrashState {
    form: Signal<Form>,
    search: RwSignal<String>,
    /// Search text of the loaded rows.
    searched: RwSignal<String>,
    search_timer: Debounce,
    /// Whether the last request was for the first page: a retry repeats it.
    was_first: StoredValue<bool>,
    pages: Paginated<TrashedSubmission>,
    session: SessionStore,
    changes: Changes,
    toasts: Toasts,
    confirm: Confirm,
}

impl TrashState {
    fn new(form: Signal<Form>, session: SessionStore) -> Self {
        Self {
            form,
            search: RwSignal::new(String::new()),
            searched: RwSignal::new(String::new()),
            search_timer: Debounce::new(SEARCH_DELAY),
            was_first: StoredValue::new(true),
            pages: Paginated::new(session),
            session,
            changes: expect_context(),
            toasts: expect_context(),
            confirm: expect_context(),
        }
    }

    fn form_id(self) -> FormId {
        self.form.with_untracked(|form| form.id.clone())
    }

    /// Requests the first page, which replaces the rows, or the next one.
    fn load_page(self, is_first: bool) {
        self.was_first.set_value(is_first);
        let form = self.form_id();
        let text = self.search.get_untracked().trim().to_owned();
        let search = Search::new(&text).ok().flatten();
        let cursor = self.pages.next_cursor(is_first);
        let answer = self.pages.load_and_wait(is_first, async move {
            let filter = Filter { search, ..Filter::default() };
            let query = ListQuery { filter, cursor, limit: PAGE_ROWS, sort: None };
            api::list_trash(&form, &query).await
        });
        spawn_local(async move {
            if answer.await == PageOutcome::Loaded {
                self.searched.try_set(text);
                // The button that emptied the trash may be gone.
                rescue_focus().await;
            }
        });
    }

    /// Repeats the last request.
    fn retry(self) {
        self.load_page(self.was_first.get_value());
    }

    fn set_search(self, text: String) {
        self.search.set(text);
        self.search_timer.schedule(move || self.load_page(true));
    }

    /// Removes a submission from the table.
    fn remove_row(self, id: &SubmissionId) {
        self.pages.remove(|row| row.submission.id == *id);
        spawn_local(rescue_focus());
    }

    /// Restores a submission. `busy` is true while the request runs.
    fn restore_submission(self, row: &TrashedSubmission, busy: RwSignal<bool>) {
        let form = self.form_id();
        let submission = &row.submission;
        let key = (submission.metadata.submitted_at, submission.id.clone());
        busy.set(true);
        spawn_local(async move {
            let request = single_request(&key.1);
            let answer = api::restore_submissions(&form, MoveTarget::Trash, &request).await;
            busy.try_set(false);
            match answer {
                Ok(_) => {
                    self.toasts.show_success(i18n::form_trash().restored);
                    self.remove_row(&key.1);
                    if let Some(environment) = self.form.try_with_untracked(|f| f.environment) {
                        self.changes.notify(environment, Some(&form), Change::Restored(vec![key]));
                    }
                    // The number of submissions of the form has changed.
                    reload_form(self.session, &form).await;
                }
                Err(error) => {
                    let reason = explain_failure(self.session, &error);
                    self.toasts.show_error((i18n::form_trash().failed)(&reason));
                }
            }
        });
    }

    fn ask_to_delete(self, submission: &Submission) {
        let texts = i18n::form_trash();
        // The dialog stays open if the user leaves the tab by the history.
        let key = (self.form_id(), submission.id.clone());
        let delete = move || {
            let (form, id) = key.clone();
            async move {
                api::delete_trash(&form, &single_request(&id))
                    .await
                    .map_err(|error| (texts.failed)(&explain_failure(self.session, &error)))?;
                self.toasts.show_success(texts.deleted);
                self.remove_row(&id);
                Ok(())
            }
        };
        let title = self.form.with_untracked(|form| submission_title(submission, &form.fields));
        let (texts, verb) = (i18n::deletion(), texts.delete);
        let title = (texts.one)(&isolate_bidi(title));
        self.confirm.ask(title, texts.permanent_text, verb, delete);
    }

    fn ask_to_empty(self, total: u64) {
        let texts = i18n::form_trash();
        let form = self.form_id();
        let empty = move || {
            let form = form.clone();
            async move {
                api::empty_trash(&form)
                    .await
                    .map_err(|error| (texts.not_emptied)(&explain_failure(self.session, &error)))?;
                if self.search.try_set(String::new()).is_none() {
                    self.load_page(true);
                }
                self.toasts.show_success(texts.emptied);
                Ok(())
            }
        };
        let text = (texts.empty_text)(total);
        self.confirm.ask(texts.empty_title, text, texts.empty, empty);
    }
}

/// Returns a request for one submission of the trash.
fn single_request(id: &SubmissionId) -> TrashRequest {
    TrashRequest { ids: Some(vec![id.clone()]), batch: None }
}

/// The tab.
#[component]
pub fn TrashTab(
    /// The form.
    form: Signal<Form>,
    /// Ended if a request returns 401.
    session: SessionStore,
) -> impl IntoView {
    let texts = i18n::form_trash();
    let store = TrashState::new(form, session);
    store.load_page(true);
    let days = Memo::new(move |_| form.with(|form| form.trash_days));
    // A shorter retention deletes submissions from the trash.
    Effect::new(move |before: Option<u8>| {
        let days = days.get();
        if before.is_some_and(|before| before != days) {
            untrack(|| store.load_page(true));
        }
        days
    });
    let searching = Memo::new(move |_| store.search.with(|text| !text.trim().is_empty()));
    let any = move || store.pages.total.get().map(|total| total > 0);
    let labels = (texts.loading, texts.what);
    let body = paginated_view(
        store.pages,
        labels,
        move || store.load_page(true),
        move |has_rows| {
            if has_rows {
                return view! { <TrashTable store /> }.into_any();
            }
            let (icon, title, text) = if searching.get() {
                (Glyph::Search, texts.none_match, texts.none_match_text)
            } else {
                (Glyph::Trash, texts.none, texts.none_text)
            };
            view! { <Empty icon title text /> }.into_any()
        },
    );
    // Without any answer, the body shows the error.
    let failed = move || {
        store.pages.total.get()?;
        let error = store.pages.error.get()?;
        let retry = move |()| store.retry();
        Some(view! { <Failure error object=texts.what_rest on_retry=retry /> })
    };
    // An empty trash needs no search field. The field stays until the answer without a search.
    let has_search = Memo::new(move |_| {
        searching.get() || any() == Some(true) || store.searched.with(|text| !text.is_empty())
    });
    view! {
        <section>
            <h2 class="section-title">{texts.title}</h2>
            <p class="section-text">{move || (texts.about)(days.get())}</p>
            <div class="form" data-wide="true">
                <Show when=move || has_search.get()>
                    <SearchField
                        label=texts.search
                        value=store.search
                        busy=store.pages.busy
                        on_input=move |text| store.set_search(text)
                    />
                </Show>
                {body}
                {failed}
            </div>
        </section>
        <Show when=move || session.is_owner()>
            <RetentionSetting form session />
        </Show>
    }
}
