//! Form that saves the current filter as a view.

use contract::Filter;
use leptos::{ev, prelude::*};

use super::{SavedViewsContext, requests::ViewRequests};
use crate::{
    components::{calendar, filter_bar::preset_name},
    domain::{
        columns,
        saved_views::{
            NAME_CHARS_MAX, SavedView, SavedViewChange, VIEWS_MAX, clean_name, find_named,
        },
        time::DatePreset,
    },
    i18n,
    state::saved_views::SavedViews,
    ui::{
        button::{Button, ButtonVariant},
        field::{CheckField, TextField},
    },
};

/// Form that saves the current filter under a name.
#[component]
pub fn Save(
    /// Data of the panel.
    scene: SavedViewsContext,
    /// Changes of the views.
    requests: ViewRequests,
) -> impl IntoView {
    let texts = i18n::saved_views();
    let name = RwSignal::new(String::new());
    let error = RwSignal::new(None::<String>);
    let default = RwSignal::new(false);
    let shared = RwSignal::new(false);
    let with_columns = RwSignal::new(false);
    let hint = Signal::derive(move || {
        let preset = scene.list.with(|list| preset_of(scene, &list.filter));
        preset.map(|chosen| (texts.days_move)(preset_name(chosen))).unwrap_or_default()
    });
    // Saving replaces a view of the same name; the button says so.
    let verb = Memo::new(move |_| {
        let name = name.with(|name| clean_name(name));
        let named = scene.views.list().with(|views| find_named(views, &name, shared.get()));
        if named.is_some() { (texts.replace)(&name) } else { texts.save.to_owned() }
    });
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let new = view_of_filter(scene, &name.get_untracked());
        let view = SavedView { shared: shared.get_untracked(), ..new };
        let problem = problem_of(scene.views, &view);
        error.set(problem.clone());
        if problem.is_some() {
            return;
        }
        let columns = if with_columns.get_untracked() {
            scene.columns.columns().with_untracked(|columns| columns::format_selection(columns))
        } else {
            String::new()
        };
        let is_default = default.get_untracked();
        let view = SavedView { columns, is_default, ..view };
        let sent = name.get_untracked();
        requests.submit(SavedViewChange::Save(view), move || {
            // Text that was typed meanwhile stays.
            if name.try_get_untracked() != Some(sent) {
                return;
            }
            name.set(String::new());
            default.set(false);
            shared.set(false);
            with_columns.set(false);
        });
    };
    view! {
        <form class="form views-save" on:submit=submit>
            <TextField
                label=texts.save_as
                value=name
                error
                hint
                placeholder=texts.example
                length_max=NAME_CHARS_MAX
                on_input=move |text| name.set(text)
            />
            <CheckField
                label=texts.opens_with_form
                checked=default
                on_change=move |on| default.set(on)
            />
            <ShareField views=scene.views shared />
            // Without a selection of columns there is nothing to save.
            <Show when=move || scene.columns.columns().with(|columns| !columns.is_empty())>
                <CheckField
                    label=texts.with_columns
                    checked=with_columns
                    on_change=move |on| with_columns.set(on)
                />
            </Show>
            <Button variant=ButtonVariant::Primary submit=true busy=requests.is_busy()>
                {move || verb.get()}
            </Button>
        </form>
    }
}

/// Returns the preset that matches the days of a filter. Tracked.
fn preset_of(scene: SavedViewsContext, filter: &Filter) -> Option<DatePreset> {
    DatePreset::matching(
        calendar::days_of(filter),
        calendar::today()?,
        scene.views.last_preset.preset(),
    )
}

/// Returns the current list as a view.
pub fn view_of_filter(scene: SavedViewsContext, name: &str) -> SavedView {
    let list = scene.list.get_untracked();
    let preset = untrack(|| preset_of(scene, &list.filter));
    SavedView::new(name, list, preset)
}

/// Returns the reason why a view cannot be saved.
fn problem_of(views: SavedViews, view: &SavedView) -> Option<String> {
    let is_full = views.list().with_untracked(|views| {
        let count = views.iter().filter(|other| other.shared == view.shared).count();
        count >= VIEWS_MAX && find_named(views, &view.name, view.shared).is_none()
    });
    if view.name.is_empty() {
        Some(i18n::common().enter_a_name.to_owned())
    } else if is_full {
        Some((i18n::saved_views().full)(VIEWS_MAX as u64))
    } else {
        None
    }
}

/// Field that shares a view with all members, for owners on a server that stores views.
#[component]
pub fn ShareField(
    /// Saved views.
    views: SavedViews,
    /// Whether the view is shared.
    shared: RwSignal<bool>,
) -> impl IntoView {
    view! {
        <Show when=move || views.is_on_server() && views.session.is_owner()>
            <CheckField
                label=i18n::saved_views().share
                checked=shared
                on_change=move |on| shared.set(on)
            />
        </Show>
    }
}
