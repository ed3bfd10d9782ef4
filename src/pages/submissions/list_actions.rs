//! The actions of a form's page: saved views, links to other pages and layouts, columns and export.

use leptos::prelude::*;

use super::{
    columns_menu::ColumnsMenu, lazy, list::ListSource, list_state::ListState,
    open_submission::OpenSubmission,
};
use crate::{
    components::{filter_bar::lazy as filter_parts, saved_views::SavedViewsContext},
    i18n,
    routes::{self, ListLayout},
    state::{exports::Exports, saved_views::SavedViews},
    ui::{
        button::Button,
        icon::{Glyph, Icon},
        lazy::{Lazy, fetch_ahead},
        popover::Popover,
    },
};

/// The buttons for the whole list.
#[component]
pub fn ListActions(
    /// The saved views of the form.
    views: SavedViews,
    /// Whether the code of the export dialog is being loaded.
    export_coming: RwSignal<bool>,
) -> impl IntoView {
    let list = expect_context::<ListState>();
    let form = Signal::derive(move || list.form_in_environment());
    let layout =
        Signal::derive(move || if list.is_board() { ListLayout::Board } else { ListLayout::List });
    let scene = SavedViewsContext { views, form, layout, list: list.query, columns: list.view };
    let exporting = expect_context::<Exports>().open();
    let prefetch_export = || fetch_ahead(lazy::export());
    let insights = Signal::derive(move || {
        let (environment, form) = form.get()?;
        list.filter.with(|filter| Some(routes::insights_url(environment, &form, filter)))
    });
    let tab_url = move |tab: routes::Tab| {
        Signal::derive(move || {
            let (environment, form) = form.get()?;
            Some(routes::settings_url(environment, &form, tab))
        })
    };
    let trash = tab_url(routes::Tab::Trash);
    let settings = tab_url(routes::Tab::Share);
    view! {
        <div
            class="page-actions"
            on:pointerenter=move |_| prefetch_export()
            on:focusin=move |_| prefetch_export()
        >
            <Popover label=i18n::list().views icon=Glyph::Bookmark>
                <Lazy load=move || filter_parts::views(scene) fills="form" />
            </Popover>
            {link_view(insights, Glyph::Chart, i18n::common().insights)}
            <Show when=move || list.session.capabilities().trash>
                {link_view(trash, Glyph::Trash, i18n::form_trash().title)}
            </Show>
            <Show when=move || list.session.is_owner()>
                {link_view(settings, Glyph::Settings, i18n::common().settings)}
            </Show>
            <LayoutSwitch />
            <Show when=move || !list.is_board()>
                <ColumnsMenu />
            </Show>
            <Button
                icon=Glyph::Download
                busy=export_coming
                on_click=move |_| exporting.set(true)
            >
                {i18n::common().export}
            </Button>
        </div>
    }
}

/// Returns a link that looks like a button.
fn link_view(href: Signal<Option<String>>, glyph: Glyph, name: &'static str) -> impl IntoView {
    view! {
        <a class="button" data-variant="plain" data-size="medium" href=href>
            <Icon glyph />
            {name}
        </a>
    }
}

/// Link from the list to the board, and back. The filter and the open submission stay.
#[component]
fn LayoutSwitch() -> impl IntoView {
    let list = expect_context::<ListState>();
    let opened = expect_context::<OpenSubmission>();
    let link = move || {
        let (layout, glyph, name) = if list.is_board() {
            (ListLayout::List, Glyph::Menu, i18n::board().list)
        } else {
            (ListLayout::Board, Glyph::Board, i18n::board().title)
        };
        let href = Signal::derive(move || {
            let source = list.source.get()?;
            Some(ListSource { layout, ..source }.url(opened.id.get().as_ref()))
        });
        link_view(href, glyph, name)
    };
    view! {
        <Show when=move || list.session.capabilities().triage>{link}</Show>
    }
}
