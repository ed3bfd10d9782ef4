//! The submissions of a form: the filtered list or board, and the open submission card over it at
//! its own URL.
//!
//! The form, the filter and the open submission are in the URL, which this page reads and updates.
#![expect(
    clippy::large_types_passed_by_value,
    reason = "contexts are a few handles, which are large in debug builds"
)]

pub mod actions;
pub mod board;
pub mod board_slot;
pub mod card;
mod cell_filter;
pub mod columns;
pub mod columns_menu;
mod commands;
pub mod deletion;
pub mod export;
pub mod facts;
pub mod inbox_tabs;
pub mod lazy;
pub mod list;
pub mod list_actions;
pub mod list_cache;
pub mod list_state;
pub mod no_match;
pub mod open_submission;
pub mod row_marks;
pub mod selection;
pub mod table;
pub mod timeline;
pub mod triage;
pub mod triage_reload;

use std::time::Duration;

// Re-exported, so that the modules of this page can import them from here.
pub use crate::components::{calendar, names, sentiment};

use contract::{Filter, ListQuery};
use leptos::{html, prelude::*, task::spawn_local};

use crate::{
    components::{
        filter_bar::FilterBar,
        occurring_values::ValuesSource,
        page::{Heading, use_title},
        saved_views,
        search_highlight::SearchHighlight,
    },
    i18n,
    state::{exports::Exports, saved_views::SavedViews, toasts::Toasts, triage::TriageState},
    ui::{
        empty::Empty,
        focus,
        icon::Glyph,
        lazy::{FirstPaint, Lazy, LazyOverlay, fetch_ahead},
        run_effect,
    },
};
use actions::SubmissionActions;
use commands::{SearchFocus, register_commands, restore_focus};
use list::ListSource;
use list_actions::ListActions;
use list_cache::ListCache;
use list_state::ListState;
use open_submission::OpenSubmission;
use row_marks::RowMarks;
use selection::SelectionState;
use table::SubmissionTable;
use triage::{NoteDrafts, TriageFocus};

/// Delay after the first rows before code that is probably needed next is loaded.
const PREFETCH_DELAY: Duration = Duration::from_secs(1);

/// The page.
#[component]
pub fn Submissions(
    /// The card of the open submission, if any.
    #[prop(into)]
    card: ViewFn,
) -> impl IntoView {
    let list = ListState::from_url();
    let opened = OpenSubmission::from_url(list);
    let selection = SelectionState::new(list.rows);
    let actions = SubmissionActions::new(list, selection, opened);
    provide_context(list);
    provide_context(opened);
    provide_context(selection);
    provide_context(actions);
    provide_context(SearchHighlight::new(list.filter));
    let triage = expect_context::<TriageState>();
    provide_context(RowMarks::new(triage));
    provide_context(TriageFocus::default());
    provide_context(NoteDrafts::default());
    let views = SavedViews::new(expect_context(), list.session);
    let search_box = NodeRef::<html::Input>::new();
    use_title(Signal::derive(move || opened.title()));
    follow_url((list, opened, triage), views);
    opened.open_pending_row();
    let search = SearchFocus { opened, input: search_box, is_pending: StoredValue::new(false) };
    restore_focus(list, opened, search);
    register_commands(search);
    prefetch_card(list);
    let (export, export_coming) = lazy_export_dialog();
    let known = Memo::new(move |_| list.source.with(Option::is_some));
    let page = move || {
        view! {
            <div class="split">
                <div class="split-list">
                    <ListPage views search_box export_coming />
                </div>
                {card.run()}
            </div>
            {move || export.get().map(|dialog| dialog.run())}
        }
    };
    move || {
        if known.get() {
            page().into_any()
        } else {
            view! {
                <div class="page">
                    <Empty
                        icon=Glyph::Search
                        title=i18n::list().page_not_found
                        text=i18n::list().no_form
                    />
                </div>
            }
            .into_any()
        }
    }
}

/// Heading, filter and list.
#[component]
fn ListPage(
    views: SavedViews,
    search_box: NodeRef<html::Input>,
    export_coming: RwSignal<bool>,
) -> impl IntoView {
    let list = expect_context::<ListState>();
    let opened = expect_context::<OpenSubmission>();
    let is_inbox = Memo::new(move |_| list.is_inbox());
    // Each form has a board of its own.
    let board_key = Memo::new(move |_| list.is_board().then(|| list.page_key()));
    let count = move || list.rows.total().get().map(i18n::common().submission_count);
    let clear = move |()| {
        opened.set_filter(Filter::default());
        if let Some(input) = search_box.get_untracked() {
            focus(&input);
        }
    };
    view! {
        <div class="page" data-fill="true">
            <header class="page-header">
                <Heading
                    text=Signal::derive(move || list.name())
                    page_key=Signal::derive(move || list.page_key())
                />
                <span class="page-count" role="status">
                    {count}
                </span>
                {move || {
                    if is_inbox.get() {
                        // If its code fails to load, the filter bar still has these filters.
                        view! {
                            <LazyOverlay
                                open=Signal::stored(true)
                                load=move || lazy::inbox_tabs(list)
                                on_missing=|_| {}
                            />
                        }
                        .into_any()
                    } else {
                        view! { <ListActions views export_coming /> }.into_any()
                    }
                }}
            </header>
            // Never opens: it is loaded after the first rows. If that fails, there is no banner.
            <LazyOverlay
                open=Signal::stored(false)
                load=move || lazy::webhook_notice(list)
                on_missing=|_| {}
            />
            // Also never opens: it loads and draws the marks of the rows.
            <Show when=move || list.session.capabilities().triage>
                <LazyOverlay
                    open=Signal::stored(false)
                    load=move || triage::lazy::row_marks(list)
                    on_missing=|_| {}
                />
            </Show>
            <FilterBar
                filter=list.filter
                problems=list.problems
                busy=list.rows.is_slow()
                on_change=move |filter: Filter| opened.set_filter(filter)
                search_box
                source=Signal::derive(move || {
                    let ListSource { environment, form, .. } = list.source.get()?;
                    Some(form.map_or(ValuesSource::Inbox(environment), ValuesSource::Form))
                })
                loaded_values=move |()| list.rows.utm_values()
                keys_apart_ms=Signal::derive(move || list.rows.keys_apart_ms())
                named=Signal::derive(move || {
                    list.query.with(|query| saved_views::matching_name(views, query))
                })
            />
            {move || {
                if board_key.with(Option::is_some) {
                    view! { <Lazy load=lazy::board fills="board" /> }.into_any()
                } else {
                    view! { <SubmissionTable on_clear=clear /> }.into_any()
                }
            }}
        </div>
    }
}

/// Loads the code of the export dialog when it first opens. Returns the dialog, and whether its
/// code is loading.
fn lazy_export_dialog() -> (RwSignal<Option<ViewFn>>, RwSignal<bool>) {
    let dialog = RwSignal::new(None::<ViewFn>);
    let is_loading = RwSignal::new(false);
    let toasts = expect_context::<Toasts>();
    let exports = expect_context::<Exports>();
    let open = exports.open();
    let at_list = exports.on_list_page();
    at_list.set(true);
    on_cleanup(move || {
        at_list.try_set(false);
        open.try_set(false);
    });
    run_effect(move || {
        if !open.get() || is_loading.get_untracked() || dialog.with_untracked(Option::is_some) {
            return;
        }
        is_loading.set(true);
        spawn_local(async move {
            match lazy::export().await {
                Ok(view) => {
                    dialog.try_set(Some(view));
                }
                Err(missing) => {
                    open.try_set(false);
                    toasts.show_error(missing.action_error_text());
                }
            }
            is_loading.try_set(false);
        });
    });
    (dialog, is_loading)
}

/// Loads the code of the card ahead, once rows are loaded, so that it does not delay them.
fn prefetch_card(list: ListState) {
    let settled = use_context::<FirstPaint>();
    let ready = Memo::new(move |_| list.rows.count().get() > 0);
    run_effect(move || {
        if ready.get() {
            let has_triage = untrack(|| list.session.capabilities().triage);
            let prefetch = move || {
                fetch_ahead(lazy::card());
                if has_triage {
                    fetch_ahead(triage::lazy::triage());
                }
            };
            set_timeout(prefetch, PREFETCH_DELAY);
            settled.inspect(|settled| settled.complete_soon());
        }
    });
}

/// Shows the list of the URL, whenever it changes.
fn follow_url((list, opened, triage): (ListState, OpenSubmission, TriageState), views: SavedViews) {
    run_effect(move || {
        if let Some(source) = list.source.get() {
            untrack(|| {
                let form = source.form.as_ref();
                if let Some(form) = form {
                    list.session.remember_form(source.environment, form);
                }
                list.view.load_form(form);
                triage.show_form(form);
                let is_history =
                    use_context::<ListCache>().is_some_and(|cache| cache.is_history_navigation());
                let is_opened = views.load_form(form) && form.is_some();
                if is_opened && views.is_on_server() {
                    fetch_views(list, opened, views, (source.clone(), is_history));
                } else if is_opened && !is_history && apply_default_view(list, opened, views) {
                    return;
                }
                list.rows.show_list(source);
            });
        }
    });
}

/// Loads the views of an opened form from the server. The list does not wait for them, so the
/// default view is applied later, unless the user has opened something else.
fn fetch_views(
    list: ListState,
    opened: OpenSubmission,
    views: SavedViews,
    (source, is_history): (ListSource, bool),
) {
    spawn_local(async move {
        views.fetch().await;
        let is_same = list.source.try_get_untracked().flatten() == Some(source);
        if is_same && !is_history {
            untrack(|| apply_default_view(list, opened, views));
        }
    });
}

/// Applies the default view of the form, if there is one and the URL names no filter, order,
/// submission or invalid filter. Returns whether it changed the list. Call it only when the form is
/// opened: a user who clears the filter, or goes back to the unfiltered list, sees that list.
fn apply_default_view(list: ListState, opened: OpenSubmission, views: SavedViews) -> bool {
    let Some(view) = saved_views::default_view(views) else { return false };
    let is_specific = list.query.with(|query| *query != ListQuery::default())
        || opened.id.get().is_some()
        || list.problems.with(|problems| !problems.is_empty());
    if is_specific {
        return false;
    }
    if !view.columns.is_empty() {
        list.view.set_columns(crate::domain::columns::parse_selection(&view.columns));
    }
    let query = saved_views::list_of(&view).filter(|query| *query != ListQuery::default());
    query.is_some_and(|query| {
        views.last_preset.set_preset(view.preset);
        opened.set_query(query);
        true
    })
}
