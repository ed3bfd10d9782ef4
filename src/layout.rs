//! The frame around every signed-in page: top bar, side bar, content. It is told everything,
//! fetches nothing and makes no URL.

pub mod bars;
pub mod confirm;
pub mod connection;
pub mod frame;
mod lazy;
pub mod menus;
pub mod proof;
pub mod shortcuts;
pub mod skeleton;

use leptos::prelude::*;

use crate::{
    api::Reach,
    i18n,
    state::theme::Appearance,
    ui::{
        button::Reload,
        icon::{Glyph, Icon},
        visually_hidden::SkipLink,
    },
};
use bars::{SideBar, TopBar};

/// A link of the side bar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NavLink {
    /// Where it leads.
    pub href: String,
    /// What is there.
    pub label: String,
    /// How much is there, as text; empty where not known.
    pub count: String,
    /// Whether it is where the viewer is.
    pub current: bool,
    /// What is drawn before it; `None` is what its list has.
    pub icon: Option<Glyph>,
}

/// Who is signed in, and what they can do about that.
#[derive(Clone, Copy)]
pub struct Owner {
    /// The mail address.
    pub email: Signal<String>,
    /// Runs when they sign out.
    pub on_sign_out: Callback<()>,
}

/// The frame. Its children are the page.
#[component]
pub fn Shell(
    /// Whether test data is on view.
    #[prop(into)]
    test: Signal<bool>,
    /// Where the switch to live data leads.
    #[prop(into)]
    live_href: Signal<String>,
    /// Where the switch to test data leads.
    #[prop(into)]
    test_href: Signal<String>,
    /// Where the brand leads.
    #[prop(into)]
    home_href: Signal<String>,
    /// The forms, in order; `None` while they load.
    #[prop(into)]
    forms: Signal<Option<Vec<NavLink>>>,
    /// The pages of settings.
    #[prop(into)]
    settings: Signal<Vec<NavLink>>,
    /// Whether requests reach the gateway.
    #[prop(into)]
    reach: Signal<Reach>,
    /// Who is signed in.
    owner: Owner,
    /// Theme and density.
    appearance: Appearance,
    /// Opens what can be done from here.
    #[prop(into)]
    on_palette: Callback<()>,
    /// The title of the page, told to screen readers whenever it changes.
    #[prop(into)]
    announcement: Signal<String>,
    /// The page.
    children: Children,
) -> impl IntoView {
    let (nav_open, nav_button) = (RwSignal::new(false), NodeRef::new());
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
            <Bands test reach />
            <SideBar forms settings nav_open nav_button />
            <main class="main" id="content" tabindex="-1">
                {children()}
            </main>
            <p class="visually-hidden" role="status">
                {announcement}
            </p>
        </div>
    }
}

/// The bands above a page: that requests do not reach the gateway, and that its data are test data.
#[component]
fn Bands(test: Signal<bool>, reach: Signal<Reach>) -> impl IntoView {
    let problem = move || match reach.get() {
        Reach::Fine => None,
        Reach::Lost => Some(i18n::failures().unreachable),
        Reach::SessionEnded => Some(i18n::failures().session_ended),
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
