//! Rate-limit headers: the state of a key's window (specification, section 8.2) and `Retry-After`
//! (section 8.3).

use chrono::{DateTime, NaiveDateTime};

/// Header with the maximum number of requests per window.
pub const LIMIT_HEADER: &str = "x-ratelimit-limit";
/// Header with the number of requests left.
pub const REMAINING_HEADER: &str = "x-ratelimit-remaining";
/// Header with the Unix time when the full quota is available again.
pub const RESET_HEADER: &str = "x-ratelimit-reset";

/// State of a key's rolling window (specification, section 8.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Maximum number of requests per window.
    pub limit: u32,
    /// Number of requests left.
    pub remaining: u32,
    /// Unix time, in seconds, when the full quota is available again.
    pub reset_s: u64,
}

impl RateLimit {
    /// Returns the names and values of the headers.
    pub fn headers(self) -> [(&'static str, String); 3] {
        [
            (LIMIT_HEADER, self.limit.to_string()),
            (REMAINING_HEADER, self.remaining.to_string()),
            (RESET_HEADER, self.reset_s.to_string()),
        ]
    }

    /// Parses the headers, which `header` looks up by name.
    ///
    /// Returns `None` if one is absent or not a number; other servers may omit them.
    pub fn from_headers(header: impl Fn(&str) -> Option<String>) -> Option<Self> {
        Some(Self {
            limit: header(LIMIT_HEADER)?.parse().ok()?,
            remaining: header(REMAINING_HEADER)?.parse().ok()?,
            reset_s: header(RESET_HEADER)?.parse().ok()?,
        })
    }
}

/// Returns the wait in seconds that `Retry-After` asks for. `header` looks up a header by name.
///
/// The value is a number of seconds or an HTTP date. A date is compared with the `Date` header of
/// the same response, so the local clock does not matter. Without `Date` the result is `None`.
pub fn retry_after_s(header: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let text = header("retry-after")?;
    let text = text.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let until = http_date(text)?;
    let now = http_date(header("date")?.trim())?;
    Some(u64::try_from((until - now).num_seconds()).unwrap_or(0))
}

/// Parses an HTTP date in the current format or in one of the two obsolete ones (RFC 9110, section
/// 5.6.7).
fn http_date(text: &str) -> Option<NaiveDateTime> {
    let old = ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];
    let read = |form| NaiveDateTime::parse_from_str(text, form).ok();
    let current = DateTime::parse_from_rfc2822(text).ok().map(|at| at.naive_utc());
    current.or_else(|| old.into_iter().find_map(read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_date() {
        let check = |retry_after: &str, date: Option<&str>, is: Option<u64>| {
            let header = |name: &str| match name {
                "retry-after" => Some(retry_after.to_owned()),
                "date" => date.map(str::to_owned),
                _ => None,
            };
            assert_eq!(retry_after_s(header), is, "{retry_after} {date:?}");
        };
        let noon = Some("Sun, 01 Mar 2026 12:00:00 GMT");
        check(" 7 ", noon, Some(7));
        check("0", None, Some(0));
        check("Sun, 01 Mar 2026 12:01:30 GMT", noon, Some(90));
        check("Sunday, 01-Mar-26 12:01:30 GMT", noon, Some(90));
        check("Sun Mar  1 12:01:30 2026", noon, Some(90));
        check("Sun, 01 Mar 2026 11:00:00 GMT", noon, Some(0));
        check("Sun, 01 Mar 2026 12:01:30 GMT", None, None);
        check("Sun, 01 Mar 2026 12:01:30 GMT", Some("now"), None);
        for value in
            ["", "soon", "-1", "1.5", "99999999999999999999999", "Mon, 01 Mar 2026 12:00:00"]
        {
            check(value, noon, None);
        }
        assert_eq!(retry_after_s(|_| None), None);
    }

    #[test]
    fn headers_round_trip() {
        let rate_limit = RateLimit { limit: 100, remaining: 7, reset_s: 1_800_000_000 };
        let headers = rate_limit.headers();
        let find = |name: &str| {
            headers.iter().find(|header| header.0 == name).map(|header| header.1.clone())
        };
        assert_eq!(RateLimit::from_headers(find), Some(rate_limit));
        assert_eq!(RateLimit::from_headers(|_| None), None);
        assert_eq!(RateLimit::from_headers(|_| Some("soon".to_owned())), None);
    }
}
