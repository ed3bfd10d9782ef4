//! Copies text to the clipboard and reports the result.

use std::time::Duration;

use gloo_timers::future::sleep;
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen_futures::JsFuture;

use super::{
    button::{Button, ButtonSize, IconButton},
    icon::Glyph,
    menu::{Menu, MenuItem},
};
use crate::i18n;

/// Result of the last copy attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CopyState {
    #[default]
    Idle,
    Copied,
    Refused,
}

impl CopyState {
    fn status_text(self) -> &'static str {
        match self {
            Self::Idle => "",
            Self::Copied => i18n::copying().copied,
            Self::Refused => i18n::copying().refused,
        }
    }

    fn icon(self) -> Glyph {
        match self {
            Self::Copied => Glyph::Check,
            Self::Idle | Self::Refused => Glyph::Copy,
        }
    }

    /// Returns the text of the button: for a moment, "Copied".
    fn button_text(self, label: Signal<String>) -> String {
        match self {
            Self::Copied => self.status_text().to_owned(),
            Self::Idle | Self::Refused => label.get(),
        }
    }
}

/// Duration of the "Copied" notice.
const NOTICE_DURATION: Duration = Duration::from_secs(3);

/// Writes `text` to the clipboard. Returns false if the browser refuses or has no clipboard.
async fn write_to_clipboard(text: &str) -> bool {
    // Outside of a secure context there is no clipboard, and its getter returns `undefined`.
    if !window().is_secure_context() {
        return false;
    }
    let promise = window().navigator().clipboard().write_text(text);
    JsFuture::from(promise).await.is_ok()
}

fn copy_text(text: String, outcome: RwSignal<CopyState>) {
    spawn_local(async move {
        let done =
            if write_to_clipboard(&text).await { CopyState::Copied } else { CopyState::Refused };
        // The button may be unmounted before the clipboard responds.
        outcome.try_set(done);
        sleep(NOTICE_DURATION).await;
        outcome.try_set(CopyState::Idle);
    });
}

/// Button that copies `text`. `label` is its text or, if `icon_only`, its accessible name.
#[component]
pub fn CopyButton(
    /// Text to copy, read when the button is pressed.
    #[prop(into)]
    text: Signal<String>,
    /// Name of the action, such as "Copy id".
    #[prop(into)]
    label: Signal<String>,
    /// Whether only the icon is visible.
    #[prop(optional)]
    icon_only: bool,
) -> impl IntoView {
    let outcome = RwSignal::new(CopyState::Idle);
    let press = move |_| copy_text(text.get_untracked(), outcome);
    let icon = Signal::derive(move || outcome.get().icon());
    let word = move || outcome.get().button_text(label);
    let button = if icon_only {
        view! { <IconButton icon label size=ButtonSize::Small on_click=press /> }.into_any()
    } else {
        view! {
            <Button icon size=ButtonSize::Small on_click=press>
                {word}
            </Button>
        }
        .into_any()
    };
    with_copy_status(button, outcome)
}

/// Button with the result of the last copy next to it.
fn with_copy_status(button: AnyView, outcome: RwSignal<CopyState>) -> impl IntoView {
    let is_refused = move || (outcome.get() == CopyState::Refused).then_some("true");
    view! {
        <span class="copy">
            {button}
            <span class="copy-notice" role="status" data-shown=is_refused>
                {move || outcome.get().status_text()}
            </span>
        </span>
    }
}

/// Entry of a [`CopyMenu`].
#[derive(Clone, Copy, Debug)]
pub struct CopyMenuEntry {
    /// Icon before the name.
    pub icon: Glyph,
    /// Name of the entry, such as "As text".
    pub text: &'static str,
    /// Returns the text to copy; called when the entry is selected.
    pub read: Callback<(), String>,
}

/// Button with a menu of texts to copy.
#[component]
pub fn CopyMenu(
    /// Text of the button and name of the menu, such as "Copy".
    #[prop(into)]
    label: Signal<String>,
    /// Entries of the menu.
    choices: Vec<CopyMenuEntry>,
) -> impl IntoView {
    let outcome = RwSignal::new(CopyState::Idle);
    let item = move |CopyMenuEntry { icon, text, read }: CopyMenuEntry| {
        let on_select = move |()| copy_text(read.run(()), outcome);
        view! { <MenuItem text icon on_select /> }
    };
    let icon = Signal::derive(move || outcome.get().icon());
    let text = Signal::derive(move || outcome.get().button_text(label));
    let menu = view! {
        <Menu label icon text>
            {choices.into_iter().map(item).collect_view()}
        </Menu>
    };
    with_copy_status(menu.into_any(), outcome)
}

/// Monospaced text with a copy button, for use elsewhere.
#[component]
pub fn CodeBlock(
    /// Text, shown unchanged.
    #[prop(into)]
    text: Signal<String>,
    /// Name of the copy button, such as "Copy command".
    #[prop(into)]
    label: Signal<String>,
) -> impl IntoView {
    view! {
        <div class="code">
            <pre class="code-text" tabindex="0">
                {text}
            </pre>
            <CopyButton text label />
        </div>
    }
}
