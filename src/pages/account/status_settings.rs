//! The statuses and tags of the account, for its owner: add, rename, order and remove statuses;
//! add, colour and remove tags. All changes are saved together.

pub mod draft;
pub mod tags;

use contract::triage::{STATUSES_MAX, Status, TriageSettings};
use leptos::prelude::*;

use crate::{
    api::{self, Remote},
    components::{
        listing::{Listing, MoveButtons},
        remote::{load, remote_view},
    },
    i18n,
    state::session::SessionStore,
    ui::{
        badge::{Badge, StatusTone},
        button::{Button, ButtonSize, ButtonVariant, IconButton},
        field::CellText,
        icon::Glyph,
        notice::Notice,
    },
};
use draft::{SettingsDraft, StatusDraft};
use tags::TagTable;

/// The section.
#[component]
pub fn StatusSettings() -> impl IntoView {
    let texts = i18n::status_settings();
    let session = expect_context::<SessionStore>();
    let known = RwSignal::new(Remote::Loading);
    let request = move || {
        load(known, session, async { Ok(api::get_account_triage().await?.settings()) });
    };
    request();
    let labels = (texts.loading, texts.what);
    let body = remote_view(known, labels, request, move |settings: TriageSettings| {
        let draft = SettingsDraft::new(settings);
        view! { <SettingsForm draft /> }.into_any()
    });
    view! {
        <section>
            <h2 class="section-title">{texts.title}</h2>
            <p class="section-text">{texts.about}</p>
            {body}
        </section>
    }
}

#[component]
fn SettingsForm(draft: SettingsDraft) -> impl IntoView {
    let error = move || {
        let (_, text) = draft.error.get()?;
        Some(view! { <Notice tone=StatusTone::Negative>{text}</Notice> })
    };
    view! {
        <div class="form" data-wide="true">
            <StatusTable draft />
            <p class="visually-hidden" role="status">
                {draft.announcement}
            </p>
            <TagTable draft />
            {error}
            <Actions draft />
        </div>
    }
}

/// The buttons below the tables.
#[component]
fn Actions(draft: SettingsDraft) -> impl IntoView {
    let texts = i18n::status_settings();
    let changed = Memo::new(move |_| draft.is_changed());
    let unchanged = Signal::derive(move || (!changed.get()).then(|| texts.unchanged.to_owned()));
    view! {
        <div class="form-acts">
            <Show when=move || changed.get()>
                <Button variant=ButtonVariant::Ghost on_click=move |_| draft.discard_changes()>
                    {texts.discard}
                </Button>
            </Show>
            <Button
                variant=ButtonVariant::Primary
                busy=draft.busy
                disabled_reason=unchanged
                on_click=move |_| draft.save()
            >
                {texts.save}
            </Button>
        </div>
    }
}

/// The statuses: the built-in ones, then those of the account.
#[component]
fn StatusTable(draft: SettingsDraft) -> impl IntoView {
    let texts = i18n::status_settings();
    let settings = Memo::new(move |_| draft.settings());
    let row = move |row: StatusDraft| view! { <StatusRow draft settings row /> };
    let full = Signal::derive(move || {
        let is_full = draft.statuses.with(Vec::len) >= STATUSES_MAX;
        is_full.then(|| (texts.statuses_full)(STATUSES_MAX))
    });
    view! {
        <Listing
            label=texts.statuses
            heads=vec![i18n::triage().status, texts.id]
            edits=true
        >
            {Status::BUILT_IN.into_iter().map(built_in_row).collect_view()}
            <For each=move || draft.statuses.get() key=|row| row.number children=row />
        </Listing>
        <div class="form-acts">
            <span data-act="add-status">
                <Button
                    icon=Glyph::Plus
                    disabled_reason=full
                    on_click=move |_| draft.add_status()
                >
                    {texts.add_status}
                </Button>
            </span>
        </div>
    }
}

fn built_in_row(id: &'static str) -> impl IntoView {
    let texts = i18n::status_settings();
    let triage = i18n::triage();
    let name = match id {
        Status::OPEN => triage.open,
        "in_progress" => triage.in_progress,
        _ => triage.done,
    };
    view! {
        <tr role="row">
            <td role="cell">{name}</td>
            <td role="cell" data-label=texts.id>
                <span class="id">{id}</span>
            </td>
            <td role="cell">
                <Badge text=texts.built_in tone=StatusTone::Neutral icon=Glyph::Info />
            </td>
        </tr>
    }
}

#[component]
fn StatusRow(
    draft: SettingsDraft,
    settings: Memo<TriageSettings>,
    row: StatusDraft,
) -> impl IntoView {
    let texts = i18n::status_settings();
    let StatusDraft { number, name, .. } = row;
    let at = Memo::new(move |_| draft.position(number).unwrap_or_default());
    let called = Signal::derive(move || match name.get().trim() {
        "" => (texts.unnamed)(Status::BUILT_IN.len() + at.get() + 1),
        name => name.to_owned(),
    });
    let id = move || {
        settings
            .with(|settings| settings.statuses.get(at.get()).map(|status| status.id.to_string()))
    };
    let invalid = Signal::derive(move || {
        draft.error.with(|error| matches!(error, Some((Some(wrong), _)) if *wrong == number))
    });
    view! {
        <tr role="row" data-status=number.to_string()>
            <td role="cell">
                <CellText
                    label=Signal::derive(move || (texts.name_of)(&called.get()))
                    value=name
                    invalid
                    on_input=move |text| name.set(text)
                />
            </td>
            <td role="cell" data-label=texts.id>
                <span class="id">{id}</span>
            </td>
            <td role="cell">
                <span class="row-acts">
                    <IconButton
                        icon=Glyph::Trash
                        label=Signal::derive(move || (texts.remove_status)(&called.get()))
                        size=ButtonSize::Small
                        on_click=move |_| draft.remove_status(number)
                    />
                    <MoveButtons
                        name=called
                        at
                        count=Signal::derive(move || draft.statuses.with(Vec::len))
                        on_move=move |is_up| draft.move_status(number, is_up)
                    />
                </span>
            </td>
        </tr>
    }
}
