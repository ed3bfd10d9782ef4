//! The order of a list, as the headers of its columns show and change it.

use contract::{Sort, SortBy};

/// Returns whether larger values of a property come first; `None` if the list is not sorted by it.
/// Without an order, the newest submissions come first.
pub fn is_descending(sort: Option<&Sort>, by: &SortBy) -> Option<bool> {
    match sort {
        None => (*by == SortBy::SubmittedAt).then_some(true),
        Some(sort) => (sort.by() == by).then(|| sort.is_descending()),
    }
}

/// Returns the order after a press on a header: ascending, then descending, then newest first. For
/// the time of submissions, the last two are the same.
pub fn next_sort(sort: Option<&Sort>, by: &SortBy) -> Option<Sort> {
    match is_descending(sort, by) {
        None => Some(Sort::new(by.clone(), false)),
        Some(true) => (*by == SortBy::SubmittedAt).then(|| Sort::new(by.clone(), false)),
        Some(false) => (*by != SortBy::SubmittedAt).then(|| Sort::new(by.clone(), true)),
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presses_go_through_directions() {
        let orders = |by: SortBy| {
            let first = next_sort(None, &by);
            let steps =
                std::iter::successors(Some(first), |sort| Some(next_sort(sort.as_ref(), &by)));
            let text = |sort: Option<Sort>| sort.map_or("newest".to_owned(), |it| it.to_string());
            steps.take(3).map(text).collect::<Vec<_>>()
        };
        assert_eq!(orders(SortBy::SubmittedAt), ["+submitted_at", "newest", "+submitted_at"]);
        let score = ["sentiment_score", "-sentiment_score", "newest"];
        assert_eq!(orders(SortBy::SentimentScore), score);
        let other = Sort::new(SortBy::CompletionTime, true);
        let next = next_sort(Some(&other), &SortBy::SentimentScore);
        assert_eq!(next, Some(Sort::new(SortBy::SentimentScore, false)));
        assert_eq!(is_descending(Some(&other), &SortBy::SubmittedAt), None);
        assert_eq!(is_descending(None, &SortBy::SubmittedAt), Some(true));
    }
}
