//! Envelopes of responses (specification, sections 4.1 and 4.2).

use serde::{Deserialize, Serialize};

/// Page size if `limit` is not given (specification, section 4.1).
pub const LIMIT_DEFAULT: u16 = 20;
/// Maximum page size (specification, section 4.1).
pub const LIMIT_MAX: u16 = 100;

/// Response with one object (specification, section 4.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(inline))]
pub struct Data<T> {
    /// The object.
    pub data: T,
}

/// One page of a list (specification, section 4.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "{T}Page"))]
pub struct Page<T> {
    /// The rows, in the order of the list.
    pub data: Vec<T>,
    /// Position of the page in the list.
    pub pagination: Pagination,
}

/// Page of a list that some servers return in full and without `pagination`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MaybePage<T> {
    /// The rows.
    pub data: Vec<T>,
    /// Position of the page in the list; `None` if the response is the full list.
    #[serde(default)]
    pub pagination: Option<Pagination>,
}

impl<T> MaybePage<T> {
    /// Returns the cursor of the next page, see [`Pagination::next`].
    pub fn next_cursor(&self) -> Option<&str> {
        self.pagination.as_ref().and_then(Pagination::next)
    }
}

/// Position of a page in its list (specification, section 2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Pagination {
    /// Number of rows that match in total.
    pub total: u64,
    /// Page size that was applied.
    pub limit: u16,
    /// Whether another page exists. If a server omits this, the cursor alone decides.
    #[serde(default = "default_has_more")]
    pub has_more: bool,
    /// Opaque cursor of the next page; `null` on the last page.
    #[serde(default)]
    pub next_cursor: Option<String>,
}

fn default_has_more() -> bool {
    true
}

impl Pagination {
    /// Returns the cursor of the next page, or `None` on the last page.
    ///
    /// The page is the last one if the cursor is absent, `null` or empty, or if `has_more` is
    /// false.
    pub fn next(&self) -> Option<&str> {
        self.next_cursor.as_deref().filter(|cursor| self.has_more && !cursor.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_without_pagination_has_no_next() {
        let next = |json: &str| {
            let read: MaybePage<u8> = serde_json::from_str(json).unwrap();
            (read.next_cursor().map(str::to_owned), read.data)
        };
        assert_eq!(next(r#"{"data":[1,2]}"#), (None, vec![1, 2]));
        let page = r#"{"data":[1],"pagination":{"total":2,"limit":1,"next_cursor":"x"}}"#;
        assert_eq!(next(page), (Some("x".to_owned()), vec![1]));
    }

    #[test]
    fn every_last_page_format_has_no_next() {
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
