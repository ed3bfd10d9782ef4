//! The filter in the page's URL, and what a user sets and clears in it: parts ([`FilterPart`]) and
//! criteria for fields ([`FilterProperty`]).
//!
//! Parsing is lenient where the API is strict: a shared link that is partly invalid still opens,
//! and the ignored parameters are reported.

mod part;
mod property;

pub use part::{FilterPart, toggle_label};
pub use property::{FilterProperty, is_supported, narrow_to_answer, set_criterion};

use contract::filter::FieldCriteria;
use contract::{Filter, ListQuery, Plan, RateLimit, Sort};

use super::time::InstantBounds;
use crate::i18n;

/// A filter and an order parsed from a URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedFilter {
    /// The valid part.
    pub filter: Filter,
    /// The order of the list; `None` is newest first.
    pub sort: Option<Sort>,
    /// One sentence for each ignored parameter, which names it.
    pub problems: Vec<String>,
}

impl ParsedFilter {
    /// Returns the query of the list.
    pub fn into_query(self) -> ListQuery {
        ListQuery { filter: self.filter, sort: self.sort, ..ListQuery::default() }
    }

    /// Removes the order and the criteria for fields, which the inbox does not have, and reports
    /// them.
    #[must_use]
    pub fn for_inbox(mut self) -> Self {
        let fields = std::mem::take(&mut self.filter.fields);
        let names = fields.iter().map(|criterion| criterion.field().as_str());
        let sort = self.sort.take().map(|_| "sort");
        let problems = names.chain(sort).map(i18n::filter_bar().not_in_inbox);
        self.problems.extend(problems);
        self
    }

    /// Removes the order and the parts of the filter that only servers with the capability
    /// `filters_properties` support, and reports them.
    #[must_use]
    pub fn without_properties(mut self) -> Self {
        let texts = i18n::filter_bar();
        for (property, _) in self.filter.labels.iter() {
            self.problems.push((texts.unsupported)(property.as_str()));
        }
        if self.filter.read.is_some() {
            self.problems.push((texts.unsupported)("read"));
        }
        for (name, range) in [("score", self.filter.score), ("seconds", self.filter.seconds)] {
            for (bound, number) in [("min", range.min), ("max", range.max)] {
                if number.is_some() {
                    self.problems.push((texts.unsupported)(&format!("{name}_{bound}")));
                }
            }
        }
        for criterion in self.filter.fields.iter() {
            self.problems.push((texts.unsupported)(criterion.field().as_str()));
        }
        if self.sort.take().is_some() {
            self.problems.push((texts.unsupported)("sort"));
        }
        self.filter.fields = FieldCriteria::default();
        for part in FilterPart::ALL.into_iter().filter(|part| part.is_property()) {
            part.clear(&mut self.filter);
        }
        self
    }
}

/// Parses the query string of the page's URL. Malformed parameters are ignored and reported.
pub fn parse_filter(query: &str) -> ParsedFilter {
    let mut parts: Vec<&str> = query.split('&').filter(|part| !part.is_empty()).collect();
    let mut problems = Vec::new();
    loop {
        match ListQuery::parse(&parts.join("&")) {
            Ok(ListQuery { filter, sort, .. }) => return ParsedFilter { filter, sort, problems },
            Err(problem) => {
                problems.push(problem.message);
                let before = parts.len();
                parts.retain(|part| !names_parameter(part, &problem.parameter));
                if parts.len() == before {
                    // The parameter's name cannot be decoded, so nothing identifies it: give up.
                    return ParsedFilter { problems, ..ParsedFilter::default() };
                }
            }
        }
    }
}

fn names_parameter(part: &str, parameter: &str) -> bool {
    let name = part.split_once('=').map_or(part, |(name, _)| name);
    name == parameter || ListQuery::parse(part).is_err_and(|error| error.parameter == parameter)
}

/// Returns whether the filter sets dates only, or nothing, so that the specified export supports
/// it (Specification, section 4.4).
pub fn is_dates_only(filter: &Filter) -> bool {
    let Filter { date_from, date_to, .. } = *filter;
    *filter == Filter { date_from, date_to, ..Filter::default() }
}

/// Returns the filter without triage and read state. Both change while a list is shown.
#[must_use]
pub fn without_triage(filter: &Filter) -> Filter {
    let mut filter = filter.clone();
    for part in FilterPart::ALL.into_iter().filter(|part| part.is_triage()) {
        part.clear(&mut filter);
    }
    filter
}

/// Returns the intersection of the filter with a range of instants; `None` if it is empty.
pub fn intersect_dates(filter: &Filter, (from, to): InstantBounds) -> Option<Filter> {
    let date_from = filter.date_from.max(from);
    let date_to = match (filter.date_to, to) {
        (Some(own_end), Some(to)) => Some(own_end.min(to)),
        (own_end, to) => own_end.or(to),
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

    pub(super) fn query(filter: &Filter) -> String {
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
    fn unsupported_parts_are_removed_and_reported() {
        let url = "search=x&utm_source=s&sentiment=mixed&country=none&score_min=0&seconds_max=9\
                   &status=done&tag=VIP&read=false&fld_a=filled";
        let read = parse_filter(url).without_properties();
        assert_eq!(query(&read.filter), "search=x&utm_source=s");
        let names = [
            "`sentiment`",
            "`country`",
            "`status`",
            "`tag`",
            "`read`",
            "`score_min`",
            "`seconds_max`",
            "`fld_a`",
        ];
        assert_eq!(read.problems.len(), names.len());
        for (problem, name) in read.problems.iter().zip(names) {
            assert!(problem.contains(name), "{problem}");
        }
        let other = parse_filter("search=x&date_from=soon");
        assert_eq!(other.clone().without_properties(), other);
    }

    #[test]
    fn only_triage_is_left_out() {
        let url = "search=x&status=done&starred=true&read=true&tag=a&assignee=none&country=DE";
        let filter = without_triage(&parse_filter(url).filter);
        assert_eq!(query(&filter), "search=x&country=DE");
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
        let disjoint = intersect_dates(&parse_filter(later).filter, (None, None));
        assert_eq!(disjoint.as_ref().map(query).as_deref(), Some(later));
    }

    #[test]
    fn dates_only_filter_is_detected() {
        assert!(is_dates_only(&Filter::default()));
        assert!(is_dates_only(&parse_filter("date_from=2026-01-01").filter));
        assert!(!is_dates_only(&parse_filter("date_from=2026-01-01&search=x").filter));
        assert!(!is_dates_only(&parse_filter("utm_source=x").filter));
        assert!(!is_dates_only(&parse_filter("country=DE").filter));
        assert!(!is_dates_only(&parse_filter("seconds_min=1").filter));
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
            let parsed = parse_filter(&query(&filter));
            prop_assert_eq!(parsed, ParsedFilter { filter, ..ParsedFilter::default() });
        }

        #[test]
        fn parsing_any_query_does_not_panic(url in "[a-z_=&%0-9F+]{0,60}") {
            let _ = parse_filter(&url);
        }
    }
}
