//! The layout of every signed-in page: top bar, side bar, content. It gets all data as props, and
//! neither sends requests nor builds URLs.

pub mod bars;
pub mod confirm;
pub mod connection;
pub mod frame;
mod lazy;
pub mod menus;
pub mod reauthentication;
pub mod shortcuts;
pub mod skeleton;
mod unread;

use leptos::prelude::*;

use crate::{
    api::ConnectionState,
    i18n,
    state::theme::Appearance,
    ui::{
        button::Reload,
        icon::{Glyph, Icon},
        keyboard::SkipLink,
    },
};
use bars::{SideBar, TopBar};

/// Link in the side bar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NavLink {
    /// Target URL.
    pub href: String,
    /// Visible text.
    pub label: String,
    /// Number of items as text; empty if unknown.
    pub count: String,
    /// Number of unread items as text; empty for 0.
    pub unread: String,
    /// Whether the link points to the current page.
    pub current: bool,
    /// Icon before the label; `None` for the default icon of its group.
    pub icon: Option<Glyph>,
}

/// The signed-in user and the sign-out action.
#[derive(Clone, Copy)]
pub struct Owner {
    /// Email address.
    pub email: Signal<String>,
    /// Called to sign out.
    pub on_sign_out: Callback<()>,
}

/// The layout. Its children are the page.
#[component]
pub fn Shell(
    /// Whether the page shows test data.
    #[prop(into)]
    test: Signal<bool>,
    /// URL of the switch to live data.
    #[prop(into)]
    live_href: Signal<String>,
    /// URL of the switch to test data.
    #[prop(into)]
    test_href: Signal<String>,
    /// URL of the brand link.
    #[prop(into)]
    home_href: Signal<String>,
    /// Link to the inbox; `None` on a server without an inbox.
    #[prop(into)]
    inbox: Signal<Option<NavLink>>,
    /// Links to the forms; `None` while they load.
    #[prop(into)]
    forms: Signal<Option<Vec<NavLink>>>,
    /// Links to the settings pages.
    #[prop(into)]
    settings: Signal<Vec<NavLink>>,
    /// Whether requests reach the gateway.
    #[prop(into)]
    connection: Signal<ConnectionState>,
    /// The signed-in user.
    owner: Owner,
    /// Theme and density.
    appearance: Appearance,
    /// Opens the command palette.
    #[prop(into)]
    on_palette: Callback<()>,
    /// Title of the page, announced by screen readers when it changes.
    #[prop(into)]
    announcement: Signal<String>,
    /// The page.
    children: Children,
) -> impl IntoView {
    let nav_open = RwSignal::new(false);
    let nav_button = NodeRef::new();
    view! {
        <div class="shell">
            <SkipLink target="content" text=i18n::shell().skip_to_content />
            <TopBar
                test
                live_href
                test_href
                home_href
                owner
                appearance
                on_palette
                nav_open
                nav_button
            />
            <Banners test connection />
            <SideBar inbox forms settings nav_open nav_button />
            <main class="main" id="content" tabindex="-1">
                {children()}
            </main>
            <p class="visually-hidden" role="status">
                {announcement}
            </p>
        </div>
    }
}

/// Banners above the page: the gateway is unreachable, or the data are test data.
#[component]
fn Banners(test: Signal<bool>, connection: Signal<ConnectionState>) -> impl IntoView {
    let problem = move || match connection.get() {
        ConnectionState::Online => None,
        ConnectionState::Offline => Some(i18n::failures().unreachable),
        ConnectionState::SessionEnded => Some(i18n::failures().session_ended),
    };
    let problem = move || {
        problem().map(|problem| {
            view! {
                <div class="band" data-tone="negative">
                    <Icon glyph=Glyph::Warning />
                    <span>{problem}</span>
                    <Reload />
                </div>
            }
        })
    };
    view! {
        <div class="bands">
            <div role="alert">{problem}</div>
            <Show when=move || test.get()>
                <aside class="band" aria-label=i18n::shell().test_environment>
                    <Icon glyph=Glyph::Flask />
                    <span class="band-word">{i18n::shell().test_band}</span>
                    <span>{i18n::shell().test_data}</span>
                </aside>
            </Show>
        </div>
    }
}
