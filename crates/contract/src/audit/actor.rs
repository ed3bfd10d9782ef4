//! Actors of audit events and of audit entries.

use super::sanitise_text;
use crate::account::ClientInfo;
use crate::named_enum::named_enum;
use crate::{AccountId, PersonId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Key in an entry's detail under which the acting user is stored.
const PERSON: &str = "person";

named_enum! {
    /// Kind of an actor.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum ActorKind {
        /// An unauthenticated client.
        #[default]
        Nobody = "nobody",
        /// A signed-in user, identified by the session.
        Session = "session",
        /// A client with an API key.
        Key = "key",
        /// The server itself, or its command line.
        System = "system",
    }
}

/// Actor of a request, and the origin of the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Actor {
    /// Kind of the actor.
    pub kind: ActorKind,
    /// Identifier of the session or of the API key.
    pub id: Option<String>,
    /// Signed-in user of the session.
    pub person: Option<ActingPerson>,
    /// Network of the client, as returned by [`network_of`](super::network_of()).
    pub address: Option<String>,
    /// Device and browser of the client.
    pub client: ClientInfo,
    /// Identifier shared by all entries of one request.
    pub request: Option<String>,
}

impl Actor {
    /// Creates the actor for the server itself and for its command line.
    pub fn system() -> Self {
        Self { kind: ActorKind::System, ..Self::default() }
    }

    /// Returns an identifier of the actor: the person, or else the session or API key.
    pub fn person_or_id(&self) -> Option<&str> {
        let person = self.person.as_ref().map(|person| person.id.as_str());
        person.or(self.id.as_deref())
    }

    /// Returns the same request with a signed-in user as the actor.
    #[must_use]
    pub fn with_session(self, id: &str, person: ActingPerson) -> Self {
        let id = Some(id.to_owned());
        Self { kind: ActorKind::Session, id, person: Some(person), ..self }
    }

    /// Returns the same request with an API key as the actor. The person is then unknown.
    #[must_use]
    pub fn with_api_key(self, id: &str) -> Self {
        Self { kind: ActorKind::Key, id: Some(id.to_owned()), person: None, ..self }
    }
}

/// Signed-in user, as known at the time of the action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActingPerson {
    /// Account of the user. Entries of other accounts do not name the user.
    pub account: AccountId,
    /// Identifier of the user.
    pub id: PersonId,
    /// Email address that the user signs in with.
    pub email: String,
}

/// Actor of an audit entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct AuditActor {
    /// Kind of the actor.
    pub kind: ActorKind,
    /// Identifier of the session or of the API key.
    pub id: Option<String>,
    /// Signed-in user; `null` for other actors, and in entries from before users were recorded.
    pub person: Option<AuditPerson>,
    /// Device and browser of the client.
    pub client: ClientInfo,
}

/// User as recorded in an audit entry, even if the user was changed or removed since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct AuditPerson {
    /// Identifier of the user.
    pub id: PersonId,
    /// Email address at the time of the action: one line, at most 100 characters.
    pub email: String,
}

impl AuditPerson {
    /// Adds the acting user to the detail of an entry, if the entry belongs to the user's account.
    pub(super) fn add_to_detail(
        detail: &mut Map<String, Value>,
        actor: &Actor,
        account: Option<&AccountId>,
    ) {
        let own_person = actor.person.as_ref().filter(|person| account == Some(&person.account));
        if let Some(ActingPerson { id, email, .. }) = own_person {
            detail.insert(PERSON.to_owned(), json!({"id": id, "email": sanitise_text(email)}));
        }
    }

    /// Removes the acting user from the stored detail of an entry; `None` if it names no user.
    pub fn take_from_detail(detail: &mut Map<String, Value>) -> Option<Self> {
        let person = Self::deserialize(detail.get(PERSON)?).ok()?;
        detail.remove(PERSON);
        Some(person)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;
    use crate::audit::{Action, AuditEvent, DETAIL_BYTES_MAX};

    fn ada(email: &str) -> Actor {
        let account = "acc_1".parse().unwrap();
        let id = "psn_1".parse().unwrap();
        Actor::default()
            .with_session("ses_1", ActingPerson { account, id, email: email.to_owned() })
    }

    fn event_by(actor: &Actor) -> AuditEvent {
        let at = Timestamp::from_micros(0).unwrap();
        AuditEvent::new(at, actor, Action::FormRenamed)
    }

    #[test]
    fn detail_names_user_of_own_account_only() {
        let event = event_by(&ada("ada@example.org"));
        let account = "acc_1".parse().unwrap();
        let other = "acc_2".parse().unwrap();
        assert_eq!(
            event.clone().with_account(&account).detail_json(),
            r#"{"person":{"id":"psn_1","email":"ada@example.org"}}"#
        );
        for event in [event.clone().with_account(&other), event] {
            assert_eq!(event.detail_json(), "{}", "{:?}", event.account);
        }
    }

    #[test]
    fn email_is_sanitised_and_retained_when_cut() {
        let account = "acc_1".parse().unwrap();
        let hostile = "a\r\n\u{202e}svc_sk_live_0123456789\u{1b}[31m@example.org";
        let detail = event_by(&ada(hostile)).with_account(&account).detail_json();
        assert_eq!(
            detail,
            r#"{"person":{"id":"psn_1","email":"a   svc_sk_live_… [31m@example.org"}}"#
        );
        for long in ["\u{1f600}", "\"", "\\"] {
            let actor = ada(&long.repeat(500));
            let full = event_by(&actor)
                .with_account(&account)
                .with_value("more", "x".repeat(DETAIL_BYTES_MAX))
                .detail_json();
            assert!(full.len() <= DETAIL_BYTES_MAX, "{}", full.len());
            let mut read: Map<String, Value> = serde_json::from_str(&full).unwrap();
            let person = AuditPerson::take_from_detail(&mut read).unwrap();
            assert_eq!((person.id.as_str(), person.email), ("psn_1", long.repeat(100)));
            assert_eq!(Value::Object(read), json!({"cut": true}));
        }
    }

    #[test]
    fn detail_without_user_is_unchanged() {
        for detail in [
            json!({"name": "Website"}),
            json!({"person": "psn_1"}),
            json!({"person": {"id": "odd", "email": "a@b.c"}}),
            json!({"person": {"id": "psn_1"}}),
        ] {
            let mut read = detail.as_object().unwrap().clone();
            assert_eq!(AuditPerson::take_from_detail(&mut read), None, "{detail}");
            assert_eq!(Value::Object(read), detail);
        }
    }

    #[test]
    fn api_key_actor_has_no_user() {
        let actor = ada("ada@example.org").with_api_key("key_1");
        assert_eq!((actor.kind, actor.person.as_ref()), (ActorKind::Key, None));
        assert_eq!(event_by(&actor).with_account(&"acc_1".parse().unwrap()).detail_json(), "{}");
    }
}
