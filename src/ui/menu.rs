//! A button that opens a short list of actions, after the WAI-ARIA menu button pattern.

use leptos::wasm_bindgen::JsCast;
use leptos::{context::Provider, ev, prelude::*, tachys::html::event};
use web_sys::{Element, HtmlElement};

use super::{
    icon::{Glyph, Icon},
    popover::Anchor,
    unique_id,
};

/// Context through which items reach their menu.
#[derive(Clone, Copy)]
struct MenuContext(Anchor);

impl MenuContext {
    fn item_elements(self) -> Vec<HtmlElement> {
        let Some(panel) = self.0.panel.get_untracked() else { return Vec::new() };
        let Ok(nodes) = panel.query_selector_all("[role^=menuitem]") else { return Vec::new() };
        (0..nodes.length()).filter_map(|i| nodes.get(i)?.dyn_into().ok()).collect()
    }

    /// Moves the focus to the item that `key` selects. Returns false for other keys.
    fn move_focus(self, key: &str) -> bool {
        let items = self.item_elements();
        let active = document().active_element();
        let position = items.iter().position(|item| {
            active.as_ref().is_some_and(|active| active == item.unchecked_ref::<Element>())
        });
        let Some(last) = items.len().checked_sub(1) else { return false };
        let next = match (key, position) {
            ("ArrowDown", Some(position)) if position < last => position + 1,
            ("ArrowUp", Some(position)) if position > 0 => position - 1,
            ("ArrowDown" | "Home", _) => 0,
            ("ArrowUp" | "End", _) => last,
            _ => return false,
        };
        super::focus(&items[next]);
        true
    }

    /// Focuses the first item if the menu is open and the focus is outside of it.
    fn focus_first_item(self) {
        let open = |panel: &Element| panel.matches(":popover-open").unwrap_or(false);
        let active = document().active_element();
        let panel = self.0.panel.get_untracked().map(|panel| (*panel).clone().into());
        let outside = |panel: &Element| !panel.contains(active.as_ref().map(AsRef::as_ref));
        if panel.is_some_and(|panel: Element| open(&panel) && outside(&panel)) {
            self.move_focus("Home");
        }
    }

    fn on_key(self, event: &ev::KeyboardEvent) {
        if event.key() == "Tab" {
            self.0.close();
        } else if self.move_focus(&event.key()) {
            event.prevent_default();
        }
        // Elements below the menu must not react to arrows or Esc.
        event.stop_propagation();
    }
}

/// Button that opens the [`MenuItem`]s among its children.
#[component]
pub fn Menu(
    /// Name of the menu, and of the button if it shows no text.
    #[prop(into)]
    label: Signal<String>,
    /// Icon of the button.
    #[prop(into)]
    icon: Signal<Glyph>,
    /// Text next to the icon; may be empty.
    #[prop(into, optional)]
    text: Signal<String>,
    /// Items.
    children: Children,
) -> impl IntoView {
    let menu = MenuContext(Anchor::default());
    let id = unique_id("menu");
    let on_toggle = move |_| {
        if menu.0.sync_open_state() {
            menu.move_focus("Home");
        }
    };
    let on_trigger_key = move |event: ev::KeyboardEvent| {
        if matches!(event.key().as_str(), "ArrowDown" | "ArrowUp") {
            event.prevent_default();
            menu.0.show();
        }
    };
    let trigger = menu
        .0
        .trigger_button(id.clone(), "menu", label, icon, text)
        .add_any_attr(event::on(ev::keydown, on_trigger_key));
    view! {
        {trigger}
        <div
            class="menu"
            role="menu"
            popover="auto"
            id=id
            node_ref=menu.0.panel
            aria-label=label
            on:toggle=on_toggle
            on:keydown=move |event| menu.on_key(&event)
        >
            // A provider of its own: items that are built later would otherwise find the last
            // mounted menu.
            <Provider value=menu>{children()}</Provider>
        </div>
    }
}

/// Heading above the items that follow.
#[component]
pub fn MenuHeading(
    /// Text of the heading.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    view! {
        <p class="menu-heading" role="presentation">
            {text}
        </p>
    }
}

/// Group of items under a heading.
#[component]
pub fn MenuGroup(
    /// Heading, which screen readers read before the first focused item of the group.
    #[prop(into)]
    text: Signal<String>,
    /// Items.
    children: Children,
) -> impl IntoView {
    view! {
        <div role="group" aria-label=text>
            <p class="menu-heading" aria-hidden="true">
                {text}
            </p>
            {children()}
        </div>
    }
}

/// Action of a [`Menu`], or a choice if `checked` is set.
#[component]
pub fn MenuItem(
    /// Text of the item.
    #[prop(into)]
    text: Signal<String>,
    /// Icon before the text.
    #[prop(into)]
    icon: Signal<Glyph>,
    /// Whether the choice is selected; `None` for an action.
    #[prop(into, optional)]
    checked: Signal<Option<bool>>,
    /// Whether the choice is an independent check box, not one of a radio group.
    #[prop(optional)]
    alone: bool,
    /// Action; runs after the menu has closed.
    #[prop(into)]
    on_select: Callback<()>,
) -> impl IntoView {
    let menu = use_context::<MenuContext>();
    // The menu may have been opened before its items were built. They are in the document with the
    // next frame.
    request_animation_frame(move || menu.into_iter().for_each(MenuContext::focus_first_item));
    let select = move |_| {
        if let Some(MenuContext(anchor)) = menu {
            anchor.close();
        }
        on_select.run(());
    };
    let role = move || match checked.get() {
        Some(_) if alone => "menuitemcheckbox",
        Some(_) => "menuitemradio",
        None => "menuitem",
    };
    view! {
        <button
            class="menu-item"
            type="button"
            role=role
            tabindex="-1"
            aria-checked=move || checked.get().map(|value| if value { "true" } else { "false" })
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
