//! Menus follow the WAI-ARIA menu button pattern.

use dashboard::ui::icon::Glyph;
use dashboard::ui::menu::{Menu, MenuHeading, MenuItem};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::pages::wait_until;
use crate::stage::{Stage, attr, click, is_focused, owner, press_key, type_key};

fn mount_menu(chosen: RwSignal<u32>) -> Stage {
    Stage::styled((300, 200), move || {
        let item = move |number: u32| {
            let checked = Signal::derive(move || Some(chosen.get() == number));
            let on_select = move |()| chosen.set(number);
            view! { <MenuItem text=number.to_string() icon=Glyph::Sun checked on_select /> }
        };
        view! {
            <Menu label="Theme" icon=Glyph::Sun>
                <MenuHeading text="Choose" />
                {item(1)}
                {item(2)}
                {item(3)}
            </Menu>
        }
    })
}

fn is_open(stage: &Stage) -> bool {
    stage.one("[role=menu]").matches(":popover-open").unwrap()
}

#[wasm_bindgen_test]
async fn keys_open_menu_and_move_focus() {
    let _owner = owner();
    let stage = mount_menu(RwSignal::new(2));
    let trigger = stage.one("[aria-haspopup=menu]");
    assert_eq!(attr(&trigger, "title").as_deref(), Some("Theme"));
    assert_eq!(attr(&trigger, "aria-expanded").as_deref(), Some("false"));

    type_key(&trigger, "ArrowDown").await;
    assert!(is_open(&stage));
    assert_eq!(attr(&trigger, "aria-expanded").as_deref(), Some("true"));
    let items = stage.all("[role=menuitemradio]");
    let at = || items.iter().position(is_focused);
    assert_eq!(at(), Some(0));
    for (key, expected) in
        [("ArrowDown", 1), ("End", 2), ("ArrowDown", 0), ("ArrowUp", 2), ("Home", 0)]
    {
        assert!(press_key(&items[at().unwrap()], key));
        assert_eq!(at(), Some(expected), "{key}");
    }
    type_key(&items[0], "Tab").await;
    assert!(!is_open(&stage));
    assert_eq!(attr(&trigger, "aria-expanded").as_deref(), Some("false"));
}

#[wasm_bindgen_test]
async fn selection_closes_menu_and_is_checked() {
    let _owner = owner();
    let chosen = RwSignal::new(2);
    let stage = mount_menu(chosen);
    click(&stage.one("[aria-haspopup=menu]")).await;
    assert!(is_open(&stage));
    let checked = || {
        let items = stage.all("[role=menuitemradio]");
        items.iter().map(|item| attr(item, "aria-checked").unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(checked(), ["false", "true", "false"]);
    click(&stage.all("[role=menuitemradio]")[2]).await;
    assert_eq!(chosen.get_untracked(), 3);
    assert_eq!(checked(), ["false", "false", "true"]);
    assert!(!is_open(&stage));
}

#[wasm_bindgen_test]
async fn menu_stays_inside_window() {
    let _owner = owner();
    let stage = mount_menu(RwSignal::new(1));
    let trigger = stage.one("[aria-haspopup=menu]");
    let style = web_sys::HtmlElement::style(&trigger);
    for (name, value) in [("position", "fixed"), ("right", "0"), ("top", "0")] {
        style.set_property(name, value).unwrap();
    }
    click(&trigger).await;
    let panel = stage.one("[role=menu]").get_bounding_client_rect();
    let room = f64::from(document().document_element().unwrap().client_width());
    assert!(panel.width() > 0.0 && panel.right() <= room, "{} of {room}", panel.right());
    assert!(panel.top() >= trigger.get_bounding_client_rect().bottom());
}

#[wasm_bindgen_test]
async fn late_items_belong_to_their_menu() {
    let _owner = owner();
    let are_there = RwSignal::new(false);
    let chosen = RwSignal::new(0_u32);
    let stage = Stage::styled((300, 200), move || {
        let late = move || {
            let on_select = move |()| chosen.update(|chosen| *chosen += 1);
            are_there.get().then(|| view! { <MenuItem text="Late" icon=Glyph::Sun on_select /> })
        };
        view! {
            <Menu label="Theme" icon=Glyph::Sun>
                {late}
            </Menu>
            <Menu label="Account" icon=Glyph::Account>
                <MenuItem text="Other" icon=Glyph::Sun on_select=|()| () />
            </Menu>
        }
    });
    click(&stage.all("[aria-haspopup=menu]")[0]).await;
    are_there.set(true);
    let theirs = || stage.all("[role=menu]:first-of-type [role=menuitem]");
    wait_until("the focus in the menu", || theirs().first().is_some_and(is_focused)).await;
    click(&theirs()[0]).await;
    assert_eq!(chosen.get_untracked(), 1);
    assert!(stage.all(":popover-open").is_empty(), "a late item closes its own menu");
}
