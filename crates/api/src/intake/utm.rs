//! UTM values from hidden inputs and URLs. Invalid values are ignored.

use percent_encoding::percent_decode_str;

/// Maximum length of a value, in bytes. A longer one is ignored.
const UTM_BYTES_MAX: usize = 500;

/// The three UTM values of the specification (section 2).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UtmValues {
    pub(super) source: Option<String>,
    pub(super) medium: Option<String>,
    pub(super) campaign: Option<String>,
}

impl UtmValues {
    /// Sets a value by its name; returns `false` if the name is not one of the three.
    pub(super) fn set(&mut self, name: &str, value: &str) -> bool {
        let slot = match name {
            "utm_source" => &mut self.source,
            "utm_medium" => &mut self.medium,
            "utm_campaign" => &mut self.campaign,
            _ => return false,
        };
        let has_valid_length = (1..=UTM_BYTES_MAX).contains(&value.len());
        let is_valid = has_valid_length && !value.chars().any(char::is_control);
        *slot = is_valid.then(|| value.to_owned());
        true
    }

    /// Fills missing values from another set.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            source: self.source.or(other.source),
            medium: self.medium.or(other.medium),
            campaign: self.campaign.or(other.campaign),
        }
    }
}

/// Returns the UTM values in the query of a URL. The first of repeated values counts.
pub(super) fn parse_utm(address: &str) -> UtmValues {
    let mut found = UtmValues::default();
    let Some((_, rest)) = address.split_once('?') else { return found };
    let query = rest.split('#').next().unwrap_or_default();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = value.replace('+', " ");
        if let Ok(value) = percent_decode_str(&value).decode_utf8() {
            let mut pair_value = UtmValues::default();
            pair_value.set(name, value.trim());
            found = found.or(pair_value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(address: &str, found: [Option<&str>; 3]) {
        let UtmValues { source, medium, campaign } = parse_utm(address);
        assert_eq!([source.as_deref(), medium.as_deref(), campaign.as_deref()], found);
    }

    #[test]
    fn utm_values_are_parsed_from_query() {
        check("https://a.example/?utm_source=x&utm_medium=y%20z", [Some("x"), Some("y z"), None]);
        check("https://a.example/?a=b&utm_campaign=spring+26#x", [None, None, Some("spring 26")]);
        check("https://a.example/?utm_source=%E6%97%A5", [Some("日"), None, None]);
        check("https://a.example/?utm_source=x&utm_source=y", [Some("x"), None, None]);
        for url in [
            "",
            "https://a.example/",
            "https://a.example/#?utm_sourc=x",
            "https://a.example/?utm_source=",
            "https://a.example/?utm_source",
            "https://a.example/?utm_source=%FF",
            "https://a.example/?utm_source=a%00b",
            "https://a.example/?UTM_SOURCE=x",
            &format!("https://a.example/?utm_source={}", "x".repeat(501)),
        ] {
            check(url, [None, None, None]);
        }
    }
}
