//! Preferences of the device: reduced motion, forced colours and a coarse pointer, emulated by
//! Chromium's `DevTools`.

use crate::harness::{Page, Server, Viewport, run_test, screenshot_folder};
use serde_json::{Value, json};
use thirtyfour::Key;

/// Emulates media features, given as names and values.
async fn emulate_media(page: &Page, features: &[(&str, &str)]) {
    let one = |(name, value): &(&str, &str)| json!({ "name": name, "value": value });
    let features: Vec<Value> = features.iter().map(one).collect();
    page.send_devtools_command("Emulation.setEmulatedMedia", json!({ "features": features })).await;
}

/// Records each transition and animation that starts from now on, with its duration in ms.
const RECORD_MOTION: &str = "window.moved = [];
    for (const kind of ['transitionrun', 'animationstart']) {
        document.addEventListener(kind, (event) => {
            for (const one of event.target.getAnimations()) {
                const { duration, iterations } = one.effect.getComputedTiming();
                // Endless animations show that something loads.
                if (duration > 0 && iterations !== Infinity) moved.push(`${event.target.className} ${duration}`);
            }
        }, true);
    }
    return true";

/// Opens and closes elements that slide, fade and grow.
async fn open_and_close_panels(page: &Page) {
    page.eval(RECORD_MOTION, vec![]).await;
    let open =
        "const row = document.querySelector('.grid-track .grid-row'); row?.click(); return !!row";
    page.wait_for("a row", open, vec![]).await;
    page.wait_for_text("Answers").await;
    page.press_keys(Key::Escape + "").await;
    page.wait_until_text_is_gone("Answers").await;
    page.click("button", "Columns").await;
    page.find("dialog", "Columns").await;
    page.press_keys(Key::Escape + "").await;
    page.press_keys("?").await;
    page.find("dialog", "Keyboard shortcuts").await;
    page.press_keys(Key::Escape + "").await;
    page.wait_until_text_is_gone("Undo last action").await;
}

#[tokio::test]
async fn reduced_motion_and_forced_colors_are_respected() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 40);
    server.create_sampled_form("Job applications", "live", 5);
    run_test("media", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let list = format!("/live/forms/{form}");
        page.sign_in(&context.server.sign_in_link()).await;
        for (asked, moves) in [("no-preference", true), ("reduce", false)] {
            emulate_media(page, &[("prefers-reduced-motion", asked)]).await;
            page.open(&list).await;
            page.wait_for_text("40 submissions").await;
            open_and_close_panels(page).await;
            let moved = page.eval("return moved", vec![]).await;
            let moved = moved.as_array().expect("a list");
            assert_eq!(!moved.is_empty(), moves, "{asked}: {moved:?}");
        }
        for scheme in ["light", "dark"] {
            let asked = [("forced-colors", "active"), ("prefers-color-scheme", scheme)];
            emulate_media(page, &asked).await;
            check_forced_colors(page, &list, scheme).await;
        }
    })
    .await;
}

/// Whether the element `arguments[0]` has a border or outline that `arguments[1]` lacks, so that it
/// differs from its neighbours without a background.
const IS_MARKED: &str = "const line = (what) => ['', '::before', '::after'].map((part) => {
        const style = getComputedStyle(what, part);
        const is_drawn = !part || style.content !== 'none';
        const side = (width, look) => is_drawn && look !== 'none' && parseFloat(width) > 0;
        return side(style.borderTopWidth, style.borderTopStyle)
            || side(style.outlineWidth, style.outlineStyle);
    }).join();
    const [marked, plain] = arguments.map((one) => document.querySelector(one));
    return Boolean(marked && plain) && line(marked) !== line(plain)";

/// Checks that selected elements are visible without a background.
async fn check_forced_colors(page: &Page, list: &str, scheme: &str) {
    page.open(list).await;
    page.wait_for_text("40 submissions").await;
    page.click("checkbox", "Select row").await;
    page.wait_for_text("1 selected").await;
    for (what, marked, plain) in [
        ("form", ".nav-link[aria-current=page]", ".nav-link:not([aria-current])"),
        ("environment", ".switch-item[aria-current=true]", ".switch-item:not([aria-current=true])"),
        ("row", ".grid-row[aria-selected=true]", ".grid-row[aria-selected=false]"),
    ] {
        let pair = vec![json!(marked), json!(plain)];
        page.wait_for(&format!("a mark at the chosen {what}"), IS_MARKED, pair).await;
    }
    let file = format!("forced-{scheme}-list.png");
    page.save_screenshot(&screenshot_folder().join(file)).await;
    page.check_accessibility("the list in forced colours").await;
    page.press_keys(Key::Control + "k").await;
    page.find("dialog", "Commands").await;
    let options =
        [".command-option[aria-selected=true]", ".command-option:not([aria-selected=true])"];
    let options = options.map(|one| json!(one)).to_vec();
    page.wait_for("a mark at the chosen command", IS_MARKED, options).await;
    page.press_keys(Key::Escape + "").await;
    page.open(&format!("{list}/insights")).await;
    page.find("heading", "UTM sources").await;
    let file = format!("forced-{scheme}-insights.png");
    page.save_screenshot(&screenshot_folder().join(file)).await;
}

/// Returns controls that are too small for a finger. Links within a text are ignored, and columns
/// of a chart, which a touch next to them also selects. An input counts with its label.
const FIND_SMALL_TARGETS: &str =
    "const all = 'button, summary, select, input, a[href], [role=button], [role=tab],'
        + '[role=menuitem], [role=menuitemradio], [role=option], [role=slider]';
    const small = [];
    for (const one of document.querySelectorAll(all)) {
        if (one.closest('p, dd, .grid-row, .column, [inert], pre')) continue;
        if (getComputedStyle(one).pointerEvents === 'none') continue;
        if (!one.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        const whole = one.matches('input') ? one.closest('label') ?? one : one;
        const { width, height, right, bottom } = whole.getBoundingClientRect();
        // Elements for screen readers only are one pixel large, or out of view until focused.
        if (width <= 1 || height <= 1 || right <= 0 || bottom <= 0) continue;
        if (height < 39.5 || width < 39.5) {
            small.push(`${one.outerHTML.slice(0, 120)} ${Math.round(width)}x${Math.round(height)}`);
        }
    }
    return small";

/// Touches the screen at `x`, moves from one height to another, and releases.
async fn swipe(page: &Page, x: f64, from: i32, to: i32) {
    let touch = async |kind: &str, y: Option<i32>| {
        let points: Vec<Value> = y.iter().map(|y| json!({ "x": x, "y": y })).collect();
        let event = json!({ "type": kind, "touchPoints": points });
        page.send_devtools_command("Input.dispatchTouchEvent", event).await;
    };
    touch("touchStart", Some(from)).await;
    for step in 1..=10 {
        if from != to {
            touch("touchMove", Some(from + (to - from) * step / 10)).await;
        }
    }
    touch("touchEnd", None).await;
}

/// Returns the centre of the first row, in px of the window.
const FIRST_ROW: &str = "const row = document.querySelector('.grid-track .grid-row .grid-cell');
    if (!row) return false;
    const { x, y, width, height } = row.getBoundingClientRect();
    return [x + width / 2, y + height / 2]";

#[tokio::test]
async fn touch_targets_are_large_and_list_scrolls() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 400);
    run_test("touch", Viewport::PHONE, server, async |context| {
        let page = &context.page;
        let list = format!("/live/forms/{form}");
        let touch = json!({ "enabled": true, "maxTouchPoints": 1 });
        page.send_devtools_command("Emulation.setTouchEmulationEnabled", touch).await;
        page.sign_in(&context.server.sign_in_link()).await;
        let mut small = Vec::new();
        for (path, shows) in [
            (list.clone(), "400 submissions"),
            (format!("{list}/insights"), "Completion time"),
            ("/settings/keys".to_owned(), "API keys"),
            ("/settings/forms".to_owned(), "Feedback"),
            (format!("{list}/settings/fields"), "Save fields"),
            ("/settings/account".to_owned(), "This device"),
        ] {
            page.open(&path).await;
            page.wait_for_text(shows).await;
            let is_coarse = "return matchMedia('(pointer: coarse)').matches";
            assert_eq!(page.eval(is_coarse, vec![]).await, true);
            small.push((path, page.eval(FIND_SMALL_TARGETS, vec![]).await));
        }
        page.open(&list).await;
        page.wait_for_text("400 submissions").await;
        let at = page.wait_for("a row", FIRST_ROW, vec![]).await;
        let x = at[0].as_f64().expect("a coordinate");
        swipe(page, x, 700, 300).await;
        let has_moved = "return document.querySelector('[role=grid]').scrollTop > 100";
        page.wait_for("the list to follow the finger", has_moved, vec![]).await;
        let rests = "const now = document.querySelector('[role=grid]').scrollTop;
            const before = window.wasAt;
            window.wasAt = now;
            return before === now";
        page.wait_for("the list to stop", rests, vec![]).await;
        swipe(page, x, 500, 500).await;
        page.wait_for_text("Answers").await;
        small.push(("the card".to_owned(), page.eval(FIND_SMALL_TARGETS, vec![]).await));
        small.retain(|(_, found)| *found != json!([]));
        assert!(small.is_empty(), "{small:#?}");
    })
    .await;
}
