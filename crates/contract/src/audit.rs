//! Audit log: actor, action, object, time, origin and result.
//!
//! An [`AuditEvent`] is an event to be logged, a [`AuditEntry`] is a stored entry. Neither contains
//! an answer, the text of a note, a search text, a secret, a cursor or a full network address. User
//! input, such as the name of a key, is sanitised with [`sanitise_text`].

mod actor;
mod csv_writer;
mod query;

pub use crate::network::network_of;
pub use actor::{ActingPerson, Actor, ActorKind, AuditActor, AuditPerson};
pub use csv_writer::AuditCsvWriter;
pub use query::{AuditFilter, AuditFormat, AuditQuery};

use crate::named_enum::named_enum;
use crate::{AccountId, Environment, Form, FormId, Timestamp, message, untrusted};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Maximum length of user input in an audit entry, in characters.
pub const TEXT_CHARS_MAX: usize = 100;
/// Maximum size of an entry's detail as JSON, in bytes.
pub const DETAIL_BYTES_MAX: usize = 1024;
/// Maximum number of form ids in an entry's detail. The entry has the number of all.
const AUDITED_FORMS_MAX: usize = 10;

named_enum! {
    /// Action of an audit entry. Its text form is the kind of object, a dot, and a verb.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Action {
        /// An account was created.
        AccountCreated = "account.created",
        /// The plan of an account was changed.
        PlanSet = "account.plan_changed",
        /// An account was deleted. The entry belongs to no account's log.
        AccountDeleted = "account.deleted",
        /// A user signed in, or tried to.
        SignedIn = "session.begun",
        /// A session was ended.
        SignedOut = "session.ended",
        /// All sessions but one were ended.
        OthersSignedOut = "session.others_ended",
        /// The signed-in user re-authenticated with the password.
        Proven = "session.proven",
        /// A member was added.
        PersonAdded = "person.added",
        /// The role of a member was changed.
        PersonChanged = "person.changed",
        /// A member changed their preferences.
        PreferencesSet = "person.preferences_changed",
        /// A member was removed.
        PersonRemoved = "person.removed",
        /// An identity of an auth proxy was linked to a member.
        PersonLinked = "person.linked",
        /// An identity of an auth proxy was unlinked from a member.
        PersonUnlinked = "person.unlinked",
        /// The email address of a member was changed.
        EmailSet = "person.email_changed",
        /// A sign-in link was created.
        LinkMade = "link.created",
        /// A password was set.
        PasswordSet = "password.changed",
        /// A key was created.
        KeyCreated = "key.created",
        /// A key was revoked.
        KeyRevoked = "key.revoked",
        /// A form was created.
        FormCreated = "form.created",
        /// A form was renamed.
        FormRenamed = "form.renamed",
        /// A form was copied, without its submissions.
        FormDuplicated = "form.duplicated",
        /// A form was deleted, with its submissions.
        FormDeleted = "form.deleted",
        /// The fields of a form were changed.
        FieldsSet = "form.fields_changed",
        /// The analysis of a form was switched on or off.
        AnalysisSet = "form.analysis_changed",
        /// The categories of a form were changed.
        CategoriesSet = "form.categories_changed",
        /// The intake settings of a form were changed.
        IntakeSet = "form.intake_changed",
        /// A submission was deleted.
        SubmissionDeleted = "submission.deleted",
        /// Submissions were moved to the trash.
        SubmissionsTrashed = "submission.trashed",
        /// Submissions were restored from the trash.
        SubmissionsRestored = "submission.restored",
        /// Submissions in the trash were deleted permanently.
        TrashDeleted = "trash.deleted",
        /// The retention of a form's trash was changed.
        TrashSet = "form.trash_changed",
        /// The triage of submissions was changed.
        SubmissionsUpdated = "submission.updated",
        /// A note about a submission was created.
        NoteCreated = "note.created",
        /// The text of a note was changed.
        NoteEdited = "note.edited",
        /// A note was deleted.
        NoteDeleted = "note.deleted",
        /// The statuses and tags of the account were changed.
        TriageSet = "account.triage_changed",
        /// A webhook was created.
        WebhookCreated = "webhook.created",
        /// The settings of a webhook were changed.
        WebhookSet = "webhook.changed",
        /// The secret of a webhook was rotated.
        WebhookRotated = "webhook.secret_rotated",
        /// A webhook was deleted.
        WebhookDeleted = "webhook.deleted",
        /// Deliveries of a webhook were replayed.
        WebhookReplayed = "webhook.replayed",
        /// A test was sent to a webhook.
        WebhookTested = "webhook.tested",
        /// A notification was created.
        NotificationCreated = "notification.created",
        /// The settings of a notification were changed.
        NotificationSet = "notification.changed",
        /// A notification was deleted.
        NotificationDeleted = "notification.deleted",
        /// The reader of a notification confirmed the address.
        NotificationConfirmed = "notification.confirmed",
        /// The reader of a notification unsubscribed.
        NotificationUnsubscribed = "notification.unsubscribed",
        /// The link that confirms the address of a notification was sent again.
        ConfirmationSent = "notification.confirmation_sent",
        /// A test e-mail was sent to the address of a notification.
        NotificationTested = "notification.tested",
        /// The auto-reply of a form was changed.
        AutoReplySet = "form.auto_reply_changed",
        /// A shared view was created.
        ViewCreated = "view.created",
        /// A shared view was changed, or a view was shared or is not shared any more.
        ViewSet = "view.changed",
        /// A shared view was deleted.
        ViewDeleted = "view.deleted",
        /// An export of submissions began.
        ExportBegun = "submission.export_begun",
        /// An export of submissions ended.
        ExportEnded = "submission.export_ended",
        /// Submissions were imported.
        SubmissionsImported = "submission.imported",
        /// An owner corrected an insight.
        InsightCorrected = "insight.corrected",
        /// An owner removed the correction of an insight.
        InsightReset = "insight.reset",
        /// Submissions were marked as spam.
        SpamMarked = "spam.marked",
        /// A submission was released from spam.
        SpamReleased = "spam.released",
        /// Submissions marked as spam were deleted.
        SpamDeleted = "spam.deleted",
        /// A request was refused because the actor has no permission.
        Refused = "request.refused",
        /// A request was refused by a rate limit.
        Limited = "request.limited",
        /// Further refused requests were counted instead of logged one by one.
        RefusalsOmitted = "request.omitted",
        /// A request from a page of another site was refused.
        Forged = "request.forged",
        /// The audit log was exported.
        AuditExported = "audit.exported",
        /// Audit entries past their retention were deleted.
        AuditDropped = "audit.dropped",
    }
}

impl Action {
    /// Returns the action with a name, if there is one.
    pub fn from_name(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.as_str() == text)
    }

    /// Returns the kind of object, which is the part of the name before the dot.
    pub fn object_kind(self) -> &'static str {
        self.as_str().split('.').next().unwrap_or_default()
    }
}

named_enum! {
    /// Result of an action.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum AuditOutcome {
        /// The action was done.
        Ok = "ok",
        /// The action was refused.
        Denied = "denied",
        /// The action failed.
        Error = "error",
    }
}

/// Audit event: an action that is to be logged.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEvent {
    /// Time of the action.
    pub at: Timestamp,
    /// Account that the log belongs to; `None` if no account is known.
    pub account: Option<AccountId>,
    /// Environment of the object, if it belongs to one.
    pub environment: Option<Environment>,
    /// Actor of the action.
    pub actor: Actor,
    /// The action.
    pub action: Action,
    /// Kind and identifier of the object.
    pub object: Option<(&'static str, String)>,
    /// Result of the action.
    pub outcome: AuditOutcome,
    /// Machine-readable reason of a refusal or failure.
    pub code: Option<&'static str>,
    detail: Map<String, Value>,
}

impl AuditEvent {
    /// Creates an event of a successful action.
    pub fn new(at: Timestamp, actor: &Actor, action: Action) -> Self {
        Self {
            at,
            account: None,
            environment: None,
            actor: actor.clone(),
            action,
            object: None,
            outcome: AuditOutcome::Ok,
            code: None,
            detail: Map::new(),
        }
    }

    /// Sets the account that the log belongs to.
    #[must_use]
    pub fn with_account(self, account: &AccountId) -> Self {
        Self { account: Some(account.clone()), ..self }
    }

    /// Sets the environment.
    #[must_use]
    pub fn with_environment(self, environment: Environment) -> Self {
        Self { environment: Some(environment), ..self }
    }

    /// Sets the kind and the identifier of the object.
    #[must_use]
    pub fn with_object(self, kind: &'static str, id: &impl ToString) -> Self {
        Self { object: Some((kind, id.to_string())), ..self }
    }

    /// Sets a form as the object, with its environment and its name.
    #[must_use]
    pub fn with_form(self, form: &Form) -> Self {
        let event = self.with_environment(form.environment).with_object("form", &form.id);
        event.with_user_text("name", &form.name)
    }

    /// Marks the action as refused, with a reason.
    #[must_use]
    pub fn into_denied(self, code: &'static str) -> Self {
        Self { outcome: AuditOutcome::Denied, code: Some(code), ..self }
    }

    /// Marks the action as failed, with a reason.
    #[must_use]
    pub fn into_failed(self, code: &'static str) -> Self {
        Self { outcome: AuditOutcome::Error, code: Some(code), ..self }
    }

    /// Adds user input to the detail, sanitised with [`sanitise_text`].
    #[must_use]
    pub fn with_user_text(self, member: &str, text: &str) -> Self {
        self.with_value(member, sanitise_text(text))
    }

    /// Adds a value to the detail: a number, or text that is not user input.
    #[must_use]
    pub fn with_value(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.detail.insert(member.to_owned(), value.into());
        self
    }

    /// Adds named forms to the detail: their number, and the ids of the first ones.
    #[must_use]
    pub fn with_named_forms(self, forms: &[FormId]) -> Self {
        let ids = forms.iter().take(AUDITED_FORMS_MAX).map(FormId::as_str);
        let ids = ids.collect::<Vec<_>>().join(" ");
        self.with_value("forms", forms.len()).with_value("form_ids", ids)
    }

    /// Returns a copy of the event with another action and time.
    #[must_use]
    pub fn with_action(self, at: Timestamp, action: Action) -> Self {
        Self { at, action, ..self }
    }

    /// Returns the detail and the acting member as JSON of at most [`DETAIL_BYTES_MAX`] bytes.
    ///
    /// If the detail is too long, the result contains only the member and `"cut": true`.
    pub fn detail_json(&self) -> String {
        let with_person = |mut detail: Map<String, Value>| {
            AuditPerson::add_to_detail(&mut detail, &self.actor, self.account.as_ref());
            Value::Object(detail).to_string()
        };
        let text = with_person(self.detail.clone());
        if text.len() <= DETAIL_BYTES_MAX {
            return text;
        }
        with_person(Map::from_iter([("cut".to_owned(), true.into())]))
    }
}

/// Object of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct AuditObject {
    /// Kind of the object: `key`, `form`, `submission`, `session` or `account`.
    pub kind: String,
    /// Identifier of the object.
    pub id: String,
}

/// Entry of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct AuditEntry {
    /// Number of the entry in the account's log, from 1, without gaps.
    pub place: u64,
    /// Time of the action.
    pub at: Timestamp,
    /// Account that the log belongs to; `null` if no account is known.
    pub account: Option<AccountId>,
    /// Environment of the object, or `null`.
    #[serde(rename = "mode")]
    pub environment: Option<Environment>,
    /// Actor of the action.
    pub actor: AuditActor,
    /// Network of the client: the first 24 bits of an IPv4 address, or 48 bits of an IPv6 address.
    pub address: Option<String>,
    /// Identifier shared by all entries of one request.
    pub request: Option<String>,
    /// Action, such as `key.created`.
    pub action: String,
    /// Object of the action.
    pub object: Option<AuditObject>,
    /// Result of the action.
    pub outcome: AuditOutcome,
    /// Machine-readable reason of a refusal or failure.
    pub code: Option<String>,
    /// Additional values, such as names and counts.
    #[serde(deserialize_with = "untrusted::deserialize_object")]
    pub detail: Map<String, Value>,
    /// SHA-256, in hexadecimal, of the previous entry's hash and of this entry.
    pub hash: String,
}

/// Sanitises user input for a log entry: one line of at most [`TEXT_CHARS_MAX`] characters.
/// Control characters, line separators and characters that change the text direction become spaces.
/// API keys are cut to their prefix.
pub fn sanitise_text(text: &str) -> String {
    let is_unsafe = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{feff}')
            || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let single_line: String = text.chars().map(|c| if is_unsafe(c) { ' ' } else { c }).collect();
    message::without_secrets(&single_line).chars().take(TEXT_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_input_is_sanitised() {
        let check =
            |text: &str, expected: &str| assert_eq!(sanitise_text(text), expected, "{text:?}");
        check("Website", "Website");
        check("a\r\nb\tc\u{85}d", "a  b c d");
        check("\u{1b}[31mred", " [31mred");
        check("x\u{2028}y\u{2029}z\u{202e}", "x y z ");
        check("svc_sk_live_0123456789abcdef and more", "svc_sk_live_… and more");
        check("svc_sk_test_ab svc_sk_live_cd", "svc_sk_test_… svc_sk_live_…");
        check("svc_sk_live_", "svc_sk_live_");
        assert_eq!(sanitise_text(&"é".repeat(500)).chars().count(), TEXT_CHARS_MAX);
    }

    #[test]
    fn action_names_are_unique() {
        for action in Action::ALL {
            assert_eq!(Action::from_name(action.as_str()), Some(action));
            assert!(action.as_str().starts_with(&format!("{}.", action.object_kind())));
        }
        assert_eq!(Action::from_name("key"), None);
    }

    #[test]
    fn long_detail_is_cut() {
        let at = Timestamp::from_micros(0).unwrap();
        let event =
            AuditEvent::new(at, &Actor::system(), Action::KeyCreated).with_user_text("name", "a\n");
        assert_eq!(event.detail_json(), r#"{"name":"a "}"#);
        let long = event.with_value("more", "x".repeat(DETAIL_BYTES_MAX));
        assert_eq!(long.detail_json(), r#"{"cut":true}"#);
    }
}
