//! URLs of the lists of submissions, of the board, and of the card over them.

use contract::{Environment, Filter, FormId, ListQuery, SubmissionId};

use super::{list_query, with_query};

/// Returns the URL of a form's submission list with a filter.
pub fn list_url(environment: Environment, form: &FormId, filter: &Filter) -> String {
    list_page_url(environment, Some((form, ListLayout::List)), None, &list_query(filter))
}

/// Returns the URL of the inbox with a filter.
pub fn inbox_url(environment: Environment, filter: &Filter) -> String {
    list_page_url(environment, None, None, &list_query(filter))
}

/// Returns the URL of the inbox that links lead to: its unread submissions.
pub fn unread_inbox_url(environment: Environment) -> String {
    inbox_url(environment, &Filter { read: Some(false), ..Filter::default() })
}

/// How a page shows the submissions of a form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ListLayout {
    /// As a list.
    #[default]
    List,
    /// As a board with a column for each status.
    Board,
}

impl ListLayout {
    /// Returns the path after that of the form.
    fn path(self) -> &'static str {
        match self {
            Self::List => "",
            Self::Board => "/board",
        }
    }
}

/// Returns the URL of a form's submission list or board, or of the inbox without a form, with a
/// filter and an order, and with the card of a submission over it if there is one.
pub fn list_page_url(
    environment: Environment,
    form: Option<(&FormId, ListLayout)>,
    opened: Option<&SubmissionId>,
    query: &ListQuery,
) -> String {
    let list = form.map_or_else(
        || "inbox".to_owned(),
        |(form, layout)| format!("forms/{form}{}", layout.path()),
    );
    let opened = opened.map(|id| format!("/submissions/{id}")).unwrap_or_default();
    with_query(format!("/{environment}/{list}{opened}"), &query.to_query_string())
}

/// Returns the URL of a submission card over its filtered list.
pub fn submission_url(
    environment: Environment,
    form: &FormId,
    id: &SubmissionId,
    filter: &Filter,
) -> String {
    list_page_url(environment, Some((form, ListLayout::List)), Some(id), &list_query(filter))
}
