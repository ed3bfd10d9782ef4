//! Entry points of the fuzz targets. Each checks a property of its input. The unit tests run them
//! over the corpus.

use crate::{ExportQuery, InboxQuery, ListQuery, Timestamp};

/// Parses a text as an instant and as a bound of a filter.
///
/// # Panics
/// If a parsed instant does not survive formatting and parsing.
pub fn check_date(text: &str) {
    for read in [Timestamp::parse, Timestamp::parse_bound] {
        if let Ok(at) = read(text) {
            assert_eq!(Timestamp::parse(&at.to_string()), Ok(at));
            assert_eq!(Timestamp::from_micros(at.micros()), Some(at));
        }
    }
}

/// Parses a text as the query string of a list, of an export and of an inbox.
///
/// # Panics
/// If a parsed query does not survive writing and parsing, or if its limit is out of range.
pub fn check_query(text: &str) {
    if let Ok(query) = ListQuery::parse(text) {
        assert_eq!(ListQuery::parse(&query.to_query_string()).as_ref(), Ok(&query));
        assert!((1..=100).contains(&query.limit));
    }
    if let Ok(query) = ExportQuery::parse(text) {
        assert_eq!(ExportQuery::parse(&query.to_query_string()).as_ref(), Ok(&query));
    }
    if let Ok(query) = InboxQuery::parse(&format!("environment=test&{text}")) {
        assert_eq!(InboxQuery::parse(&query.to_query_string()).as_ref(), Ok(&query));
    }
}

#[cfg(test)]
mod tests {
    use test_servers::for_each_text;

    const HERE: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn date_target_passes_on_corpus() {
        for_each_text(HERE, "date", 2000, super::check_date);
    }

    #[test]
    fn query_target_passes_on_corpus() {
        for_each_text(HERE, "query", 2000, super::check_query);
    }
}
