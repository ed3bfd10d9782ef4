//! Identifies the submissions of a list.

use contract::{Environment, Filter, FormId, ListQuery};

use crate::domain::list_model::{PageQuery, PageStart};

/// The submissions of a list: environment, form and filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSource {
    /// The environment.
    pub environment: Environment,
    /// The form.
    pub form: FormId,
    /// The filter.
    pub filter: Filter,
}

impl ListSource {
    /// Returns the query for the wanted rows.
    pub(super) fn query_for(&self, PageQuery { start, limit }: PageQuery) -> ListQuery {
        let mut filter = self.filter.clone();
        filter.date_to = start.before().or(filter.date_to);
        let cursor = match start {
            PageStart::After { cursor, .. } => Some(cursor),
            PageStart::First | PageStart::Before(_) => None,
        };
        ListQuery { filter, limit, cursor, sort: None }
    }
}
