//! Limits that hold across instances: where they are counted, and the gateway's way to them.

use async_trait::async_trait;
use contract::TryRules;
use gateway::Tries;
use service::shared_limits::{self, SharedLimits};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::args;
use crate::config::{self, Place};
use crate::error::Result;

/// Returns where Redis is, if anywhere.
///
/// # Errors
/// As [`config::redis_url`], or an address that is none.
pub(crate) fn redis_url(args: &args::Sharing) -> Result<Option<String>> {
    let url = config::redis_url(args)?;
    if let Some(url) = &url {
        SharedLimits::check_redis_url(url)?;
    }
    Ok(url)
}

/// Opens what counts limits for all instances: Redis where it is given, else the database that they
/// share. `None` where there is neither, since then there is one instance.
///
/// # Errors
/// Redis or the database does not answer.
pub(crate) async fn open(
    args: &args::Sharing,
    redis_url: Option<String>,
    place: Place,
) -> Result<Option<SharedLimits>> {
    let sharing = shared_limits::Sharing { instances_min: args.instances, ..Default::default() };
    if let Some(url) = redis_url {
        return Ok(Some(SharedLimits::in_redis(&url, sharing).await?));
    }
    Ok(match place {
        Place::Database(setup) => Some(SharedLimits::in_postgres(&setup, sharing).await?),
        Place::Directory(_) => None,
    })
}

/// Returns what counts tries to sign in, for the gateway.
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
