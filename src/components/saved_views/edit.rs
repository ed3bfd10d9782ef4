//! Form for editing a saved view: name, default, sharing, filter, and the position of a stored one.

use leptos::{ev, prelude::*};

use super::{SavedViewsContext, requests::ViewRequests, save};
use crate::{
    domain::saved_views::{
        NAME_CHARS_MAX, SavedView, SavedViewChange, ViewEdit, clean_name, find_named,
    },
    i18n,
    ui::{
        button::{Button, ButtonSize, ButtonVariant, IconButton},
        field::{CheckField, TextField},
        focus_after_render,
        icon::Glyph,
    },
};

/// Form for one saved view.
#[component]
pub fn Edit(
    /// Data of the panel.
    scene: SavedViewsContext,
    /// Changes of the views.
    requests: ViewRequests,
    /// Index of the view.
    at: usize,
    /// The view.
    view: SavedView,
    /// Index of the last view.
    last: usize,
    /// Index of the view that is being edited.
    editing: RwSignal<Option<usize>>,
) -> impl IntoView {
    let texts = i18n::saved_views();
    let views = scene.views;
    let name = RwSignal::new(view.name.clone());
    let error = RwSignal::new(None::<String>);
    let default = RwSignal::new(view.is_default);
    let shared = RwSignal::new(view.shared);
    let before = view.clone();
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let edit = ViewEdit {
            name: clean_name(&name.get_untracked()),
            is_default: default.get_untracked(),
            shared: shared.get_untracked(),
        };
        let is_same = edit.name == before.name && edit.shared == before.shared;
        let named = move |edit: &ViewEdit| {
            views.list().with_untracked(|views| find_named(views, &edit.name, edit.shared))
        };
        if edit.name.is_empty() {
            error.set(Some(i18n::common().enter_a_name.to_owned()));
        } else if !is_same && named(&edit).is_some() {
            error.set(Some((texts.taken)(&edit.name)));
        } else {
            requests.submit(SavedViewChange::Edit(at, edit.clone()), move || {
                editing.set(None);
                let at = named(&edit).unwrap_or(at);
                focus_after_render(format!(".views-item:nth-child({}) button", at + 1));
            });
        }
    };
    view! {
        <li class="views-edit">
            <form class="form" on:submit=submit>
                <TextField
                    label=i18n::common().name
                    value=name
                    error
                    length_max=NAME_CHARS_MAX
                    on_input=move |text| name.set(text)
                />
                <CheckField
                    label=texts.opens_with_form
                    checked=default
                    on_change=move |on| default.set(on)
                />
                <save::ShareField views shared />
                <Actions scene requests at view last editing />
            </form>
        </li>
    }
}

/// Buttons: done, use the current filter, move up, move down, delete.
#[component]
fn Actions(
    scene: SavedViewsContext,
    requests: ViewRequests,
    at: usize,
    view: SavedView,
    last: usize,
    editing: RwSignal<Option<usize>>,
) -> impl IntoView {
    let texts = i18n::saved_views();
    let replace = move |_| {
        let (name, shared) = (view.name.clone(), view.shared);
        let columns = view.columns.clone();
        let new = SavedView { columns, shared, ..save::view_of_filter(scene, &name) };
        requests.submit(SavedViewChange::Save(new), move || {
            editing.set(None);
            focus_after_render(format!(".views-item:nth-child({}) button", at + 1));
        });
    };
    let delete = move |_| {
        requests.submit(SavedViewChange::Delete(at), move || {
            editing.set(None);
            focus_after_render(".views-save input".to_owned());
        });
    };
    let is_stored = !untrack(|| scene.views.is_on_server());
    view! {
        <div class="views-acts">
            <Button
                size=ButtonSize::Small
                variant=ButtonVariant::Primary
                submit=true
                busy=requests.is_busy()
            >
                {i18n::common().done}
            </Button>
            <Button size=ButtonSize::Small on_click=replace>
                {texts.use_filter}
            </Button>
            {is_stored.then(|| view! { <Moves requests at last editing /> })}
            <Button size=ButtonSize::Small icon=Glyph::Trash on_click=delete>
                {texts.delete}
            </Button>
        </div>
    }
}

/// Buttons that move a view that the browser stores. Those of a server are sorted by name.
#[component]
fn Moves(
    requests: ViewRequests,
    at: usize,
    last: usize,
    editing: RwSignal<Option<usize>>,
) -> impl IntoView {
    let texts = i18n::saved_views();
    let shift = move |to: usize, change: SavedViewChange, pressed: &'static str| {
        requests.submit(change, move || {
            editing.set(Some(to));
            focus_after_render(format!(
                ".views-edit :is([title='{pressed}'], [aria-label='{pressed}'])"
            ));
        });
    };
    let up = move |_| shift(at.saturating_sub(1), SavedViewChange::Up(at), texts.move_up);
    let down = move |_| shift(at + 1, SavedViewChange::Down(at), texts.move_down);
    let first = Signal::derive(move || (at == 0).then(|| i18n::common().is_first.to_owned()));
    let end = Signal::derive(move || (at == last).then(|| i18n::common().is_last.to_owned()));
    view! {
        <IconButton
            icon=Glyph::ChevronUp
            size=ButtonSize::Small
            label=texts.move_up
            disabled_reason=first
            on_click=up
        />
        <IconButton
            icon=Glyph::ChevronDown
            size=ButtonSize::Small
            label=texts.move_down
            disabled_reason=end
            on_click=down
        />
    }
}
