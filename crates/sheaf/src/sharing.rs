//! Limits shared by several instances, and their adapter for the gateway.

use async_trait::async_trait;
use contract::TryRules;
use gateway::Tries;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::shared_limits::{self, SharedLimits};

use crate::args;
use crate::config::Place;
use crate::error::Result;

/// Opens the limits that the instances share in their database. `None` for a file, which has one
/// instance.
///
/// # Errors
/// A database that does not answer.
pub(crate) async fn open(args: &args::Sharing, place: Place) -> Result<Option<SharedLimits>> {
    let sharing = shared_limits::Sharing { instances_min: args.instances, ..Default::default() };
    Ok(match place {
        Place::Database(setup) => Some(store_postgres::shared_limits(&setup, sharing).await?),
        Place::Directory(_) => None,
    })
}

/// Returns the counter of login attempts for the gateway.
pub(crate) fn tries(limits: Option<&SharedLimits>) -> Option<Arc<dyn Tries>> {
    limits.map(|limits| Arc::new(SharedTries(limits.clone())) as Arc<dyn Tries>)
}

struct SharedTries(SharedLimits);

#[async_trait]
impl Tries for SharedTries {
    async fn admit(
        &self,
        rules: &TryRules,
        email: Option<&str>,
        network: IpAddr,
    ) -> Option<Duration> {
        self.0.try_sign_in(rules, network, email).await
    }

    async fn succeed(&self, email: &str) {
        self.0.forget_tries(email).await;
    }

    fn gateways(&self) -> u32 {
        self.0.instances()
    }
}
