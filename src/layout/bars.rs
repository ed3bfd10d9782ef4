//! The top bar and the side bar. They render their props and report clicks.

use leptos::wasm_bindgen::JsCast;
use leptos::{ev, html, prelude::*};
use web_sys::Node;

use super::{NavLink, Owner, lazy, menus::theme_icon};
use crate::{
    i18n,
    state::theme::Appearance,
    ui::{
        badge::unread_count,
        button::IconButton,
        focus,
        icon::{Glyph, Icon, Mark},
        lazy::LazyIdle,
        menu::Menu,
        skeleton::SkeletonLines,
    },
};

/// The top bar: brand, environment switch, command palette, appearance and account menu.
#[component]
pub fn TopBar(
    /// Whether the page shows test data.
    test: Signal<bool>,
    /// URL of the switch to live data.
    live_href: Signal<String>,
    /// URL of the switch to test data.
    test_href: Signal<String>,
    /// URL of the brand link.
    home_href: Signal<String>,
    /// The signed-in user.
    owner: Owner,
    /// Theme and density.
    appearance: Appearance,
    /// Opens the command palette.
    on_palette: Callback<()>,
    /// Whether the side bar is open as an overlay, on small screens.
    nav_open: RwSignal<bool>,
    /// The button that opens the side bar.
    nav_button: NodeRef<html::Button>,
) -> impl IntoView {
    let texts = i18n::shell();
    let account = Signal::derive(move || (texts.account)(&owner.email.get()));
    view! {
        <header class="top-bar">
            <div class="top-bar-menu">
                <button
                    class="button icon-button"
                    type="button"
                    data-variant="ghost"
                    data-size="medium"
                    node_ref=nav_button
                    aria-label=texts.navigation
                    aria-expanded=move || if nav_open.get() { "true" } else { "false" }
                    on:click=move |_| nav_open.update(|open| *open = !*open)
                >
                    <Icon glyph=Glyph::Menu />
                </button>
            </div>
            <a class="brand" href=home_href>
                <Mark />
                "Sheaf"
            </a>
            <EnvironmentSwitch test live_href test_href />
            <div class="top-bar-tools">
                <IconButton
                    icon=Glyph::Keyboard
                    label=texts.commands
                    on_click=move |_| on_palette.run(())
                />
                <AppearanceMenu appearance />
                <Menu label=account icon=Glyph::Account>
                    <LazyIdle load=move || lazy::account(owner) fills="form" />
                </Menu>
            </div>
        </header>
    }
}

/// Switch between live and test data.
#[component]
fn EnvironmentSwitch(
    test: Signal<bool>,
    live_href: Signal<String>,
    test_href: Signal<String>,
) -> impl IntoView {
    let texts = i18n::shell();
    let current = |on: bool| if on { "true" } else { "false" };
    view! {
        <nav class="switch" aria-label=texts.environment>
            <a class="switch-item" href=live_href aria-current=move || current(!test.get())>
                {texts.live}
            </a>
            <a
                class="switch-item"
                data-tone="mixed"
                href=test_href
                aria-current=move || current(test.get())
            >
                <Icon glyph=Glyph::Flask size=14 />
                {texts.test}
            </a>
        </nav>
    }
}

/// Menu for theme, density and language.
#[component]
fn AppearanceMenu(appearance: Appearance) -> impl IntoView {
    let icon = Signal::derive(move || theme_icon(appearance.theme().get()));
    view! {
        <Menu label=i18n::shell().appearance icon>
            <LazyIdle load=move || lazy::appearance(appearance) fills="form" />
        </Menu>
    }
}

/// The side bar with inbox, forms and settings. On small screens it is an overlay.
#[component]
pub fn SideBar(
    /// Link to the inbox; `None` on a server without an inbox.
    inbox: Signal<Option<NavLink>>,
    /// Links to the forms; `None` while they load.
    forms: Signal<Option<Vec<NavLink>>>,
    /// Links to the settings pages.
    settings: Signal<Vec<NavLink>>,
    /// Whether the side bar is open as an overlay, on small screens.
    nav_open: RwSignal<bool>,
    /// The button that opens the side bar.
    nav_button: NodeRef<html::Button>,
) -> impl IntoView {
    let texts = i18n::shell();
    let bar = NodeRef::<html::Nav>::new();
    let close = move || nav_open.set(false);
    let close_and_focus_button = move || {
        close();
        nav_button.with_untracked(|button| button.as_deref().map(|button| focus(button)));
    };
    close_on_escape(nav_open, close_and_focus_button);
    focus_on_open(bar, nav_open);
    let on_press = move |event: ev::MouseEvent| {
        // The backdrop is a pseudo-element: clicks on it have the bar as target. A link moves the
        // focus itself.
        if event.target().as_ref() == bar.get_untracked().as_deref().map(AsRef::as_ref) {
            close_and_focus_button();
        } else {
            close();
        }
    };
    let on_leave = move |event: ev::FocusEvent| {
        if focus_leaves(bar, &event) {
            close();
        }
    };
    let links = |links: Vec<NavLink>, icon: Glyph| {
        links.into_iter().map(|link| view! { <li><NavItem link icon /></li> }).collect_view()
    };
    let forms_view = move || match forms.get() {
        None => view! {
            <div class="side-bar-skeleton">
                <SkeletonLines lines=3 label=texts.loading_forms />
            </div>
        }
        .into_any(),
        Some(forms) if forms.is_empty() => {
            view! { <p class="side-bar-note">{texts.no_forms}</p> }.into_any()
        }
        Some(forms) => view! { <ul>{links(forms, Glyph::Form)}</ul> }.into_any(),
    };
    view! {
        <nav
            class="side-bar"
            aria-label=texts.main_navigation
            data-open=move || nav_open.get().then_some("true")
            node_ref=bar
            on:click=on_press
            on:focusout=on_leave
        >
            {move || {
                let link = inbox.get()?;
                Some(view! { <div><ul>{links(vec![link], Glyph::Inbox)}</ul></div> })
            }}
            <div>
                <h2 class="side-bar-heading">{texts.forms}</h2>
                {forms_view}
            </div>
            <div>
                <h2 class="side-bar-heading">{texts.settings}</h2>
                <ul>{move || links(settings.get(), Glyph::Key)}</ul>
            </div>
        </nav>
    }
}

/// Calls `close` when Esc is pressed while the bar is open.
fn close_on_escape(nav_open: RwSignal<bool>, close: impl Fn() + 'static) {
    let escape = window_event_listener(ev::keydown, move |event| {
        if event.key() == "Escape" && nav_open.get_untracked() {
            event.prevent_default();
            close();
        }
    });
    on_cleanup(move || escape.remove());
}

/// Moves the focus into the bar when it opens: to the link of the current page, or the first link.
fn focus_on_open(bar: NodeRef<html::Nav>, nav_open: RwSignal<bool>) {
    Effect::new(move |_| {
        if !nav_open.get() {
            return;
        }
        // The links are not focusable before the open bar is rendered.
        request_animation_frame(move || {
            let Some(bar) = bar.get_untracked() else { return };
            let at = |links: &str| bar.query_selector(links).ok().flatten();
            at("[aria-current]").or_else(|| at("a")).iter().for_each(focus);
        });
    });
}

/// Returns whether the focus moves from the bar to another element of the page.
fn focus_leaves(bar: NodeRef<html::Nav>, event: &ev::FocusEvent) -> bool {
    let to = event.related_target().and_then(|to| to.dyn_into::<Node>().ok());
    // The browser also reports the removal of a focused link, when the bar is gone.
    let bar = bar.try_get_untracked().flatten();
    to.is_some() && bar.is_some_and(|bar| !bar.contains(to.as_ref()))
}

#[component]
fn NavItem(link: NavLink, icon: Glyph) -> impl IntoView {
    let NavLink { href, label, count, unread, current, icon: own } = link;
    view! {
        <a class="nav-link" href=href aria-current=current.then_some("page")>
            <Icon glyph=own.unwrap_or(icon) />
            <span class="nav-label" title=label.clone()>{label.clone()}</span>
            {unread_count(unread)}
            <span class="nav-count">{count}</span>
        </a>
    }
}
