//! Copying a text to the clipboard, and saying whether that worked.

use std::time::Duration;

use gloo_timers::future::sleep;
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen_futures::JsFuture;

use super::{
    button::{Button, ButtonSize, IconButton},
    icon::Glyph,
};
use crate::texts;

/// What became of the last attempt to copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Outcome {
    #[default]
    None,
    Copied,
    Refused,
}

impl Outcome {
    fn text(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Copied => texts::copying().copied,
            Self::Refused => texts::copying().refused,
        }
    }
}

/// How long "Copied" stays.
const NOTICE: Duration = Duration::from_secs(3);

/// Writes `text` to the clipboard; false where the browser refuses, or has none to offer.
async fn write(text: &str) -> bool {
    // Outside a secure context there is no clipboard, and its getter returns `undefined`.
    if !window().is_secure_context() {
        return false;
    }
    let promise = window().navigator().clipboard().write_text(text);
    JsFuture::from(promise).await.is_ok()
}

fn copy(text: String, outcome: RwSignal<Outcome>) {
    spawn_local(async move {
        let done = if write(&text).await { Outcome::Copied } else { Outcome::Refused };
        // The button may be gone by the time the clipboard answers.
        outcome.try_set(done);
        sleep(NOTICE).await;
        outcome.try_set(Outcome::None);
    });
}

/// A button that copies `text`. With `label` as its word, or as its name where `icon_only`.
#[component]
pub fn CopyButton(
    /// What is copied, read at the moment of the press.
    #[prop(into)]
    text: Signal<String>,
    /// What is copied, in words: "Copy id".
    #[prop(into)]
    label: Signal<String>,
    /// Whether only the icon is shown.
    #[prop(optional)]
    icon_only: bool,
) -> impl IntoView {
    let outcome = RwSignal::new(Outcome::None);
    let press = move |_| copy(text.get_untracked(), outcome);
    let icon = Signal::derive(move || match outcome.get() {
        Outcome::Copied => Glyph::Check,
        Outcome::None | Outcome::Refused => Glyph::Copy,
    });
    let word = move || match outcome.get() {
        Outcome::Copied => Outcome::Copied.text().to_owned(),
        Outcome::None | Outcome::Refused => label.get(),
    };
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
    let refused = move || (outcome.get() == Outcome::Refused).then_some("true");
    view! {
        <span class="copy">
            {button}
            <span class="copy-notice" role="status" data-shown=refused>
                {move || outcome.get().text()}
            </span>
        </span>
    }
}

/// Text to be used elsewhere, in mono, with a button that copies it.
#[component]
pub fn CodeBlock(
    /// The text, shown as it is.
    #[prop(into)]
    text: Signal<String>,
    /// The name of the copy button: "Copy command".
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
