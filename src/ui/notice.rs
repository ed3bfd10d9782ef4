//! A permanent note inside the page about its content: a problem or a piece of information.

use leptos::prelude::*;

use super::{
    badge::Tone,
    icon::{Glyph, Icon},
};

/// Note with an icon, tinted by its tone.
#[component]
pub fn Notice(
    /// Tint and icon.
    #[prop(optional)]
    tone: Tone,
    /// Text of the note.
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
