//! How much a request may have. Each is a refusal of its own.

/// The limits of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest head, in bytes, from its first line to the empty one.
    pub head_bytes_max: usize,
    /// Longest target (path and query), in bytes.
    pub target_bytes_max: usize,
    /// Most headers.
    pub headers_max: usize,
    /// Largest body, in bytes: as announced, or on the wire where it comes in chunks. A route may
    /// take less.
    pub body_bytes_max: u64,
}

impl Limits {
    /// Those of a server: with room for the longest search and the largest submission with files.
    pub const USUAL: Self = Self {
        head_bytes_max: 16 * 1024,
        target_bytes_max: 8 * 1024,
        headers_max: 64,
        body_bytes_max: 11 * 1024 * 1024,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::USUAL
    }
}
