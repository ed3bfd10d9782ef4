//! What scrolls: the wheel, a key that is held, a pointer at the bar.

use super::Browser;
use crate::{Result, say};
use serde_json::{Value, json};
use std::time::Duration;

/// The wheel: so many px a second, which is 100 px a frame, for so long.
const WHEEL_PX_A_SECOND: f64 = 6_000.0;
const WHEEL_S: f64 = 8.0;
/// Page Down, so often, at the pace of a key that is held.
const PAGES: usize = 120;
const PAGE_EVERY: Duration = Duration::from_millis(33);
/// The bar is dragged to the end and back in so many steps each.
const DRAG_STEPS: u32 = 120;
/// Where the bar is taken, from its end: behind the arrow, within the shortest thumb.
const THUMB_PX: f64 = 22.0;
const DRAG_EVERY: Duration = Duration::from_millis(16);
/// How far down the list stands, from 0 to 1.
const SHARE: &str = "(() => { const grid = document.querySelector('[role=grid]');
    return grid.scrollTop / (grid.scrollHeight - grid.clientHeight); })()";

/// Turns the wheel with the pointer at a place.
pub(super) async fn wheel(browser: &Browser, x: f64, y: f64) -> Result {
    let gesture = json!({
        "x": x, "y": y, "yDistance": -WHEEL_PX_A_SECOND * WHEEL_S, "speed": WHEEL_PX_A_SECOND,
        "gestureSourceType": "mouse", "preventFling": true,
    });
    browser.cdp("Input.synthesizeScrollGesture", gesture).await.map(drop)
}

/// Holds Page Down.
pub(super) async fn keys(browser: &Browser) -> Result {
    let mut next = tokio::time::interval(PAGE_EVERY);
    for _ in 0..PAGES {
        next.tick().await;
        browser.press("PageDown", 34, "").await?;
    }
    Ok(())
}

/// Takes the bar at its top end, and drags it to the other one and half the way back.
pub(super) async fn drag(browser: &Browser, frame: &Value) -> Result {
    let at = |name: &str| frame[name].as_f64().unwrap_or_default();
    let x = at("left") + at("width") - at("bar") / 2.0;
    let (top, bottom) = (at("top") + THUMB_PX, at("top") + at("height") - THUMB_PX);
    let mut next = tokio::time::interval(DRAG_EVERY);
    browser.mouse("mousePressed", x, top).await?;
    for step in (0..=DRAG_STEPS).chain((DRAG_STEPS / 2..DRAG_STEPS).rev()) {
        next.tick().await;
        let share = f64::from(step) / f64::from(DRAG_STEPS);
        browser.mouse("mouseMoved", x, top + (bottom - top) * share).await?;
    }
    let half = f64::midpoint(top, bottom);
    browser.mouse("mouseReleased", x, half).await?;
    let share = browser.eval(SHARE).await?.as_f64().unwrap_or_default();
    if (share - 0.5).abs() > 0.1 {
        say(format!("the bar was let go in the middle, but the list stands at {share:.2} of it"));
    }
    Ok(())
}
