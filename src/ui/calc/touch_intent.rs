//! Touch on columns that are narrower than a finger: a first touch selects the nearest column, and
//! a second one near it presses that column. Pure; it does not access the DOM.

/// Minimum column width for a direct press, in px.
const FINGER_PX: f64 = 40.0;
/// Maximum distance from the middle of the selected column for a touch that presses it, in px.
const REACH_PX: f64 = 22.0;

/// Meaning of a touch on a plot, from its start to the click that may follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TouchIntent {
    /// No touch, or columns wide enough: a press acts directly.
    #[default]
    Direct,
    /// The touch selected a column; nothing is pressed.
    Select,
    /// The touch presses the column that was selected before.
    Press(usize),
}

/// Adjacent columns of equal width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnGeometry {
    /// Left edge, in px.
    pub left: f64,
    /// Width of all columns, in px.
    pub width: f64,
    /// Number of columns.
    pub count: usize,
}

impl ColumnGeometry {
    /// Returns the index of the column nearest to `x`.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates; positions before the first column map to it"
    )]
    pub fn nearest_column(self, x: f64) -> usize {
        let at = ((x - self.left) / self.column_width()).max(0.0) as usize;
        at.min(self.count.saturating_sub(1))
    }

    /// Returns the meaning of a touch at `x`, given the column selected before.
    pub fn classify_touch(self, x: f64, chosen: Option<usize>) -> TouchIntent {
        if self.column_width() >= FINGER_PX {
            return TouchIntent::Direct;
        }
        let middle = |at: usize| self.left + (count_to_f64(at) + 0.5) * self.column_width();
        let nearest = chosen.filter(|at| (middle(*at) - x).abs() <= REACH_PX);
        nearest.map_or(TouchIntent::Select, TouchIntent::Press)
    }

    /// Width of one column.
    fn column_width(self) -> f64 {
        self.width.max(1.0) / count_to_f64(self.count.max(1))
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are at most a few hundred columns")]
fn count_to_f64(number: usize) -> f64 {
    number as f64
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touch_selects_then_presses_nearest_column() {
        let columns = ColumnGeometry { left: 30.0, width: 276.0, count: 92 };
        let nearest = |x| columns.nearest_column(x);
        assert_eq!([0.0, 30.0, 32.9, 33.0, 305.0, 900.0].map(nearest), [0, 0, 0, 1, 91, 91]);
        assert_eq!(columns.classify_touch(100.0, None), TouchIntent::Select);
        assert_eq!(columns.classify_touch(100.0, Some(22)), TouchIntent::Press(22));
        assert_eq!(columns.classify_touch(119.0, Some(22)), TouchIntent::Press(22));
        assert_eq!(columns.classify_touch(121.0, Some(22)), TouchIntent::Select);
    }

    #[test]
    fn wide_columns_are_pressed_directly() {
        let columns = ColumnGeometry { left: 0.0, width: 280.0, count: 7 };
        assert_eq!(columns.classify_touch(100.0, None), TouchIntent::Direct);
        assert_eq!(
            ColumnGeometry { count: 8, ..columns }.classify_touch(100.0, None),
            TouchIntent::Select
        );
        assert_eq!(ColumnGeometry { width: 0.0, count: 0, ..columns }.nearest_column(5.0), 0);
    }
}
