//! Parses `Accept-Encoding` and `If-None-Match`. Pure functions.

use http::HeaderValue;

/// A content encoding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Encoding {
    Brotli,
    Gzip,
}

impl Encoding {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// Returns whether the values of `Accept-Encoding` accept this encoding: it or `*` is listed
    /// with a weight other than zero.
    pub(crate) fn is_accepted<'a>(self, values: impl Iterator<Item = &'a HeaderValue>) -> bool {
        let mut by_star = false;
        for item in list_items(values) {
            let (name, weight) = item.split_once(';').unwrap_or((item, ""));
            let name = name.trim();
            if name.eq_ignore_ascii_case(self.name()) {
                return !is_zero_weight(weight);
            }
            by_star |= name == "*" && !is_zero_weight(weight);
        }
        by_star
    }
}

/// Returns whether the values of `If-None-Match` contain an entity tag (RFC 9110, section 13.1.2,
/// weak comparison).
pub(super) fn etag_matches<'a>(
    values: impl IntoIterator<Item = &'a HeaderValue>,
    etag: &HeaderValue,
) -> bool {
    list_items(values.into_iter()).any(|tag| {
        let opaque = tag.strip_prefix("W/").unwrap_or(tag);
        opaque == "*" || opaque.as_bytes() == etag.as_bytes()
    })
}

fn list_items<'a>(values: impl Iterator<Item = &'a HeaderValue>) -> impl Iterator<Item = &'a str> {
    values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).map(str::trim)
}

fn is_zero_weight(weight: &str) -> bool {
    let weight = weight.trim();
    let weight = weight.strip_prefix("q=").or_else(|| weight.strip_prefix("Q="));
    weight.is_some_and(|q| q.trim().parse::<f32>().is_ok_and(|q| q <= 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(value: &'static str) -> (bool, bool) {
        let value = HeaderValue::from_static(value);
        let is = |encoding: Encoding| encoding.is_accepted([&value].into_iter());
        (is(Encoding::Brotli), is(Encoding::Gzip))
    }

    #[test]
    fn accept_encoding_honours_weights_and_wildcard() {
        assert_eq!(accepts("gzip, deflate, br, zstd"), (true, true));
        assert_eq!(accepts("gzip"), (false, true));
        assert_eq!(accepts("GZIP;q=0.5"), (false, true));
        assert_eq!(accepts("br;q=0, *"), (false, true));
        assert_eq!(accepts("br; q=0.000, gzip;q=1"), (false, true));
        assert_eq!(accepts("*;q=0"), (false, false));
        assert_eq!(accepts("*"), (true, true));
        assert_eq!(accepts("identity"), (false, false));
        assert_eq!(accepts("identity;q=0"), (false, false));
        assert_eq!(accepts(""), (false, false));
        assert_eq!(accepts("xbr, brx"), (false, false));
    }

    #[test]
    fn etags_are_compared_weakly() {
        let etag = HeaderValue::from_static("\"a\"");
        let known = |value| etag_matches([&HeaderValue::from_static(value)], &etag);
        assert!(known("\"a\"") && known("W/\"a\"") && known("\"b\", \"a\"") && known("*"));
        assert!(!known("\"b\"") && !known("a") && !known("") && !known("\"a"));
    }
}
