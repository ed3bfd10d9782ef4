//! Saves the focus inside of charts and restores it after a redraw.

use leptos::prelude::*;
use web_sys::Element;

use crate::ui::focus_without_scroll;

/// Selector of the pressable items of a chart, in order.
const PRESSABLE: &str = "button.bar, .column";

/// Saved focus.
#[derive(Debug)]
pub struct SavedFocus {
    element: Element,
    plot: Option<Element>,
    /// Index among the pressable items of its chart.
    index: Option<u32>,
}

impl SavedFocus {
    /// Returns the current focus; `None` if no element has it.
    pub fn capture() -> Option<Self> {
        let had = focused_element()?;
        let plot = had.closest(".plot").ok().flatten();
        let at = plot.as_ref().and_then(|plot| {
            let stops = plot.query_selector_all(PRESSABLE).ok()?;
            (0..stops.length()).find(|at| stops.get(*at).as_ref() == Some(had.as_ref()))
        });
        Some(Self { element: had, plot, index: at })
    }

    /// Restores the focus if the redraw removed it: on the same element; if that was removed, on
    /// the item with the same index; or else on the title of the chart.
    pub fn restore(self) {
        if focused_element().is_some() {
            return;
        }
        if self.element.is_connected() {
            focus_without_scroll(&self.element);
            return;
        }
        let Some(plot) = self.plot.filter(|plot| plot.is_connected()) else { return };
        let stop = self.index.and_then(|at| {
            let stops = plot.query_selector_all(PRESSABLE).ok()?;
            stops.get(at.min(stops.length().checked_sub(1)?))
        });
        let title = || plot.query_selector(".plot-title").ok().flatten().map(Into::into);
        if let Some(element) = stop.or_else(title) {
            focus_without_scroll(leptos::wasm_bindgen::JsCast::unchecked_ref(&element));
        }
    }
}

fn focused_element() -> Option<Element> {
    document().active_element().filter(|element| element.tag_name() != "BODY")
}
