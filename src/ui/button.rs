//! Buttons. One that cannot act now stays focusable and says why; it is never merely grey.

use leptos::{ev::MouseEvent, prelude::*};

use super::icon::{Glyph, Icon};
use crate::i18n;

/// How loudly a button asks to be pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ButtonVariant {
    /// The one act a view is for.
    Primary,
    /// An ordinary act.
    #[default]
    Plain,
    /// An act that destroys something.
    Danger,
    /// An act in the background of the view.
    Ghost,
}

impl ButtonVariant {
    const fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Plain => "plain",
            Self::Danger => "danger",
            Self::Ghost => "ghost",
        }
    }
}

/// How much room a button takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ButtonSize {
    /// Inside rows, chips and headers of cards.
    Small,
    /// Everywhere else.
    #[default]
    Medium,
}

impl ButtonSize {
    const fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
        }
    }
}

/// Wraps `on_click` so that it runs only while the button may act.
fn guarded(
    busy: Signal<bool>,
    disabled_reason: Signal<Option<String>>,
    on_click: Option<Callback<MouseEvent>>,
) -> impl Fn(MouseEvent) {
    move |event: MouseEvent| {
        if busy.get_untracked() || disabled_reason.with_untracked(Option::is_some) {
            event.prevent_default();
            event.stop_propagation();
        } else if let Some(on_click) = on_click {
            on_click.run(event);
        }
    }
}

/// A button with a word on it.
#[component]
pub fn Button(
    /// The word, or words: a verb first.
    children: Children,
    /// How loud it is.
    #[prop(optional)]
    variant: ButtonVariant,
    /// How large it is.
    #[prop(optional)]
    size: ButtonSize,
    /// An icon before the word.
    #[prop(into, optional)]
    icon: Signal<Option<Glyph>>,
    /// The act is under way: shows a spinner and ignores presses.
    #[prop(into, optional)]
    busy: Signal<bool>,
    /// Why the act is not possible now, in a sentence; `None` where it is.
    #[prop(into, optional)]
    disabled_reason: Signal<Option<String>>,
    /// Whether it submits the form around it.
    #[prop(optional)]
    submit: bool,
    /// The act. A submitting button may leave it out.
    #[prop(into, optional)]
    on_click: Option<Callback<MouseEvent>>,
) -> impl IntoView {
    let unavailable = move || busy.get() || disabled_reason.with(Option::is_some);
    view! {
        <button
            class="button"
            type=if submit { "submit" } else { "button" }
            data-variant=variant.name()
            data-size=size.name()
            data-reason=move || disabled_reason.get()
            aria-busy=move || busy.get().then_some("true")
            aria-disabled=move || unavailable().then_some("true")
            aria-description=move || disabled_reason.get()
            on:click=guarded(busy, disabled_reason, on_click)
        >
            {move || icon.get().map(|glyph| view! { <Icon glyph /> })}
            <span class="button-text">{children()}</span>
        </button>
    }
}

/// A button that loads the page anew.
#[component]
pub fn Reload(
    /// How loud it is.
    #[prop(default = ButtonVariant::Primary)]
    variant: ButtonVariant,
) -> impl IntoView {
    let reload = move |_| {
        // Refused only in a document that is being left.
        let _ = window().location().reload();
    };
    view! {
        <Button icon=Glyph::Refresh variant on_click=reload>
            {i18n::ui().reload}
        </Button>
    }
}

/// A square button with an icon only; `label` is its accessible name and its tooltip. One attribute
/// is both: where two say the same, screen readers say it twice.
#[component]
pub fn IconButton(
    /// What is drawn.
    #[prop(into)]
    icon: Signal<Glyph>,
    /// What it does, in words.
    #[prop(into)]
    label: Signal<String>,
    /// How loud it is: `Ghost` suits most places.
    #[prop(default = ButtonVariant::Ghost)]
    variant: ButtonVariant,
    /// How large it is.
    #[prop(optional)]
    size: ButtonSize,
    /// The act is under way.
    #[prop(into, optional)]
    busy: Signal<bool>,
    /// Why the act is not possible now, in a sentence.
    #[prop(into, optional)]
    disabled_reason: Signal<Option<String>>,
    /// For a toggle: whether it is on.
    #[prop(into, optional)]
    pressed: Signal<Option<bool>>,
    /// The act.
    #[prop(into, optional)]
    on_click: Option<Callback<MouseEvent>>,
) -> impl IntoView {
    let unavailable = move || busy.get() || disabled_reason.with(Option::is_some);
    view! {
        <button
            class="button icon-button"
            type="button"
            data-variant=variant.name()
            data-size=size.name()
            data-reason=move || disabled_reason.get()
            title=move || disabled_reason.with(Option::is_none).then(|| label.get())
            aria-label=move || disabled_reason.with(Option::is_some).then(|| label.get())
            aria-pressed=move || pressed.get().map(|on| if on { "true" } else { "false" })
            aria-busy=move || busy.get().then_some("true")
            aria-disabled=move || unavailable().then_some("true")
            aria-description=move || disabled_reason.get()
            on:click=guarded(busy, disabled_reason, on_click)
        >
            <Icon glyph=icon />
        </button>
    }
}
