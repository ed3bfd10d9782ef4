//! Buttons. A disabled button stays focusable and explains why it is disabled.

use leptos::{ev::MouseEvent, prelude::*};

use super::icon::{Glyph, Icon};
use crate::i18n;

/// Visual emphasis of a button.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ButtonVariant {
    /// Main action of the view.
    Primary,
    /// Ordinary action.
    #[default]
    Plain,
    /// Destructive action.
    Danger,
    /// Action of low emphasis.
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

/// Size of a button.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ButtonSize {
    /// For rows, chips and headers of cards.
    Small,
    /// Default size.
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

/// Wraps `on_click` so that it runs only while the button is enabled.
fn run_if_enabled(
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

/// Button with a text.
#[component]
pub fn Button(
    /// Text; starts with a verb.
    children: Children,
    /// Visual emphasis.
    #[prop(optional)]
    variant: ButtonVariant,
    /// Size.
    #[prop(optional)]
    size: ButtonSize,
    /// Icon before the text.
    #[prop(into, optional)]
    icon: Signal<Option<Glyph>>,
    /// Whether the action is running: the button shows a spinner and ignores presses.
    #[prop(into, optional)]
    busy: Signal<bool>,
    /// Reason why the button is disabled, in a sentence; `None` if it is enabled.
    #[prop(into, optional)]
    disabled_reason: Signal<Option<String>>,
    /// Whether it submits the enclosing form.
    #[prop(optional)]
    submit: bool,
    /// Action. A submit button may omit it.
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
            on:click=run_if_enabled(busy, disabled_reason, on_click)
        >
            {move || icon.get().map(|glyph| view! { <Icon glyph /> })}
            <span class="button-text">{children()}</span>
        </button>
    }
}

/// Button that reloads the page.
#[component]
pub fn Reload(
    /// Visual emphasis.
    #[prop(default = ButtonVariant::Primary)]
    variant: ButtonVariant,
) -> impl IntoView {
    let reload = move |_| {
        // Fails only in a document that is being unloaded.
        let _ = window().location().reload();
    };
    view! {
        <Button icon=Glyph::Refresh variant on_click=reload>
            {i18n::ui().reload}
        </Button>
    }
}

/// Square button with only an icon. `label` is its accessible name and its tooltip. Only one
/// attribute carries it: screen readers read two equal ones twice.
#[component]
pub fn IconButton(
    /// Icon.
    #[prop(into)]
    icon: Signal<Glyph>,
    /// Accessible name and tooltip.
    #[prop(into)]
    label: Signal<String>,
    /// Visual emphasis; `Ghost` suits most uses.
    #[prop(default = ButtonVariant::Ghost)]
    variant: ButtonVariant,
    /// Size.
    #[prop(optional)]
    size: ButtonSize,
    /// Whether the action is running.
    #[prop(into, optional)]
    busy: Signal<bool>,
    /// Reason why the button is disabled, in a sentence.
    #[prop(into, optional)]
    disabled_reason: Signal<Option<String>>,
    /// State of a toggle button; `None` for other buttons.
    #[prop(into, optional)]
    pressed: Signal<Option<bool>>,
    /// Action.
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
            aria-pressed=move || pressed.get().map(|value| if value { "true" } else { "false" })
            aria-busy=move || busy.get().then_some("true")
            aria-disabled=move || unavailable().then_some("true")
            aria-description=move || disabled_reason.get()
            on:click=run_if_enabled(busy, disabled_reason, on_click)
        >
            <Icon glyph=icon />
        </button>
    }
}
