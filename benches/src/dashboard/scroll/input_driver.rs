//! Input for scrolling: the wheel, a held key, and a drag of the scroll bar.

use super::Browser;
use crate::{Result, print_line};
use serde_json::{Value, json};
use std::time::Duration;

/// Speed and duration of the wheel; 6,000 px per second are 100 px per frame.
const WHEEL_PX_A_SECOND: f64 = 6_000.0;
const WHEEL_S: f64 = 8.0;
/// Number of Page Down events, at the repeat rate of a held key.
const PAGES: usize = 120;
const PAGE_EVERY: Duration = Duration::from_millis(33);
/// Steps of a drag over the full length of the bar.
const DRAG_STEPS: u32 = 120;
/// Distance of the drag from the ends of the bar: past the arrow, within the shortest thumb.
const THUMB_PX: f64 = 22.0;
const DRAG_EVERY: Duration = Duration::from_millis(16);
/// Expression with the scroll position as a share, from 0 to 1.
const SHARE: &str = "(() => { const grid = document.querySelector('[role=grid]');
    return grid.scrollTop / (grid.scrollHeight - grid.clientHeight); })()";

/// Turns the wheel with the pointer at a position.
pub(super) async fn turn_wheel(browser: &Browser, x: f64, y: f64) -> Result {
    let gesture = json!({
        "x": x, "y": y, "yDistance": -WHEEL_PX_A_SECOND * WHEEL_S, "speed": WHEEL_PX_A_SECOND,
        "gestureSourceType": "mouse", "preventFling": true,
    });
    browser.send_cdp("Input.synthesizeScrollGesture", gesture).await.map(drop)
}

/// Holds Page Down.
pub(super) async fn hold_page_down(browser: &Browser) -> Result {
    let mut next = tokio::time::interval(PAGE_EVERY);
    for _ in 0..PAGES {
        next.tick().await;
        browser.press("PageDown", 34, "").await?;
    }
    Ok(())
}

/// Drags the scroll bar from its top to its bottom, and half the way back.
pub(super) async fn drag_scroll_bar(browser: &Browser, frame: &Value) -> Result {
    let at = |name: &str| frame[name].as_f64().unwrap_or_default();
    let x = at("left") + at("width") - at("bar") / 2.0;
    let (top, bottom) = (at("top") + THUMB_PX, at("top") + at("height") - THUMB_PX);
    let mut next = tokio::time::interval(DRAG_EVERY);
    browser.dispatch_mouse("mousePressed", x, top).await?;
    for step in (0..=DRAG_STEPS).chain((DRAG_STEPS / 2..DRAG_STEPS).rev()) {
        next.tick().await;
        let share = f64::from(step) / f64::from(DRAG_STEPS);
        browser.dispatch_mouse("mouseMoved", x, top + (bottom - top) * share).await?;
    }
    let half = f64::midpoint(top, bottom);
    browser.dispatch_mouse("mouseReleased", x, half).await?;
    let share = browser.eval(SHARE).await?.as_f64().unwrap_or_default();
    if (share - 0.5).abs() > 0.1 {
        print_line(format!("the bar was released in the middle, but the list is at {share:.2}"));
    }
    Ok(())
}
