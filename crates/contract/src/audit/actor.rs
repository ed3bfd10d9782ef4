//! Who acts, as it comes in, and as it is told of a note.

use super::plain;
use crate::account::Client;
use crate::{AccountId, PersonId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The member of a note's detail that names the person who acted.
const PERSON: &str = "person";

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
    /// Whose sign-in it is.
    pub person: Option<ActingPerson>,
    /// The network that the request came from, as [`network`](super::network()) gives it.
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

    /// Returns what tells who asks from others: the person, or else the sign-in or the key.
    pub fn person_or_id(&self) -> Option<&str> {
        let person = self.person.as_ref().map(|person| person.id.as_str());
        person.or(self.id.as_deref())
    }

    /// The same request, as a person by their sign-in.
    #[must_use]
    pub fn by_session(self, id: &str, person: ActingPerson) -> Self {
        let id = Some(id.to_owned());
        Self { kind: ActorKind::Session, id, person: Some(person), ..self }
    }

    /// The same request, as whoever has a key. Who that is, nobody knows.
    #[must_use]
    pub fn by_key(self, id: &str) -> Self {
        Self { kind: ActorKind::Key, id: Some(id.to_owned()), person: None, ..self }
    }
}

/// A person who is signed in and acts, as they are known at that moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActingPerson {
    /// To which account they belong. Notes of any other do not name them.
    pub account: AccountId,
    /// Their identifier.
    pub id: PersonId,
    /// The mail address that they sign in with.
    pub email: String,
}

/// What acted, as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct NotedActor {
    /// What kind of somebody.
    pub kind: ActorKind,
    /// The sign-in or the key, by its id.
    pub id: Option<String>,
    /// The person who was signed in; `null` for all others, and in notes of before people were
    /// named.
    pub person: Option<NotedPerson>,
    /// What the browser said of itself.
    pub client: Client,
}

/// A person as a note names them, whatever has become of them since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct NotedPerson {
    /// Their identifier.
    pub id: PersonId,
    /// Their mail address as it was then: one line, at most 100 characters.
    pub email: String,
}

impl NotedPerson {
    /// Names who acts in the detail of a note that goes to an account's log.
    pub(super) fn add(detail: &mut Map<String, Value>, actor: &Actor, account: Option<&AccountId>) {
        let theirs = actor.person.as_ref().filter(|person| account == Some(&person.account));
        if let Some(ActingPerson { id, email, .. }) = theirs {
            detail.insert(PERSON.to_owned(), json!({"id": id, "email": plain(email)}));
        }
    }

    /// Takes who acted out of the detail of a note as it was kept; `None` where it names nobody.
    pub fn take(detail: &mut Map<String, Value>) -> Option<Self> {
        let person = Self::deserialize(detail.get(PERSON)?).ok()?;
        detail.remove(PERSON);
        Some(person)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;
    use crate::audit::{Act, Action, DETAIL_BYTES_MAX};

    fn ada(email: &str) -> Actor {
        let (account, id) = ("acc_1".parse().unwrap(), "psn_1".parse().unwrap());
        Actor::default().by_session("ses_1", ActingPerson { account, id, email: email.to_owned() })
    }

    fn act(actor: &Actor) -> Act {
        let at = Timestamp::from_micros(0).unwrap();
        Act::new(at, actor, Action::FormRenamed)
    }

    #[test]
    fn a_note_names_the_person_in_the_log_of_their_account_alone() {
        let act = act(&ada("ada@example.org"));
        let (own, other) = ("acc_1".parse().unwrap(), "acc_2".parse().unwrap());
        assert_eq!(
            act.clone().of(&own).detail(),
            r#"{"person":{"id":"psn_1","email":"ada@example.org"}}"#
        );
        for act in [act.clone().of(&other), act] {
            assert_eq!(act.detail(), "{}", "{:?}", act.account);
        }
    }

    #[test]
    fn an_address_stays_on_its_line_and_is_told_whatever_else_is_cut() {
        let own = "acc_1".parse().unwrap();
        let hostile = "a\r\n\u{202e}svc_sk_live_0123456789\u{1b}[31m@example.org";
        let kept = act(&ada(hostile)).of(&own).detail();
        assert_eq!(
            kept,
            r#"{"person":{"id":"psn_1","email":"a   svc_sk_live_… [31m@example.org"}}"#
        );
        for long in ["\u{1f600}", "\"", "\\"] {
            let actor = ada(&long.repeat(500));
            let full = act(&actor).of(&own).with("more", "x".repeat(DETAIL_BYTES_MAX)).detail();
            assert!(full.len() <= DETAIL_BYTES_MAX, "{}", full.len());
            let mut read: Map<String, Value> = serde_json::from_str(&full).unwrap();
            let person = NotedPerson::take(&mut read).unwrap();
            assert_eq!((person.id.as_str(), person.email), ("psn_1", long.repeat(100)));
            assert_eq!(Value::Object(read), json!({"cut": true}));
        }
    }

    #[test]
    fn a_detail_that_names_nobody_is_left_as_it_is() {
        for detail in [
            json!({"name": "Website"}),
            json!({"person": "psn_1"}),
            json!({"person": {"id": "odd", "email": "a@b.c"}}),
            json!({"person": {"id": "psn_1"}}),
        ] {
            let mut read = detail.as_object().unwrap().clone();
            assert_eq!(NotedPerson::take(&mut read), None, "{detail}");
            assert_eq!(Value::Object(read), detail);
        }
    }

    #[test]
    fn who_has_a_key_is_nobody_by_name() {
        let actor = ada("ada@example.org").by_key("key_1");
        assert_eq!((actor.kind, actor.person.as_ref()), (ActorKind::Key, None));
        assert_eq!(act(&actor).of(&"acc_1".parse().unwrap()).detail(), "{}");
    }
}
