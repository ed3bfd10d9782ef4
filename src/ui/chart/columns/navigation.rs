//! Keyboard and touch navigation along the columns, which are one tab stop.

use leptos::{
    ev::{KeyboardEvent, MouseEvent, PointerEvent},
    html,
    prelude::*,
};
use web_sys::Element;

use super::{
    super::{super::focus, readout::Readout},
    ChartColumn,
};
use crate::ui::calc::touch_intent::{ColumnGeometry, TouchIntent};

/// Columns of one chart.
#[derive(Clone, Copy)]
pub(super) struct ColumnNavigation {
    /// Container of the columns.
    pub(super) frame: NodeRef<html::Div>,
    /// Index of the tab stop.
    pub(super) tab_stop: Memo<usize>,
    columns: Signal<Vec<ChartColumn>>,
    active: RwSignal<String>,
    touch: StoredValue<TouchIntent>,
    /// Readout of the chart.
    pub(super) readout: Readout,
}

impl ColumnNavigation {
    pub(super) fn new(columns: Signal<Vec<ChartColumn>>, readout: Readout) -> Self {
        let active = RwSignal::new(String::new());
        // If the active column was removed, the tab stop moves to the column with its index.
        let stop = Memo::new(move |before: Option<&usize>| {
            columns.with(|list| {
                let at = active.with(|active| list.iter().position(|column| column.key == *active));
                let last = list.len().saturating_sub(1);
                at.unwrap_or_else(|| before.copied().unwrap_or_default().min(last))
            })
        });
        let frame = NodeRef::new();
        let touch = StoredValue::default();
        Self { frame, tab_stop: stop, columns, active, touch, readout }
    }

    /// Records the focused column.
    pub(super) fn on_focus(self, key: String, description: Signal<String>) {
        self.active.set(key);
        self.readout.set_focused(Some(description));
    }

    /// Moves the focus by keyboard.
    pub(super) fn on_key(self, event: &KeyboardEvent) {
        self.touch.set_value(TouchIntent::Direct);
        let at = self.tab_stop.get_untracked();
        let last = self.count().saturating_sub(1);
        let to = match event.key().as_str() {
            "ArrowLeft" => at.saturating_sub(1),
            "ArrowRight" => (at + 1).min(last),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        self.focus_column(to);
    }

    /// Handles the start of a touch.
    pub(super) fn on_touch_start(self, event: &PointerEvent) {
        let geometry = self.geometry().filter(|_| event.pointer_type() == "touch");
        let touch = geometry.map_or(TouchIntent::Direct, |geometry| {
            let chosen = self.has_focus().then(|| self.tab_stop.get_untracked());
            let touch = geometry.classify_touch(event.client_x().into(), chosen);
            if touch == TouchIntent::Select {
                self.focus_column(geometry.nearest_column(event.client_x().into()));
            }
            touch
        });
        self.touch.set_value(touch);
    }

    /// Selects each column that a finger moves over.
    pub(super) fn on_touch_move(self, event: &PointerEvent) {
        let touch = self.touch.get_value();
        if touch == TouchIntent::Direct || event.pointer_type() != "touch" {
            return;
        }
        let Some(geometry) = self.geometry() else { return };
        let at = self.tab_stop.get_untracked();
        let x = event.client_x().into();
        let is_on_it = touch != TouchIntent::Select
            && geometry.classify_touch(x, Some(at)) == TouchIntent::Press(at);
        if !is_on_it {
            self.touch.set_value(TouchIntent::Select);
            self.focus_column(geometry.nearest_column(x));
        }
    }

    /// Keeps the focus on the selected column: the touch may be on an adjacent one.
    pub(super) fn keep_focus(self, event: &MouseEvent) {
        if self.touch.get_value() != TouchIntent::Direct {
            event.prevent_default();
        }
    }

    /// Returns the column that a click presses, if any.
    pub(super) fn pressed_column(self, at: usize) -> Option<usize> {
        let touch = self.touch.get_value();
        self.touch.set_value(TouchIntent::Direct);
        match touch {
            TouchIntent::Direct => Some(at),
            TouchIntent::Select => None,
            TouchIntent::Press(chosen) => Some(chosen),
        }
    }

    fn count(self) -> usize {
        self.columns.with_untracked(Vec::len)
    }

    fn geometry(self) -> Option<ColumnGeometry> {
        let bounds = self.frame.get_untracked()?.get_bounding_client_rect();
        Some(ColumnGeometry { left: bounds.left(), width: bounds.width(), count: self.count() })
    }

    fn has_focus(self) -> bool {
        let active = document().active_element();
        let frame = self.frame.get_untracked();
        frame.zip(active).is_some_and(|(frame, active)| frame.contains(Some(&active)))
    }

    fn focus_column(self, at: usize) {
        let child = self.frame.get_untracked().and_then(|frame| {
            let element: &Element = &frame;
            element.children().item(u32::try_from(at).ok()?)
        });
        child.iter().for_each(focus);
    }
}
