//! How to come to a row that nothing leads to: by the exact count of what is older than an instant.
//!
//! The list is asked for by date. Its `total` says how many rows stand from there to the end, and
//! so the exact index of its first row. Between instants whose index is known the next is guessed;
//! after a few misses each second guess halves the time, so that no distribution makes it endless.

use contract::{Timestamp, page::LIMIT_MAX};

use super::{
    Place, Want,
    chunks::{Piece, Pieces},
};

/// How far, in rows, going on page by page is preferred to looking for a nearer place.
const WALK_ROWS_MAX: usize = 200;
/// How wide, in rows, the stretch may be in which a guess is thought good enough for a whole page.
const PAGE_WITHIN_ROWS: usize = 4_000;
/// Most guesses for one row, before the list is walked page by page from the nearest place.
const GUESSES_MAX: u32 = 40;
/// The guesses that are made by counts alone.
const GUESSES_BY_COUNT: u32 = 6;
/// Most instants whose index is remembered.
const POINTS_MAX: usize = 1_024;
/// How many rows before the end of a gap a page is aimed at: a page less what a guess may err.
const AIM_ROWS: usize = 90;
/// How far behind the wanted row a gap is looked at.
const GAP_ROWS: usize = 75;

/// An instant, and the index of the first row that is older.
type Point = (Timestamp, usize);

/// Instants whose index is known, newest first.
#[derive(Debug, Default)]
pub(super) struct Points(Vec<Point>);

impl Points {
    /// Takes in where an instant stands. Others that this one contradicts are forgotten.
    pub(super) fn note(&mut self, at: Timestamp, index: usize) {
        let agrees = |one: &Point| {
            if one.0 > at { one.1 <= index } else { one.0 < at && one.1 >= index }
        };
        self.0.retain(agrees);
        if self.0.len() == POINTS_MAX {
            self.0.remove(POINTS_MAX / 2);
        }
        let place = self.0.partition_point(|one| one.0 > at);
        self.0.insert(place, (at, index));
    }

    /// Moves those that stand behind `start`.
    pub(super) fn shift(&mut self, start: usize, by: isize) {
        for point in self.0.iter_mut().filter(|point| point.1 > start) {
            point.1 = point.1.saturating_add_signed(by);
        }
    }

    /// Takes in that a row of this instant is gone.
    pub(super) fn remove(&mut self, at: Timestamp) {
        for point in self.0.iter_mut().filter(|point| point.0 <= at) {
            point.1 = point.1.saturating_sub(1);
        }
    }

    pub(super) fn end_at(&mut self, total: usize) {
        self.0.retain(|point| point.1 <= total);
    }

    /// Returns the index that was found for an instant.
    pub(super) fn index(&self, at: Timestamp) -> Option<usize> {
        self.0.iter().find(|one| one.0 == at).map(|one| one.1)
    }

    /// Returns the last one that stands at `index` or before, and the first behind it.
    fn around(&self, index: usize) -> (Option<Point>, Option<Point>) {
        let behind = self.0.partition_point(|one| one.1 <= index);
        (behind.checked_sub(1).map(|place| self.0[place]), self.0.get(behind).copied())
    }
}

/// What is known when a row is looked for.
pub(super) struct Known<'a> {
    pub(super) pieces: &'a Pieces,
    pub(super) points: &'a Points,
    pub(super) total: usize,
    /// What brings the first page.
    pub(super) first: &'a Place,
    /// The place behind a page of which all rows were removed, and the index of the row there.
    pub(super) onward: Option<&'a (usize, Place)>,
    /// The instant that no row is older than, where the filter says one.
    pub(super) oldest: Option<Timestamp>,
    /// How many guesses were made already.
    pub(super) guesses: u32,
}

impl Known<'_> {
    /// Returns what to fetch to come to a row that is not held.
    pub(super) fn seek(&self, wanted: usize) -> Want {
        let (from, place) = self.nearest(wanted);
        // The longer the search, the farther it is worth to walk.
        if wanted - from > WALK_ROWS_MAX * (1 + self.guesses as usize / 4)
            && self.guesses < GUESSES_MAX
            && let Some((at, within)) = self.guess(wanted)
        {
            let limit = if within > PAGE_WITHIN_ROWS { 1 } else { LIMIT_MAX };
            return Want { place: Place::Before(at), limit };
        }
        Want { place, limit: LIMIT_MAX }
    }

    /// Returns the last place at or before a row, and which row it leads to.
    fn nearest(&self, wanted: usize) -> (usize, Place) {
        let known = self.nearest_known(wanted);
        match self.onward {
            Some(onward) if (known.0..=wanted).contains(&onward.0) => onward.clone(),
            _ => known,
        }
    }

    fn nearest_known(&self, wanted: usize) -> (usize, Place) {
        let by_page = self.pieces.at(wanted).map(|piece| {
            let onward = piece.onward().filter(|(index, _)| *index <= wanted);
            onward.unwrap_or_else(|| piece.way_to(wanted))
        });
        let by_date = self.points.around(wanted).0.map(|(at, index)| (index, Place::Before(at)));
        match (by_page, by_date) {
            (Some(page), Some(date)) => {
                if date.0 > page.0 {
                    date
                } else {
                    page
                }
            }
            (page, date) => page.or(date).unwrap_or_else(|| (0, self.first.clone())),
        }
    }

    /// Returns the instant before which a row is thought to begin a page that closes its gap, and
    /// the number of rows among which it lies; `None` where no instant lies between.
    fn guess(&self, wanted: usize) -> Option<Point> {
        let (newer, older) = self.points.around(wanted);
        let page = self.pieces.at(wanted).map(|piece| {
            let whole = piece.end() <= wanted && piece.len == piece.full;
            if whole { (piece.bottom.0, piece.end()) } else { (piece.top.0, piece.start) }
        });
        let behind = self.pieces.behind(wanted);
        let newer = newer.into_iter().chain(page).max_by_key(|one| one.1)?;
        let floor = || self.oldest.map(|at| (at, self.total));
        let start = behind.map(|piece| (piece.top.0, piece.start));
        let older = older.into_iter().chain(start).min_by_key(|one| one.1).or_else(floor);
        let gap_end =
            (wanted + GAP_ROWS).min(self.total).min(behind.map_or(usize::MAX, |b| b.start));
        let aim = gap_end.saturating_sub(AIM_ROWS).clamp(newer.1, wanted);
        if let Some(at) = behind.and_then(|behind| self.shortly_before(behind, newer, aim)) {
            return Some((at, 0));
        }
        let Some(older) = older else { return Some((self.beyond(newer, aim), usize::MAX)) };
        let (from, to) = (older.0.micros(), newer.0.micros());
        let between = if self.guesses >= GUESSES_BY_COUNT && self.guesses % 2 == 1 {
            from + (to - from) / 2
        } else {
            let share = self.share(older.1 - aim, older.1 - newer.1);
            from.saturating_add(micros(share * span(to - from)))
        };
        let at = Timestamp::from_micros(between.clamp(from + 1, (to - 1).max(from + 1)))?;
        (to - from >= 2).then_some((at, older.1 - newer.1))
    }

    /// Returns how far a row lies from the older end of a stretch, as a share of it. After a miss,
    /// a row near one end is aimed at twice as far from it, so that both ends close in.
    fn share(&self, far: usize, of: usize) -> f64 {
        let share = float(far) / float(of.max(1));
        match share {
            _ if self.guesses == 0 || of < PAGE_WITHIN_ROWS => share,
            ..0.3 => share * 2.0,
            0.7.. => 1.0 - 2.0 * (1.0 - share),
            _ => share,
        }
    }

    /// Returns the first guess at a row shortly before a page: rows lie there as densely as in it.
    fn shortly_before(&self, page: &Piece, newer: Point, aim: usize) -> Option<Timestamp> {
        let near = self.guesses == 0 && page.start - aim <= WALK_ROWS_MAX;
        let step = span(page.top.0.micros() - page.bottom.0.micros()) / float(page.len);
        let far = micros(step * float(page.start - aim)).max(1);
        let at = Timestamp::from_micros(page.top.0.micros().saturating_add(far));
        at.filter(|at| near && *at < newer.0)
    }

    /// Returns an instant that is older than all that is known, by how densely rows lie, and twice
    /// as far with each guess.
    fn beyond(&self, newer: Point, aim: usize) -> Timestamp {
        let first = self.pieces.iter().next().map_or(newer.0, |piece| piece.top.0);
        let known = span((first.micros() - newer.0.micros()).max(1));
        let step = known / float(newer.1.max(1)) * float(aim - newer.1 + 1);
        let far = micros(step * f64::from(1_u32 << self.guesses.min(20))).max(1);
        Timestamp::from_micros(newer.0.micros().saturating_sub(far)).unwrap_or(Timestamp::MIN)
    }
}

/// Rows are counted far below 2^52, where `f64` is exact.
#[expect(clippy::cast_precision_loss, reason = "row counts lie far below 2^52")]
fn float(rows: usize) -> f64 {
    rows as f64
}

#[expect(clippy::cast_precision_loss, reason = "a guess may err")]
fn span(micros: i64) -> f64 {
    micros as f64
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and a guess may err")]
fn micros(span: f64) -> i64 {
    span as i64
}
