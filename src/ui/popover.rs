//! A button that opens a small panel next to it, based on the native popover: above everything,
//! closed by Esc and by a press outside, with the focus returned to the button.

use leptos::wasm_bindgen::JsCast;
use leptos::{html, prelude::*};

use super::{
    focus, focus_is_lost, format_js_number,
    icon::{Glyph, Icon},
    resize_observer, unique_id,
};

/// Panel and its button.
#[derive(Clone, Copy, Default)]
pub(super) struct Anchor {
    pub(super) panel: NodeRef<html::Div>,
    trigger: NodeRef<html::Button>,
    open: RwSignal<bool>,
}

impl Anchor {
    pub(super) fn show(self) {
        if let Some(panel) = self.panel.get_untracked() {
            // Fails only if the panel is open already; hiding fails only if it is closed.
            let _ = panel.show_popover();
        }
    }

    pub(super) fn close(self) {
        if let Some(panel) = self.panel.get_untracked() {
            let _ = panel.hide_popover();
        }
    }

    /// Reads from the browser whether the panel is open, positions it if so, and returns the state.
    pub(super) fn sync_open_state(self) -> bool {
        let Some(panel) = self.panel.get_untracked() else { return false };
        let shown = panel.matches(":popover-open").unwrap_or(false);
        self.open.set(shown);
        if shown {
            self.position_panel();
        }
        shown
    }

    /// Positions the panel below its button, or above if only that side has enough space. Shifts it
    /// as far as needed to stay inside the window.
    fn position_panel(self) {
        let (Some(panel), Some(trigger), Some(page)) = (
            self.panel.get_untracked(),
            self.trigger.get_untracked(),
            document().document_element(),
        ) else {
            return;
        };
        let anchor = trigger.get_bounding_client_rect();
        let fit = |start: f64, size: i32, room: i32| start.min(f64::from(room - size - 8)).max(8.0);
        let left = fit(anchor.left(), panel.offset_width(), page.client_width());
        let below = anchor.bottom() + 4.0;
        let above = anchor.top() - 4.0 - f64::from(panel.offset_height());
        let inside = fit(below, panel.offset_height(), page.client_height());
        let top = if inside < below && above >= 8.0 { above } else { inside };
        let style = web_sys::HtmlElement::style(&panel);
        // Lengths in px are always valid.
        let _ = style.set_property("left", &format!("{}px", format_js_number(left)));
        let _ = style.set_property("top", &format!("{}px", format_js_number(top)));
    }

    /// The button; `popup` is the value of its `aria-haspopup`.
    pub(super) fn trigger_button(
        self,
        panel_id: String,
        popup: &'static str,
        label: Signal<String>,
        icon: Signal<Glyph>,
        text: Signal<String>,
    ) -> impl IntoView {
        let open = self.open;
        let worded = move || text.with(|text| !text.is_empty());
        view! {
            <button
                class="button menu-button"
                type="button"
                data-variant=move || if worded() { "plain" } else { "ghost" }
                node_ref=self.trigger
                popovertarget=panel_id
                aria-haspopup=popup
                aria-expanded=move || if open.get() { "true" } else { "false" }
                title=move || (!worded()).then(|| label.get())
            >
                <Icon glyph=icon />
                <span class="menu-button-text">{text}</span>
            </button>
        }
    }
}

/// Opens a popover from elements other than its button. Each handle belongs to one [`Popover`].
/// Cheap to copy.
#[derive(Clone, Copy, Default)]
pub struct PopoverHandle(Anchor);

impl PopoverHandle {
    /// Opens the panel. Does nothing if it is open.
    pub fn show(self) {
        self.0.show();
    }

    /// Focuses the button if the focus would be lost, because the element that opened the panel was
    /// removed meanwhile. The focus then still is in the closed panel, or nowhere.
    fn restore_focus(self) {
        let (Some(panel), Some(trigger)) =
            (self.0.panel.get_untracked(), self.0.trigger.get_untracked())
        else {
            return;
        };
        let active = document().active_element();
        let is_inside = active.is_some_and(|active| panel.contains(Some(&active)));
        if is_inside || focus_is_lost() {
            focus(&trigger);
        }
    }
}

/// Repositions an open panel whenever its content changes size.
fn reposition_on_resize(anchor: Anchor) {
    anchor.panel.on_load(move |panel| {
        let reposition = move || {
            if anchor.open.try_get_untracked() == Some(true) {
                anchor.position_panel();
            }
        };
        if let Some(observer) = resize_observer(reposition) {
            observer.observe(&panel);
        }
    });
}

/// Closes the panel that contains the target of `event`.
pub fn close_containing_popover(event: &web_sys::Event) {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.iter().for_each(close_popover_around);
}

/// Closes the panel that contains `element`.
pub fn close_popover_around(element: &web_sys::Element) {
    let panel = element.closest("[popover]").ok().flatten();
    if let Some(panel) = panel.and_then(|panel| panel.dyn_into::<web_sys::HtmlElement>().ok()) {
        // Fails only if the panel is closed already.
        let _ = panel.hide_popover();
    }
}

/// Button with an icon and a text that opens a panel. The panel's children are built at its first
/// opening.
#[component]
pub fn Popover(
    /// Text of the button and name of the panel.
    #[prop(into)]
    label: Signal<String>,
    /// Icon of the button.
    #[prop(into)]
    icon: Signal<Glyph>,
    /// Handle that opens the panel too.
    #[prop(optional)]
    handle: Option<PopoverHandle>,
    /// Runs after the panel was closed.
    #[prop(into, optional)]
    on_close: Option<Callback<()>>,
    /// Content of the panel.
    children: Children,
) -> impl IntoView {
    let anchor = handle.unwrap_or_default().0;
    reposition_on_resize(anchor);
    let id = unique_id("popover");
    let children = StoredValue::new_local(Some(children));
    let opened = RwSignal::new(false);
    let content = move || {
        let children = opened.get().then(|| children.try_update_value(Option::take));
        children.flatten().flatten().map(|children| children())
    };
    let on_toggle = move |_| {
        if anchor.sync_open_state() {
            if !opened.get_untracked() {
                opened.set(true);
            }
            return;
        }
        if let Some(on_close) = on_close {
            on_close.run(());
        }
        if let Some(handle) = handle {
            handle.restore_focus();
        }
    };
    view! {
        {anchor.trigger_button(id.clone(), "dialog", label, icon, label)}
        <div
            class="popover"
            role="dialog"
            popover="auto"
            id=id
            node_ref=anchor.panel
            aria-label=label
            on:toggle=on_toggle
        >
            {content}
        </div>
    }
}
