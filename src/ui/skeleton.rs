//! Loading placeholders in the size of the content, so that the layout does not shift. Their style
//! hides them for 150 ms: fast responses do not flash them.

use leptos::prelude::*;

/// Placeholder rows at the height of table rows, by default enough to fill the view.
#[component]
pub fn SkeletonRows(
    /// Number of rows.
    #[prop(default = 24)]
    rows: usize,
    /// Name of the loading content, for assistive technology.
    #[prop(into)]
    label: String,
) -> impl IntoView {
    view! {
        <div class="skeleton" role="status" aria-label=label>
            {(0..rows)
                .map(|_| {
                    view! {
                        <div class="skeleton-row">
                            <span class="skeleton-bar"></span>
                            <span class="skeleton-bar"></span>
                            <span class="skeleton-bar"></span>
                        </div>
                    }
                })
                .collect_view()}
        </div>
    }
}

/// Placeholder pairs of a short and a long line, like a definition list.
#[component]
pub fn SkeletonLines(
    /// Number of pairs.
    #[prop(default = 6)]
    lines: usize,
    /// Name of the loading content, for assistive technology.
    #[prop(into)]
    label: String,
) -> impl IntoView {
    view! {
        <div class="skeleton" role="status" aria-label=label>
            {(0..lines)
                .map(|_| {
                    view! {
                        <div class="skeleton-pair">
                            <span class="skeleton-bar"></span>
                            <span class="skeleton-bar"></span>
                        </div>
                    }
                })
                .collect_view()}
        </div>
    }
}
