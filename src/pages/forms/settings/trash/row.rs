//! Row of the trash table.

use contract::trash::TrashedSubmission;
use leptos::prelude::*;

use super::TrashState;
use crate::{
    components::calendar::millis_of,
    i18n,
    pages::forms::settings::spam::answers_text,
    ui::{
        button::{Button, ButtonSize},
        time::RelativeTime,
    },
};

/// The row of a submission.
#[component]
pub fn TrashRow(
    /// The submission.
    trashed: TrashedSubmission,
    /// The state of the tab.
    store: TrashState,
) -> impl IntoView {
    let texts = i18n::form_trash();
    let answers = store.form.with_untracked(|form| answers_text(&trashed.submission, form));
    let submitted_ms = millis_of(trashed.submission.metadata.submitted_at);
    let deleted_ms = millis_of(trashed.trashed_at);
    let name = (texts.act_on)(&answers);
    let row = StoredValue::new(trashed);
    let busy = RwSignal::new(false);
    let restore = move |_| row.with_value(|row| store.restore_submission(row, busy));
    let delete = move |_| row.with_value(|row| store.ask_to_delete(&row.submission));
    let actions = move || {
        let of_restore = name.clone();
        let of_delete = name.clone();
        let delete_button = store.session.is_owner().then(|| {
            view! {
                <Button size=ButtonSize::Small busy on_click=delete>
                    {texts.delete}
                    <span class="visually-hidden">{of_delete}</span>
                </Button>
            }
        });
        store.session.can_triage().then(|| {
            view! {
                <span class="row-acts">
                    <Button size=ButtonSize::Small busy on_click=restore>
                        {texts.restore}
                        <span class="visually-hidden">{of_restore}</span>
                    </Button>
                    {delete_button}
                </span>
            }
        })
    };
    view! {
        <tr role="row">
            <td role="cell">{answers}</td>
            <td role="cell" data-label=texts.submitted>
                <RelativeTime at_ms=submitted_ms />
            </td>
            <td role="cell" data-label=texts.deleted_at>
                <RelativeTime at_ms=deleted_ms />
            </td>
            <td role="cell">{actions}</td>
        </tr>
    }
}
