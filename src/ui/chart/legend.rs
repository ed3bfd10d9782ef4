//! What the fills of a plot mean, in words and icons beside them.

use leptos::prelude::*;

use crate::ui::{
    badge::{Tone, glyph_of},
    icon::Icon,
};

/// The fills and their names, in the order in which they are stacked.
#[component]
pub fn Legend(
    /// Each fill, and what it stands for.
    #[prop(into)]
    fills: Signal<Vec<(Tone, String)>>,
) -> impl IntoView {
    let one = |(tone, name): (Tone, String)| {
        view! {
            <li class="legend-fill">
                <svg viewBox="0 0 10 10" aria-hidden="true">
                    <rect width="10" height="10" rx="2" data-tone=tone.name() />
                </svg>
                <Icon glyph=glyph_of(tone) />
                {name}
            </li>
        }
    };
    move || {
        let fills = fills.get();
        (!fills.is_empty()).then(|| {
            view! { <ul class="legend">{fills.into_iter().map(one).collect_view()}</ul> }
        })
    }
}
