//! Keyboard and touch navigation along the columns, which are one tab stop.

use leptos::{
    ev::{KeyboardEvent, MouseEvent, PointerEvent},
    html,
    prelude::*,
};
use web_sys::Element;

use super::{
    super::{super::focus, said::Said},
    Column,
};
use crate::ui::calc::touch::{Columned, Touch};

/// Columns of one chart.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Container of the columns.
    pub(super) frame: NodeRef<html::Div>,
    /// Index of the tab stop.
    pub(super) stop: Memo<usize>,
    columns: Signal<Vec<Column>>,
    active: RwSignal<String>,
    touch: StoredValue<Touch>,
    /// Readout of the chart.
    pub(super) said: Said,
}

impl Row {
    pub(super) fn new(columns: Signal<Vec<Column>>, said: Said) -> Self {
        let active = RwSignal::new(String::new());
        // If the active column was removed, the tab stop moves to the column with its index.
        let stop = Memo::new(move |before: Option<&usize>| {
            columns.with(|all| {
                let at = active.with(|active| all.iter().position(|one| one.key == *active));
                let last = all.len().saturating_sub(1);
                at.unwrap_or_else(|| before.copied().unwrap_or_default().min(last))
            })
        });
        let (frame, touch) = (NodeRef::new(), StoredValue::default());
        Self { frame, stop, columns, active, touch, said }
    }

    /// Records the focused column.
    pub(super) fn focused(self, key: String, says: Signal<String>) {
        self.active.set(key);
        self.said.focus(Some(says));
    }

    /// Moves the focus by keyboard.
    pub(super) fn lead(self, event: &KeyboardEvent) {
        self.touch.set_value(Touch::Plain);
        let (at, last) = (self.stop.get_untracked(), self.count().saturating_sub(1));
        let to = match event.key().as_str() {
            "ArrowLeft" => at.saturating_sub(1),
            "ArrowRight" => (at + 1).min(last),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        self.focus(to);
    }

    /// Handles the start of a touch.
    pub(super) fn touched(self, event: &PointerEvent) {
        let place = self.place().filter(|_| event.pointer_type() == "touch");
        let touch = place.map_or(Touch::Plain, |place| {
            let chosen = self.has_focus().then(|| self.stop.get_untracked());
            let touch = place.begin(event.client_x().into(), chosen);
            if touch == Touch::Chose {
                self.focus(place.nearest(event.client_x().into()));
            }
            touch
        });
        self.touch.set_value(touch);
    }

    /// Selects each column that a finger moves over.
    pub(super) fn moved(self, event: &PointerEvent) {
        let touch = self.touch.get_value();
        if touch == Touch::Plain || event.pointer_type() != "touch" {
            return;
        }
        let Some(place) = self.place() else { return };
        let at = self.stop.get_untracked();
        let x = event.client_x().into();
        let is_on_it = touch != Touch::Chose && place.begin(x, Some(at)) == Touch::Means(at);
        if !is_on_it {
            self.touch.set_value(Touch::Chose);
            self.focus(place.nearest(x));
        }
    }

    /// Keeps the focus on the selected column: the touch may be on an adjacent one.
    pub(super) fn keep(self, event: &MouseEvent) {
        if self.touch.get_value() != Touch::Plain {
            event.prevent_default();
        }
    }

    /// Returns the column that a click presses, if any.
    pub(super) fn pressed(self, at: usize) -> Option<usize> {
        let touch = self.touch.get_value();
        self.touch.set_value(Touch::Plain);
        match touch {
            Touch::Plain => Some(at),
            Touch::Chose => None,
            Touch::Means(chosen) => Some(chosen),
        }
    }

    fn count(self) -> usize {
        self.columns.with_untracked(Vec::len)
    }

    fn place(self) -> Option<Columned> {
        let bounds = self.frame.get_untracked()?.get_bounding_client_rect();
        Some(Columned { left: bounds.left(), width: bounds.width(), count: self.count() })
    }

    fn has_focus(self) -> bool {
        let active = document().active_element();
        let frame = self.frame.get_untracked();
        frame.zip(active).is_some_and(|(frame, active)| frame.contains(Some(&active)))
    }

    fn focus(self, at: usize) {
        let child = self.frame.get_untracked().and_then(|frame| {
            let element: &Element = &frame;
            element.children().item(u32::try_from(at).ok()?)
        });
        child.iter().for_each(focus);
    }
}
