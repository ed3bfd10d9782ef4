//! Fields that submissions add to a form, and their limits.

use crate::ids;
use contract::form::fields_bytes;
use contract::{Field, Intake, Timestamp};
use std::collections::HashSet;
use std::hash::BuildHasher;

/// A form with this many fields adds no more.
pub const FIELDS_MAX: usize = 200;
/// Maximum fields that a form adds in a day. One request with many odd keys must not use up all
/// fields.
pub const FIELDS_PER_DAY_MAX: usize = 50;
/// A form adds no field beyond this total length of names and keys, in bytes. An owner may.
pub const FIELDS_BYTES_MAX: usize = 64 * 1024;

/// Collects the fields that submissions add to a form, within the limits of the form.
#[derive(Debug)]
pub struct NewFields {
    fields: Vec<Field>,
    count_max: usize,
    bytes_left: usize,
}

impl NewFields {
    /// Returns an empty collection for a form with these fields and settings.
    #[must_use]
    pub fn new(known: &[Field], intake: &Intake, now: Timestamp) -> Self {
        let a_day_ago = now.seconds() - 24 * 3600;
        let is_new = |field: &&Field| {
            ids::creation_time(&field.id).is_some_and(|made_at| made_at.seconds() > a_day_ago)
        };
        let count_max = if intake.learns_fields.unwrap_or(known.is_empty()) {
            let new = known.iter().filter(is_new).count();
            let rest = FIELDS_MAX.saturating_sub(known.len());
            rest.min(FIELDS_PER_DAY_MAX.saturating_sub(new))
        } else {
            0
        };
        let bytes_left = FIELDS_BYTES_MAX.saturating_sub(fields_bytes(known));
        Self { fields: Vec::new(), count_max, bytes_left }
    }

    /// Adds a field, unless the form may not have more fields. A field that is too long is skipped:
    /// shorter ones after it may still fit.
    pub fn add(&mut self, field: impl FnOnce() -> Field) {
        if self.fields.len() >= self.count_max {
            return;
        }
        let field = field();
        let bytes = fields_bytes([&field]);
        if bytes <= self.bytes_left {
            self.bytes_left -= bytes;
            self.fields.push(field);
        }
    }

    /// Returns the added fields.
    #[must_use]
    pub fn into_fields(self) -> Vec<Field> {
        self.fields
    }
}

/// Returns the fields whose keys a form does not have. It may have got some of them while an import
/// read its submissions.
#[must_use]
pub fn missing_fields(fields: &[Field], known: &[Field]) -> Vec<Field> {
    let is_missing = |field: &&Field| !known.iter().any(|other| other.key == field.key);
    fields.iter().filter(is_missing).cloned().collect()
}

/// Returns the fields that released spam adds to a form, within its limits. Fields that the form
/// has, or that its owner removed, are left out.
#[must_use]
pub fn fields_of_released(
    candidates: Vec<Field>,
    known: &[Field],
    removed: &HashSet<String, impl BuildHasher>,
    intake: &Intake,
    now: Timestamp,
) -> Vec<Field> {
    let mut keys: HashSet<String> = known.iter().map(|field| field.key.clone()).collect();
    let mut new = NewFields::new(known, intake, now);
    for field in candidates {
        if !removed.contains(&field.key) && keys.insert(field.key.clone()) {
            new.add(|| field);
        }
    }
    new.into_fields()
}
