//! Cache of form settings, and the limits of intake.
//!
//! A cached form may be up to a second old when it rejects a submission. An accepted submission
//! never depends on old settings: the store compares their version in its transaction.

use super::Result;
use super::recent::RecentSubmissions;
use super::request_metadata::RequestMetadata;
use super::senders::{SenderLimiter, window_limits};
use super::volume::ByteLimiter;
use crate::error::Error;
use crate::middleware::rate_limit::{WINDOWS_MAX, WindowTable};
use contract::{Field, FormId, Intake, Timestamp};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use store::Store;
use store::clock::Moment;
use store::new_submission::{IntakeRecord, NewSubmission};
use store::shared_limits::meter::{CounterName, LimitKind};
use store::shared_limits::{self, SharedLimits};
use store::window;
use store::window::lock;

/// Maximum age of a cached form, in microseconds.
const CACHE_AGE_US_MAX: i64 = 1_000_000;
/// Maximum number of cached forms.
const CACHED_FORMS_MAX: usize = 10_000;

/// Cached form.
#[derive(Debug)]
pub(super) struct CachedForm {
    pub(super) record: IntakeRecord,
    by_key: HashMap<String, usize>,
    read_at: Timestamp,
}

impl CachedForm {
    /// Indexes a record of the store by answer key.
    pub(super) fn new(record: IntakeRecord, read_at: Timestamp) -> Self {
        let keys = record.fields.iter().enumerate();
        let by_key = keys.map(|(index, field)| (field.key.clone(), index)).collect();
        Self { record, by_key, read_at }
    }

    /// Returns the field with an answer key.
    pub(super) fn field(&self, key: &str) -> Option<&Field> {
        self.by_key.get(key).map(|index| &self.record.fields[*index])
    }
}

/// State of the intake: cached forms, limits, and recent submissions.
pub(crate) struct IntakeState {
    cached_forms: RwLock<HashMap<FormId, Arc<CachedForm>>>,
    forms: Mutex<WindowTable<FormId>>,
    senders: SenderLimiter,
    recent: RecentSubmissions,
    volumes: ByteLimiter,
}

impl Default for IntakeState {
    fn default() -> Self {
        Self {
            cached_forms: RwLock::default(),
            forms: Mutex::new(WindowTable::new(WINDOWS_MAX)),
            senders: SenderLimiter::default(),
            recent: RecentSubmissions::default(),
            volumes: ByteLimiter::default(),
        }
    }
}

impl IntakeState {
    /// Returns a form from the cache or the store. A lookup of a form that is not cached is counted
    /// for its sender first.
    ///
    /// # Errors
    /// Fails if the sender looked up too many unknown forms.
    pub(super) async fn find_form(
        &self,
        store: &dyn Store,
        form: &FormId,
        metadata: &RequestMetadata,
        moment: Moment,
    ) -> Result<Option<Arc<CachedForm>>> {
        let now = moment.now;
        let cached =
            self.cached_forms.read().unwrap_or_else(PoisonError::into_inner).get(form).cloned();
        let is_fresh = |cached_form: &CachedForm| {
            (now.micros() - cached_form.read_at.micros()).abs() < CACHE_AGE_US_MAX
        };
        match cached {
            Some(cached_form) if is_fresh(&cached_form) => Ok(Some(cached_form)),
            Some(_) => self.load_form(store, form, now).await,
            None => {
                self.senders.admit_lookup(metadata.address, moment)?;
                let found = self.load_form(store, form, now).await?;
                if found.is_some() {
                    self.senders.revert_lookup(metadata.address, moment);
                }
                Ok(found)
            }
        }
    }

    /// Reads a form from the store and updates the cache.
    pub(super) async fn load_form(
        &self,
        store: &dyn Store,
        form: &FormId,
        now: Timestamp,
    ) -> Result<Option<Arc<CachedForm>>> {
        let found = store.find_intake(form).await?;
        let cached_form = found.map(|record| Arc::new(CachedForm::new(record, now)));
        let mut cached = self.cached_forms.write().unwrap_or_else(PoisonError::into_inner);
        // A full cache is cleared. Forms in use are read again within a second anyway.
        if cached.len() >= CACHED_FORMS_MAX {
            cached.clear();
        }
        match &cached_form {
            Some(cached_form) => cached.insert(form.clone(), Arc::clone(cached_form)),
            None => cached.remove(form),
        };
        Ok(cached_form)
    }

    /// Counts the bytes of a submission for its form and account. Fails with 429 if either has too
    /// many.
    pub(super) fn admit_bytes(
        &self,
        cached_form: &CachedForm,
        new_submission: &NewSubmission,
        moment: Moment,
    ) -> Result<()> {
        let json = serde_json::to_vec(&new_submission.submission).map_err(Error::internal)?;
        let record = &cached_form.record;
        let owner = (&record.account_id, record.environment);
        self.volumes.admit(&new_submission.form, owner, json.len() as u64, moment)
    }

    /// Returns the recent submissions, for deduplicating double clicks.
    pub(super) fn recent(&self) -> &RecentSubmissions {
        &self.recent
    }

    /// Removes a form from the cache after this process changed it.
    pub(crate) fn evict_form(&self, form: &FormId) {
        self.cached_forms.write().unwrap_or_else(PoisonError::into_inner).remove(form);
    }

    /// Counts a request for its sender and its form. Fails with 429 if a limit of the form is
    /// exceeded.
    pub(super) async fn admit_request(
        &self,
        shared: Option<&SharedLimits>,
        form: &FormId,
        intake: &Intake,
        metadata: &RequestMetadata,
        moment: Moment,
    ) -> Result<()> {
        if let (Some(limit), Some(address)) = (intake.address_limit, metadata.address) {
            self.senders.admit(shared, (form, address), limit, moment).await?;
        }
        if let Some(limit) = intake.form_limit {
            let now = moment.steady;
            let count_locally = |limits| {
                let result =
                    lock(&self.forms).window_or_shared(Some(form.clone()), now).admit(limits, now);
                window::result_to_wall_clock(result, moment)
            };
            let name = || CounterName::of(LimitKind::Form, &[form.as_str().as_bytes()]);
            let result = shared_limits::admit(
                shared,
                name,
                window_limits(limit),
                moment.steady,
                count_locally,
            )
            .await;
            result.map_err(|refusal| Error::rate_limited(&refusal))?;
        }
        Ok(())
    }
}
