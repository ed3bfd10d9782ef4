//! A permanent note inside the page about its content: a problem or a piece of information.

use leptos::prelude::*;

use super::{
    badge::StatusTone,
    icon::{Glyph, Icon},
};

/// Note with an icon, tinted by its tone.
#[component]
pub fn Notice(
    /// Tint and icon.
    #[prop(optional)]
    tone: StatusTone,
    /// Text of the note.
    children: Children,
) -> impl IntoView {
    let failed = tone == StatusTone::Negative;
    let glyph = match tone {
        StatusTone::Negative | StatusTone::Mixed => Glyph::Warning,
        StatusTone::Positive => Glyph::Check,
        StatusTone::Neutral | StatusTone::Info => Glyph::Info,
    };
    view! {
        <div class="notice" data-tone=tone.name() role=if failed { "alert" } else { "note" }>
            <Icon glyph />
            <div class="notice-text">{children()}</div>
        </div>
    }
}
