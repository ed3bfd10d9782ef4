//! Column separators, dragged by pointer or moved by arrow keys. During a drag only the grid's
//! style changes; the parent receives the width at the end.

use leptos::wasm_bindgen::JsCast;
use leptos::{ev, prelude::*};
use row_view::column_selection::WIDTHS_PX;
use web_sys::{Element, HtmlElement};

use super::column::{Column, grid_template, min_row_width, narrow_grid_template};
use crate::i18n;
use crate::ui::focus;

/// Step of an arrow key, in px.
const STEP_PX: u32 = 16;

/// Column separators of a table.
#[derive(Clone, Copy)]
pub(super) struct ColumnResizer {
    pub(super) columns: Signal<Vec<Column>>,
    pub(super) on_resize: Callback<(usize, u32)>,
}

impl ColumnResizer {
    /// Returns the separator at the end of a column.
    pub(super) fn separator_view(self, index: usize, title: &str) -> AnyView {
        // Start of the drag: pointer position and column width.
        let grabbed = StoredValue::new(None::<(i32, u32)>);
        let on_down = move |event: ev::PointerEvent| {
            let Some(handle) = event_element(&event) else { return };
            event.prevent_default();
            // Fails only if the pointer is no longer active.
            let _ = handle.set_pointer_capture(event.pointer_id());
            grabbed.set_value(Some((event.client_x(), column_width(&handle))));
        };
        let now = move |event: &ev::PointerEvent| {
            let (start, width) = grabbed.get_value()?;
            let width = width.saturating_add_signed(event.client_x() - start);
            Some(width.clamp(WIDTHS_PX.0, WIDTHS_PX.1))
        };
        let on_move = move |event: ev::PointerEvent| {
            if let (Some(width), Some(handle)) = (now(&event), event_element(&event)) {
                self.preview_width(&handle, Some((index, width)));
            }
        };
        let on_cancel = move |event: ev::PointerEvent| {
            grabbed.set_value(None);
            if let Some(handle) = event_element(&event) {
                self.preview_width(&handle, None);
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
                aria-label=(i18n::ui().width_of)(title)
                aria-valuenow=self.columns.with_untracked(|columns| columns[index].width_px())
                aria-valuemin=WIDTHS_PX.0
                aria-valuemax=WIDTHS_PX.1
                tabindex="0"
                on:focus=move |event| {
                    if let Some(handle) = event_element(&event) {
                        update_width_value(&handle);
                    }
                }
                on:pointerdown=on_down
                on:pointermove=on_move
                on:pointerup=on_up
                on:pointercancel=on_cancel
                on:keydown=on_key
            ></span>
        }
        .into_any()
    }

    fn on_key(self, index: usize, event: &ev::KeyboardEvent) {
        let Some(handle) = event_element(event) else { return };
        let width = column_width(&handle);
        let width = match event.key().as_str() {
            "ArrowLeft" => width.saturating_sub(STEP_PX).max(WIDTHS_PX.0),
            "ArrowRight" => (width + STEP_PX).min(WIDTHS_PX.1),
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        self.on_resize.run((index, width));
        // The header is rendered again: focus the new separator.
        let head = handle.closest(".grid-head").ok().flatten();
        leptos::task::spawn_local(async move {
            leptos::task::tick().await;
            let separators = head.and_then(|head| head.query_selector_all(".grid-resize").ok());
            let index = u32::try_from(index).unwrap_or_default();
            if let Some(next) = separators.and_then(|list| list.get(index)) {
                focus(next.unchecked_ref());
            }
        });
    }

    /// Previews a column width; `None` shows the current widths again.
    fn preview_width(self, handle: &HtmlElement, preview: Option<(usize, u32)>) {
        let mut columns = self.columns.get_untracked();
        if let Some((index, width_px)) = preview {
            columns[index] = columns[index].clone().with_width(width_px);
        }
        let grid = handle.closest(".grid").ok().flatten();
        if let Some(grid) = grid.and_then(|grid| grid.dyn_into::<HtmlElement>().ok()) {
            let style = HtmlElement::style(&grid);
            // Numeric templates are always valid.
            let _ = style.set_property("--grid-columns", &grid_template(&columns));
            let _ = style.set_property("--grid-narrow", &narrow_grid_template(&columns));
            let _ = style.set_property("--grid-width", &min_row_width(&columns));
        }
        update_width_value(handle);
    }
}

/// Updates the reported width of every separator of a table. Flexible columns change with the
/// grid's width.
pub(super) fn update_width_values(grid: &Element) {
    let Ok(handles) = grid.query_selector_all(".grid-resize") else { return };
    let handle = |index: u32| handles.get(index)?.dyn_into::<HtmlElement>().ok();
    (0..handles.length()).filter_map(handle).for_each(|handle| update_width_value(&handle));
}

fn update_width_value(handle: &HtmlElement) {
    // A hidden separator has no width.
    if handle.offset_width() > 0 {
        // A number is always a valid value.
        let _ = handle.set_attribute("aria-valuenow", &column_width(handle).to_string());
    }
}

fn event_element(event: &web_sys::Event) -> Option<HtmlElement> {
    event.target()?.dyn_into().ok()
}

/// Current width in px of the column before a separator.
fn column_width(handle: &HtmlElement) -> u32 {
    let cell = handle.parent_element();
    cell.and_then(|cell| u32::try_from(cell.client_width()).ok()).unwrap_or(WIDTHS_PX.0)
}
