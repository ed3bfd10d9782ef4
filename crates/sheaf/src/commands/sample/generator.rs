//! Sample submissions, one after another, oldest first, as they would have come: so the pages of
//! the database's trees fill up.
//!
//! Each is made from the seed and its place alone, so that a part of them can be made without the
//! rest, and nothing is kept in memory.

use contract::{Answers, Form, Submission, SubmissionId, Timestamp};
use store::ids;

use super::answer::answer;
use super::dice::{Dice, number_of};
use super::person::Person;
use super::visit;

const MINUTE_MICROS: u64 = 60_000_000;
const DAY_MICROS: u64 = 24 * 60 * MINUTE_MICROS;
/// The time over which submissions spread: so much each, within bounds.
const EACH_MICROS: u64 = 20 * MINUTE_MICROS;
const SPAN_MIN_MICROS: u64 = 30 * DAY_MICROS;
const SPAN_MAX_MICROS: u64 = 365 * DAY_MICROS;
/// How many submissions in a thousand came at the very instant of the one before.
const TIES_PERMILLE: u32 = 40;

/// The sample submissions of a form.
pub(super) struct Generator {
    form: Form,
    seed: u64,
    count: u64,
    until: Timestamp,
    /// So many are still to come. The place of the newest is 0.
    left: u64,
}

impl Generator {
    /// Returns `count` submissions that answer the form's fields and came before `until`.
    pub(super) fn new(form: Form, count: u64, seed: u64, until: Timestamp) -> Self {
        Self { form, seed, count, until, left: count }
    }

    fn submission(&self, place: u64) -> Submission {
        let mut dice = Dice::new(self.seed, place);
        let person = Person::new(&mut dice);
        let fields = self.form.fields.iter().enumerate();
        let answers = fields.filter_map(|(at, field)| {
            let value = answer(field, at == 0, &person, self.until, &mut dice)?;
            Some((field.key.clone(), value))
        });
        let answers = Answers(answers.collect());
        let came_at = self.instant(place);
        let metadata = visit::metadata(&mut dice, &person, came_at);
        let insight = visit::insight(&mut dice, &person);
        Submission {
            id: self.id(place, came_at),
            form_id: self.form.id.clone(),
            answers,
            metadata,
            ai_insights: insight.filter(|_| self.form.analysis),
        }
    }

    /// The id that it would have got when it came, from form, seed and place, so that two forms can
    /// have the same seed.
    fn id(&self, place: u64, came_at: Timestamp) -> SubmissionId {
        let seed = number_of(self.form.id.as_str()) ^ self.seed.rotate_left(32);
        ids::submission_id_of(came_at, Dice::new(seed, place).next().to_be_bytes())
    }

    /// The instant of a place. Newer ones lie closer together, and nights are quiet.
    fn instant(&self, place: u64) -> Timestamp {
        let slot = (0..=place).rev().find(|slot| *slot == 0 || !self.is_tie(*slot)).unwrap_or(0);
        let mut dice = Dice::new(!self.seed, slot);
        let span = (self.count * EACH_MICROS).clamp(SPAN_MIN_MICROS, SPAN_MAX_MICROS);
        let most = u128::from(self.count) << 16;
        let at = (u128::from(slot) << 16) + u128::from(dice.below(1 << 16));
        let back = u128::from(span) * at * (most + at) / (2 * most * most);
        let back = i64::try_from(back).unwrap_or_default() / 1000 * 1000;
        let micros = self.until.micros() - back - 1000;
        let is_night = micros.rem_euclid(24 * 3_600_000_000) < 5 * 3_600_000_000;
        let quiet = if is_night && dice.permille(700) { 8 * 3_600_000_000 } else { 0 };
        Timestamp::from_micros(micros - quiet).unwrap_or(self.until)
    }

    fn is_tie(&self, slot: u64) -> bool {
        Dice::new(self.seed.rotate_left(17), slot).permille(TIES_PERMILLE)
    }
}

impl Iterator for Generator {
    type Item = Submission;

    fn next(&mut self) -> Option<Submission> {
        self.left = self.left.checked_sub(1)?;
        Some(self.submission(self.left))
    }
}

#[cfg(test)]
#[path = "generator_tests.rs"]
mod tests;
