//! Who acts, as it comes in, and as it is told of a note.

use crate::account::Client;
use serde::{Deserialize, Serialize};

/// What kind of somebody acts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ActorKind {
    /// Nobody who is known.
    #[default]
    Nobody,
    /// Whoever signed in, by the sign-in.
    Session,
    /// Who has an API key.
    Key,
    /// The command line of the server, or the server by itself.
    System,
}

impl ActorKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Nobody, Self::Session, Self::Key, Self::System];

    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nobody => "nobody",
            Self::Session => "session",
            Self::Key => "key",
            Self::System => "system",
        }
    }
}

/// Who acts, and from where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Actor {
    /// What kind of somebody.
    pub kind: ActorKind,
    /// The sign-in or the key, by its id.
    pub id: Option<String>,
    /// The network that the request came from, as [`network`] gives it.
    pub address: Option<String>,
    /// What the browser said of itself.
    pub client: Client,
    /// By what the notes of one request are known.
    pub request: Option<String>,
}

impl Actor {
    /// The command line of the server, or the server by itself.
    pub fn system() -> Self {
        Self { kind: ActorKind::System, ..Self::default() }
    }

    /// The same request, as somebody who is known.
    #[must_use]
    pub fn known(self, kind: ActorKind, id: &str) -> Self {
        Self { kind, id: Some(id.to_owned()), ..self }
    }
}

/// What acted, as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct NotedActor {
    /// What kind of somebody.
    pub kind: ActorKind,
    /// The sign-in or the key, by its id.
    pub id: Option<String>,
    /// What the browser said of itself.
    pub client: Client,
}
