//! The header `Accept-Language`.

use http::HeaderMap;
use http::header::ACCEPT_LANGUAGE;

/// Returns the accepted languages, in order of preference.
pub(crate) fn accepted_languages(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(ACCEPT_LANGUAGE).iter().filter_map(|value| value.to_str().ok());
    let mut tags: Vec<(&str, f32)> = values
        .flat_map(|value| value.split(','))
        .map(|item| {
            // Spaces may surround each part: RFC 9110, section 12.4.2.
            let mut parts = item.split(';').map(str::trim);
            let tag = parts.next().unwrap_or_default();
            let weight = parts.find_map(|part| part.strip_prefix("q="));
            (tag, weight.map_or(1.0, |weight| weight.parse().unwrap_or(0.0)))
        })
        .collect();
    // A language of weight 0 is not accepted.
    tags.retain(|(_, weight)| *weight > 0.0);
    tags.sort_by(|left, right| right.1.total_cmp(&left.1));
    tags.into_iter().map(|(tag, _)| tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use row_view::Labels;

    #[test]
    fn preferred_language_comes_first() {
        let check = |value: &'static str, code: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(value));
            assert_eq!(
                Labels::for_language_tags(accepted_languages(&headers)).code,
                code,
                "{value}"
            );
        };
        check("de-AT,de;q=0.9,en;q=0.8", "de");
        check("en;q=0.5, de;q=0.7", "de");
        check("fr, en;q=0.9, de;q=0.2", "en");
        check("en; q=0.3, de ; q=0.7", "de");
        check("", "en");
        check("de;q=x, en", "en");
        check("fr, de;q=0", "en");
    }
}
