//! How fast one may guess at a sign-in: what the gateway says and whoever counts for several
//! gateways goes by.

use core::time::Duration;

/// How fast one may guess.
#[derive(Debug, Clone, Copy)]
pub struct TryRules {
    /// Tries from one address in one stretch of `address_for`.
    pub address_tries: u32,
    /// How long that stretch is.
    pub address_for: Duration,
    /// Tries to an account that are free of waiting; then the wait doubles, from 2 s.
    pub free_tries: u32,
    /// Longest wait between two tries to an account.
    pub wait_max: Duration,
    /// How long after its last try an account's count is forgotten.
    pub forget_after: Duration,
}
