//! What the forms take in, kept for a moment, and how much of it came from where.
//!
//! What is kept may be a second old where it refuses. Where it takes, the store compares its
//! version in the transaction itself, so nothing is ever taken by a rule that no longer holds.

use super::Result;
use super::recent::Recent;
use super::visit::Visit;
use crate::clock::Moment;
use crate::error::Error;
use crate::rate_limit::{WINDOWS_MAX, Windows, lock, named, network};
use crate::shared_limits::meter::{Kind, Name};
use crate::shared_limits::{self, SharedLimits};
use crate::store::Store;
use crate::store::arrival::IntakeRecord;
use crate::window::{self, Limits};
use contract::{Field, FormId, Intake, Timestamp};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// How long what is kept may be used without asking again, in microseconds.
const KEPT_US_MAX: i64 = 1_000_000;
/// Most forms that are kept.
const KEPT_MAX: usize = 10_000;
/// A second's share of a limit of 15 minutes is one part in so many, so that those who come at once
/// are let in; and so many at least.
const BURST_SHARE: u32 = 30;
const BURST_MIN: u32 = 5;

/// What is known of a form.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) record: IntakeRecord,
    by_key: HashMap<String, usize>,
    read_at: Timestamp,
}

impl Known {
    /// Keeps what the store said.
    pub(super) fn new(record: IntakeRecord, read_at: Timestamp) -> Self {
        let keys = record.fields.iter().enumerate();
        let by_key = keys.map(|(place, field)| (field.key.clone(), place)).collect();
        Self { record, by_key, read_at }
    }

    /// Returns the field of a key.
    pub(super) fn field(&self, key: &str) -> Option<&Field> {
        self.by_key.get(key).map(|place| &self.record.fields[*place])
    }
}

/// Forms, windows, and user agents.
pub(crate) struct Desk {
    known: RwLock<HashMap<FormId, Arc<Known>>>,
    forms: Mutex<Windows<FormId>>,
    addresses: Mutex<Windows<(Option<FormId>, IpAddr)>>,
    recent: Recent,
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            known: RwLock::default(),
            forms: Mutex::new(Windows::new(WINDOWS_MAX)),
            addresses: Mutex::new(Windows::new(WINDOWS_MAX)),
            recent: Recent::default(),
        }
    }
}

impl Desk {
    /// Finds what is known of a form, or asks the store.
    pub(super) async fn find(
        &self,
        store: &dyn Store,
        form: &FormId,
        now: Timestamp,
    ) -> Result<Option<Arc<Known>>> {
        let kept = self.known.read().unwrap_or_else(PoisonError::into_inner).get(form).cloned();
        let is_fresh =
            |known: &Arc<Known>| (now.micros() - known.read_at.micros()).abs() < KEPT_US_MAX;
        match kept.filter(is_fresh) {
            Some(known) => Ok(Some(known)),
            None => self.ask(store, form, now).await,
        }
    }

    /// Asks the store.
    pub(super) async fn ask(
        &self,
        store: &dyn Store,
        form: &FormId,
        now: Timestamp,
    ) -> Result<Option<Arc<Known>>> {
        let found = store.find_intake(form).await?;
        let known = found.map(|record| Arc::new(Known::new(record, now)));
        let mut kept = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        match &known {
            Some(known) => kept.insert(form.clone(), Arc::clone(known)),
            None => kept.remove(form),
        };
        Ok(known)
    }

    /// The submissions of the last seconds, so that a double click counts once.
    pub(super) fn recent(&self) -> &Recent {
        &self.recent
    }

    /// Forgets a form that was changed in this process.
    pub(crate) fn forget(&self, form: &FormId) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).remove(form);
    }

    /// Lets a request for a form in by the form's limits, or refuses it.
    pub(super) async fn admit(
        &self,
        shared: Option<&SharedLimits>,
        form: &FormId,
        intake: &Intake,
        visit: &Visit,
        moment: Moment,
    ) -> Result<()> {
        if let (Some(limit), Some(address)) = (intake.address_limit, visit.address) {
            self.admit_sender(shared, limit, (Some(form), Some(address)), moment).await?;
        }
        if let Some(limit) = intake.form_limit {
            let now = moment.steady;
            let here = |limits| {
                let admitted = lock(&self.forms).of(Some(form.clone()), now).admit(limits, now);
                window::told(admitted, moment)
            };
            let name = || Name::of(Kind::Form, &[form.as_str().as_bytes()]);
            let admitted =
                shared_limits::admit(shared, name, limits(limit), moment.steady, here).await;
            admitted.map_err(|refusal| Error::rate_limited(&refusal))?;
        }
        Ok(())
    }

    /// Lets a request for a form that does not exist in, so that it can be told, or refuses it.
    pub(super) async fn admit_lost(
        &self,
        shared: Option<&SharedLimits>,
        visit: &Visit,
        moment: Moment,
    ) -> Result<()> {
        let limit = Intake::default().address_limit.unwrap_or(1);
        self.admit_sender(shared, limit, (None, visit.address), moment).await
    }

    async fn admit_sender(
        &self,
        shared: Option<&SharedLimits>,
        limit: u32,
        (form, address): (Option<&FormId>, Option<IpAddr>),
        moment: Moment,
    ) -> Result<()> {
        let here = |limits| {
            let key = address.map(|address| (form.cloned(), network(address)));
            let now = moment.steady;
            let admitted = lock(&self.addresses).of(key, now).admit(limits, now);
            window::told(admitted, moment)
        };
        let name = || match address {
            Some(address) => named(Kind::Sender, form.map(FormId::as_str), address),
            None => Name::shared(Kind::Sender),
        };
        let admitted = shared_limits::admit(shared, name, limits(limit), moment.steady, here).await;
        admitted.map(drop).map_err(|refusal| Error::rate_limited(&refusal))
    }
}

fn limits(window: u32) -> Limits {
    Limits { window, burst: (window / BURST_SHARE).max(BURST_MIN) }
}
