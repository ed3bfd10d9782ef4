//! What every page has: a title, a heading that takes the focus, and a way to say that something
//! failed. It knows no page and fetches nothing.

use export_worker::plan::refused_wait_s;
use leptos::{html, prelude::*};

use crate::{
    api::ApiError,
    i18n,
    state::session::SessionStore,
    ui::{
        button::{Button, ButtonVariant, Reload},
        empty::Empty,
        focus,
        icon::Glyph,
        react,
        time::Countdown,
    },
};

/// What the window is called.
const PRODUCT: &str = "Sheaf";

/// The title of the page on view, to be provided as context by the app.
#[derive(Debug, Clone, Copy)]
pub struct Title {
    text: RwSignal<String>,
    /// Whether a page was on view before this one: the first leaves the focus where the browser
    /// puts it.
    moved: StoredValue<bool>,
}

impl Default for Title {
    fn default() -> Self {
        Self::new()
    }
}

impl Title {
    /// Returns the title of no page yet, and keeps the window's name after it.
    pub fn new() -> Self {
        let text = RwSignal::new(String::new());
        react(move || {
            let text = text.get();
            let name =
                if text.is_empty() { PRODUCT.to_owned() } else { format!("{text} · {PRODUCT}") };
            document().set_title(&name);
        });
        Self { text, moved: StoredValue::new(false) }
    }

    /// Returns the title, for announcing.
    pub fn text(&self) -> Signal<String> {
        self.text.into()
    }
}

/// Gives the page its title for as long as the present owner lives.
pub fn use_title(title: impl Into<Signal<String>>) {
    let (title, shown) = (title.into(), expect_context::<Title>());
    react(move || shown.text.set(title.get()));
}

/// The heading of a page. It takes the focus when one comes from another page.
#[component]
pub fn Heading(
    /// What it says.
    #[prop(into)]
    text: Signal<String>,
    /// What tells this page from the one before: the focus moves whenever it changes.
    #[prop(into, optional)]
    place: Signal<String>,
) -> impl IntoView {
    let element = NodeRef::<html::H1>::new();
    let title = expect_context::<Title>();
    // A filter changes the URL, but not the page: only a place of another name counts.
    let place = Memo::new(move |_| place.get());
    react(move || {
        // Read, not only tracked: a memo that nobody reads never finds out that it has changed.
        place.with(|_| ());
        let Some(heading) = element.get() else { return };
        if title.moved.try_get_value() == Some(true) {
            focus(&heading);
        }
        title.moved.try_set_value(true);
    });
    view! {
        <h1 class="page-title" tabindex="-1" node_ref=element>
            {text}
        </h1>
    }
}

/// A page of a heading and one thing below it.
pub fn plain_page(title: &'static str, body: AnyView) -> AnyView {
    view! {
        <div class="page">
            <header class="page-header">
                <Heading text=title />
            </header>
            {body}
        </div>
    }
    .into_any()
}

/// Moves the focus to the heading: to there where what had it is gone.
pub fn focus_heading() {
    if let Ok(Some(heading)) = document().query_selector(".page-title") {
        focus(&heading);
    }
}

/// Moves the focus to the heading, if what had it is gone once the page has been drawn anew.
pub async fn rescue_focus() {
    leptos::task::tick().await;
    let active = document().active_element();
    if active.is_none_or(|active| active.tag_name() == "BODY") {
        focus_heading();
    }
}

/// What stands in place of content that could not be had: what, why, and the one act that helps.
#[expect(clippy::needless_pass_by_value, reason = "a view outlives what it was told")]
#[component]
pub fn Failure(
    /// Why.
    error: ApiError,
    /// What was asked for, as the subject of a sentence: "The list".
    #[prop(into)]
    what: String,
    /// Asks again.
    #[prop(into)]
    on_retry: Callback<()>,
) -> impl IntoView {
    if let Some(session) = use_context::<SessionStore>() {
        session.notice(&error);
    }
    let texts = i18n::failures();
    let (glyph, title) = match error.status() {
        _ if error == ApiError::SessionEnded => {
            (Glyph::Clock, texts.session_ended_title.to_owned())
        }
        Some(401) => (Glyph::Clock, texts.signed_out.to_owned()),
        Some(403) => (Glyph::Key, texts.key_refused.to_owned()),
        Some(404) => (Glyph::Search, (texts.missing)(&what)),
        Some(429) => (Glyph::Clock, texts.too_many.to_owned()),
        _ => (Glyph::Warning, (texts.not_loaded)(&what)),
    };
    let text = explain(&error);
    let act = match error {
        ApiError::Status { status: 429, retry_after_s, .. } => {
            view! { <Wait retry_after_s on_end=on_retry /> }.into_any()
        }
        ApiError::Status { status: 401 | 404, .. } => ().into_any(),
        ApiError::SessionEnded => view! { <Reload /> }.into_any(),
        _ => {
            let press = move |_| on_retry.run(());
            view! {
                <Button icon=Glyph::Refresh variant=ButtonVariant::Primary on_click=press>
                    {i18n::common().retry}
                </Button>
            }
            .into_any()
        }
    };
    view! {
        <Empty icon=glyph title text>
            {act}
        </Empty>
    }
}

/// Returns what an error means to a person, with its code where that helps to report it.
pub fn explain(error: &ApiError) -> String {
    match error {
        ApiError::Status { status: 403, message, .. } => (i18n::failures().key_revoked)(message),
        ApiError::Status { status: 500.., code, message, .. } if !code.is_empty() => {
            format!("{message} ({code})")
        }
        other => other.message(),
    }
}

/// Returns a message as a sentence begins: with a capital letter.
pub fn sentence(message: &str) -> String {
    let rest = message.chars().next().map_or(0, char::len_utf8);
    crate::components::sentiment::capital(&message[..rest]) + &message[rest..]
}

/// Counts a refusal down, and goes on by itself.
#[component]
pub fn Wait(
    /// How long the server wants us to wait.
    retry_after_s: Option<u64>,
    /// Goes on.
    #[prop(into)]
    on_end: Callback<()>,
) -> impl IntoView {
    let seconds = u32::try_from(refused_wait_s(retry_after_s)).unwrap_or(u32::MAX);
    let (before, behind) = i18n::around(i18n::failures().goes_on_in);
    view! { <p>{before} <Countdown seconds on_end /> {behind}</p> }
}
