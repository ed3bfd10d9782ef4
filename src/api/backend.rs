//! The server behind the gateway, and its capabilities.

use contract::{Form, Session};

use super::{ApiError, forms};

/// The server behind the gateway, as reported by the session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Backend {
    /// A Sheaf server.
    Sheaf,
    /// Another server that implements only the routes of the specification.
    #[default]
    Specification,
}

/// Capabilities of a server besides listing, reading and deleting submissions. Features check a
/// capability, never the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "the capabilities are independent")]
pub struct Capabilities {
    /// Lists, creates, changes and deletes forms, and counts their submissions.
    pub form_management: bool,
    /// Publishes the fields of a form.
    pub form_fields: bool,
    /// Lists, creates and revokes API keys.
    pub api_keys: bool,
    /// Has an audit log.
    pub audit_log: bool,
    /// Moves deleted submissions to a trash, and can restore them.
    pub trash: bool,
    /// Stores spam separately from submissions.
    pub spam: bool,
    /// Moves or deletes many submissions in one request, by ids or by a filter.
    pub bulk_moves: bool,
    /// Summarizes the submissions that match a filter.
    pub summaries: bool,
    /// Exports the submissions that match any filter in one request.
    pub filtered_exports: bool,
    /// Filters by labels and by ranges of numbers, besides the filters of the specification, and
    /// sorts lists.
    pub filters_properties: bool,
    /// Stores status, star, tags, assignee and notes of submissions, and filters by them.
    pub triage: bool,
    /// Lists the submissions of all forms together.
    pub inbox: bool,
    /// Stores saved views. Without this, the browser stores them.
    pub saved_views: bool,
    /// Serves the API at the origin of the dashboard.
    pub public_origin: bool,
}

impl Backend {
    /// Returns the server of a session.
    pub fn from_session(session: &Session) -> Self {
        if session.managed { Self::Sheaf } else { Self::Specification }
    }

    /// Returns the capabilities of the server.
    pub const fn capabilities(self) -> Capabilities {
        let has_all = matches!(self, Self::Sheaf);
        Capabilities {
            form_management: has_all,
            form_fields: has_all,
            api_keys: has_all,
            audit_log: has_all,
            trash: has_all,
            spam: has_all,
            bulk_moves: has_all,
            summaries: has_all,
            filtered_exports: has_all,
            filters_properties: has_all,
            triage: has_all,
            inbox: has_all,
            saved_views: has_all,
            public_origin: has_all,
        }
    }

    /// Lists the forms of the account. Returns `None` if the server does not list forms.
    pub async fn list_forms(self) -> Option<Result<Vec<Form>, ApiError>> {
        match self {
            Self::Sheaf => Some(forms().await),
            Self::Specification => None,
        }
    }
}
