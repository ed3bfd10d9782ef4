//! Where the focus was among plots, to be given back there once they have been drawn anew.

use leptos::prelude::*;
use web_sys::Element;

use crate::ui::focus_still;

/// What of a plot can be pressed, in order.
const STOPS: &str = "button.bar, .column";

/// What had the focus.
#[derive(Debug)]
pub struct Held {
    had: Element,
    plot: Option<Element>,
    /// Which of the stops of its plot it was, if one.
    at: Option<u32>,
}

impl Held {
    /// Returns what has the focus now, if anything has.
    pub fn now() -> Option<Self> {
        let had = focused()?;
        let plot = had.closest(".plot").ok().flatten();
        let at = plot.as_ref().and_then(|plot| {
            let stops = plot.query_selector_all(STOPS).ok()?;
            (0..stops.length()).find(|at| stops.get(*at).as_ref() == Some(had.as_ref()))
        });
        Some(Self { had, plot, at })
    }

    /// Gives the focus back where the drawing took it: to what had it, where that is gone to what
    /// stands there now, and where nothing does to the title of the plot.
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
