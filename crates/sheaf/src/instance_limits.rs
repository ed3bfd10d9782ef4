//! Limits shared by several instances, and their adapter for the gateway.

use async_trait::async_trait;
use contract::LoginAttemptLimits;
use gateway::SharedLoginAttempts;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::shared_limits::{self, SharedLimits};

use crate::args;
use crate::config::DataLocation;
use crate::error::Result;

/// Opens the limits that the instances share in their database. `None` for a file, which has one
/// instance.
///
/// # Errors
/// A database that does not answer.
pub(crate) async fn open_shared_limits(
    args: &args::InstanceArgs,
    location: DataLocation,
) -> Result<Option<SharedLimits>> {
    let sharing =
        shared_limits::SharingOptions { instances_min: args.instances, ..Default::default() };
    Ok(match location {
        DataLocation::Database(setup) => {
            Some(store_postgres::shared_limits(&setup, sharing).await?)
        }
        DataLocation::Directory(_) => None,
    })
}

/// Returns the counter of login attempts for the gateway.
pub(crate) fn login_attempts(
    limits: Option<&SharedLimits>,
) -> Option<Arc<dyn SharedLoginAttempts>> {
    limits
        .map(|limits| Arc::new(StoreLoginAttempts(limits.clone())) as Arc<dyn SharedLoginAttempts>)
}

struct StoreLoginAttempts(SharedLimits);

#[async_trait]
impl SharedLoginAttempts for StoreLoginAttempts {
    async fn admit(
        &self,
        rules: &LoginAttemptLimits,
        email: Option<&str>,
        network: IpAddr,
    ) -> Option<Duration> {
        self.0.count_sign_in_attempt(rules, network, email).await
    }

    async fn record_success(&self, email: &str) {
        self.0.reset_attempts(email).await;
    }

    fn gateway_count(&self) -> u32 {
        self.0.instances()
    }
}
