//! Form for editing a saved view: name, position, default.

use leptos::{ev, prelude::*};

use super::focus_after_render;
use crate::{
    domain::saved_views::{NAME_CHARS_MAX, SavedView, SavedViewChange, clean_name},
    i18n,
    state::saved_views::SavedViews,
    ui::{
        button::{Button, ButtonSize, ButtonVariant, IconButton},
        field::{CheckField, TextField},
        icon::Glyph,
    },
};

/// Form for one saved view.
#[component]
pub fn Edit(
    /// All views.
    views: SavedViews,
    /// Index of the view.
    at: usize,
    /// The view.
    view: SavedView,
    /// Index of the last view.
    last: usize,
    /// Index of the view that is being edited.
    editing: RwSignal<Option<usize>>,
) -> impl IntoView {
    let name = RwSignal::new(view.name.clone());
    let error = RwSignal::new(None::<String>);
    let default = RwSignal::new(view.is_default);
    let before = view.name;
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let new_name = clean_name(&name.get_untracked());
        let is_taken =
            views.list().with_untracked(|list| list.iter().any(|view| view.name == new_name));
        if new_name.is_empty() {
            error.set(Some(i18n::common().enter_a_name.to_owned()));
        } else if new_name != before && is_taken {
            error.set(Some((i18n::saved_views().taken)(&new_name)));
        } else {
            views.apply_change(SavedViewChange::Rename(at, new_name));
            if default.get_untracked() != view.is_default {
                views.apply_change(SavedViewChange::Default(at, default.get_untracked()));
            }
            editing.set(None);
            focus_after_render(format!(".views-item:nth-child({}) button", at + 1));
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
                    label=i18n::saved_views().opens_with_form
                    checked=default
                    on_change=move |on| default.set(on)
                />
                <Actions views at last editing />
            </form>
        </li>
    }
}

/// Buttons: done, move up, move down, delete.
#[component]
fn Actions(
    views: SavedViews,
    at: usize,
    last: usize,
    editing: RwSignal<Option<usize>>,
) -> impl IntoView {
    let texts = i18n::saved_views();
    let shift = move |to: usize, change: SavedViewChange, pressed: &str| {
        views.apply_change(change);
        editing.set(Some(to));
        focus_after_render(format!(
            ".views-edit :is([title='{pressed}'], [aria-label='{pressed}'])"
        ));
    };
    let up = move |_| shift(at.saturating_sub(1), SavedViewChange::Up(at), texts.move_up);
    let down = move |_| shift(at + 1, SavedViewChange::Down(at), texts.move_down);
    let delete = move |_| {
        editing.set(None);
        views.apply_change(SavedViewChange::Delete(at));
        focus_after_render(".views-save input".to_owned());
    };
    let first = Signal::derive(move || (at == 0).then(|| i18n::common().is_first.to_owned()));
    let end = Signal::derive(move || (at == last).then(|| i18n::common().is_last.to_owned()));
    view! {
        <div class="views-acts">
            <Button size=ButtonSize::Small variant=ButtonVariant::Primary submit=true>
                {i18n::common().done}
            </Button>
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
            <Button size=ButtonSize::Small icon=Glyph::Trash on_click=delete>
                {texts.delete}
            </Button>
        </div>
    }
}
