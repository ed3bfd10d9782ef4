//! The card of one submission, at its own URL: answers, metadata, insights, and actions. It also
//! opens for submissions that are not in the list.

mod answer;
mod copies;
mod position;

use std::sync::Arc;

use contract::SubmissionId;
use leptos::{prelude::*, task::spawn_local};

use copies::copy_menu;
use position::ListPosition;

use super::{
    actions::SubmissionActions,
    facts::{OriginFacts, SummaryFacts},
    list_state::ListState,
    open_submission::OpenSubmission,
    triage,
};
use crate::{
    api::{self, AbortOnDrop, ApiError, MoveTarget},
    components::{page::Failure, search_highlight::SearchHighlight},
    domain::answers,
    i18n,
    ui::{
        button::{Button, ButtonSize, IconButton},
        drawer::Drawer,
        empty::Empty,
        icon::Glyph,
        lazy::Lazy,
        run_effect,
        skeleton::SkeletonLines,
    },
};

/// The card.
#[component]
pub fn Card() -> impl IntoView {
    let list = expect_context::<ListState>();
    let opened = expect_context::<OpenSubmission>();
    let failed = RwSignal::new(None::<ApiError>);
    let attempt = RwSignal::new(0_u32);
    load_submission(list, opened, failed, attempt);
    let position = position::follow_position(list, opened, failed);
    let title = Signal::derive(move || match opened.submission.get() {
        Some(shown) => answers::submission_title(&shown, &list.fields_of(&shown)),
        None => i18n::card().submission.to_owned(),
    });
    let retry = move |()| attempt.update(|attempt| *attempt += 1);
    let missing_view = move || match (failed.get(), opened.id.get()) {
        (Some(error), Some(_)) if error.status() != Some(404) => {
            view! { <Failure error object=i18n::card().the_submission on_retry=retry /> }.into_any()
        }
        (Some(_), _) | (None, None) => view! {
            <Empty
                icon=Glyph::Search
                title=i18n::card().missing
                text=i18n::card().maybe_deleted
            />
        }
        .into_any(),
        (None, Some(_)) => view! { <SkeletonLines label=i18n::card().loading /> }.into_any(),
    };
    // Depends only on the id: added insights must not rebuild a note that is being written.
    let shown_id =
        Memo::new(move |_| opened.submission.with(|shown| Some(shown.as_ref()?.id.clone())));
    let body = move || match shown_id.get() {
        Some(_) => view! { <CardContent list opened /> }.into_any(),
        None => missing_view(),
    };
    view! {
        <Drawer
            title
            on_close=move |()| opened.close()
            tools=move || view! { <StepButtons list opened position /> }
            actions=move || view! { <Actions /> }
        >
            {body}
        </Drawer>
    }
}

/// Provides the submission of the URL: from the list if it is loaded there, or else from the
/// server.
fn load_submission(
    list: ListState,
    opened: OpenSubmission,
    failed: RwSignal<Option<ApiError>>,
    attempt: RwSignal<u32>,
) {
    let abort = StoredValue::new_local(None::<AbortOnDrop>);
    let loaded_row = move |id: &SubmissionId| {
        untrack(|| list.rows.position(id).and_then(|index| list.rows.loaded_row(index)))
    };
    // Set synchronously before the effect runs, so that the first layout already has the content.
    opened.submission.set(opened.id.get_untracked().as_ref().and_then(loaded_row));
    run_effect(move || {
        attempt.track();
        let Some(id) = opened.id.get() else { return };
        abort.update_value(|abort| *abort = None);
        failed.set(None);
        if opened
            .submission
            .with_untracked(|shown| shown.as_ref().is_some_and(|shown| shown.id == id))
        {
            return;
        }
        let row = loaded_row(&id);
        opened.submission.set(row.clone());
        if row.is_none() {
            abort.set_value(Some(request_submission(list, opened, id, failed)));
        }
    });
    // A reload of the list may load other content, such as insights that were added.
    run_effect(move || {
        list.rows.track_rows();
        let Some(row) = opened.id.get_untracked().as_ref().and_then(loaded_row) else { return };
        let is_outdated = opened.submission.with_untracked(|shown| {
            shown.as_ref().is_some_and(|shown| shown.id == row.id && *shown != row)
        });
        if is_outdated {
            opened.submission.set(Some(row));
        }
    });
    on_cleanup(move || {
        abort.try_update_value(Option::take);
        opened.submission.try_set(None);
    });
}

/// Requests a submission. Dropping the result aborts the request.
fn request_submission(
    list: ListState,
    opened: OpenSubmission,
    id: SubmissionId,
    failed: RwSignal<Option<ApiError>>,
) -> AbortOnDrop {
    let abort = AbortOnDrop::default();
    let signal = abort.signal();
    let source = list.source.get_untracked();
    spawn_local(async move {
        let Some(source) = source else { return };
        let answer = api::get_submission(source.environment, &id, signal.as_ref()).await;
        if opened.id.try_get_untracked().flatten().as_ref() != Some(&id) {
            return;
        }
        match answer {
            // A submission of another form counts as missing.
            Ok(found) if !source.has_form(&found.form_id) => {
                failed.try_set(Some(not_found_error()));
            }
            Ok(found) => {
                opened.submission.try_set(Some(Arc::new(found)));
            }
            Err(ApiError::Aborted) => {}
            Err(error) => {
                if error.status() == Some(404) {
                    list.rows.remove_missing(&id);
                }
                failed.try_set(Some(error));
            }
        }
    });
    abort
}

fn not_found_error() -> ApiError {
    let code = "not_found".to_owned();
    let message = String::new();
    ApiError::Status { status: 404, code, message, retry_after_s: None }
}

/// Buttons for the previous and next submission. While the position in the list is unknown, a click
/// is stored and takes effect later.
#[component]
fn StepButtons(
    list: ListState,
    opened: OpenSubmission,
    position: Signal<ListPosition>,
) -> impl IntoView {
    let texts = i18n::card();
    let outside = move || Some(texts.not_on_list.to_owned());
    let no_previous = Signal::derive(move || match position.get() {
        ListPosition::NotInList => outside(),
        ListPosition::Row(0) => Some(texts.newest.to_owned()),
        ListPosition::Row(_) | ListPosition::Unknown => None,
    });
    let count = list.rows.count();
    let no_next = Signal::derive(move || match position.get() {
        ListPosition::NotInList => outside(),
        ListPosition::Row(index) if index + 1 >= count.get() => Some(texts.oldest.to_owned()),
        ListPosition::Row(_) | ListPosition::Unknown => None,
    });
    view! {
        <IconButton
            icon=Glyph::ChevronUp
            label=texts.previous
            disabled_reason=no_previous
            on_click=move |_| {
                opened.step_row(false);
            }
        />
        <IconButton
            icon=Glyph::ChevronDown
            label=texts.next
            disabled_reason=no_next
            on_click=move |_| {
                opened.step_row(true);
            }
        />
    }
}

/// Buttons to copy, print, mark as spam and delete.
#[component]
fn Actions() -> impl IntoView {
    let list = expect_context::<ListState>();
    let opened = expect_context::<OpenSubmission>();
    let actions = expect_context::<SubmissionActions>();
    let is_loaded = move || opened.submission.with(Option::is_some);
    let can_delete = move || {
        let form = opened.submission.with(|shown| Some(shown.as_ref()?.form_id.clone()));
        form.is_some_and(|form| list.can_delete(&form))
    };
    let delete = move |_| {
        actions.request_move(MoveTarget::Trash);
    };
    let mark_spam = move |_| {
        actions.request_move(MoveTarget::Spam);
    };
    let print = |_| {
        // Fails only while the document is unloading.
        let _ = window().print();
    };
    view! {
        <Show when=is_loaded>
            {copy_menu(list, opened)}
            <Button icon=Glyph::Print size=ButtonSize::Small on_click=print>
                {i18n::print().print}
            </Button>
            <Show when=move || list.can_mark_spam()>
                <Button icon=Glyph::Filter size=ButtonSize::Small on_click=mark_spam>
                    {i18n::deletion().mark_spam}
                </Button>
            </Show>
            <Show when=can_delete>
                <Button icon=Glyph::Trash size=ButtonSize::Small on_click=delete>
                    {i18n::common().delete}
                </Button>
            </Show>
        </Show>
    }
}

/// The content of the card: summary, answers and metadata.
#[component]
fn CardContent(list: ListState, opened: OpenSubmission) -> impl IntoView {
    let texts = i18n::card();
    let marks = use_context::<SearchHighlight>();
    let summary = move || {
        let submission = Arc::unwrap_or_clone(opened.submission.get()?);
        Some(view! { <SummaryFacts submission /> })
    };
    let lines = move || {
        let shown = opened.submission.get()?;
        let marks = marks.and_then(SearchHighlight::renderer_and_search);
        let lines = answers::card_rows(&shown, &list.fields_of(&shown)).into_iter();
        Some(lines.map(|line| answer::answer_line(line, marks.as_ref())).collect_view())
    };
    let origin = move || {
        let metadata = opened.submission.get()?.metadata.clone();
        Some(view! { <OriginFacts metadata /> })
    };
    view! {
        <div class="card">
            <section class="group">
                <h3 class="group-title">{texts.submission}</h3>
                {summary}
            </section>
            <Show when=move || list.session.capabilities().triage>
                <section class="group triage">
                    <h3 class="group-title">{i18n::triage().title}</h3>
                    <Lazy load=triage::lazy::triage fills="triage-group" />
                </section>
            </Show>
            <section class="group">
                <h3 class="group-title">{texts.answers}</h3>
                <dl class="answers">{lines}</dl>
            </section>
            <section class="group">
                <h3 class="group-title">{texts.metadata}</h3>
                {origin}
            </section>
        </div>
    }
}
