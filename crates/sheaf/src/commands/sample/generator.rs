//! Generates sample submissions in chronological order, which fills the pages of the database's
//! B-trees.
//!
//! Each depends only on the seed and its index. Any part of them can be generated without the rest,
//! and memory use is constant.

use contract::{Answers, Form, Submission, SubmissionId, Timestamp};
use store::ids;

use super::answer::sample_answer;
use super::metadata;
use super::person::SampleAuthor;
use super::random::{Random, hash_text};

const MINUTE_MICROS: u64 = 60_000_000;
const DAY_MICROS: u64 = 24 * 60 * MINUTE_MICROS;
/// Time span per submission. The constants below limit the total span.
const MICROS_PER_SUBMISSION: u64 = 20 * MINUTE_MICROS;
const SPAN_MIN_MICROS: u64 = 30 * DAY_MICROS;
const SPAN_MAX_MICROS: u64 = 365 * DAY_MICROS;
/// Number of submissions in a thousand with the same time as the next newer one.
const TIES_PERMILLE: u32 = 40;

/// Sample submissions of a form.
pub(super) struct Generator {
    form: Form,
    seed: u64,
    count: u64,
    until: Timestamp,
    /// Number of submissions still to be generated. The newest has the index 0.
    left: u64,
}

impl Generator {
    /// Returns `count` submissions to the form, dated before `until`.
    pub(super) fn new(form: Form, count: u64, seed: u64, until: Timestamp) -> Self {
        Self { form, seed, count, until, left: count }
    }

    fn submission_at(&self, index: u64) -> Submission {
        let mut rng = Random::new(self.seed, index);
        let person = SampleAuthor::new(&mut rng);
        let fields = self.form.fields.iter().enumerate();
        let answers = fields.filter_map(|(at, field)| {
            let value = sample_answer(field, at == 0, &person, self.until, &mut rng)?;
            Some((field.key.clone(), value))
        });
        let answers = Answers(answers.collect());
        let came_at = self.time_at(index);
        let metadata = metadata::sample_metadata(&mut rng, &person, came_at);
        let insight = metadata::sample_insight(&mut rng, &person);
        Submission {
            id: self.id_at(index, came_at),
            form_id: self.form.id.clone(),
            answers,
            metadata,
            ai_insights: insight.filter(|_| self.form.analysis),
        }
    }

    /// Returns the id for the submission time, from form, seed and index. Two forms can use the
    /// same seed.
    fn id_at(&self, index: u64, came_at: Timestamp) -> SubmissionId {
        let seed = hash_text(self.form.id.as_str()) ^ self.seed.rotate_left(32);
        ids::derive_submission_id(came_at, Random::new(seed, index).next().to_be_bytes())
    }

    /// Returns the time of an index. Newer submissions are closer together, and nights are quiet.
    fn time_at(&self, index: u64) -> Timestamp {
        // A tie has the time of the nearest newer submission that is no tie.
        let slot = (0..=index).rev().find(|slot| *slot == 0 || !self.is_tie(*slot)).unwrap_or(0);
        let mut rng = Random::new(!self.seed, slot);
        let span = (self.count * MICROS_PER_SUBMISSION).clamp(SPAN_MIN_MICROS, SPAN_MAX_MICROS);
        // Fixed point with 16 bits. With x = at / most, the offset is span * (x + x²) / 2.
        let micros_max = u128::from(self.count) << 16;
        let at = (u128::from(slot) << 16) + u128::from(rng.next_below(1 << 16));
        let back = u128::from(span) * at * (micros_max + at) / (2 * micros_max * micros_max);
        let back = i64::try_from(back).unwrap_or_default() / 1000 * 1000;
        let micros = self.until.micros() - back - 1000;
        let is_night = micros.rem_euclid(24 * 3_600_000_000) < 5 * 3_600_000_000;
        let quiet = if is_night && rng.chance_permille(700) { 8 * 3_600_000_000 } else { 0 };
        Timestamp::from_micros(micros - quiet).unwrap_or(self.until)
    }

    fn is_tie(&self, slot: u64) -> bool {
        Random::new(self.seed.rotate_left(17), slot).chance_permille(TIES_PERMILLE)
    }
}

impl Iterator for Generator {
    type Item = Submission;

    fn next(&mut self) -> Option<Submission> {
        self.left = self.left.checked_sub(1)?;
        Some(self.submission_at(self.left))
    }
}

#[cfg(test)]
#[path = "generator_tests.rs"]
mod tests;
