//! A small label with a tint: icon, word and colour together, never colour alone.

use leptos::prelude::*;

use super::icon::{Glyph, Icon};

pub use row_view::Tone;

/// Returns the icon that tells a tone without its colour.
pub const fn glyph_of(tone: Tone) -> Glyph {
    match tone {
        Tone::Positive => Glyph::Smile,
        Tone::Mixed => Glyph::Mixed,
        Tone::Negative => Glyph::Frown,
        Tone::Neutral => Glyph::Meh,
        Tone::Info => Glyph::Info,
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
    let glyph = Signal::derive(move || icon.unwrap_or(glyph_of(tone.get())));
    view! {
        <span class="badge" data-tone=move || tone.get().name()>
            <Icon glyph />
            {text}
        </span>
    }
}
