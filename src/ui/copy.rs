//! Copying a text to the clipboard, and saying whether that worked.

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
            Self::Copied => i18n::copying().copied,
            Self::Refused => i18n::copying().refused,
        }
    }

    fn icon(self) -> Glyph {
        match self {
            Self::Copied => Glyph::Check,
            Self::None | Self::Refused => Glyph::Copy,
        }
    }

    /// Returns the word on a button: for a moment, that it worked.
    fn word(self, label: Signal<String>) -> String {
        match self {
            Self::Copied => self.text().to_owned(),
            Self::None | Self::Refused => label.get(),
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
    let icon = Signal::derive(move || outcome.get().icon());
    let word = move || outcome.get().word(label);
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
    copying(button, outcome)
}

/// A button, and beside it what became of copying.
fn copying(button: AnyView, outcome: RwSignal<Outcome>) -> impl IntoView {
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

/// Something that a [`CopyMenu`] copies.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    /// The icon before its name.
    pub icon: Glyph,
    /// What it is called: "As text".
    pub text: &'static str,
    /// Returns it, at the moment of the press.
    pub read: Callback<(), String>,
}

/// A button with a menu of what it copies.
#[component]
pub fn CopyMenu(
    /// The word on the button, and the name of the menu: "Copy".
    #[prop(into)]
    label: Signal<String>,
    /// What can be copied.
    choices: Vec<Copied>,
) -> impl IntoView {
    let outcome = RwSignal::new(Outcome::None);
    let item = move |Copied { icon, text, read }: Copied| {
        let on_select = move |()| copy(read.run(()), outcome);
        view! { <MenuItem text icon on_select /> }
    };
    let icon = Signal::derive(move || outcome.get().icon());
    let text = Signal::derive(move || outcome.get().word(label));
    let menu = view! {
        <Menu label icon text>
            {choices.into_iter().map(item).collect_view()}
        </Menu>
    };
    copying(menu.into_any(), outcome)
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
