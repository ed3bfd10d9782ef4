//! Panel of saved views: links to them, and a form to save the current filter. Views that the
//! browser stored before the server did can be moved to the server.

use leptos::{ev, prelude::*};

use super::{
    SavedViewsContext, edit::Edit, list_of, matching_index, requests::ViewRequests, save::Save,
};
use crate::{
    components::page::to_sentence,
    domain::{columns, saved_views::SavedView},
    i18n, routes,
    state::saved_views::SavedViews,
    ui::{
        badge::StatusTone,
        button::{Button, ButtonSize, IconButton},
        focus_after_render,
        icon::Glyph,
        notice::Notice,
        popover::close_containing_popover,
    },
};

/// Panel of saved views.
#[component]
pub fn ViewsPanel(
    /// Data of the panel.
    scene: SavedViewsContext,
) -> impl IntoView {
    let texts = i18n::saved_views();
    let requests = ViewRequests::new(scene.views);
    // Index of the view that is being edited.
    let editing = RwSignal::new(None::<usize>);
    let current_view =
        Memo::new(move |_| scene.list.with(|list| matching_index(scene.views, list)));
    let items = move || {
        let views = scene.views.list().get();
        let last = views.len().saturating_sub(1);
        let view_button = |(at, view): (usize, SavedView)| {
            if editing.get() == Some(at) {
                view! { <Edit scene requests at view last editing /> }.into_any()
            } else {
                view! { <Item scene at view current_view editing /> }.into_any()
            }
        };
        views.into_iter().enumerate().map(view_button).collect_view()
    };
    let list = move || {
        if scene.views.list().with(Vec::is_empty) {
            let about = if scene.views.is_on_server() { texts.about_server } else { texts.about };
            view! { <p class="field-hint">{about}</p> }.into_any()
        } else {
            view! {
                <ul class="views-list" tabindex="-1" aria-label=texts.saved_views>
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
            <MoveStored views=scene.views requests />
            <Save scene requests />
            <Failures views=scene.views requests />
            {forgetful}
        </div>
    }
}

/// Button that moves the views that the browser stores to the server.
#[component]
fn MoveStored(views: SavedViews, requests: ViewRequests) -> impl IntoView {
    // Each change loads the views again.
    let count = move || {
        views.list().track();
        if views.is_on_server() { views.stored().len() } else { 0 }
    };
    move || {
        let count = count();
        (count > 0).then(|| {
            view! {
                <Button busy=requests.is_busy() on_click=move |_| requests.move_stored()>
                    {(i18n::saved_views().move_stored)(count as u64)}
                </Button>
            }
        })
    }
}

/// Messages of failed requests.
#[component]
fn Failures(views: SavedViews, requests: ViewRequests) -> impl IntoView {
    let load_error = move || {
        views.load_error.get().map(|message| {
            let text = to_sentence(&message);
            view! {
                <Notice tone=StatusTone::Negative>{text}</Notice>
                <Button busy=requests.is_busy() on_click=move |_| requests.reload()>
                    {i18n::common().retry}
                </Button>
            }
        })
    };
    let error = move || {
        let text = requests.error().get().map(|message| to_sentence(&message));
        text.map(|text| view! { <Notice tone=StatusTone::Negative>{text}</Notice> })
    };
    view! {
        {load_error}
        {error}
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
    let list = list_of(&view).unwrap_or_default();
    let href = move || {
        let layout = scene.layout.get();
        let url =
            |(of, form): &(_, _)| routes::list_page_url(*of, Some((form, layout)), None, &list);
        scene.form.with(|form| form.as_ref().map(url))
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
    let can_edit = {
        let is_shared = view.shared;
        move || !is_shared || scene.views.session.is_owner()
    };
    let label = StoredValue::new((texts.change)(&view.name));
    let mark = view.id.is_some().then_some(if view.shared { texts.shared } else { texts.private });
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
                {mark.map(|mark| view! { <span class="views-note">{mark}</span> })}
            </a>
            <Show when=can_edit>
                <IconButton
                    icon=Glyph::Settings
                    size=ButtonSize::Small
                    label=label.get_value()
                    on_click=edit
                />
            </Show>
        </li>
    }
}
