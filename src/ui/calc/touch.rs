//! Fingers on columns that are narrower than they: a touch chooses the nearest column, and another
//! one beside it means that column. Pure; it never touches the DOM.

/// Columns as wide as this are pressed at once, in px.
const FINGER_PX: f64 = 40.0;
/// How far from the middle of the chosen column a touch still means it, in px.
const REACH_PX: f64 = 22.0;

/// What a touch on a plot is about, from when it begins until the press that may follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Touch {
    /// It is none, or on columns wide enough: a press is a press.
    #[default]
    Plain,
    /// It chose a column. Nothing is pressed.
    Chose,
    /// It means the column that was chosen before.
    Means(usize),
}

/// Columns of equal width beside each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Columned {
    /// Where they begin, in px.
    pub left: f64,
    /// How wide all are together, in px.
    pub width: f64,
    /// How many they are.
    pub count: usize,
}

impl Columned {
    /// Returns the column that is nearest.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates, and what lies before the first is the first"
    )]
    pub fn nearest(self, x: f64) -> usize {
        let at = ((x - self.left) / self.each()).max(0.0) as usize;
        at.min(self.count.saturating_sub(1))
    }

    /// Returns what a touch that begins at a place is about, with a column chosen before or none.
    pub fn begin(self, x: f64, chosen: Option<usize>) -> Touch {
        if self.each() >= FINGER_PX {
            return Touch::Plain;
        }
        let middle = |at: usize| self.left + (float(at) + 0.5) * self.each();
        let meant = chosen.filter(|at| (middle(*at) - x).abs() <= REACH_PX);
        meant.map_or(Touch::Chose, Touch::Means)
    }

    /// The width of one.
    fn each(self) -> f64 {
        self.width.max(1.0) / float(self.count.max(1))
    }
}

#[expect(clippy::cast_precision_loss, reason = "columns are some hundred")]
fn float(number: usize) -> f64 {
    number as f64
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touch_chooses_what_is_nearest_and_one_beside_it_means_it() {
        let columns = Columned { left: 30.0, width: 276.0, count: 92 };
        let nearest = |x| columns.nearest(x);
        assert_eq!([0.0, 30.0, 32.9, 33.0, 305.0, 900.0].map(nearest), [0, 0, 0, 1, 91, 91]);
        assert_eq!(columns.begin(100.0, None), Touch::Chose);
        assert_eq!(columns.begin(100.0, Some(22)), Touch::Means(22));
        assert_eq!(columns.begin(119.0, Some(22)), Touch::Means(22));
        assert_eq!(columns.begin(121.0, Some(22)), Touch::Chose);
    }

    #[test]
    fn columns_as_wide_as_a_finger_are_pressed_at_once() {
        let columns = Columned { left: 0.0, width: 280.0, count: 7 };
        assert_eq!(columns.begin(100.0, None), Touch::Plain);
        assert_eq!(Columned { count: 8, ..columns }.begin(100.0, None), Touch::Chose);
        assert_eq!(Columned { width: 0.0, count: 0, ..columns }.nearest(5.0), 0);
    }
}
