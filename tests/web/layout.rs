//! Page layout and sign-in card.

use dashboard::{
    api::ConnectionState,
    i18n::{LANGUAGE_KEY, Language},
    layout::{NavLink, Owner, Shell},
    pages::{not_found::NotFound, sign_in::SignInCard},
    state::theme::{Appearance, DENSITY_KEY, THEME_KEY},
};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use crate::stage::{
    Stage, attr, click, dispatch_event, is_focused, owner, settle, type_into, type_key,
};

fn nav_link(label: &str, current: bool) -> NavLink {
    let href = format!("#{label}");
    let label = label.to_owned();
    NavLink { href, label, count: "7".to_owned(), current, ..NavLink::default() }
}

struct MountedShell {
    test: RwSignal<bool>,
    forms: RwSignal<Option<Vec<NavLink>>>,
    announcement: RwSignal<String>,
    signed_out: RwSignal<bool>,
}

fn mount_shell() -> (Stage, MountedShell) {
    let test = RwSignal::new(false);
    let forms = RwSignal::new(None);
    let announcement = RwSignal::new(String::new());
    let signed_out = RwSignal::new(false);
    let owner = Owner {
        email: Signal::stored("maria@example.org".to_owned()),
        on_sign_out: Callback::new(move |()| signed_out.set(true)),
    };
    let stage = Stage::styled((1000, 600), move || {
        view! {
            <Shell
                test
                live_href="#live"
                test_href="#test"
                home_href="#home"
                inbox=None
                forms
                settings=vec![nav_link("API keys", false)]
                connection=Signal::stored(ConnectionState::Online)
                owner
                appearance=Appearance::load()
                on_palette=|()| ()
                announcement
            >
                <h1>"Page"</h1>
            </Shell>
        }
    });
    (stage, MountedShell { test, forms, announcement, signed_out })
}

#[wasm_bindgen_test]
async fn test_mode_shows_band() {
    let _owner = owner();
    let (stage, frame) = mount_shell();
    assert!(stage.all(".band").is_empty());
    let current = || attr(&stage.all(".switch-item")[1], "aria-current");
    assert_eq!(current().as_deref(), Some("false"));
    frame.test.set(true);
    settle().await;
    assert_eq!(stage.text(".band-word"), "TEST");
    assert_eq!(current().as_deref(), Some("true"));
    assert_eq!(attr(&stage.all(".switch-item")[0], "href").as_deref(), Some("#live"));
}

#[wasm_bindgen_test]
async fn side_bar_lists_forms() {
    let _owner = owner();
    let (stage, frame) = mount_shell();
    assert_eq!(stage.all(".side-bar .skeleton").len(), 1);
    frame.forms.set(Some(Vec::new()));
    settle().await;
    assert_eq!(stage.text(".side-bar-note"), "No forms yet");
    frame.forms.set(Some(vec![nav_link("Contact", true), nav_link("Jobs", false)]));
    settle().await;
    assert_eq!(stage.text("[aria-current=page] .nav-label"), "Contact");
    assert_eq!(stage.all(".nav-link").len(), 3);
}

#[wasm_bindgen_test]
async fn side_bar_counts_unread_submissions() {
    let _owner = owner();
    let (stage, frame) = mount_shell();
    let unread = NavLink { unread: "999+".to_owned(), ..nav_link("Contact", true) };
    frame.forms.set(Some(vec![unread, nav_link("Jobs", false)]));
    settle().await;
    assert_eq!(stage.text(".unread-count"), "999+ unread");
    let count = stage.one(".unread-count").get_bounding_client_rect();
    let link = stage.all(".nav-link")[0].get_bounding_client_rect();
    assert!(count.height() <= link.height() && count.right() < link.right());
    frame.forms.set(Some(vec![nav_link("Contact", true), nav_link("Jobs", false)]));
    settle().await;
    assert!(stage.all(".unread-count").is_empty(), "nothing is shown without unread ones");
}

#[wasm_bindgen_test]
async fn page_change_is_announced_and_content_focusable() {
    let _owner = owner();
    let (stage, frame) = mount_shell();
    frame.announcement.set("API keys".to_owned());
    settle().await;
    assert_eq!(stage.text(".shell > [role=status]"), "API keys");
    assert_eq!(attr(&stage.one("main#content"), "tabindex").as_deref(), Some("-1"));
    assert_eq!(attr(&stage.all("a")[0], "href").as_deref(), Some("#content"));
}

#[wasm_bindgen_test]
async fn navigation_opens_and_closes_on_phone() {
    let _owner = owner();
    let (stage, frame) = mount_shell();
    frame.forms.set(Some(vec![nav_link("Contact", true)]));
    settle().await;
    let open = || stage.one(".side-bar").has_attribute("data-open");
    let button = stage.one("[aria-label=Navigation]");
    // CSS shows the button only on phones; the test window is wider.
    HtmlElement::style(&stage.one(".top-bar-menu")).set_property("display", "block").unwrap();
    click(&button).await;
    assert!(open());
    assert_eq!(attr(&button, "aria-expanded").as_deref(), Some("true"));
    assert!(is_focused(&stage.all(".nav-link")[0]), "opening moves the focus into the navigation");
    type_key(&stage.all(".nav-link")[0], "Escape").await;
    assert!(!open());
    assert!(is_focused(&button), "closing returns the focus");
    click(&button).await;
    stage.one(".brand").focus().unwrap();
    settle().await;
    assert!(!open(), "closes when the focus leaves");
    click(&button).await;
    click(&stage.one(".side-bar")).await;
    assert!(!open() && is_focused(&button), "closes on a click outside");
    button.click();
    click(&stage.all(".nav-link")[0]).await;
    assert!(!open());
}

#[wasm_bindgen_test]
async fn theme_and_density_persist_after_choice() {
    let _owner = owner();
    let (stage, frame) = mount_shell();
    let root = document().document_element().unwrap();
    let storage = window().local_storage().unwrap().unwrap();
    // The menu items are loaded lazily.
    settle().await;
    let items = stage.all("[role=menuitemradio]");
    let choose = |text: &str| {
        let item = items.iter().find(|item| item.text_content().as_deref() == Some(text));
        item.unwrap().click();
    };
    choose("Dark");
    choose("Compact");
    assert_eq!(root.get_attribute("data-theme").as_deref(), Some("dark"));
    assert_eq!(storage.get_item(THEME_KEY).unwrap().as_deref(), Some("dark"));
    assert_eq!(storage.get_item(DENSITY_KEY).unwrap().as_deref(), Some("compact"));
    let again = Appearance::load();
    assert_eq!(again.theme().get_untracked().name(), "dark");
    assert_eq!(again.density().get_untracked().name(), "compact");
    for name in ["data-theme", "data-density"] {
        root.remove_attribute(name).unwrap();
    }
    storage.clear().unwrap();

    stage.one("[role=menuitem]").click();
    assert!(frame.signed_out.get_untracked());
}

#[wasm_bindgen_test]
async fn chosen_language_persists() {
    let _owner = owner();
    let storage = window().local_storage().unwrap().unwrap();
    let checked = |stage: &Stage| {
        let languages = stage.all("[role=menuitemradio]").split_off(5);
        let text = |item: &HtmlElement| item.text_content().unwrap();
        assert_eq!(
            languages.iter().map(text).collect::<Vec<_>>(),
            ["Browser default", "English", "Deutsch"]
        );
        let on = |item: &HtmlElement| attr(item, "aria-checked").as_deref() == Some("true");
        languages.iter().map(on).collect::<Vec<_>>()
    };
    let (stage, _frame) = mount_shell();
    // The menu items are loaded lazily.
    settle().await;
    assert_eq!(checked(&stage), [true, false, false]);
    storage.set_item(LANGUAGE_KEY, "de").unwrap();
    assert_eq!(Language::from_viewer(), Language::German);
    drop(stage);
    let (stage, _frame) = mount_shell();
    settle().await;
    assert_eq!(checked(&stage), [false, false, true]);
    storage.set_item(LANGUAGE_KEY, "tlh").unwrap();
    assert_eq!(Language::from_viewer(), Language::English, "unknown code: the browser's language");
    storage.clear().unwrap();
}

#[wasm_bindgen_test]
fn lang_attribute_is_set_before_wasm_loads() {
    let script = include_str!("../../public/first.js");
    let (script, _) = script.split_once("// Which shapes").unwrap();
    let storage = window().local_storage().unwrap().unwrap();
    let root = document().document_element().unwrap();
    for (chosen, liked, spoken) in [
        (None, "'en-US'", "en"),
        (None, "'fr-FR', 'de-AT', 'en'", "de"),
        (None, "'fr-FR'", "en"),
        (Some("de"), "'en-US'", "de"),
        (Some("en"), "'de'", "en"),
        (Some("tlh"), "'de'", "de"),
    ] {
        storage.clear().unwrap();
        if let Some(code) = chosen {
            storage.set_item(LANGUAGE_KEY, code).unwrap();
        }
        let like = format!("{{ value: [{liked}], configurable: true }}");
        let like = format!("Object.defineProperty(navigator, 'languages', {like})");
        js_sys::eval(&like).unwrap();
        js_sys::eval(&format!("{{{script}}}")).unwrap();
        assert_eq!(root.get_attribute("lang").as_deref(), Some(spoken), "{chosen:?} {liked}");
        assert_eq!(Language::from_viewer().code(), spoken, "{chosen:?} {liked}");
    }
    js_sys::eval("delete navigator.languages").unwrap();
    storage.clear().unwrap();
    root.set_attribute("lang", "en").unwrap();
}

#[wasm_bindgen_test]
async fn sign_in_submits_once_and_shows_error() {
    let _owner = owner();
    let email = RwSignal::new(String::new());
    let password = RwSignal::new(String::new());
    let error = RwSignal::new(None::<String>);
    let busy = RwSignal::new(false);
    let email_links = RwSignal::new(false);
    let sent = RwSignal::new(0);
    let stage = Stage::new(move || {
        let on_submit = move |()| sent.update(|n| *n += 1);
        let on_email_link = |()| ();
        view! {
            <SignInCard email password error busy email_links on_submit on_email_link />
        }
    });
    assert!(stage.text(".gate-note").contains("sheaf account sign-in-link"));
    email_links.set(true);
    settle().await;
    assert!(stage.all(".gate-note").is_empty());
    assert_eq!(stage.text("button[type=button]"), "Email me a sign-in link");
    type_into(&stage.one("input[type=email]"), "maria@example.org");
    type_into(&stage.one("input[type=password]"), "a b c");
    assert_eq!(email.get_untracked(), "maria@example.org");
    assert_eq!(password.get_untracked(), "a b c");
    let remembered = attr(&stage.one("input[type=password]"), "autocomplete");
    assert_eq!(remembered.as_deref(), Some("current-password"));

    dispatch_event(&stage.one("form"), "submit");
    busy.set(true);
    dispatch_event(&stage.one("form"), "submit");
    assert_eq!(sent.get_untracked(), 1);
    error.set(Some("The password is wrong".to_owned()));
    settle().await;
    assert_eq!(stage.text(".notice[role=alert]"), "The password is wrong");
}

#[wasm_bindgen_test]
fn not_found_page_links_home() {
    let stage = Stage::new(|| view! { <NotFound home_href="/home" /> });
    assert_eq!(attr(&stage.one("a"), "href").as_deref(), Some("/home"));
    assert_eq!(stage.text("h1"), "Page not found");
}
