//! A note inside the page about its content: what is wrong, or good to know. It stays.

use leptos::prelude::*;

use super::{
    badge::Tone,
    icon::{Glyph, Icon},
};

/// A note with an icon in the tint of its tone.
#[component]
pub fn Notice(
    /// The tint.
    #[prop(optional)]
    tone: Tone,
    /// What it says.
    children: Children,
) -> impl IntoView {
    let failed = tone == Tone::Negative;
    let glyph = match tone {
        Tone::Negative | Tone::Mixed => Glyph::Warning,
        Tone::Positive => Glyph::Check,
        Tone::Neutral | Tone::Info => Glyph::Info,
    };
    view! {
        <div class="notice" data-tone=tone.name() role=if failed { "alert" } else { "note" }>
            <Icon glyph />
            <div class="notice-text">{children()}</div>
        </div>
    }
}
