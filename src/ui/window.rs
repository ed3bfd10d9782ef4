//! The arithmetic of a windowed list: which rows are drawn, and where. Pure; it never touches
//! the DOM.
//!
//! Browsers cap the height of an element (Chromium and Safari near 33.5 million px, Firefox near
//! 17.9 million). Beyond [`HEIGHT_MAX_PX`] the list is therefore shrunk: the scroll bar moves in
//! *track* px, the rows lie in *list* px, and one maps onto the other in proportion, so that both
//! ends meet exactly.

use std::ops::Range;

/// The tallest track that every browser can lay out, in px.
pub const HEIGHT_MAX_PX: f64 = 16_000_000.0;

/// Where a row shall come to stand when the list scrolls to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// At the top edge.
    Start,
    /// Wherever it is whole in view with the least movement.
    Nearest,
}

/// A list of equally tall rows behind a viewport. Heights are in px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// How many rows the list has.
    pub count: usize,
    /// The height of one row; above 0.
    pub row_height: f64,
    /// The height of the viewport.
    pub viewport: f64,
    /// How many rows are drawn beyond either edge of the viewport.
    pub overscan: usize,
}

impl Window {
    /// Returns the height of all rows together.
    pub fn list_height(&self) -> f64 {
        float(self.count) * self.row_height
    }

    /// Returns the height that the scroll bar is given: the list's own, or the cap.
    pub fn track_height(&self) -> f64 {
        self.list_height().min(HEIGHT_MAX_PX)
    }

    /// Returns how many px of the list one px of the track stands for: 1 unless shrunk.
    pub fn ratio(&self) -> f64 {
        let track = self.track_height() - self.viewport;
        if self.list_height() <= HEIGHT_MAX_PX || track <= 0.0 {
            1.0
        } else {
            (self.list_height() - self.viewport) / track
        }
    }

    /// Returns the place in the list that is at the top edge when the track is at `scroll_top`.
    pub fn list_top(&self, scroll_top: f64) -> f64 {
        scroll_top.clamp(0.0, self.scroll_max()) * self.ratio()
    }

    /// Returns the rows to draw when the track is at `scroll_top`, end exclusive.
    pub fn range(&self, scroll_top: f64) -> Range<usize> {
        let top = self.list_top(scroll_top);
        let first = whole(top / self.row_height);
        let end = whole(((top + self.viewport) / self.row_height).ceil());
        let start = first.saturating_sub(self.overscan).min(self.count);
        start..end.saturating_add(self.overscan).min(self.count)
    }

    /// Returns where on the track row `start` is to be drawn when the track is at `scroll_top`.
    pub fn offset(&self, start: usize, scroll_top: f64) -> f64 {
        let scroll_top = scroll_top.clamp(0.0, self.scroll_max());
        scroll_top + float(start) * self.row_height - self.list_top(scroll_top)
    }

    /// Returns the place of the track that brings row `index` into view.
    pub fn scroll_to(&self, index: usize, align: Align, scroll_top: f64) -> f64 {
        let row_top = float(index.min(self.count.saturating_sub(1))) * self.row_height;
        let top = self.list_top(scroll_top);
        let list_top = match align {
            Align::Start => row_top,
            Align::Nearest if row_top < top => row_top,
            Align::Nearest => top.max(row_top + self.row_height - self.viewport),
        };
        (list_top / self.ratio()).clamp(0.0, self.scroll_max())
    }

    /// Returns how many whole rows the viewport shows, at least 1: the step of Page Up and Down.
    pub fn rows_per_page(&self) -> usize {
        whole(self.viewport / self.row_height).max(1)
    }

    fn scroll_max(&self) -> f64 {
        (self.track_height() - self.viewport).max(0.0)
    }
}

/// Rows are counted far below 2^52, where `f64` is exact.
#[expect(clippy::cast_precision_loss, reason = "row counts lie far below 2^52")]
fn float(count: usize) -> f64 {
    count as f64
}

/// Cuts off the fraction; what is negative or no number becomes 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and negative or NaN heights mean row 0"
)]
fn whole(rows: f64) -> usize {
    rows as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: usize) -> Window {
        Window { count, row_height: 44.0, viewport: 600.0, overscan: 4 }
    }

    #[track_caller]
    fn check(count: usize, scroll_top: f64, rows: Range<usize>) {
        assert_eq!(list(count).range(scroll_top), rows);
    }

    #[test]
    fn draws_what_is_in_view_and_a_margin() {
        check(0, 0.0, 0..0);
        check(3, 0.0, 0..3);
        check(1000, 0.0, 0..18);
        check(1000, 440.0, 6..28);
        check(1000, 43_400.0, 982..1000);
    }

    #[test]
    fn survives_places_outside_the_list() {
        check(1000, -50.0, 0..18);
        check(1000, 1e12, 982..1000);
        check(1000, f64::NAN, 0..4);
        check(5, 9000.0, 0..5);
    }

    #[test]
    fn keeps_px_as_they_are_below_the_cap() {
        let list = list(300_000);
        assert!((list.ratio() - 1.0).abs() < f64::EPSILON);
        assert!((list.offset(100, 4480.0) - 4400.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_million_rows_fit_under_the_cap_and_all_can_be_reached() {
        let list = list(1_000_000);
        assert!(list.track_height() <= HEIGHT_MAX_PX);
        let bottom = list.track_height() - list.viewport;
        assert_eq!(list.range(0.0).start, 0);
        assert_eq!(list.range(bottom).end, 1_000_000);
        // The last row ends exactly where the track ends.
        let end = list.offset(999_999, bottom) + list.row_height;
        assert!((end - list.track_height()).abs() < 0.01, "{end}");
        for index in [0, 1, 499_999, 777_777, 999_999] {
            let top = list.scroll_to(index, Align::Nearest, 0.0);
            assert!(list.range(top).contains(&index), "{index}");
            let y = list.offset(index, top) - top;
            assert!((-0.01..=600.01 - 44.0).contains(&y), "row {index} stands at {y}");
        }
    }

    #[test]
    fn the_number_of_rows_drawn_stays_flat() {
        for count in [1_000, 100_000, 1_000_000] {
            let list = list(count);
            let most = (0..1000)
                .map(|step| list.range(list.track_height() * f64::from(step) / 1000.0).len())
                .max();
            assert!(most <= Some(24), "{count}: {most:?}");
        }
    }

    #[test]
    fn scrolls_no_further_than_needed() {
        let list = list(1000);
        assert!((list.scroll_to(5, Align::Nearest, 0.0)).abs() < f64::EPSILON);
        assert!((list.scroll_to(14, Align::Nearest, 0.0) - 60.0).abs() < f64::EPSILON);
        assert!((list.scroll_to(2, Align::Nearest, 440.0) - 88.0).abs() < f64::EPSILON);
        assert!((list.scroll_to(2, Align::Start, 0.0) - 88.0).abs() < f64::EPSILON);
        assert!((list.scroll_to(5000, Align::Start, 0.0) - 43_400.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_page_is_what_the_viewport_shows_whole() {
        assert_eq!(list(1000).rows_per_page(), 13);
        assert_eq!(Window { viewport: 10.0, ..list(10) }.rows_per_page(), 1);
    }
}
