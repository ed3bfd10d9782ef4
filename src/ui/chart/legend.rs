//! Legend of a chart: the fills with names and icons.

use leptos::prelude::*;

use crate::ui::{
    badge::{StatusTone, glyph_of},
    icon::Icon,
};

/// Fills and their names, in stacking order.
#[component]
pub fn Legend(
    /// Fills and their meaning.
    #[prop(into)]
    fills: Signal<Vec<(StatusTone, String)>>,
) -> impl IntoView {
    let entry = |(tone, name): (StatusTone, String)| {
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
            view! { <ul class="legend">{fills.into_iter().map(entry).collect_view()}</ul> }
        })
    }
}
