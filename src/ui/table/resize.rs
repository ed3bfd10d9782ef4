//! The separators between columns: dragged by the pointer, moved by the arrow keys. While one is
//! dragged only the grid's own style changes; the parent hears of the width at the end.

use leptos::wasm_bindgen::JsCast;
use leptos::{ev, prelude::*};
use web_sys::HtmlElement;

use super::column::{Column, narrow_template, template};
use crate::texts;
use crate::ui::focus;

/// How far an arrow key moves a separator, in px.
const STEP_PX: u32 = 16;
/// The narrowest that a column becomes, in px.
const WIDTH_MIN_PX: u32 = 64;
/// The widest.
const WIDTH_MAX_PX: u32 = 2000;

/// A separator of a table's head.
#[derive(Clone, Copy)]
pub(super) struct Resize {
    pub(super) columns: Signal<Vec<Column>>,
    pub(super) on_resize: Callback<(usize, u32)>,
}

impl Resize {
    /// Returns the separator at the end of a column.
    pub(super) fn separator(self, index: usize, title: &str) -> AnyView {
        // Where the pointer went down, and how wide the column was.
        let grabbed = StoredValue::new(None::<(i32, u32)>);
        let on_down = move |event: ev::PointerEvent| {
            let Some(handle) = target(&event) else { return };
            event.prevent_default();
            // Refused only for a pointer that is gone already.
            let _ = handle.set_pointer_capture(event.pointer_id());
            grabbed.set_value(Some((event.client_x(), width_of(&handle))));
        };
        let now = move |event: &ev::PointerEvent| {
            let (start, width) = grabbed.get_value()?;
            let width = width.saturating_add_signed(event.client_x() - start);
            Some(width.clamp(WIDTH_MIN_PX, WIDTH_MAX_PX))
        };
        let on_move = move |event: ev::PointerEvent| {
            if let (Some(width), Some(handle)) = (now(&event), target(&event)) {
                self.preview(&handle, index, width);
            }
        };
        let on_up = move |event: ev::PointerEvent| {
            let width = now(&event);
            grabbed.set_value(None);
            if let Some(width) = width {
                self.on_resize.run((index, width));
            }
        };
        let on_key = move |event: ev::KeyboardEvent| self.on_key(index, &event);
        view! {
            <span
                class="grid-resize"
                role="separator"
                aria-orientation="vertical"
                aria-label=(texts::ui().width_of)(title)
                aria-valuenow=self.columns.with_untracked(|columns| columns[index].width_px())
                aria-valuemin=WIDTH_MIN_PX
                aria-valuemax=WIDTH_MAX_PX
                tabindex="0"
                on:pointerdown=on_down
                on:pointermove=on_move
                on:pointerup=on_up
                on:pointercancel=move |_| grabbed.set_value(None)
                on:keydown=on_key
            ></span>
        }
        .into_any()
    }

    fn on_key(self, index: usize, event: &ev::KeyboardEvent) {
        let Some(handle) = event.target().and_then(|one| one.dyn_into::<HtmlElement>().ok()) else {
            return;
        };
        let width = width_of(&handle);
        let width = match event.key().as_str() {
            "ArrowLeft" => width.saturating_sub(STEP_PX).max(WIDTH_MIN_PX),
            "ArrowRight" => (width + STEP_PX).min(WIDTH_MAX_PX),
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        self.on_resize.run((index, width));
        // The head is drawn anew.
        let head = handle.closest(".grid-head").ok().flatten();
        leptos::task::spawn_local(async move {
            leptos::task::tick().await;
            let separators = head.and_then(|head| head.query_selector_all(".grid-resize").ok());
            let place = u32::try_from(index).unwrap_or_default();
            if let Some(next) = separators.and_then(|all| all.get(place)) {
                focus(next.unchecked_ref());
            }
        });
    }

    /// Shows a width that is not chosen yet.
    fn preview(self, handle: &HtmlElement, index: usize, width_px: u32) {
        let mut columns = self.columns.get_untracked();
        columns[index] = columns[index].clone().wide(width_px);
        let grid = handle.closest(".grid").ok().flatten();
        if let Some(grid) = grid.and_then(|grid| grid.dyn_into::<HtmlElement>().ok()) {
            let style = HtmlElement::style(&grid);
            // A template of numbers is a value that no browser refuses.
            let _ = style.set_property("--grid-columns", &template(&columns));
            let _ = style.set_property("--grid-narrow", &narrow_template(&columns));
        }
    }
}

fn target(event: &ev::PointerEvent) -> Option<HtmlElement> {
    event.target()?.dyn_into().ok()
}

/// The present width of the column that a separator ends, in px.
fn width_of(handle: &HtmlElement) -> u32 {
    let cell = handle.parent_element();
    cell.and_then(|cell| u32::try_from(cell.client_width()).ok()).unwrap_or(WIDTH_MIN_PX)
}
