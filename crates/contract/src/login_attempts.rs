//! Limits of sign-in attempts, shared by the gateway and by the store that counts for several
//! gateways.

use core::time::Duration;

/// Limits of sign-in attempts.
#[derive(Debug, Clone, Copy)]
pub struct LoginAttemptLimits {
    /// Attempts per address in one window of `address_window`.
    pub address_attempts: u32,
    /// Length of that window.
    pub address_window: Duration,
    /// Attempts per account without a wait. After that the wait doubles, starting at 2 s.
    pub free_attempts: u32,
    /// Maximum wait between two attempts on an account.
    pub wait_max: Duration,
    /// Time after the last attempt until an account's count is reset.
    pub forget_after: Duration,
}
