//! Locates a row that no known page or cursor leads to, by counting the rows older than an instant.
//!
//! The `total` of a list requested by date is the number of rows from there to the end, and so
//! gives the exact index of its first row. The next instant is interpolated between known ones.
//! After a few misses every second guess bisects the time range, so that the search ends for any
//! distribution of rows.

use contract::{Timestamp, page::LIMIT_MAX};

use super::{
    PageQuery, PageStart,
    pages::{KnownPage, KnownPages},
};

/// Maximum distance, in rows, that is walked page by page before guessing a nearer start.
const WALK_ROWS_MAX: usize = 200;
/// Maximum size, in rows, of a searched range for a full page; wider ranges fetch the total only.
const PAGE_WITHIN_ROWS: usize = 4_000;
/// Maximum guesses for one row. After them, pages are walked from the nearest known start.
pub(super) const GUESSES_MAX: u32 = 40;
/// Number of first guesses that only interpolate.
const GUESSES_BY_COUNT: u32 = 6;
/// Maximum number of remembered points.
const POINTS_MAX: usize = 1_024;
/// Distance, in rows, from the end of a gap to the intended start of a page: one page, less the
/// error margin of a guess.
const AIM_ROWS: usize = 90;
/// Maximum number of rows after the wanted one that count as its gap.
const GAP_ROWS: usize = 75;

/// An instant, and the index of the first row older than it.
type IndexedInstant = (Timestamp, usize);

/// Instants with a known index, newest first.
#[derive(Debug, Default)]
pub(super) struct InstantIndex(Vec<IndexedInstant>);

impl InstantIndex {
    /// Records the index of an instant. Points that contradict it are dropped.
    pub(super) fn record(&mut self, at: Timestamp, index: usize) {
        let agrees = |point: &IndexedInstant| {
            if point.0 > at { point.1 <= index } else { point.0 < at && point.1 >= index }
        };
        self.0.retain(agrees);
        if self.0.len() == POINTS_MAX {
            self.0.remove(POINTS_MAX / 2);
        }
        let position = self.0.partition_point(|point| point.0 > at);
        self.0.insert(position, (at, index));
    }

    /// Moves the points after `start` by `by` rows.
    pub(super) fn shift_after(&mut self, start: usize, by: isize) {
        for point in self.0.iter_mut().filter(|point| point.1 > start) {
            point.1 = point.1.saturating_add_signed(by);
        }
    }

    /// Accounts for a removed row of this instant.
    pub(super) fn remove(&mut self, at: Timestamp) {
        for point in self.0.iter_mut().filter(|point| point.0 <= at) {
            point.1 = point.1.saturating_sub(1);
        }
    }

    pub(super) fn drop_after(&mut self, total: usize) {
        self.0.retain(|point| point.1 <= total);
    }

    /// Returns the known index of an instant.
    pub(super) fn index_of(&self, at: Timestamp) -> Option<usize> {
        self.0.iter().find(|point| point.0 == at).map(|point| point.1)
    }

    /// Returns the last point at or before `index`, and the first one after it.
    fn neighbours(&self, index: usize) -> (Option<IndexedInstant>, Option<IndexedInstant>) {
        let newer_count = self.0.partition_point(|point| point.1 <= index);
        (newer_count.checked_sub(1).map(|last| self.0[last]), self.0.get(newer_count).copied())
    }
}

/// State of the list that the search uses.
pub(super) struct SeekState<'a> {
    pub(super) pages: &'a KnownPages,
    pub(super) points: &'a InstantIndex,
    pub(super) total: usize,
    /// Start of the first page.
    pub(super) first: &'a PageStart,
    /// If all rows of a page were removed: start of the next page, with the index of its first row.
    pub(super) next_after_removed: Option<&'a (usize, PageStart)>,
    /// Lower bound of the filter's dates, if any.
    pub(super) oldest: Option<Timestamp>,
    /// Guesses made so far.
    pub(super) guesses: u32,
}

impl SeekState<'_> {
    /// Returns the request that leads towards a row that is not loaded.
    pub(super) fn next_query(&self, index: usize) -> PageQuery {
        let (from, start) = self.nearest_start(index);
        // Accept longer walks as the search takes longer.
        if index - from > WALK_ROWS_MAX * (1 + self.guesses as usize / 4)
            && self.guesses < GUESSES_MAX
            && let Some((at, within)) = self.guess_instant(index)
        {
            let limit = if within > PAGE_WITHIN_ROWS { 1 } else { LIMIT_MAX };
            return PageQuery { start: PageStart::Before(at), limit };
        }
        PageQuery { start, limit: LIMIT_MAX }
    }

    /// Returns the last known start at or before a row, and the index it leads to.
    fn nearest_start(&self, index: usize) -> (usize, PageStart) {
        let known = self.nearest_known_start(index);
        match self.next_after_removed {
            Some(onward) if (known.0..=index).contains(&onward.0) => onward.clone(),
            _ => known,
        }
    }

    fn nearest_known_start(&self, target: usize) -> (usize, PageStart) {
        let by_page = self.pages.page_at(target).map(|piece| {
            let onward = piece.next_start().filter(|(index, _)| *index <= target);
            onward.unwrap_or_else(|| piece.start_towards(target))
        });
        let by_date =
            self.points.neighbours(target).0.map(|(at, index)| (index, PageStart::Before(at)));
        match (by_page, by_date) {
            (Some(page), Some(date)) if date.0 > page.0 => date,
            (page, date) => page.or(date).unwrap_or_else(|| (0, self.first.clone())),
        }
    }

    /// Guesses the instant before which a page begins that closes the gap around `index`. Returns
    /// it with the number of rows in the searched range; `None` if the range contains no instant.
    fn guess_instant(&self, index: usize) -> Option<IndexedInstant> {
        let (newer, older) = self.points.neighbours(index);
        let page = self.pages.page_at(index).map(|piece| {
            // The bottom of a page marks its end only if the page was not cut.
            let is_full_page = piece.end() <= index && piece.len == piece.response_len;
            if is_full_page {
                (piece.last_key.0, piece.end())
            } else {
                (piece.first_key.0, piece.start)
            }
        });
        let behind = self.pages.page_after(index);
        let newer = newer.into_iter().chain(page).max_by_key(|point| point.1)?;
        let floor = || self.oldest.map(|at| (at, self.total));
        let start = behind.map(|piece| (piece.first_key.0, piece.start));
        let older = older.into_iter().chain(start).min_by_key(|point| point.1).or_else(floor);
        let gap_end =
            (index + GAP_ROWS).min(self.total).min(behind.map_or(usize::MAX, |b| b.start));
        // Aim so that the page ends at the end of the gap, but includes the wanted row.
        let aim = gap_end.saturating_sub(AIM_ROWS).clamp(newer.1, index);
        if let Some(at) = behind.and_then(|behind| self.guess_shortly_before(behind, newer, aim)) {
            return Some((at, 0));
        }
        let Some(older) = older else { return Some((self.extrapolate(newer, aim), usize::MAX)) };
        let from = older.0.micros();
        let to = newer.0.micros();
        let between = if self.guesses >= GUESSES_BY_COUNT && self.guesses % 2 == 1 {
            from + (to - from) / 2
        } else {
            let share = self.aim_fraction(older.1 - aim, older.1 - newer.1);
            from.saturating_add(f64_to_micros(share * micros_to_f64(to - from)))
        };
        // Stay strictly between the known instants, so that each guess shrinks the range.
        let at = Timestamp::from_micros(between.clamp(from + 1, (to - 1).max(from + 1)))?;
        (to - from >= 2).then_some((at, older.1 - newer.1))
    }

    /// Returns the distance of a row from the older end of a range, as a fraction. After a miss, a
    /// row near one end is aimed at with twice its distance, so that both ends of the range close
    /// in.
    fn aim_fraction(&self, distance: usize, of: usize) -> f64 {
        let share = rows_to_f64(distance) / rows_to_f64(of.max(1));
        match share {
            _ if self.guesses == 0 || of < PAGE_WITHIN_ROWS => share,
            ..0.3 => share * 2.0,
            0.7.. => 1.0 - 2.0 * (1.0 - share),
            _ => share,
        }
    }

    /// Guesses an instant shortly before a known page, at the row density of that page. Only the
    /// first guess does this.
    fn guess_shortly_before(
        &self,
        page: &KnownPage,
        newer: IndexedInstant,
        aim: usize,
    ) -> Option<Timestamp> {
        let is_near = self.guesses == 0 && page.start - aim <= WALK_ROWS_MAX;
        let step = micros_to_f64(page.first_key.0.micros() - page.last_key.0.micros())
            / rows_to_f64(page.len);
        let distance = f64_to_micros(step * rows_to_f64(page.start - aim)).max(1);
        let at = Timestamp::from_micros(page.first_key.0.micros().saturating_add(distance));
        at.filter(|at| is_near && *at < newer.0)
    }

    /// Returns an instant older than all known ones, extrapolated from the density of the known
    /// rows. The distance doubles with each guess.
    fn extrapolate(&self, newer: IndexedInstant, aim: usize) -> Timestamp {
        let first = self.pages.iter().next().map_or(newer.0, |piece| piece.first_key.0);
        let known = micros_to_f64((first.micros() - newer.0.micros()).max(1));
        let step = known / rows_to_f64(newer.1.max(1)) * rows_to_f64(aim - newer.1 + 1);
        let distance = f64_to_micros(step * f64::from(1_u32 << self.guesses.min(20))).max(1);
        Timestamp::from_micros(newer.0.micros().saturating_sub(distance)).unwrap_or(Timestamp::MIN)
    }
}

/// Converts a row count. Counts are far below 2^52, where `f64` is exact.
#[expect(clippy::cast_precision_loss, reason = "row counts are far below 2^52")]
fn rows_to_f64(rows: usize) -> f64 {
    rows as f64
}

#[expect(clippy::cast_precision_loss, reason = "guesses may be off")]
fn micros_to_f64(micros: i64) -> f64 {
    micros as f64
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and guesses may be off")]
fn f64_to_micros(span: f64) -> i64 {
    span as i64
}
