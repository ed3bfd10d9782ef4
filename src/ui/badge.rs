//! A small label with a tint: icon, word and colour together, never colour alone.

use leptos::prelude::*;

use super::icon::{Glyph, Icon};

/// The meaning that a tint carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Good news.
    Positive,
    /// Good and bad at once.
    Mixed,
    /// Bad news.
    Negative,
    /// Neither, or not known to us.
    #[default]
    Neutral,
    /// Worth knowing.
    Info,
}

impl Tone {
    /// Returns the value of `data-tone`, by which `style/` picks the tint.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Mixed => "mixed",
            Self::Negative => "negative",
            Self::Neutral => "neutral",
            Self::Info => "info",
        }
    }

    /// Returns the icon that tells the tone without its colour.
    pub const fn glyph(self) -> Glyph {
        match self {
            Self::Positive => Glyph::Smile,
            Self::Mixed => Glyph::Mixed,
            Self::Negative => Glyph::Frown,
            Self::Neutral => Glyph::Meh,
            Self::Info => Glyph::Info,
        }
    }
}

/// A badge that shows `text` in the tint of `tone`.
#[component]
pub fn Badge(
    /// The word shown.
    #[prop(into)]
    text: Signal<String>,
    /// The tint, and the icon unless `icon` is given.
    #[prop(into, optional)]
    tone: Signal<Tone>,
    /// An icon other than the tone's own.
    #[prop(optional)]
    icon: Option<Glyph>,
) -> impl IntoView {
    let glyph = Signal::derive(move || icon.unwrap_or(tone.get().glyph()));
    view! {
        <span class="badge" data-tone=move || tone.get().name()>
            <Icon glyph />
            {text}
        </span>
    }
}
