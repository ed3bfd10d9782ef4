//! Saves the focus inside of charts and restores it after a redraw.

use leptos::prelude::*;
use web_sys::Element;

use crate::ui::focus_still;

/// Selector of the pressable items of a chart, in order.
const STOPS: &str = "button.bar, .column";

/// Saved focus.
#[derive(Debug)]
pub struct Held {
    had: Element,
    plot: Option<Element>,
    /// Index among the pressable items of its chart.
    at: Option<u32>,
}

impl Held {
    /// Returns the current focus; `None` if no element has it.
    pub fn now() -> Option<Self> {
        let had = focused()?;
        let plot = had.closest(".plot").ok().flatten();
        let at = plot.as_ref().and_then(|plot| {
            let stops = plot.query_selector_all(STOPS).ok()?;
            (0..stops.length()).find(|at| stops.get(*at).as_ref() == Some(had.as_ref()))
        });
        Some(Self { had, plot, at })
    }

    /// Restores the focus if the redraw removed it: on the same element; if that was removed, on
    /// the item with the same index; or else on the title of the chart.
    pub fn give_back(self) {
        if focused().is_some() {
            return;
        }
        if self.had.is_connected() {
            focus_still(&self.had);
            return;
        }
        let Some(plot) = self.plot.filter(|plot| plot.is_connected()) else { return };
        let stop = self.at.and_then(|at| {
            let stops = plot.query_selector_all(STOPS).ok()?;
            stops.get(at.min(stops.length().checked_sub(1)?))
        });
        let title = || plot.query_selector(".plot-title").ok().flatten().map(Into::into);
        if let Some(element) = stop.or_else(title) {
            focus_still(leptos::wasm_bindgen::JsCast::unchecked_ref(&element));
        }
    }
}

fn focused() -> Option<Element> {
    document().active_element().filter(|element| element.tag_name() != "BODY")
}
