//! The three headers that tell where a key stands in its window (§8.2).

/// Name of the header with the most requests a window.
pub const LIMIT_HEADER: &str = "x-ratelimit-limit";
/// Name of the header with the requests that are left.
pub const REMAINING_HEADER: &str = "x-ratelimit-remaining";
/// Name of the header with the instant of the next full quota.
pub const RESET_HEADER: &str = "x-ratelimit-reset";

/// Where a key stands in its rolling window (§8.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Most requests in the window.
    pub limit: u32,
    /// Requests that are left now.
    pub remaining: u32,
    /// Unix time, in seconds, at which the window has room for a full quota again.
    pub reset_s: u64,
}

impl RateLimit {
    /// Returns the headers' names and values.
    pub fn headers(self) -> [(&'static str, String); 3] {
        [
            (LIMIT_HEADER, self.limit.to_string()),
            (REMAINING_HEADER, self.remaining.to_string()),
            (RESET_HEADER, self.reset_s.to_string()),
        ]
    }

    /// Reads the headers by a look-up of a name. `None` where one is absent or no number, as a
    /// foreign server may leave them out.
    pub fn read(header: impl Fn(&str) -> Option<String>) -> Option<Self> {
        Some(Self {
            limit: header(LIMIT_HEADER)?.parse().ok()?,
            remaining: header(REMAINING_HEADER)?.parse().ok()?,
            reset_s: header(RESET_HEADER)?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let stand = RateLimit { limit: 100, remaining: 7, reset_s: 1_800_000_000 };
        let headers = stand.headers();
        let find = |name: &str| headers.iter().find(|h| h.0 == name).map(|h| h.1.clone());
        assert_eq!(RateLimit::read(find), Some(stand));
        assert_eq!(RateLimit::read(|_| None), None);
        assert_eq!(RateLimit::read(|_| Some("soon".to_owned())), None);
    }
}
