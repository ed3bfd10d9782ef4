//! A button that opens a short list of acts, after the WAI-ARIA menu button pattern. The list is
//! a popover: the browser puts it above everything and closes it on Esc or a press outside.

use leptos::wasm_bindgen::JsCast;
use leptos::{ev, html, prelude::*};
use web_sys::{Element, HtmlElement};

use super::{
    icon::{Glyph, Icon},
    unique_id,
};

/// How items reach the menu they stand in.
#[derive(Clone, Copy)]
struct MenuContext {
    panel: NodeRef<html::Div>,
    trigger: NodeRef<html::Button>,
}

impl MenuContext {
    fn close(self) {
        if let Some(panel) = self.panel.get_untracked() {
            // Refused only where it is closed already.
            let _ = panel.hide_popover();
        }
    }

    /// Puts the panel below its button, flush with the edge that keeps it inside the window.
    fn place(self) {
        let (Some(panel), Some(trigger)) =
            (self.panel.get_untracked(), self.trigger.get_untracked())
        else {
            return;
        };
        let anchor = trigger.get_bounding_client_rect();
        let own = panel.get_bounding_client_rect();
        let room = document().document_element().map_or(0.0, |root| f64::from(root.client_width()));
        let left = anchor.left().min(room - own.width() - 8.0).max(8.0);
        let style = web_sys::HtmlElement::style(&panel);
        let _ = style.set_property("left", &format!("{left}px"));
        let _ = style.set_property("top", &format!("{}px", anchor.bottom() + 4.0));
    }

    fn items(self) -> Vec<HtmlElement> {
        let Some(panel) = self.panel.get_untracked() else { return Vec::new() };
        let Ok(nodes) = panel.query_selector_all("[role^=menuitem]") else { return Vec::new() };
        (0..nodes.length()).filter_map(|i| nodes.get(i)?.dyn_into().ok()).collect()
    }

    /// Moves the focus to the item that `key` leads to; false where the key means nothing here.
    fn step(self, key: &str) -> bool {
        let items = self.items();
        let active = document().active_element();
        let here = items.iter().position(|item| {
            active.as_ref().is_some_and(|active| active == item.unchecked_ref::<Element>())
        });
        let Some(last) = items.len().checked_sub(1) else { return false };
        let next = match (key, here) {
            ("ArrowDown", Some(here)) if here < last => here + 1,
            ("ArrowUp", Some(here)) if here > 0 => here - 1,
            ("ArrowDown" | "Home", _) => 0,
            ("ArrowUp" | "End", _) => last,
            _ => return false,
        };
        super::focus(&items[next]);
        true
    }
}

/// A button with `label` that opens the [`MenuItem`]s among its children.
#[component]
pub fn Menu(
    /// What the menu is about: the button's accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// The icon of the button.
    #[prop(into)]
    icon: Signal<Glyph>,
    /// A word shown beside the icon; empty for none.
    #[prop(into, optional)]
    text: Signal<String>,
    /// The items.
    children: Children,
) -> impl IntoView {
    let menu = MenuContext { panel: NodeRef::new(), trigger: NodeRef::new() };
    provide_context(menu);
    let open = RwSignal::new(false);
    let id = unique_id("menu");
    let on_toggle = move |_| {
        let Some(panel) = menu.panel.get_untracked() else { return };
        let shown = panel.matches(":popover-open").unwrap_or(false);
        open.set(shown);
        if shown {
            menu.place();
            menu.step("Home");
        }
    };
    let on_panel_key = move |event: ev::KeyboardEvent| {
        if event.key() == "Tab" {
            menu.close();
        } else if menu.step(&event.key()) {
            event.prevent_default();
        }
        // Neither arrows nor Esc shall reach what lies below the menu.
        event.stop_propagation();
    };
    let on_trigger_key = move |event: ev::KeyboardEvent| {
        if matches!(event.key().as_str(), "ArrowDown" | "ArrowUp")
            && let Some(panel) = menu.panel.get_untracked()
        {
            event.prevent_default();
            let _ = panel.show_popover();
        }
    };
    view! {
        <button
            class="button menu-button"
            type="button"
            data-variant="ghost"
            data-size="medium"
            node_ref=menu.trigger
            popovertarget=id.clone()
            aria-haspopup="menu"
            aria-expanded=move || if open.get() { "true" } else { "false" }
            aria-label=label
            title=label
            on:keydown=on_trigger_key
        >
            <Icon glyph=icon />
            <span class="menu-button-text">{text}</span>
        </button>
        <div
            class="menu"
            role="menu"
            popover="auto"
            id=id
            node_ref=menu.panel
            aria-label=label
            on:toggle=on_toggle
            on:keydown=on_panel_key
        >
            {children()}
        </div>
    }
}

/// A heading over the items that follow it.
#[component]
pub fn MenuHeading(
    /// The heading.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    view! {
        <p class="menu-heading" role="presentation">
            {text}
        </p>
    }
}

/// An act of a [`Menu`]; with `checked`, one of several choices.
#[component]
pub fn MenuItem(
    /// What it does.
    #[prop(into)]
    text: Signal<String>,
    /// The icon before the text.
    #[prop(into)]
    icon: Signal<Glyph>,
    /// For a choice: whether it is the chosen one.
    #[prop(into, optional)]
    checked: Signal<Option<bool>>,
    /// The act. The menu closes first.
    #[prop(into)]
    on_select: Callback<()>,
) -> impl IntoView {
    let menu = use_context::<MenuContext>();
    let select = move |_| {
        if let Some(menu) = menu {
            menu.close();
        }
        on_select.run(());
    };
    let role = move || if checked.get().is_some() { "menuitemradio" } else { "menuitem" };
    view! {
        <button
            class="menu-item"
            type="button"
            role=role
            tabindex="-1"
            aria-checked=move || checked.get().map(|on| if on { "true" } else { "false" })
            on:click=select
        >
            <Icon glyph=icon />
            <span class="menu-item-text">{text}</span>
            <Show when=move || checked.get() == Some(true)>
                <Icon glyph=Glyph::Check />
            </Show>
        </button>
    }
}
