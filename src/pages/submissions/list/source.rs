//! Identifies the submissions of a list, and their order, and requests them.

use contract::{
    Environment, Filter, FormId, InboxQuery, ListQuery, Page, Sort, Submission, SubmissionId,
};
use web_sys::AbortSignal;

use crate::{
    api::{self, ApiError, ApiResponse},
    domain::list_model::{ListOrder, PageQuery, PageStart},
    routes::{self, ListLayout},
};

/// The submissions of a list: environment, form, filter and order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSource {
    /// The environment.
    pub environment: Environment,
    /// The form; `None` in the inbox, which lists the submissions of all forms.
    pub form: Option<FormId>,
    /// How the page shows the submissions of a form. The inbox is always a list.
    pub layout: ListLayout,
    /// The filter.
    pub filter: Filter,
    /// The order; `None` is newest first.
    pub sort: Option<Sort>,
}

impl ListSource {
    /// Returns whether the list may contain submissions of a form.
    pub fn has_form(&self, form: &FormId) -> bool {
        self.form.as_ref().is_none_or(|own| own == form)
    }

    /// Returns whether the lists are of the same form, or both the inbox.
    pub fn is_same_list(&self, other: &Self) -> bool {
        self.form == other.form && self.environment == other.environment
    }

    /// Requests a page. The inbox has no order but newest first.
    pub(super) async fn fetch(
        &self,
        query: &ListQuery,
        signal: Option<&AbortSignal>,
    ) -> Result<ApiResponse<Page<Submission>>, ApiError> {
        let environment = self.environment;
        if let Some(form) = &self.form {
            return api::list_submissions(environment, form, query, signal).await;
        }
        let ListQuery { filter, limit, cursor, sort: _ } = query.clone();
        api::list_inbox(&InboxQuery { environment, filter, limit, cursor }, signal).await
    }

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
        let form = self.form.as_ref().map(|form| (form, self.layout));
        routes::list_page_url(self.environment, form, opened, &query)
    }
}
