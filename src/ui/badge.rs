//! Small tinted label. Icon, text and colour appear together: colour alone carries no meaning.

use leptos::prelude::*;

use super::icon::{Glyph, Icon};
use crate::i18n;

pub use row_view::StatusTone;

/// Returns the icon that identifies `tone` without its colour.
pub const fn glyph_of(tone: StatusTone) -> Glyph {
    match tone {
        StatusTone::Positive => Glyph::Smile,
        StatusTone::Mixed => Glyph::Mixed,
        StatusTone::Negative => Glyph::Frown,
        StatusTone::Neutral => Glyph::Meh,
        StatusTone::Info => Glyph::Info,
    }
}

/// Badge that shows `text` in the tint of `tone`.
#[component]
pub fn Badge(
    /// Text of the badge.
    #[prop(into)]
    text: Signal<String>,
    /// Tint, and the icon unless `icon` is given.
    #[prop(into, optional)]
    tone: Signal<StatusTone>,
    /// Icon that replaces the tone's own.
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

/// Returns a number of unread items, such as "12 unread" for assistive technology; nothing for an
/// empty text.
pub fn unread_count(number: String) -> impl IntoView {
    (!number.is_empty()).then(|| {
        view! {
            <span class="unread-count">
                {number}
                <span class="visually-hidden">{i18n::ui().unread_count}</span>
            </span>
        }
    })
}
