//! The audit log: who did what to which thing, when, from where, and what came of it.
//!
//! An [`Act`] is what is to be noted; a [`Note`] is one line of the log as it was kept. Neither
//! ever holds an answer, a searched text, a secret, a cursor or a whole network address, and
//! whatever a person wrote (a key's name, a browser's word) goes in by [`plain`], so that it stays
//! on its line.

mod actor;
mod network;
mod query;
mod sheet;

pub use actor::{ActingPerson, Actor, ActorKind, NotedActor, NotedPerson};
pub use network::network;
pub use query::{AuditFilter, AuditFormat, AuditQuery};
pub use sheet::NotesCsv;

use crate::{AccountId, Environment, Timestamp, message, untrusted};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Longest text that a note holds of a name that a person gave, in characters.
pub const TEXT_CHARS_MAX: usize = 100;
/// Most bytes of a note's detail, as JSON.
pub const DETAIL_BYTES_MAX: usize = 1024;

macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident => $text:literal,)*) => {
        /// What was done. Its name on the wire is the kind of thing, a dot, and the act.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action {
            $($(#[$doc])* $name,)*
        }

        impl Action {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the name on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

actions! {
    /// An account was created.
    AccountCreated => "account.created",
    /// An account got another plan.
    PlanSet => "account.plan_changed",
    /// An account was deleted. The entry is in the log of no account.
    AccountDeleted => "account.deleted",
    /// Somebody signed in, or tried to.
    SignedIn => "session.begun",
    /// A sign-in was ended.
    SignedOut => "session.ended",
    /// All sign-ins but one were ended.
    OthersSignedOut => "session.others_ended",
    /// Who is signed in showed it again by the password.
    Proven => "session.proven",
    /// A reader was let in.
    PersonAdded => "person.added",
    /// A reader was removed.
    PersonRemoved => "person.removed",
    /// Somebody whom an auth proxy knows was linked with a person.
    PersonLinked => "person.linked",
    /// That was taken back.
    PersonUnlinked => "person.unlinked",
    /// A person got another mail address.
    EmailSet => "person.email_changed",
    /// A sign-in link was made.
    LinkMade => "link.created",
    /// The password was set.
    PasswordSet => "password.changed",
    /// A key was created.
    KeyCreated => "key.created",
    /// A key was revoked.
    KeyRevoked => "key.revoked",
    /// A form was created.
    FormCreated => "form.created",
    /// A form got another name.
    FormRenamed => "form.renamed",
    /// A form was copied, without its submissions.
    FormDuplicated => "form.duplicated",
    /// A form was deleted, with its submissions.
    FormDeleted => "form.deleted",
    /// A form got other fields.
    FieldsSet => "form.fields_changed",
    /// A form's analysis was switched.
    AnalysisSet => "form.analysis_changed",
    /// A form got other categories.
    CategoriesSet => "form.categories_changed",
    /// What a form takes in was changed.
    IntakeSet => "form.intake_changed",
    /// A submission was deleted.
    SubmissionDeleted => "submission.deleted",
    /// Submissions were moved to the trash.
    SubmissionsTrashed => "submission.trashed",
    /// Submissions were restored from the trash.
    SubmissionsRestored => "submission.restored",
    /// Submissions in the trash were deleted permanently.
    TrashDeleted => "trash.deleted",
    /// A form keeps its trash for another time.
    TrashSet => "form.trash_changed",
    /// An export of submissions began.
    ExportBegun => "submission.export_begun",
    /// An export of submissions ended.
    ExportEnded => "submission.export_ended",
    /// Submissions were imported.
    SubmissionsImported => "submission.imported",
    /// An owner said something else than the analysis.
    InsightCorrected => "insight.corrected",
    /// An owner took that back.
    InsightReset => "insight.reset",
    /// Submissions were marked as spam.
    SpamMarked => "spam.marked",
    /// A submission was taken off the spam shelf.
    SpamReleased => "spam.released",
    /// Submissions on the spam shelf were deleted.
    SpamDeleted => "spam.deleted",
    /// Something was asked for that the asker may not have.
    Refused => "request.refused",
    /// Requests were too many.
    Limited => "request.limited",
    /// More requests were refused than the log notes one by one.
    RefusalsOmitted => "request.omitted",
    /// A request came from a page of somebody else's.
    Forged => "request.forged",
    /// The audit log was exported.
    AuditExported => "audit.exported",
    /// Notes beyond their time were dropped.
    AuditDropped => "audit.dropped",
}

impl Action {
    /// Returns the action of a name, where it is one of these.
    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.as_str() == text)
    }

    /// Returns the kind of thing that it is done to: what stands before the dot.
    pub fn kind(self) -> &'static str {
        self.as_str().split('.').next().unwrap_or_default()
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It was done.
    Ok,
    /// It was refused.
    Denied,
    /// It failed.
    Error,
}

impl Outcome {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Ok, Self::Denied, Self::Error];

    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Denied => "denied",
            Self::Error => "error",
        }
    }
}

/// Something that is to be noted.
#[derive(Debug, Clone, PartialEq)]
pub struct Act {
    /// When.
    pub at: Timestamp,
    /// Whose log it goes to; `None` where no account is known.
    pub account: Option<AccountId>,
    /// Of which environment the thing is, where it is of one.
    pub environment: Option<Environment>,
    /// Who acts.
    pub actor: Actor,
    /// What is done.
    pub action: Action,
    /// To what: its kind, and its id.
    pub object: Option<(&'static str, String)>,
    /// What came of it.
    pub outcome: Outcome,
    /// Why it was refused or failed, in a word.
    pub code: Option<&'static str>,
    detail: Map<String, Value>,
}

impl Act {
    /// Returns an act that is done.
    pub fn new(at: Timestamp, actor: &Actor, action: Action) -> Self {
        Self {
            at,
            account: None,
            environment: None,
            actor: actor.clone(),
            action,
            object: None,
            outcome: Outcome::Ok,
            code: None,
            detail: Map::new(),
        }
    }

    /// In the log of this account.
    #[must_use]
    pub fn of(self, account: &AccountId) -> Self {
        Self { account: Some(account.clone()), ..self }
    }

    /// In an environment.
    #[must_use]
    pub fn within(self, environment: Environment) -> Self {
        Self { environment: Some(environment), ..self }
    }

    /// Done to a thing of a kind.
    #[must_use]
    pub fn on(self, kind: &'static str, id: &impl ToString) -> Self {
        Self { object: Some((kind, id.to_string())), ..self }
    }

    /// Refused, for a reason.
    #[must_use]
    pub fn denied(self, code: &'static str) -> Self {
        Self { outcome: Outcome::Denied, code: Some(code), ..self }
    }

    /// Failed, for a reason.
    #[must_use]
    pub fn failed(self, code: &'static str) -> Self {
        Self { outcome: Outcome::Error, code: Some(code), ..self }
    }

    /// With a name that a person gave: one line of it, cut short.
    #[must_use]
    pub fn named(self, member: &str, text: &str) -> Self {
        self.with(member, plain(text))
    }

    /// With more to know: a number, or one of our own words.
    #[must_use]
    pub fn with(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.detail.insert(member.to_owned(), value.into());
        self
    }

    /// The same, as another action at another instant.
    #[must_use]
    pub fn again(self, at: Timestamp, action: Action) -> Self {
        Self { at, action, ..self }
    }

    /// Returns what more there is to know, and which person acts, as JSON of at most
    /// [`DETAIL_BYTES_MAX`]. Who acts stands in it also where the rest is too long.
    pub fn detail(&self) -> String {
        let with_person = |mut detail: Map<String, Value>| {
            NotedPerson::add(&mut detail, &self.actor, self.account.as_ref());
            Value::Object(detail).to_string()
        };
        let text = with_person(self.detail.clone());
        if text.len() <= DETAIL_BYTES_MAX {
            return text;
        }
        with_person(Map::from_iter([("cut".to_owned(), true.into())]))
    }
}

/// What it was done to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct NotedObject {
    /// What kind of thing: `key`, `form`, `submission`, `session` or `account`.
    pub kind: String,
    /// Which.
    pub id: String,
}

/// One line of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Note {
    /// Its place in the account's log, from 1, without a gap.
    pub place: u64,
    /// When.
    pub at: Timestamp,
    /// Whose log it is; `null` where no account is known.
    pub account: Option<AccountId>,
    /// Of which environment the thing is, where it is of one.
    #[serde(rename = "mode")]
    pub environment: Option<Environment>,
    /// Who acted.
    pub actor: NotedActor,
    /// The network that the request came from: the first 24 bits, or 48 of IPv6.
    pub address: Option<String>,
    /// By what the notes of one request are known.
    pub request: Option<String>,
    /// What was done, such as `key.created`.
    pub action: String,
    /// To what.
    pub object: Option<NotedObject>,
    /// What came of it.
    pub outcome: Outcome,
    /// Why it was refused or failed, in a word.
    pub code: Option<String>,
    /// What more there is to know: names, counts.
    #[serde(deserialize_with = "untrusted::object")]
    pub detail: Map<String, Value>,
    /// SHA-256, in hexadecimal, of the note before and of all that stands here.
    pub hash: String,
}

/// Returns a text on one line, cut short: no character that ends a line, moves a terminal's cursor
/// or turns the direction of what stands behind it; and of an API key no more than its prefix.
pub fn plain(text: &str) -> String {
    let odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
            || matches!(c, '\u{200e}' | '\u{200f}')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let whole: String = text.chars().map(|c| if odd(c) { ' ' } else { c }).collect();
    message::without_secrets(&whole).chars().take(TEXT_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_stays_on_its_line() {
        let check = |text: &str, kept: &str| assert_eq!(plain(text), kept, "{text:?}");
        check("Website", "Website");
        check("a\r\nb\tc\u{85}d", "a  b c d");
        check("\u{1b}[31mred", " [31mred");
        check("x\u{2028}y\u{2029}z\u{202e}", "x y z ");
        check("svc_sk_live_0123456789abcdef and more", "svc_sk_live_… and more");
        check("svc_sk_test_ab svc_sk_live_cd", "svc_sk_test_… svc_sk_live_…");
        check("svc_sk_live_", "svc_sk_live_");
        assert_eq!(plain(&"é".repeat(500)).chars().count(), TEXT_CHARS_MAX);
    }

    #[test]
    fn actions_have_names_of_their_own() {
        for action in Action::ALL {
            assert_eq!(Action::of(action.as_str()), Some(*action));
            assert!(action.as_str().starts_with(&format!("{}.", action.kind())));
        }
        assert_eq!(Action::of("key"), None);
    }

    #[test]
    fn a_detail_has_a_bound() {
        let at = Timestamp::from_micros(0).unwrap();
        let act = Act::new(at, &Actor::system(), Action::KeyCreated).named("name", "a\n");
        assert_eq!(act.detail(), r#"{"name":"a "}"#);
        let long = act.with("more", "x".repeat(DETAIL_BYTES_MAX));
        assert_eq!(long.detail(), r#"{"cut":true}"#);
    }
}
