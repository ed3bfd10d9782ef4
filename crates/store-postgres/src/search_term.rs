//! Conditions that the searched text of a submission contains a term.

use super::query_params::QueryParams;
use super::text_encoding::{END_OF_VALUE, encode};
use contract::filter::Search;

/// Minimum length of a run of letters or digits that the trigram index can find.
const TRIGRAM_CHARS: usize = 3;

/// A search term, encoded for statements.
pub(crate) struct Term(String);

impl Term {
    /// Encodes a search like the text that is searched.
    pub(crate) fn from_search(search: &Search) -> Self {
        Self(encode(&search.folded()).into_owned())
    }

    /// Encodes a folded text that a value contains, or equals if `is_whole`.
    pub(crate) fn for_value(folded: &str, is_whole: bool) -> Self {
        let mut term = encode(folded).into_owned();
        term.extend(is_whole.then_some(END_OF_VALUE));
        Self(term)
    }

    /// Returns the condition that `s` contains the term, in a form that no index supports.
    pub(crate) fn scan_condition(&self, params: &mut QueryParams) -> String {
        format!("strpos(s.searched, {}) > 0", params.push_text(&self.0))
    }

    /// Like [`Term::scan_condition`], in a form that the trigram index supports.
    pub(crate) fn index_condition(&self, params: &mut QueryParams) -> String {
        let mut pattern = String::with_capacity(self.0.len() + 2);
        pattern.push('%');
        for c in self.0.chars() {
            if matches!(c, '%' | '_' | '\\') {
                pattern.push('\\');
            }
            pattern.push(c);
        }
        pattern.push('%');
        format!("s.searched LIKE {}", params.push_text(&pattern))
    }

    /// Whether the trigram index can narrow down the rows.
    pub(crate) fn has_trigram(&self) -> bool {
        let runs = self.0.split(|c: char| !c.is_alphanumeric());
        runs.into_iter().any(|run| run.chars().count() >= TRIGRAM_CHARS)
    }
}
