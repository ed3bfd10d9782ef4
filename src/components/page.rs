//! Common parts of all pages: title, focusable heading, error view. This module knows no specific
//! page and sends no requests.

use export_worker::plan::refused_wait_s;
use leptos::{html, prelude::*};

use crate::{
    api::ApiError,
    i18n,
    state::session::SessionStore,
    ui::{
        button::{Button, ButtonVariant, Reload},
        empty::Empty,
        focus, focus_is_lost, focus_without_scroll,
        icon::Glyph,
        run_effect,
        time::Countdown,
    },
};

/// Product name in the window title.
const PRODUCT_NAME: &str = "Sheaf";

/// Title of the current page. The app provides it as context.
#[derive(Debug, Clone, Copy)]
pub struct PageTitle {
    text: RwSignal<String>,
    /// Whether this is not the first page. On the first page the browser chooses the focus.
    is_later_page: StoredValue<bool>,
}

impl Default for PageTitle {
    /// Returns an empty title, and updates the window title whenever it changes.
    fn default() -> Self {
        let text = RwSignal::new(String::new());
        run_effect(move || {
            let text = text.get();
            let name = if text.is_empty() {
                PRODUCT_NAME.to_owned()
            } else {
                format!("{text} · {PRODUCT_NAME}")
            };
            document().set_title(&name);
        });
        Self { text, is_later_page: StoredValue::new(false) }
    }
}

impl PageTitle {
    /// Returns the title, for announcements.
    pub fn text(&self) -> Signal<String> {
        self.text.into()
    }
}

/// Sets the title of the page, and follows its changes until the current owner is disposed of.
pub fn use_title(title: impl Into<Signal<String>>) {
    let title = title.into();
    let shown = expect_context::<PageTitle>();
    run_effect(move || shown.text.set(title.get()));
}

/// Heading of a page. It takes the focus after a navigation from another page.
#[component]
pub fn Heading(
    /// Text of the heading.
    #[prop(into)]
    text: Signal<String>,
    /// Identity of the page: the focus moves to the heading whenever it changes.
    #[prop(into, optional)]
    page_key: Signal<String>,
) -> impl IntoView {
    let element = NodeRef::<html::H1>::new();
    let title = expect_context::<PageTitle>();
    // A filter changes the URL but not the page, so only changes of `page_key` count.
    let page_key = Memo::new(move |_| page_key.get());
    run_effect(move || {
        // Tracking is not enough: a memo that is never read does not detect changes.
        page_key.with(|_| ());
        let Some(heading) = element.get() else { return };
        if title.is_later_page.try_get_value() == Some(true) {
            focus(&heading);
        }
        title.is_later_page.try_set_value(true);
    });
    view! {
        <h1 class="page-title" tabindex="-1" node_ref=element>
            {text}
        </h1>
    }
}

/// Returns a page with a heading and one element below it.
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

/// Moves the focus to the heading, without scrolling, for cases where the focused element was
/// removed.
pub fn focus_heading() {
    if let Ok(Some(heading)) = document().query_selector(".page-title") {
        focus_without_scroll(&heading);
    }
}

/// Moves the focus to the heading if the current render removes the focused element.
pub async fn rescue_focus() {
    leptos::task::tick().await;
    if focus_is_lost() {
        focus_heading();
    }
}

/// Error view in place of content that failed to load: title, reason and next step.
#[expect(clippy::needless_pass_by_value, reason = "a view owns its properties")]
#[component]
pub fn Failure(
    /// Error.
    error: ApiError,
    /// Name of the content as the subject of a sentence, such as "The list".
    #[prop(into)]
    object: String,
    /// Loads the content again.
    #[prop(into)]
    on_retry: Callback<()>,
) -> impl IntoView {
    if let Some(session) = use_context::<SessionStore>() {
        session.handle_error(&error);
    }
    let texts = i18n::failures();
    let (glyph, title) = match error.status() {
        _ if error == ApiError::SessionEnded => {
            (Glyph::Clock, texts.session_ended_title.to_owned())
        }
        Some(401) => (Glyph::Clock, texts.signed_out.to_owned()),
        Some(403) => (Glyph::Key, texts.key_refused.to_owned()),
        Some(404) => (Glyph::Search, (texts.missing)(&object)),
        Some(429) => (Glyph::Clock, texts.too_many.to_owned()),
        _ => (Glyph::Warning, (texts.not_loaded)(&object)),
    };
    let text = explain_error(&error);
    let action = match error {
        ApiError::Status { status: 429, retry_after_s, .. } => {
            view! { <Wait retry_after_s on_end=on_retry /> }.into_any()
        }
        ApiError::Status { status: 401 | 404, .. } => ().into_any(),
        ApiError::SessionEnded => view! { <Reload /> }.into_any(),
        _ => {
            let press = move |_| {
                // The retry removes this button.
                focus_heading();
                on_retry.run(());
            };
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
            {action}
        </Empty>
    }
}

/// Returns the explanation of an error for the user. Server errors include the code, for reports.
pub fn explain_error(error: &ApiError) -> String {
    match error {
        ApiError::Status { status: 403, message, .. } => (i18n::failures().key_revoked)(message),
        ApiError::Status { status: 500.., code, message, .. } if !code.is_empty() => {
            format!("{message} ({code})")
        }
        other => other.message(),
    }
}

/// Ends the session after a 401. Returns the message of the error, as a sentence.
pub fn explain_failure(session: SessionStore, error: &ApiError) -> String {
    session.handle_error(error);
    to_sentence(&error.message())
}

/// Returns a message with its first letter in upper case.
pub fn to_sentence(message: &str) -> String {
    let rest = message.chars().next().map_or(0, char::len_utf8);
    crate::components::sentiment::to_upper_case(&message[..rest]) + &message[rest..]
}

/// Countdown after a request was rate-limited, followed by a retry.
#[component]
pub fn Wait(
    /// Value of `Retry-After`, in seconds.
    retry_after_s: Option<u64>,
    /// Runs at the end of the countdown.
    #[prop(into)]
    on_end: Callback<()>,
) -> impl IntoView {
    let seconds = u32::try_from(refused_wait_s(retry_after_s)).unwrap_or(u32::MAX);
    let (before, behind) = i18n::split_at_placeholder(i18n::failures().goes_on_in);
    view! { <p>{before} <Countdown seconds on_end /> {behind}</p> }
}
