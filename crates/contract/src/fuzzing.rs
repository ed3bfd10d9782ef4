//! The entry points of the fuzz targets, with the rule that holds for each input. Ordinary tests
//! run them over the corpus.

use crate::{ExportQuery, ListQuery, Timestamp};

/// Reads a text as an instant and as a bound of a filter.
///
/// # Panics
/// If a text is read that is not written as a text of the same meaning.
pub fn date(text: &str) {
    for read in [Timestamp::parse, Timestamp::parse_bound] {
        if let Ok(at) = read(text) {
            assert_eq!(Timestamp::parse(&at.to_string()), Ok(at));
            assert_eq!(Timestamp::from_micros(at.micros()), Some(at));
        }
    }
}

/// Reads a text as the query string of a list and of an export.
///
/// # Panics
/// If a query is read that is not written as a query of the same meaning.
pub fn query(text: &str) {
    if let Ok(query) = ListQuery::parse(text) {
        assert_eq!(ListQuery::parse(&query.write()).as_ref(), Ok(&query));
        assert!((1..=100).contains(&query.limit));
    }
    if let Ok(query) = ExportQuery::parse(text) {
        assert_eq!(ExportQuery::parse(&query.write()).as_ref(), Ok(&query));
    }
}

#[cfg(test)]
mod tests {
    use test_servers::for_each_text;

    const HERE: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn date_holds_for_the_corpus_and_changed_copies() {
        for_each_text(HERE, "date", 2000, super::date);
    }

    #[test]
    fn query_holds_for_the_corpus_and_changed_copies() {
        for_each_text(HERE, "query", 2000, super::query);
    }
}
