//! The tab with the suspected spam of a form: inspect, release and delete.

use contract::{Form, FormId, ListQuery, SpamReason, SpamSubmission, SubmissionId};
use leptos::{prelude::*, task::spawn_local};

use super::reload_form;
use crate::{
    api::{self, ApiError},
    components::{
        calendar::millis_of,
        listing::Listing,
        page::{Failure, rescue_focus},
        paginated::{Paginated, paginated_view},
    },
    domain::answers::{card_rows, plain::answer_text},
    i18n,
    state::{confirm::Confirm, session::SessionStore, toasts::Toasts, triage::TriageState},
    ui::{
        badge::{Badge, StatusTone},
        button::{Button, ButtonSize, ButtonVariant},
        empty::Empty,
        icon::Glyph,
        time::RelativeTime,
    },
};

/// Submissions per page.
const PAGE_ROWS: u16 = 50;
/// Maximum number of characters of the answers in a row.
const ANSWERS_CHARS_MAX: usize = 200;

/// State of the tab. Cheap to copy.
#[derive(Clone, Copy)]
struct SpamState {
    form: Signal<Form>,
    pages: Paginated<SpamSubmission>,
    session: SessionStore,
    toasts: Toasts,
    confirm: Confirm,
    triage: TriageState,
}

impl SpamState {
    fn form_id(self) -> FormId {
        self.form.with_untracked(|form| form.id.clone())
    }

    /// Requests the next page.
    fn load_next(self) {
        let form = self.form_id();
        self.pages.load(false, |cursor| async move {
            let query = ListQuery { cursor, limit: PAGE_ROWS, ..ListQuery::default() };
            api::list_spam(&form, &query).await
        });
    }

    /// Removes a submission from the table.
    fn remove_row(self, id: &SubmissionId) {
        self.pages.remove(|row| row.submission.id == *id);
        spawn_local(rescue_focus());
    }

    /// Shows the result of an action in a toast. A submission that no longer exists counts as done.
    fn show_result(self, id: &SubmissionId, answer: Result<(), ApiError>, done: &str) {
        match answer {
            Err(error) if error.status() != Some(404) => {
                self.session.handle_error(&error);
                self.toasts.show_error((i18n::form_spam().failed)(&error.message()));
            }
            _ => {
                self.toasts.show_success(done);
                self.remove_row(id);
            }
        }
    }

    /// Moves a submission to the list. `busy` is true while the request runs.
    fn release_submission(self, id: SubmissionId, busy: RwSignal<bool>) {
        let form = self.form_id();
        busy.set(true);
        spawn_local(async move {
            let answer = api::release_spam(&form, &id).await;
            busy.try_set(false);
            self.show_result(&id, answer, i18n::form_spam().released);
            self.triage.reload_unread();
            // The released submission may have added fields to the form.
            reload_form(self.session, &form).await;
        });
    }

    /// Deletes a submission. `busy` is true while the request runs.
    fn delete_submission(self, id: SubmissionId, busy: RwSignal<bool>) {
        let form = self.form_id();
        busy.set(true);
        spawn_local(async move {
            let answer = api::delete_spam(&form, Some(&id)).await;
            busy.try_set(false);
            self.show_result(&id, answer, i18n::form_spam().deleted);
        });
    }

    fn ask_to_delete_all(self) {
        let total = self.pages.total.get_untracked().unwrap_or_default();
        let texts = i18n::form_spam();
        // The dialog stays open if the user leaves the tab by the history.
        let form = self.form_id();
        let delete = move || {
            let form = form.clone();
            async move {
                api::delete_spam(&form, None).await.map_err(|error| {
                    self.session.handle_error(&error);
                    (texts.nothing_deleted)(&error.message())
                })?;
                self.pages.clear(Some(0));
                self.toasts.show_success(texts.all_deleted);
                // The button is gone once the dialog is closed.
                spawn_local(async {
                    leptos::task::tick().await;
                    rescue_focus().await;
                });
                Ok(())
            }
        };
        let title = (texts.delete_title)(total);
        self.confirm.ask(title, texts.delete_text, texts.delete_verb, delete);
    }
}

/// The tab.
#[component]
pub fn SpamTab(
    /// The form.
    form: Signal<Form>,
    /// Ended if a request returns 401.
    session: SessionStore,
) -> impl IntoView {
    let texts = i18n::form_spam();
    let state = SpamState {
        form,
        pages: Paginated::new(session),
        session,
        toasts: expect_context(),
        confirm: expect_context(),
        triage: expect_context(),
    };
    state.load_next();
    let labels = (texts.loading, texts.what);
    let body = paginated_view(
        state.pages,
        labels,
        move || state.load_next(),
        move |has_rows| {
            if has_rows {
                view! { <SpamTable state /> }.into_any()
            } else {
                view! { <Empty icon=Glyph::Check title=texts.none text=texts.none_text /> }
                    .into_any()
            }
        },
    );
    view! {
        <section>
            <h2 class="section-title">{texts.title}</h2>
            <p class="section-text">{texts.about}</p>
            {body}
        </section>
    }
}

#[component]
fn SpamTable(state: SpamState) -> impl IntoView {
    let texts = i18n::form_spam();
    let count = move || (texts.count)(state.pages.total.get().unwrap_or_default());
    let more = move || {
        state.pages.has_more().then(|| {
            view! {
                <Button busy=state.pages.busy on_click=move |_| state.load_next()>
                    {texts.more}
                </Button>
            }
        })
    };
    let failed = move || {
        let error = state.pages.error.get()?;
        let retry = move |()| state.load_next();
        Some(view! { <Failure error object=texts.what_rest on_retry=retry /> })
    };
    let row = move |spam: SpamSubmission| view! { <SpamRow spam state /> };
    let heads = vec![texts.answers, texts.why, texts.came];
    view! {
        <div class="form" data-wide="true">
            <div class="form-acts">
                <span class="page-count" role="status">
                    {count}
                </span>
                <Show when=move || state.session.is_owner()>
                    <Button
                        variant=ButtonVariant::Danger
                        on_click=move |_| state.ask_to_delete_all()
                    >
                        {texts.delete_all}
                    </Button>
                </Show>
            </div>
            <Listing label=texts.label heads>
                <For
                    each=move || state.pages.rows.get()
                    key=|spam| spam.submission.id.clone()
                    children=row
                />
            </Listing>
            {failed}
            {more}
        </div>
    }
}

#[component]
fn SpamRow(spam: SpamSubmission, state: SpamState) -> impl IntoView {
    let texts = i18n::form_spam();
    let SpamSubmission { reason, submission } = spam;
    let answers = state.form.with_untracked(|form| answers_text(&submission, form));
    let reason_text = match reason {
        SpamReason::Honeypot => texts.honeypot,
        SpamReason::TooFast => texts.too_fast,
        SpamReason::Marked => texts.marked,
    };
    let at_ms = millis_of(submission.metadata.submitted_at);
    let release = submission.id.clone();
    let deleted = submission.id;
    let of_release = (texts.act_on)(&answers);
    let of_delete = of_release.clone();
    let busy = RwSignal::new(false);
    let delete = move || {
        let id = deleted.clone();
        let of_delete = of_delete.clone();
        state.session.is_owner().then(|| {
            view! {
                <Button
                    size=ButtonSize::Small
                    busy
                    on_click=move |_| state.delete_submission(id.clone(), busy)
                >
                    {i18n::common().delete}
                    <span class="visually-hidden">{of_delete}</span>
                </Button>
            }
        })
    };
    view! {
        <tr role="row">
            <td role="cell">{answers}</td>
            <td role="cell">
                <Badge text=reason_text tone=StatusTone::Neutral icon=Glyph::Filter />
            </td>
            <td role="cell" data-label=texts.came>
                <RelativeTime at_ms />
            </td>
            <td role="cell">
                <span class="row-acts">
                    <Button
                        size=ButtonSize::Small
                        busy
                        on_click=move |_| state.release_submission(release.clone(), busy)
                    >
                        {texts.release}
                        <span class="visually-hidden">{of_release}</span>
                    </Button>
                    {delete}
                </span>
            </td>
        </tr>
    }
}

/// Returns the answers of a submission in one line, cut at [`ANSWERS_CHARS_MAX`] characters.
pub(super) fn answers_text(submission: &contract::Submission, form: &Form) -> String {
    let answered = card_rows(submission, &form.fields).into_iter().filter_map(|line| {
        let text = answer_text(&line.answer, ", ")?;
        Some(format!("{}: {text}", line.name))
    });
    let summary = answered.collect::<Vec<_>>().join(" · ");
    match summary.char_indices().nth(ANSWERS_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &summary[..end]),
        None => summary,
    }
}
