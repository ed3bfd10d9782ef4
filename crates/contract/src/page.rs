//! The envelopes of answers (§4.1, §4.2).

use serde::{Deserialize, Serialize};

/// Rows of a page where `limit` is not given (§4.1).
pub const LIMIT_DEFAULT: u16 = 20;
/// Most rows of a page (§4.1).
pub const LIMIT_MAX: u16 = 100;

/// An answer that holds one thing (§4.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(inline))]
pub struct Data<T> {
    /// The thing.
    pub data: T,
}

/// One page of a list (§4.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "{T}Page"))]
pub struct Page<T> {
    /// The rows, in the order of the list.
    pub data: Vec<T>,
    /// Where the page stands in the whole.
    pub pagination: Pagination,
}

/// A page of a list that some servers give whole, and then without saying where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PageOrWhole<T> {
    /// The rows.
    pub data: Vec<T>,
    /// Where the page stands in the whole.
    #[serde(default)]
    pub pagination: Option<Pagination>,
}

impl<T> PageOrWhole<T> {
    /// Returns the cursor of the next page, as [`Pagination::next`] does.
    pub fn next(&self) -> Option<&str> {
        self.pagination.as_ref().and_then(Pagination::next)
    }
}

/// Where a page stands in the whole (§2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Pagination {
    /// How many rows match in all.
    pub total: u64,
    /// The page size that was applied.
    pub limit: u16,
    /// Whether a further page exists. Where a foreign server does not say, the cursor alone tells.
    #[serde(default = "yes")]
    pub has_more: bool,
    /// Opaque place of the next page; `null` on the last.
    #[serde(default)]
    pub next_cursor: Option<String>,
}

fn yes() -> bool {
    true
}

impl Pagination {
    /// Returns the cursor of the next page. An absent, `null` or empty one, and one on a page that
    /// says there are no more, all mean the end.
    pub fn next(&self) -> Option<&str> {
        self.next_cursor.as_deref().filter(|cursor| self.has_more && !cursor.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_without_pagination_is_whole() {
        let next = |json: &str| {
            let read: PageOrWhole<u8> = serde_json::from_str(json).unwrap();
            (read.next().map(str::to_owned), read.data)
        };
        assert_eq!(next(r#"{"data":[1,2]}"#), (None, vec![1, 2]));
        let page = r#"{"data":[1],"pagination":{"total":2,"limit":1,"next_cursor":"x"}}"#;
        assert_eq!(next(page), (Some("x".to_owned()), vec![1]));
    }

    #[test]
    fn every_way_to_say_the_end_is_the_end() {
        let next = |json: &str| {
            let read: Pagination = serde_json::from_str(json).unwrap();
            read.next().map(str::to_owned)
        };
        assert_eq!(next(r#"{"total":1,"limit":20,"has_more":false}"#), None);
        assert_eq!(next(r#"{"total":1,"limit":20,"has_more":false,"next_cursor":null}"#), None);
        assert_eq!(next(r#"{"total":1,"limit":20,"has_more":true,"next_cursor":""}"#), None);
        assert_eq!(next(r#"{"total":1,"limit":20,"has_more":false,"next_cursor":"x"}"#), None);
        assert_eq!(next(r#"{"total":1,"limit":20}"#), None);
        assert_eq!(next(r#"{"total":1,"limit":20,"next_cursor":"x"}"#), Some("x".to_owned()));
        assert_eq!(
            next(r#"{"total":9,"limit":1,"has_more":true,"next_cursor":"x"}"#),
            Some("x".to_owned())
        );
    }
}
