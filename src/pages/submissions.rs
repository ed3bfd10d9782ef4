//! The submissions of a form: the list under its filter, and over it, at their own URLs, the cards.
//!
//! The URL says which form, which filter and which card; this page follows it and writes it.
#![expect(
    clippy::large_types_passed_by_value,
    reason = "a desk is a handful of handles, which debug builds make large"
)]

pub mod card;
pub mod columns;
pub mod deletion;
pub mod desk;
pub mod export;
pub mod facts;
pub mod lazy;
pub mod list;
pub mod rail;
pub mod select;
pub mod shelf;
pub mod table;

use std::time::Duration;

// Siblings name these as if they stood here.
pub use crate::components::{calendar, names, sentiment};

use contract::SubmissionId;
use leptos::{html, prelude::*, task::spawn_local};

use crate::{
    api::Target,
    components::{
        filter_bar::{FilterBar, lazy as filter_parts},
        marks::Marks,
        page::{Heading, focus_heading, use_title},
        saved::{self, panel::Scene},
    },
    domain::keys::Act,
    i18n, routes,
    state::{acts::Acts, exports::Exports, saved::SavedViews, toasts::Toasts},
    ui::{
        button::Button,
        empty::Empty,
        focus,
        icon::{Glyph, Icon},
        later::{Later, Settled, fetch_ahead},
        popover::Popover,
        react,
        table::Pick,
    },
};
use columns::ColumnsMenu;
use desk::Desk;
use select::Selected;
use table::SubmissionTable;

/// How long the list is left alone before parts that are likely to be wanted are fetched.
const QUIET: Duration = Duration::from_secs(1);

/// The page.
#[component]
pub fn Submissions(
    /// The card, where one is open.
    #[prop(into)]
    card: ViewFn,
) -> impl IntoView {
    let desk = Desk::of_page();
    provide_context(desk);
    provide_context(Marks::new(desk.filter));
    let views = SavedViews::new(expect_context());
    let (search_box, exporting) = (NodeRef::<html::Input>::new(), desk.exporting);
    use_title(Signal::derive(move || desk.title()));
    follow_url(desk, views);
    desk.await_row();
    let search = Search { desk, input: search_box, is_sought: StoredValue::new(false) };
    give_focus_back(desk, search);
    offer(desk, search, exporting);
    fetch_card_ahead(desk);
    let (export, export_coming) = export(desk, exporting);
    let known = Memo::new(move |_| desk.source.with(Option::is_some));
    let page = move || {
        view! {
            <div class="split">
                <div class="split-list">
                    <ListPage desk views search_box exporting export_coming />
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
    desk: Desk,
    views: SavedViews,
    search_box: NodeRef<html::Input>,
    exporting: RwSignal<bool>,
    export_coming: RwSignal<bool>,
) -> impl IntoView {
    let count = move || desk.list.total().get().map(i18n::common().submission_count);
    let clear = move |()| {
        desk.filter_by(&contract::Filter::default());
        if let Some(input) = search_box.get_untracked() {
            focus(&input);
        }
    };
    view! {
        <div class="page" data-fill="true">
            <header class="page-header">
                <Heading
                    text=Signal::derive(move || desk.form_name())
                    place=Signal::derive(move || desk.form_place())
                />
                <span class="page-count" role="status">
                    {count}
                </span>
                <Actions desk views exporting export_coming />
            </header>
            <FilterBar
                filter=desk.filter
                problems=desk.problems
                busy=desk.list.is_slow()
                on_change=move |filter: contract::Filter| desk.filter_by(&filter)
                search_box
                form=Signal::derive(move || {
                    desk.source.with(|one| one.as_ref().map(|one| one.form.clone()))
                })
                held=move |()| desk.list.utm_values()
                keys_apart_ms=Signal::derive(move || desk.list.keys_apart_ms())
                named=Signal::derive(move || desk.filter.with(|filter| saved::name(views, filter)))
            />
            <SubmissionTable
                list=desk.list
                form=desk.form
                offers=desk.offers
                view=desk.view
                filtered=Signal::derive(move || desk.filter.with(|one| !one.is_empty()))
                current=desk.selected
                checks=desk.picks.checks()
                on_open=move |index| desk.open(index)
                on_clear=clear
                bar=move || view! { <Selected desk /> }
            />
        </div>
    }
}

/// What can be done with the list as a whole.
#[component]
fn Actions(
    desk: Desk,
    views: SavedViews,
    exporting: RwSignal<bool>,
    export_coming: RwSignal<bool>,
) -> impl IntoView {
    let form = Signal::derive(move || {
        desk.source.with(|one| one.as_ref().map(|one| (one.environment, one.form.clone())))
    });
    let scene = Scene { views, form, filter: desk.filter, columns: desk.view };
    let near_export = move || fetch_ahead(lazy::export(desk, exporting));
    let insights = move || {
        desk.source.with(|one| {
            one.as_ref().map(|one| routes::insights(one.environment, &one.form, &one.filter))
        })
    };
    let tab = move |tab: routes::Tab| {
        desk.source
            .with(|one| one.as_ref().map(|one| routes::settings(one.environment, &one.form, tab)))
    };
    let (settings, trash) = (move || tab(routes::Tab::Share), move || tab(routes::Tab::Trash));
    view! {
        <div
            class="page-actions"
            on:pointerenter=move |_| near_export()
            on:focusin=move |_| near_export()
        >
            <Popover label=i18n::list().views icon=Glyph::Bookmark>
                <Later load=move || filter_parts::views(scene) fills="form" />
            </Popover>
            <a class="button" data-variant="plain" data-size="medium" href=insights>
                <Icon glyph=Glyph::Chart />
                {i18n::common().insights}
            </a>
            <Show when=move || desk.session.capabilities().trash>
                <a class="button" data-variant="plain" data-size="medium" href=trash>
                    <Icon glyph=Glyph::Trash />
                    {i18n::form_trash().title}
                </a>
            </Show>
            <Show when=move || desk.session.may_change()>
                <a class="button" data-variant="plain" data-size="medium" href=settings>
                    <Icon glyph=Glyph::Settings />
                    {i18n::common().settings}
                </a>
            </Show>
            <ColumnsMenu desk />
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

/// Fetches the export when it is first opened; returns its dialog, and whether it is on its way.
fn export(desk: Desk, open: RwSignal<bool>) -> (RwSignal<Option<ViewFn>>, RwSignal<bool>) {
    let (dialog, coming) = (RwSignal::new(None::<ViewFn>), RwSignal::new(false));
    let toasts = expect_context::<Toasts>();
    let at_list = expect_context::<Exports>().at_list();
    at_list.set(true);
    on_cleanup(move || {
        at_list.try_set(false);
        open.try_set(false);
    });
    react(move || {
        if !open.get() || coming.get_untracked() || dialog.with_untracked(Option::is_some) {
            return;
        }
        coming.set(true);
        spawn_local(async move {
            match lazy::export(desk, open).await {
                Ok(view) => {
                    dialog.try_set(Some(view));
                }
                Err(missing) => {
                    open.try_set(false);
                    toasts.failed(missing.told());
                }
            }
            coming.try_set(false);
        });
    });
    (dialog, coming)
}

/// Fetches what is likely to be wanted next, once there are rows: it never competes with them.
fn fetch_card_ahead(desk: Desk) {
    let settled = use_context::<Settled>();
    let ready = Memo::new(move |_| desk.list.count().get() > 0);
    react(move || {
        if ready.get() {
            set_timeout(|| fetch_ahead(lazy::card()), QUIET);
            settled.inspect(|settled| settled.soon());
        }
    });
}

/// Shows the list that the URL names.
fn follow_url(desk: Desk, views: SavedViews) {
    react(move || {
        if let Some(source) = desk.source.get() {
            untrack(|| {
                desk.session.remember(source.environment, &source.form);
                desk.view.show(&source.form);
                if !leads_on(desk, views, &source) {
                    desk.list.show(source);
                }
            });
        }
    });
}

/// Leads on to the view that the form opens with, if there is one and the URL asks for nothing
/// else. Only as the form is opened: who takes the filter off afterwards, or comes back to where
/// it was off, is left there.
fn leads_on(desk: Desk, views: SavedViews, source: &list::Source) -> bool {
    let Some(view) = saved::opens_with(views, &source.form) else { return false };
    let asks = !source.filter.is_empty()
        || desk.opened.get().is_some()
        || desk.problems.with(|problems| !problems.is_empty());
    let back = use_context::<shelf::Shelf>().is_some_and(|shelf| shelf.is_coming_back());
    let filter = saved::filter_of(&view).filter(|filter| !filter.is_empty() && !asks && !back);
    if !view.columns.is_empty() && !asks && !back {
        desk.view.choose(crate::domain::columns::parse(&view.columns));
    }
    filter.is_some_and(|filter| {
        views.pressed.press(view.preset);
        desk.filter_by(&filter);
        true
    })
}

/// When a card is closed, the focus goes back to its row; where that is gone, to its neighbour;
/// where the list never held it, to the heading. Who sought the search is led there.
fn give_focus_back(desk: Desk, search: Search) {
    Effect::new(move |before: Option<Option<(SubmissionId, u32, Option<usize>)>>| {
        let (before, begun) = (before.flatten(), desk.list.begun());
        let Some(id) = desk.opened.get() else {
            let sought = search.is_sought.try_update_value(std::mem::take) == Some(true);
            if let (Some(_), true) = (&before, sought) {
                // The list is there with the next frame.
                request_animation_frame(move || {
                    search.lead();
                });
            } else if let Some((_, _, index)) = before {
                let last = desk.list.count().get_untracked().checked_sub(1);
                match (index, last) {
                    (Some(index), Some(last)) => desk.list.table.focus(index.min(last)),
                    _ => focus_heading(),
                }
            }
            return None;
        };
        // A row that was just deleted has no index any more: its last one counts.
        let last = before.filter(|(_, then, _)| *then == begun).and_then(|(_, _, index)| index);
        Some((id, begun, desk.selected.get().or(last)))
    });
}

/// What keys and palette can do here. The keys of the table act where a row has the focus.
fn offer(desk: Desk, search: Search, exporting: RwSignal<bool>) {
    const ACTS: &[Act] =
        &[Act::Search, Act::Find, Act::Export, Act::PickAll, Act::Next, Act::Previous, Act::Print];
    let acts = expect_context::<Acts>();
    if untrack(|| desk.session.may_change()) {
        acts.offer(&[Act::Delete], move |_| desk.wishes_to_move(Target::Trash));
    }
    if untrack(|| desk.marks_spam()) {
        acts.offer(&[Act::MarkSpam], move |_| desk.wishes_to_move(Target::Spam));
    }
    acts.offer(ACTS, move |act| match act {
        Act::Search => search.lead(),
        Act::Find => search.find(),
        Act::Export => exporting.try_set(true).is_none(),
        Act::PickAll => {
            desk.picks.wish(Pick::All);
            true
        }
        Act::Next => desk.step(true),
        Act::Previous => desk.step(false),
        // The style for paper shows the card where one is open, else the rows.
        Act::Print => window().print().is_ok(),
        _ => false,
    });
}

/// The way to the search.
#[derive(Clone, Copy)]
struct Search {
    desk: Desk,
    input: NodeRef<html::Input>,
    /// Whether a card is being closed that stood in the way.
    is_sought: StoredValue<bool>,
}

impl Search {
    fn has_focus(self) -> bool {
        let Some(input) = self.input.get_untracked() else { return false };
        document().active_element().as_ref() == Some(&input)
    }

    /// Leads there. On a phone a card is the page, and its list takes no focus: it is closed first.
    fn lead(self) -> bool {
        let Some(input) = self.input.get_untracked() else { return false };
        focus(&input);
        if !self.has_focus() && self.desk.opened.with_untracked(Option::is_some) {
            self.is_sought.set_value(true);
            self.desk.close();
        }
        true
    }

    /// Leads there, since it looks through more than what stands on the page. Whoever is there
    /// already wants the browser's own.
    fn find(self) -> bool {
        if self.has_focus() {
            return false;
        }
        let leads = self.lead();
        if let Some(input) = self.input.get_untracked() {
            input.select();
        }
        leads
    }
}
