//! Device and browser out of a user agent.

/// What a user agent tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Agent {
    /// `desktop`, `mobile` or `tablet`.
    pub(super) device: Option<&'static str>,
    /// The browser's name.
    pub(super) browser: Option<&'static str>,
}

/// Reads a user agent.
pub(super) fn read(_text: &str) -> Agent {
    Agent::default()
}
