//! Arithmetic of a windowed list: which rows are drawn, and where. Pure; it does not access the
//! DOM.
//!
//! Browsers cap the height of an element (Chromium and Safari near 33.5 million px, Firefox near
//! 17.9 million). Beyond [`HEIGHT_MAX_PX`] the list is therefore scaled down: the scroll bar moves
//! in *track* px, the rows are placed in *list* px. Dragging the bar scrolls by the same proportion
//! of the list.
//!
//! Steps of less than two views (a wheel, a finger, a key) move the list and the track by the same
//! number of px, so that scrolling is as fine at a million rows as at a hundred. Afterwards the
//! track is realigned ([`ListWindow::track_top`]), which moves nothing on screen.

use std::ops::Range;

/// Maximum height of the track that every browser can lay out, in px.
pub const HEIGHT_MAX_PX: f64 = 16_000_000.0;

/// Distance from either end within which track and list px are equal, even in a scaled list.
const EDGE_PX: f64 = 100_000.0;

/// List of rows of equal height behind a viewport. Heights are in px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListWindow {
    /// Number of rows.
    pub count: usize,
    /// Height of one row; above 0.
    pub row_height: f64,
    /// Height of the viewport.
    pub viewport: f64,
    /// Number of rows drawn beyond each edge of the viewport.
    pub overscan: usize,
}

impl ListWindow {
    /// Returns the height of all rows.
    pub fn list_height(&self) -> f64 {
        count_to_f64(self.count) * self.row_height
    }

    /// Returns the height of the scrollable track: the list height, up to the cap.
    pub fn track_height(&self) -> f64 {
        self.list_height().min(HEIGHT_MAX_PX)
    }

    /// Returns whether the track is shorter than the list.
    pub fn is_shrunk(&self) -> bool {
        self.list_height() > HEIGHT_MAX_PX
    }

    /// Converts a position of the track into a position of the list.
    pub fn list_top(&self, track_top: f64) -> f64 {
        convert_position(track_top, self.track_max(), self.list_max())
    }

    /// Converts a position of the list into a position of the track.
    pub fn track_top(&self, list_top: f64) -> f64 {
        convert_position(list_top, self.list_max(), self.track_max())
    }

    /// Returns the list position after the track has moved.
    pub fn scroll_by_track(&self, list_top: f64, track_before: f64, track_now: f64) -> f64 {
        let by = track_now - track_before;
        if !self.is_shrunk() || by.abs() > 2.0 * self.viewport {
            self.list_top(track_now)
        } else {
            (list_top + by).clamp(0.0, self.list_max())
        }
    }

    /// Returns whether the track must be realigned immediately: either the track or the list is at
    /// an end that the other has not reached.
    pub fn is_stuck(&self, list_top: f64, track_top: f64) -> bool {
        let edges = |at: f64, max: f64| (at <= 0.5, at >= max - 0.5);
        self.is_shrunk() && edges(list_top, self.list_max()) != edges(track_top, self.track_max())
    }

    /// Returns the rows to draw at `list_top`, end exclusive. Their number is constant except near
    /// both ends, so that scrolling by a px adds or removes no row.
    pub fn drawn_range(&self, list_top: f64) -> Range<usize> {
        let first = truncate_to_usize(list_top.clamp(0.0, self.list_max()) / self.row_height);
        let end = first + truncate_to_usize((self.viewport / self.row_height).ceil()) + 1;
        let start = first.saturating_sub(self.overscan).min(self.count);
        start..end.saturating_add(self.overscan).min(self.count)
    }

    /// Returns the track position of row `start`, in px.
    pub fn row_offset(&self, start: usize, list_top: f64, track_top: f64) -> f64 {
        track_top + count_to_f64(start) * self.row_height - list_top
    }

    /// Returns the list position that brings row `index` into view with the least movement.
    pub fn scroll_to(&self, index: usize, list_top: f64) -> f64 {
        let row_top = count_to_f64(index.min(self.count.saturating_sub(1))) * self.row_height;
        let bottom_aligned = row_top + self.row_height - self.viewport;
        let top = if row_top < list_top { row_top } else { list_top.max(bottom_aligned) };
        top.clamp(0.0, self.list_max())
    }

    /// Returns the list position for a fractional row index at the top edge.
    pub fn scroll_to_position(&self, position: f64) -> f64 {
        (position * self.row_height).clamp(0.0, self.list_max())
    }

    /// Returns the number of fully visible rows, at least 1: the step of Page Up and Page Down.
    pub fn rows_per_page(&self) -> usize {
        truncate_to_usize(self.viewport / self.row_height).max(1)
    }

    fn list_max(&self) -> f64 {
        (self.list_height() - self.viewport).max(0.0)
    }

    fn track_max(&self) -> f64 {
        (self.track_height() - self.viewport).max(0.0)
    }
}

/// Converts a position between two scales. Near both ends the scales are equal, so that a wheel
/// reaches the ends as usual; in between the conversion is proportional.
fn convert_position(at: f64, of: f64, to: f64) -> f64 {
    let edge = EDGE_PX.min(of / 4.0).min(to / 4.0);
    let at = at.clamp(0.0, of);
    if at <= edge || of <= 0.0 {
        at.min(to)
    } else if at >= of - edge {
        to - (of - at)
    } else {
        edge + (at - edge) * (to - 2.0 * edge) / (of - 2.0 * edge)
    }
}

/// Converts a row count, which is far below 2^52, where `f64` is exact.
#[expect(clippy::cast_precision_loss, reason = "row counts are far below 2^52")]
pub fn count_to_f64(count: usize) -> f64 {
    count as f64
}

/// Truncates the fraction; negative values and NaN become 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and negative or NaN heights mean row 0"
)]
fn truncate_to_usize(rows: f64) -> usize {
    rows as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: usize) -> ListWindow {
        ListWindow { count, row_height: 44.0, viewport: 600.0, overscan: 4 }
    }

    #[track_caller]
    fn check(count: usize, scroll_top: f64, rows: Range<usize>) {
        assert_eq!(list(count).drawn_range(scroll_top), rows);
    }

    #[test]
    fn range_covers_viewport_and_overscan() {
        check(0, 0.0, 0..0);
        check(3, 0.0, 0..3);
        check(1000, 0.0, 0..19);
        check(1000, 440.0, 6..29);
        check(1000, 43_400.0, 982..1000);
    }

    #[test]
    fn range_clamps_positions_outside_the_list() {
        check(1000, -50.0, 0..19);
        check(1000, 1e12, 982..1000);
        check(1000, f64::NAN, 0..19);
        check(5, 9000.0, 0..5);
    }

    #[test]
    fn list_below_the_cap_is_not_scaled() {
        let list = list(300_000);
        assert!(!list.is_shrunk());
        assert!((list.scroll_by_track(0.0, 0.0, 4480.0) - 4480.0).abs() < f64::EPSILON);
        assert!((list.row_offset(100, 4480.0, 4480.0) - 4400.0).abs() < f64::EPSILON);
    }

    #[test]
    fn million_rows_are_reachable_below_the_cap() {
        let list = list(1_000_000);
        assert!(list.track_height() <= HEIGHT_MAX_PX);
        let bottom = list.track_height() - list.viewport;
        assert_eq!(list.drawn_range(list.list_top(0.0)).start, 0);
        assert_eq!(list.drawn_range(list.list_top(bottom)).end, 1_000_000);
        // The last row ends exactly at the end of the track.
        let end = list.row_offset(999_999, list.list_top(bottom), bottom) + list.row_height;
        assert!((end - list.track_height()).abs() < 0.01, "{end}");
        for index in [0, 1, 499_999, 777_777, 999_999] {
            let top = list.scroll_to(index, 0.0);
            assert!(list.drawn_range(top).contains(&index), "{index}");
            let track = list.track_top(top);
            let row_top = list.row_offset(index, top, track) - track;
            assert!((-0.01..=600.01 - 44.0).contains(&row_top), "row {index} is at {row_top}");
        }
    }

    #[test]
    fn wheel_scrolls_px_and_drag_scrolls_share() {
        for count in [1_000, 300_000, 1_000_000, 10_000_000] {
            let list = list(count);
            for share in [0.0, 0.3, 0.9] {
                let track = (list.track_height() * share).round();
                let top = list.list_top(track);
                let distance = list.scroll_by_track(top, track, track + 120.0) - top;
                assert!((distance - 120.0).abs() < 1e-6, "{count} at {share}: {distance}");
            }
            let half = (list.track_height() - list.viewport) / 2.0;
            let dragged = list.scroll_by_track(0.0, 0.0, half);
            assert!((dragged - (list.list_height() - list.viewport) / 2.0).abs() < 1.0, "{count}");
        }
    }

    #[test]
    fn wheel_reaches_both_ends() {
        let list = list(1_000_000);
        for (start, by) in [(0.999_95, 400.0), (0.000_05, -400.0)] {
            let mut track = ((list.track_height() - list.viewport) * start).round();
            let mut top = list.list_top(track);
            for _ in 0..20_000 {
                let expected_track = (track + by).clamp(0.0, list.track_height() - list.viewport);
                top = list.scroll_by_track(top, track, expected_track);
                track = if list.is_stuck(top, expected_track) {
                    list.track_top(top)
                } else {
                    expected_track
                };
            }
            let end = if by > 0.0 { 1_000_000 } else { 0 };
            let range = list.drawn_range(top);
            assert!(range.start == end || range.end == end, "{range:?}");
            assert!(!list.is_stuck(top, track));
        }
    }

    #[test]
    fn drawn_row_count_is_bounded() {
        for count in [1_000, 100_000, 1_000_000] {
            let list = list(count);
            let max_step = (0..1000)
                .map(|step| list.drawn_range(list.list_height() * f64::from(step) / 1000.0).len())
                .max();
            assert!(max_step <= Some(24), "{count}: {max_step:?}");
        }
    }

    #[test]
    fn scroll_to_row_moves_minimally() {
        let list = list(1000);
        assert!((list.scroll_to(5, 0.0)).abs() < f64::EPSILON);
        assert!((list.scroll_to(14, 0.0) - 60.0).abs() < f64::EPSILON);
        assert!((list.scroll_to(2, 440.0) - 88.0).abs() < f64::EPSILON);
        assert!((list.scroll_to(5000, 0.0) - 43_400.0).abs() < f64::EPSILON);
        // A position from before rows were removed.
        assert!((list.scroll_to(999, 50_000.0) - 43_400.0).abs() < f64::EPSILON);
    }

    #[test]
    fn page_counts_fully_visible_rows() {
        assert_eq!(list(1000).rows_per_page(), 13);
        assert_eq!(ListWindow { viewport: 10.0, ..list(10) }.rows_per_page(), 1);
    }
}
