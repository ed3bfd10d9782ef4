//! The bar with the actions for the selection. It covers the header of the list, so that no row
//! moves.

use leptos::prelude::*;

use super::{SelectionState, confirm_all::ConfirmAllDialog, range_fetch, triage_menu::TriageMenu};
use crate::{
    api::MoveTarget,
    domain::selection::Selection,
    i18n,
    pages::submissions::{actions::SubmissionActions, list_state::ListState},
    state::{exports::Exports, triage::TriageState},
    ui::{
        button::{Button, ButtonSize, ButtonVariant},
        focus,
        icon::Glyph,
    },
};

/// The bar.
#[component]
pub fn SelectionBar() -> impl IntoView {
    let list = expect_context::<ListState>();
    let selection = expect_context::<SelectionState>();
    range_fetch::follow_range(list, selection);
    let texts = i18n::selection();
    // The bar can be removed while the dialog is open.
    on_cleanup(move || {
        selection.confirm_all.try_set(None);
    });
    let fetching = Signal::derive(move || selection.range_fetch.with(Option::is_some));
    // If all loaded rows are selected, offer to select all that match.
    let unselected_total = move || {
        let total = list.rows.total().get()?;
        let offers_all =
            selection.rows().with(|rows| !rows.is_all() && list.rows.is_fully_selected(rows));
        let offers_all = offers_all && !list.is_inbox();
        (offers_all && selection.count() < total).then_some(total)
    };
    view! {
        <div class="selection" role="toolbar" aria-label=texts.selection>
            <span class="selection-count">
                {move || {
                    if fetching.get() {
                        texts.selecting.to_owned()
                    } else {
                        selection.selection_text()
                    }
                }}
            </span>
            {move || unselected_total().map(|total| {
                let text = (texts.select_all)(total);
                view! {
                    <Button
                        size=ButtonSize::Small
                        variant=ButtonVariant::Ghost
                        on_click=move |_| {
                            // The selection removes this button.
                            focus_first_action();
                            selection.select_all_matching();
                        }
                    >
                        {text}
                    </Button>
                }
            })}
            <Actions fetching />
        </div>
        <ConfirmAllDialog open=selection.confirm_all />
    }
}

/// Moves the focus to the first button for the selected submissions.
fn focus_first_action() {
    if let Ok(Some(button)) = document().query_selector(".selection-acts button") {
        focus(&button);
    }
}

/// The buttons for the selected submissions.
#[component]
fn Actions(
    /// Whether a range is still being fetched.
    fetching: Signal<bool>,
) -> impl IntoView {
    let texts = i18n::selection();
    let list = expect_context::<ListState>();
    let selection = expect_context::<SelectionState>();
    let actions = expect_context::<SubmissionActions>();
    let triage = expect_context::<TriageState>();
    let exporting = expect_context::<Exports>().open();
    let is_all = move || selection.rows().with(Selection::is_all);
    view! {
        <span class="selection-acts">
            <Show when=move || !list.is_inbox()>
                <Button
                    size=ButtonSize::Small
                    icon=Glyph::Download
                    busy=fetching
                    on_click=move |_| exporting.set(true)
                >
                    {move || if is_all() { texts.export_all } else { texts.export_selection }}
                </Button>
            </Show>
            <Show when=move || triage.is_available() && !fetching.get()>
                <TriageMenu />
            </Show>
            <Show when=move || list.form_id().is_some() && list.can_mark_spam()>
                <Button
                    size=ButtonSize::Small
                    icon=Glyph::Filter
                    busy=fetching
                    on_click=move |_| actions.move_selected(MoveTarget::Spam)
                >
                    {i18n::deletion().mark_spam}
                </Button>
            </Show>
            <Show when=move || list.form_id().is_some_and(|form| list.can_delete(&form))>
                <Button
                    size=ButtonSize::Small
                    icon=Glyph::Trash
                    busy=fetching
                    on_click=move |_| actions.move_selected(MoveTarget::Trash)
                >
                    {i18n::common().delete}
                </Button>
            </Show>
            <Button
                size=ButtonSize::Small
                variant=ButtonVariant::Ghost
                icon=Glyph::Close
                on_click=move |_| selection.clear_and_focus_rows()
            >
                {texts.clear}
            </Button>
        </span>
    }
}
