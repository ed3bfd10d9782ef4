//! How callers authenticate.

/// How a caller authenticates, and with it what every answer carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuthScheme {
    /// An API key. Every answer has the headers of its rate limit (§8.2).
    Key,
    /// A session at the gateway; the API behind it counts the requests of a person.
    Account,
    /// A session, at the gateway's own endpoints.
    Session,
    /// No credential, but the header of the dashboard.
    Dashboard,
    /// No credential; requests are counted by network address.
    Anyone,
    /// No credential, from any page; the limits of the form apply.
    Sender,
}

impl AuthScheme {
    /// Whether answers carry the headers of the rate limit.
    pub(super) fn is_counted(self) -> bool {
        matches!(self, Self::Key | Self::Anyone)
    }
}
