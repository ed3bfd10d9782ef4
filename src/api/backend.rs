//! Which server is behind the gateway, and what it can do.

use contract::{Form, Session};

use super::{ApiError, forms};

/// The server behind the gateway. The session says which one it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Backend {
    /// Our own server.
    Sheaf,
    /// Another server, with the routes of the specification alone.
    #[default]
    Specification,
}

/// What a server can do besides listing, reading and deleting submissions. Features ask for a
/// capability, never for the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is independent of the others")]
pub struct Capabilities {
    /// Lists, creates, changes and deletes forms, and counts their submissions.
    pub form_management: bool,
    /// Publishes the fields of a form.
    pub form_fields: bool,
    /// Lists, creates and revokes API keys.
    pub api_keys: bool,
    /// Keeps an audit log.
    pub audit_log: bool,
    /// Keeps deleted submissions in a trash, from which they can be restored.
    pub trash: bool,
    /// Keeps spam apart from submissions.
    pub spam: bool,
    /// Moves or deletes many submissions in one request, by their ids or by a filter.
    pub bulk_moves: bool,
    /// Sums up the submissions that match a filter.
    pub summaries: bool,
    /// Exports the submissions that match any filter in one request.
    pub filtered_exports: bool,
    /// Serves the API at the origin of the dashboard.
    pub public_origin: bool,
}

impl Backend {
    /// Returns the server that a session is of.
    pub fn of(session: &Session) -> Self {
        if session.managed { Self::Sheaf } else { Self::Specification }
    }

    /// Returns what the server can do.
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
            public_origin: has_all,
        }
    }

    /// Lists the forms of the account. Returns `None` for a server that lists no forms.
    pub async fn forms(self) -> Option<Result<Vec<Form>, ApiError>> {
        match self {
            Self::Sheaf => Some(forms().await),
            Self::Specification => None,
        }
    }
}
