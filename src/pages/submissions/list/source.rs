//! Identifies the submissions of a list, and their order.

use contract::{Environment, Filter, FormId, ListQuery, Sort, SubmissionId};

use crate::{
    domain::list_model::{ListOrder, PageQuery, PageStart},
    routes,
};

/// The submissions of a list: environment, form, filter and order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSource {
    /// The environment.
    pub environment: Environment,
    /// The form.
    pub form: FormId,
    /// The filter.
    pub filter: Filter,
    /// The order; `None` is newest first.
    pub sort: Option<Sort>,
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
        ListQuery { filter, limit, cursor, sort: self.sort.clone() }
    }

    /// Returns the order for the model of the list.
    pub(super) fn order(&self) -> ListOrder {
        match self.sort {
            Some(_) => ListOrder::Sorted,
            None => ListOrder::Newest { oldest: self.filter.date_from },
        }
    }

    /// Returns the URL of the list, with the card of a submission open if there is one.
    pub fn url(&self, opened: Option<&SubmissionId>) -> String {
        let (filter, sort) = (self.filter.clone(), self.sort.clone());
        let query = ListQuery { filter, sort, ..ListQuery::default() };
        routes::list_page_url(self.environment, &self.form, opened, &query)
    }
}
