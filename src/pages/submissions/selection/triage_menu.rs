//! Menu of the selection bar that changes the triage: a list of actions, or the values of one.

use contract::triage::{TAG_CHARS_MAX, Tag, TriageChange};
use leptos::{ev, html, prelude::*, task::spawn_local};

use super::triage::TriageActions;
use crate::{
    components::filter_bar::panel::move_focus,
    i18n,
    state::triage::TriageState,
    ui::{
        button::{Button, ButtonSize, ButtonVariant, IconButton},
        field::{PickField, Suggestion, Suggestions, store_input},
        focus,
        icon::{Glyph, Icon},
        popover::{Popover, close_popover_around},
        run_effect,
    },
};

/// Action with a list of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Status,
    AddTag,
    RemoveTag,
    Assign,
}

impl Page {
    fn title(self) -> &'static str {
        let texts = i18n::triage_actions();
        match self {
            Self::Status => texts.status,
            Self::AddTag => texts.add_tag,
            Self::RemoveTag => texts.remove_tag,
            Self::Assign => texts.assign,
        }
    }

    /// Returns the value of `data-page`.
    fn key(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::AddTag => "add-tag",
            Self::RemoveTag => "remove-tag",
            Self::Assign => "assign",
        }
    }
}

/// State of the menu. Cheap to copy.
#[derive(Clone, Copy)]
struct MenuState {
    actions: TriageActions,
    triage: TriageState,
    /// The action with the visible values; `None` for the list of actions.
    page: RwSignal<Option<Page>>,
    root: NodeRef<html::Div>,
}

impl MenuState {
    /// Closes the menu and changes the selection.
    fn apply(self, change: TriageChange, description: &str) {
        if let Some(root) = self.root.get_untracked() {
            close_popover_around(&root);
        }
        self.actions.change_selection(change, description);
    }
}

/// The button with the menu.
#[component]
pub fn TriageMenu() -> impl IntoView {
    let page = RwSignal::new(None);
    view! {
        <Popover
            label=i18n::triage_actions().title
            icon=Glyph::Star
            on_close=move |()| page.set(None)
        >
            <MenuContent page />
        </Popover>
    }
}

#[component]
fn MenuContent(page: RwSignal<Option<Page>>) -> impl IntoView {
    let menu = MenuState {
        actions: TriageActions::from_context(),
        triage: expect_context(),
        page,
        root: NodeRef::new(),
    };
    if untrack(|| menu.triage.can_edit()) {
        // Requests them, so that they are there when a list of values opens.
        menu.triage.settings();
    }
    follow_page(menu);
    let content = move || match page.get() {
        Some(chosen) => view! { <ValuePage menu chosen /> }.into_any(),
        None => action_list(menu),
    };
    view! {
        <div class="filter-panel" node_ref=menu.root>
            {content}
        </div>
    }
}

/// Moves the focus with the content: into the values, and back to their action.
fn follow_page(menu: MenuState) {
    let previous = StoredValue::new(None::<Page>);
    run_effect(move || {
        let page = menu.page.get();
        let before = previous.try_update_value(|before| std::mem::replace(before, page)).flatten();
        let selector = match (page, before) {
            (Some(_), _) => "input, .filter-list .filter-item".to_owned(),
            (None, Some(before)) => format!("[data-page={}]", before.key()),
            // Also while the menu closes: hidden elements take no focus.
            (None, None) => return,
        };
        spawn_local(async move {
            leptos::task::tick().await;
            let root = menu.root.try_get_untracked().flatten();
            let found = root.and_then(|root| root.query_selector(&selector).ok().flatten());
            found.iter().for_each(focus);
        });
    });
}

/// The actions. Readers can only change what they themselves have read.
fn action_list(menu: MenuState) -> AnyView {
    let texts = i18n::triage_actions();
    let page_item = move |chosen: Page| {
        view! {
            <li>
                <button
                    class="filter-item"
                    type="button"
                    data-page=chosen.key()
                    on:click=move |_| menu.page.set(Some(chosen))
                >
                    <span class="filter-item-name">{chosen.title()}</span>
                    <Icon glyph=Glyph::ChevronRight />
                </button>
            </li>
        }
        .into_any()
    };
    let change_item = move |text: &'static str, change: TriageChange| {
        value_item(menu, text.to_owned(), text.to_owned(), change)
    };
    let star_item = move |starred: bool, text: &'static str| {
        change_item(text, TriageChange { starred: Some(starred), ..TriageChange::default() })
    };
    let read_item = move |read: bool, text: &'static str| {
        change_item(text, TriageChange { read: Some(read), ..TriageChange::default() })
    };
    let first_items = move || {
        view! {
            {page_item(Page::Status)}
            {star_item(true, texts.star)}
            {star_item(false, texts.unstar)}
        }
    };
    let shared_pages = move || {
        let pages = [Page::AddTag, Page::RemoveTag, Page::Assign];
        pages.into_iter().map(page_item).collect_view()
    };
    let can_edit = untrack(|| menu.triage.can_edit());
    let items = view! {
        {can_edit.then(first_items)}
        {read_item(true, i18n::triage().mark_read)}
        {read_item(false, i18n::triage().mark_unread)}
        {can_edit.then(shared_pages)}
    };
    item_list(texts.title, items.into_any())
}

/// Returns a button that makes a change.
fn value_item(menu: MenuState, name: String, description: String, change: TriageChange) -> AnyView {
    view! {
        <li>
            <button
                class="filter-item"
                type="button"
                on:click=move |_| menu.apply(change.clone(), &description)
            >
                <span class="filter-item-name" dir="auto">
                    {name}
                </span>
            </button>
        </li>
    }
    .into_any()
}

/// The values of an action, and a button back to the actions.
#[component]
fn ValuePage(menu: MenuState, chosen: Page) -> impl IntoView {
    let values = match chosen {
        Page::Status => item_list(chosen.title(), (move || status_items(menu)).into_any()),
        Page::Assign => item_list(chosen.title(), (move || assignee_items(menu)).into_any()),
        Page::AddTag | Page::RemoveTag => view! { <TagForm menu chosen /> }.into_any(),
    };
    view! {
        <div role="group" class="filter-picker" aria-label=chosen.title()>
            <header class="filter-head">
                <IconButton
                    icon=Glyph::ChevronLeft
                    label=i18n::triage_actions().back
                    size=ButtonSize::Small
                    on_click=move |_| menu.page.set(None)
                />
                <h2 class="filter-title">{chosen.title()}</h2>
            </header>
            {values}
        </div>
    }
}

fn item_list(label: &'static str, items: AnyView) -> AnyView {
    view! {
        <ul
            class="filter-list"
            tabindex="-1"
            aria-label=label
            on:keydown=|event| move_focus(&event, ".filter-item")
        >
            {items}
        </ul>
    }
    .into_any()
}

/// Returns a description of a change, such as `Status: Done`.
fn description(chosen: Page, value: &str) -> String {
    (i18n::selection().is_in)(chosen.title(), value)
}

fn status_items(menu: MenuState) -> Vec<AnyView> {
    let item = |status: contract::triage::Status| {
        let name = menu.triage.status_name(&status);
        let text = description(Page::Status, &name);
        let change = TriageChange { status: Some(status), ..TriageChange::default() };
        value_item(menu, name, text, change)
    };
    menu.triage.statuses().into_iter().map(item).collect()
}

fn assignee_items(menu: MenuState) -> Vec<AnyView> {
    let item = |name: String, person: Option<contract::PersonId>| {
        let text = description(Page::Assign, &name);
        let change = TriageChange { assignee: Some(person), ..TriageChange::default() };
        value_item(menu, name, text, change)
    };
    let mut items = vec![item(i18n::triage().nobody.to_owned(), None)];
    let members = menu.triage.members();
    items.extend(members.into_iter().map(|member| item(member.email, Some(member.id))));
    items
}

/// Field for the tag to add or remove. A suggestion is applied when it is selected, a typed tag
/// when the form is submitted.
#[component]
fn TagForm(menu: MenuState, chosen: Page) -> impl IntoView {
    let texts = i18n::triage_actions();
    let typed = RwSignal::new(String::new());
    let problem = RwSignal::new(None::<String>);
    let apply = move || {
        let text = typed.get_untracked().trim().to_owned();
        let Ok(tag) = Tag::try_from(text) else {
            problem.set(Some((texts.tag_invalid)(TAG_CHARS_MAX)));
            return;
        };
        let text = description(chosen, tag.as_str());
        let tags = vec![tag];
        let change = match chosen {
            Page::RemoveTag => TriageChange { remove_tags: tags, ..TriageChange::default() },
            _ => TriageChange { add_tags: tags, ..TriageChange::default() },
        };
        menu.apply(change, &text);
    };
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        apply();
    };
    let settings = menu.triage.settings();
    let suggestions = Signal::derive(move || {
        let pick = |tag: &contract::triage::TagSettings| Suggestion {
            value: tag.name.to_string(),
            note: String::new(),
        };
        let tags: Vec<Suggestion> =
            settings.with(|settings| settings.tags.iter().map(pick).collect());
        if tags.is_empty() { Suggestions::None } else { Suggestions::Loaded(tags, String::new()) }
    });
    view! {
        <form class="form" novalidate on:submit=submit>
            <PickField
                label=texts.tag
                placeholder=""
                value=typed
                on_input=store_input(typed, problem)
                on_choose=move |()| apply()
                length_max=u32::try_from(TAG_CHARS_MAX).unwrap_or(u32::MAX)
                picks=suggestions
                listing=RwSignal::new(String::new())
                on_retry=|()| ()
                starts_open=true
            />
            <p class="field-error" role="alert">
                {move || problem.get()}
            </p>
            <Button variant=ButtonVariant::Primary submit=true>
                {if chosen == Page::RemoveTag { texts.remove } else { texts.add }}
            </Button>
        </form>
    }
}
