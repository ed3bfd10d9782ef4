//! The filter in the page's URL, and its parts that a user sets and clears.
//!
//! Parsing is lenient where the API is strict: a shared link that is partly invalid still opens,
//! and the ignored parameters are reported.

use contract::filter::Search;
use contract::{Filter, ListQuery, Plan, RateLimit};

use super::time::InstantBounds;

/// A filter parsed from a URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedFilter {
    /// The valid part.
    pub filter: Filter,
    /// One sentence for each ignored parameter, which names it.
    pub problems: Vec<String>,
}

/// Parses the query string of the page's URL. Malformed parameters are ignored and reported.
pub fn parse_filter(query: &str) -> ParsedFilter {
    let mut parts: Vec<&str> = query.split('&').filter(|part| !part.is_empty()).collect();
    let mut problems = Vec::new();
    loop {
        match ListQuery::parse(&parts.join("&")) {
            Ok(ListQuery { filter, .. }) => return ParsedFilter { filter, problems },
            Err(problem) => {
                problems.push(problem.message);
                let before = parts.len();
                parts.retain(|part| !names_parameter(part, &problem.parameter));
                if parts.len() == before {
                    // The parameter's name cannot be decoded, so nothing identifies it: give up.
                    return ParsedFilter { filter: Filter::default(), problems };
                }
            }
        }
    }
}

fn names_parameter(part: &str, parameter: &str) -> bool {
    let name = part.split_once('=').map_or(part, |(name, _)| name);
    name == parameter || ListQuery::parse(part).is_err_and(|error| error.parameter == parameter)
}

/// One part of a filter that a user sets and clears.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FilterPart {
    /// Start of the date range, inclusive.
    From,
    /// End of the date range, exclusive.
    To,
    /// Search text.
    Search,
    /// The UTM source.
    UtmSource,
    /// The UTM medium.
    UtmMedium,
    /// The UTM campaign.
    UtmCampaign,
}

impl FilterPart {
    /// Every part, in the order of the filter chips.
    pub const ALL: [Self; 6] =
        [Self::Search, Self::From, Self::To, Self::UtmSource, Self::UtmMedium, Self::UtmCampaign];

    /// Returns whether the filter sets this part.
    pub fn is_set(self, filter: &Filter) -> bool {
        match self {
            Self::From => filter.date_from.is_some(),
            Self::To => filter.date_to.is_some(),
            Self::Search => filter.search.is_some(),
            Self::UtmSource => filter.utm_source.is_some(),
            Self::UtmMedium => filter.utm_medium.is_some(),
            Self::UtmCampaign => filter.utm_campaign.is_some(),
        }
    }

    /// Removes this part from the filter.
    pub fn clear(self, filter: &mut Filter) {
        match self {
            Self::From => filter.date_from = None,
            Self::To => filter.date_to = None,
            Self::Search => filter.search = None,
            Self::UtmSource => filter.utm_source = None,
            Self::UtmMedium => filter.utm_medium = None,
            Self::UtmCampaign => filter.utm_campaign = None,
        }
    }

    /// Returns the text of this part; empty if it is not set or is an instant.
    pub fn text(self, filter: &Filter) -> &str {
        let text = match self {
            Self::From | Self::To => None,
            Self::Search => filter.search.as_ref().map(Search::as_str),
            Self::UtmSource => filter.utm_source.as_deref(),
            Self::UtmMedium => filter.utm_medium.as_deref(),
            Self::UtmCampaign => filter.utm_campaign.as_deref(),
        };
        text.unwrap_or_default()
    }

    /// Sets the text of this part; an empty text clears it. A search is cut at the maximum length,
    /// like the input. Date parts are unchanged.
    pub fn set_text(self, filter: &mut Filter, text: &str) {
        let exact = || (!text.is_empty()).then(|| text.to_owned());
        match self {
            Self::From | Self::To => {}
            Self::Search => {
                let cut: String =
                    text.trim().chars().take(contract::filter::SEARCH_CHARS_MAX).collect();
                filter.search = Search::new(&cut).unwrap_or_default();
            }
            Self::UtmSource => filter.utm_source = exact(),
            Self::UtmMedium => filter.utm_medium = exact(),
            Self::UtmCampaign => filter.utm_campaign = exact(),
        }
    }
}

/// Returns whether the filter sets dates only, or nothing, so that the specified export supports
/// it (Specification, section 4.4).
pub fn is_dates_only(filter: &Filter) -> bool {
    let Filter { date_from, date_to, .. } = *filter;
    *filter == Filter { date_from, date_to, ..Filter::default() }
}

/// Returns the intersection of the filter with a range of instants; `None` if it is empty.
pub fn intersect_dates(filter: &Filter, (from, to): InstantBounds) -> Option<Filter> {
    let date_from = filter.date_from.max(from);
    let date_to = match (filter.date_to, to) {
        (Some(own), Some(to)) => Some(own.min(to)),
        (own, to) => own.or(to),
    };
    let is_empty = date_from.zip(date_to).is_some_and(|(from, to)| from >= to);
    (!is_empty).then(|| Filter { date_from, date_to, ..filter.clone() })
}

/// Returns the minimum interval between requests while the search follows each key press, in
/// milliseconds, derived from the rate limit of the last response. `None` if the limit or the
/// remainder is too small. A key that is pressed down repeats every 30 ms and must not use up the
/// limit of a second.
pub fn search_interval_ms(rate: Option<RateLimit>) -> Option<u32> {
    match rate {
        Some(rate) if rate.remaining <= rate.limit / 2 => None,
        Some(rate) if rate.limit >= Plan::Business.window_requests() => Some(30),
        Some(rate) if rate.limit < Plan::Pro.window_requests() => None,
        Some(_) | None => Some(120),
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn query(filter: &Filter) -> String {
        ListQuery { filter: filter.clone(), ..ListQuery::default() }.to_query_string()
    }

    #[track_caller]
    fn check(url: &str, expected: &str, problems: usize) {
        let read = parse_filter(url);
        assert_eq!(query(&read.filter), expected);
        assert_eq!(read.problems.len(), problems, "{:?}", read.problems);
    }

    #[test]
    fn query_string_is_parsed() {
        check("", "", 0);
        check("search=a+b&utm_source=x", "search=a%20b&utm_source=x", 0);
        check("date_from=2026-03-01", "date_from=2026-03-01T00:00:00Z", 0);
        check("date_from=2026-03-01T00:00:00%2B01:00", "date_from=2026-02-28T23:00:00Z", 0);
    }

    #[test]
    fn malformed_parameters_are_ignored_and_reported() {
        check("date_from=yesterday&search=x", "search=x", 1);
        check("utm_src=a&search=x&page=2", "search=x", 2);
        check("search=a&search=b&utm_medium=m", "utm_medium=m", 1);
        check("date_from=2026-03-02&date_to=2026-03-01", "date_to=2026-03-01T00:00:00Z", 1);
        check("%FF=1&search=x", "search=x", 1);
        assert!(parse_filter("date_to=soon").problems[0].contains("`date_to`"));
    }

    #[test]
    fn parts_are_set_and_cleared_individually() {
        let mut filter = parse_filter("search=a&date_from=2026-01-01&date_to=2026-02-01&utm_source=s&utm_medium=m&utm_campaign=c").filter;
        for part in FilterPart::ALL {
            assert!(part.is_set(&filter));
            part.clear(&mut filter);
            assert!(!part.is_set(&filter), "{part:?}");
        }
        assert!(filter.is_empty());
        FilterPart::UtmMedium.set_text(&mut filter, " kept as typed ");
        assert_eq!(FilterPart::UtmMedium.text(&filter), " kept as typed ");
        FilterPart::Search.set_text(&mut filter, &"x".repeat(300));
        assert_eq!(FilterPart::Search.text(&filter).len(), 200);
        FilterPart::Search.set_text(&mut filter, "  ");
        assert!(!FilterPart::Search.is_set(&filter));
    }

    #[test]
    fn bounds_never_widen_filter() {
        // The week from Monday, 23 February; the filters begin and end within days.
        let week = parse_filter("date_from=2026-02-23&date_to=2026-03-02").filter;
        let week = (week.date_from, week.date_to);
        let check = |filter: &str, narrowed: Option<&str>| {
            let found = intersect_dates(&parse_filter(filter).filter, week);
            assert_eq!(found.as_ref().map(query).as_deref(), narrowed, "{filter}");
        };
        let monday = "date_from=2026-02-23T00:00:00Z";
        let next = "date_to=2026-03-02T00:00:00Z";
        let later = "date_from=2026-02-25T13:30:00Z";
        let sooner = "date_to=2026-02-27T09:15:00Z";
        check("", Some(&format!("{monday}&{next}")));
        check("utm_source=x", Some(&format!("{monday}&{next}&utm_source=x")));
        check(later, Some(&format!("{later}&{next}")));
        check(sooner, Some(&format!("{monday}&{sooner}")));
        check(&format!("{later}&{sooner}"), Some(&format!("{later}&{sooner}")));
        check("date_from=2025-01-01&date_to=2027-01-01", Some(&format!("{monday}&{next}")));
        check("date_from=2026-03-02T00:00:00Z", None);
        check("date_to=2026-02-23T00:00:00Z", None);
        let none = intersect_dates(&parse_filter(later).filter, (None, None));
        assert_eq!(none.as_ref().map(query).as_deref(), Some(later));
    }

    #[test]
    fn dates_only_filter_is_detected() {
        assert!(is_dates_only(&Filter::default()));
        assert!(is_dates_only(&parse_filter("date_from=2026-01-01").filter));
        assert!(!is_dates_only(&parse_filter("date_from=2026-01-01&search=x").filter));
        assert!(!is_dates_only(&parse_filter("utm_source=x").filter));
    }

    #[test]
    fn search_interval_depends_on_rate_limit() {
        let rate = |limit, remaining| Some(RateLimit { limit, remaining, reset_s: 0 });
        assert_eq!(search_interval_ms(None), Some(120));
        assert_eq!(search_interval_ms(rate(50_000, 49_000)), Some(30));
        assert_eq!(search_interval_ms(rate(500, 251)), Some(120));
        assert_eq!(search_interval_ms(rate(500, 250)), None);
        assert_eq!(search_interval_ms(rate(100, 100)), None);
    }

    proptest! {
        #[test]
        fn written_filter_is_parsed_back(search in "\\PC{0,40}", source in "\\PC{0,40}") {
            let mut filter = Filter::default();
            FilterPart::Search.set_text(&mut filter, &search);
            FilterPart::UtmSource.set_text(&mut filter, &source);
            let back = parse_filter(&query(&filter));
            prop_assert_eq!(back, ParsedFilter { filter, problems: Vec::new() });
        }

        #[test]
        fn parsing_any_query_does_not_panic(url in "[a-z_=&%0-9F+]{0,60}") {
            let _ = parse_filter(&url);
        }
    }
}
