//! Panel of saved views: links to them, and a form to save the current filter.

use contract::{Environment, Filter, FormId};
use leptos::{ev, prelude::*};

use super::{edit::Edit, filter_of, focus_after_render, matching_index};
use crate::{
    components::{calendar, filter_bar::preset_name},
    domain::{
        columns,
        saved_views::{NAME_CHARS_MAX, SavedView, SavedViewChange, VIEWS_MAX, clean_name},
        time::DatePreset,
    },
    i18n, routes,
    state::{list_view::ViewStore, saved_views::SavedViews},
    ui::{
        badge::StatusTone,
        button::{Button, ButtonSize, ButtonVariant, IconButton},
        field::{CheckField, TextField},
        icon::Glyph,
        notice::Notice,
        popover::close_containing_popover,
    },
};

/// Data of the panel.
#[derive(Debug, Clone, Copy)]
pub struct SavedViewsContext {
    /// Saved views.
    pub views: SavedViews,
    /// Current form and its environment.
    pub form: Signal<Option<(Environment, FormId)>>,
    /// Current filter.
    pub filter: Signal<Filter>,
    /// Columns of the list.
    pub columns: ViewStore,
}

/// Panel of saved views.
#[component]
pub fn ViewsPanel(
    /// Data of the panel.
    scene: SavedViewsContext,
) -> impl IntoView {
    let texts = i18n::saved_views();
    // Index of the view that is being edited.
    let editing = RwSignal::new(None::<usize>);
    let current_view =
        Memo::new(move |_| scene.filter.with(|filter| matching_index(scene.views, filter)));
    let items = move || {
        let views = scene.views.list().get();
        let last = views.len().saturating_sub(1);
        let view_button = |(at, view): (usize, SavedView)| {
            if editing.get() == Some(at) {
                view! { <Edit views=scene.views at view last editing /> }.into_any()
            } else {
                view! { <Item scene at view current_view editing /> }.into_any()
            }
        };
        views.into_iter().enumerate().map(view_button).collect_view()
    };
    let list = move || {
        if scene.views.list().with(Vec::is_empty) {
            view! { <p class="field-hint">{texts.about}</p> }.into_any()
        } else {
            view! {
                <ul class="views-list" aria-label=texts.saved_views>
                    {items}
                </ul>
            }
            .into_any()
        }
    };
    let forgetful = move || {
        let text = texts.forgetful;
        (!scene.views.is_stored().get())
            .then(|| view! { <Notice tone=StatusTone::Mixed>{text}</Notice> })
    };
    view! {
        <div class="form">
            {list}
            <Save scene />
            {forgetful}
        </div>
    }
}

/// Link to a view.
#[component]
fn Item(
    scene: SavedViewsContext,
    at: usize,
    view: SavedView,
    current_view: Memo<Option<usize>>,
    editing: RwSignal<Option<usize>>,
) -> impl IntoView {
    let filter = filter_of(&view).unwrap_or_default();
    let href = move || {
        scene.form.with(|form| form.as_ref().map(|(of, form)| routes::list_url(*of, form, &filter)))
    };
    let chosen = view.columns.clone();
    let preset = view.preset;
    let press = move |event: ev::MouseEvent| {
        scene.views.last_preset.set_preset(preset);
        if !chosen.is_empty() {
            scene.columns.set_columns(columns::parse_selection(&chosen));
        }
        close_containing_popover(&event);
    };
    let texts = i18n::saved_views();
    let label = (texts.change)(&view.name);
    let edit = move |_| {
        editing.set(Some(at));
        focus_after_render(".views-edit input".to_owned());
    };
    view! {
        <li class="views-item">
            <a
                class="views-link"
                href=href
                aria-current=move || (current_view.get() == Some(at)).then_some("true")
                on:click=press
            >
                <span class="views-name">{view.name}</span>
                {view.is_default.then(|| view! { <span class="views-note">{texts.default}</span> })}
            </a>
            <IconButton icon=Glyph::Settings size=ButtonSize::Small label on_click=edit />
        </li>
    }
}

/// Form that saves the current filter under a name.
#[component]
fn Save(scene: SavedViewsContext) -> impl IntoView {
    let texts = i18n::saved_views();
    let name = RwSignal::new(String::new());
    let error = RwSignal::new(None::<String>);
    let default = RwSignal::new(false);
    let with_columns = RwSignal::new(false);
    let hint = Signal::derive(move || {
        let preset = scene.filter.with(|filter| preset_of(scene, filter));
        preset.map(|chosen| (texts.days_move)(preset_name(chosen))).unwrap_or_default()
    });
    // Saving replaces a view of the same name; the button says so.
    let verb = Memo::new(move |_| {
        let name = name.with(|name| clean_name(name));
        let is_taken = scene.views.list().with(|views| views.iter().any(|view| view.name == name));
        if is_taken { (texts.replace)(&name) } else { texts.save.to_owned() }
    });
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let Some(view) = view_from_filter(scene, &name.get_untracked(), error) else { return };
        let columns = if with_columns.get_untracked() {
            scene.columns.columns().with_untracked(|columns| columns::format_selection(columns))
        } else {
            String::new()
        };
        let is_default = default.get_untracked();
        scene.views.apply_change(SavedViewChange::Save(SavedView { columns, is_default, ..view }));
        name.set(String::new());
        default.set(false);
        with_columns.set(false);
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
            // Without a selection of columns there is nothing to save.
            <Show when=move || scene.columns.columns().with(|columns| !columns.is_empty())>
                <CheckField
                    label=texts.with_columns
                    checked=with_columns
                    on_change=move |on| with_columns.set(on)
                />
            </Show>
            <Button variant=ButtonVariant::Primary submit=true>
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

/// Returns the current filter as a view; if that is not possible, sets `error`.
fn view_from_filter(
    scene: SavedViewsContext,
    name: &str,
    error: RwSignal<Option<String>>,
) -> Option<SavedView> {
    let filter = scene.filter.get_untracked();
    let view = SavedView::new(name, &filter, untrack(|| preset_of(scene, &filter)));
    let full = scene.views.list().with_untracked(|views| {
        views.len() >= VIEWS_MAX && views.iter().all(|other| other.name != view.name)
    });
    let problem = if view.name.is_empty() {
        Some(i18n::common().enter_a_name.to_owned())
    } else if full {
        Some((i18n::saved_views().full)(VIEWS_MAX as u64))
    } else {
        None
    };
    error.set(problem.clone());
    problem.is_none().then_some(view)
}
