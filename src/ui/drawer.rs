//! A non-modal panel at the right edge, next to the list; on a phone it fills the page. It is open
//! as long as it is mounted.

use leptos::wasm_bindgen::JsCast;
use leptos::{ev, html, prelude::*};

use super::{button::IconButton, icon::Glyph, is_overlay_open, unique_id};
use crate::i18n;

/// Returns whether Esc belongs to something else: an input, an open dialog or a popover.
fn escape_is_taken(event: &ev::KeyboardEvent) -> bool {
    let writes = event
        .target()
        .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
        .is_some_and(|target| target.matches("input, textarea, select").unwrap_or(false));
    event.default_prevented() || writes || is_overlay_open()
}

/// Panel with a heading, a close button and, in its header, `tools`.
#[component]
pub fn Drawer(
    /// Heading and accessible name.
    #[prop(into)]
    title: Signal<String>,
    /// Runs on Esc and on the close button.
    #[prop(into)]
    on_close: Callback<()>,
    /// Small actions next to the close button, such as previous and next.
    #[prop(into, optional)]
    tools: ViewFnOnce,
    /// Actions at the bottom, always visible.
    #[prop(into, optional)]
    actions: ViewFnOnce,
    /// Scrollable content.
    children: Children,
) -> impl IntoView {
    let heading = NodeRef::<html::H2>::new();
    let title_id = unique_id("drawer");
    heading.on_load(|heading| super::focus(&heading));
    let escape = window_event_listener(ev::keydown, move |event| {
        if event.key() == "Escape" && !escape_is_taken(&event) {
            on_close.run(());
        }
    });
    on_cleanup(move || escape.remove());
    let close = move |_| on_close.run(());
    let labelled_by = title_id.clone();
    view! {
        <section class="drawer" aria-labelledby=labelled_by>
            <header class="drawer-header">
                <h2
                    class="drawer-title"
                    id=title_id
                    node_ref=heading
                    tabindex="-1"
                    aria-live="polite"
                >
                    {title}
                </h2>
                <div class="drawer-tools">
                    {tools.run()}
                    <IconButton icon=Glyph::Close label=i18n::common().close on_click=close />
                </div>
            </header>
            <div class="drawer-body">{children()}</div>
            <footer class="drawer-actions">{actions.run()}</footer>
        </section>
    }
}
