//! Authentication schemes of the operations.

/// Authentication of an operation. It determines the headers of all its responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuthScheme {
    /// API key. Responses carry the rate-limit headers (section 8.2).
    Key,
    /// Session at the gateway, for routes of the API, which counts a user's requests.
    Account,
    /// Session, for the gateway's own routes.
    Session,
    /// No credential, but the CSRF header of the dashboard.
    Dashboard,
    /// No credential. Requests are counted by client address.
    Anyone,
    /// No credential, from any page. The limits of the form apply.
    Sender,
}

impl AuthScheme {
    /// Returns whether responses carry the rate-limit headers.
    pub(super) fn has_rate_limit_headers(self) -> bool {
        matches!(self, Self::Key | Self::Anyone)
    }
}
