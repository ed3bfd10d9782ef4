//! Sentences for the entries of the audit log, and the filter of the activity page. It sends no
//! requests and reads no clock.

use chrono::NaiveDate;
use contract::audit::{Action, ActorKind, AuditEntry, AuditFilter, AuditOutcome};
use serde_json::Value;

use super::time::{DayRange, parse_day, write_day};
use crate::i18n;

/// Kind of audit entries to list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ActivityKind {
    /// All entries.
    #[default]
    All,
    /// Sign-ins and sign-outs.
    SignIns,
    /// API keys.
    Keys,
    /// Forms and their settings.
    Forms,
    /// Deleted, exported and imported submissions.
    Submissions,
    /// Submissions marked as spam.
    Spam,
    /// Insights.
    Insights,
    /// Denied requests.
    Refused,
}

impl ActivityKind {
    /// Every kind, in order.
    pub const ALL: [Self; 8] = [
        Self::All,
        Self::SignIns,
        Self::Keys,
        Self::Forms,
        Self::Submissions,
        Self::Spam,
        Self::Insights,
        Self::Refused,
    ];

    /// Returns the name used in URLs; empty for all entries.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "",
            Self::SignIns => "session",
            Self::Keys => "key",
            Self::Forms => "form",
            Self::Submissions => "submission",
            Self::Spam => "spam",
            Self::Insights => "insight",
            Self::Refused => "denied",
        }
    }

    /// Returns the kind with this URL name, or `All` if the name is unknown.
    pub fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or_default()
    }

    /// Returns the label in the language of the interface.
    pub fn label(self) -> &'static str {
        let texts = i18n::activity();
        match self {
            Self::All => texts.all,
            Self::SignIns => texts.sign_ins,
            Self::Keys => texts.keys,
            Self::Forms => texts.forms,
            Self::Submissions => texts.submissions,
            Self::Spam => texts.spam,
            Self::Insights => texts.insights,
            Self::Refused => texts.refused,
        }
    }

    /// Returns the audit filter that selects this kind.
    pub fn audit_filter(self) -> AuditFilter {
        match self {
            Self::All => AuditFilter::default(),
            Self::Refused => {
                AuditFilter { outcome: Some(AuditOutcome::Denied), ..AuditFilter::default() }
            }
            kind => AuditFilter { action: Some(kind.name().to_owned()), ..AuditFilter::default() },
        }
    }
}

/// Filter of the activity page, as written in its URL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ActivityFilter {
    /// Kind of entries.
    pub kind: ActivityKind,
    /// First and last day, both inclusive, in the viewer's calendar.
    pub days: DayRange,
}

impl ActivityFilter {
    /// Parses the query string of a URL. Malformed parameters are ignored.
    pub fn parse_query(query: &str) -> Self {
        let mut filter = Self::default();
        for pair in query.split('&') {
            match pair.split_once('=') {
                Some(("kind", name)) => filter.kind = ActivityKind::from_name(name),
                Some(("from", day)) => filter.days.0 = parse_day(day),
                Some(("to", day)) => filter.days.1 = parse_day(day),
                _ => {}
            }
        }
        filter
    }

    /// Writes the query string; empty if no filter is set.
    pub fn write_query(self) -> String {
        let day =
            |name, day: Option<NaiveDate>| day.map(|day| format!("{name}={}", write_day(day)));
        let kind = (self.kind != ActivityKind::All).then(|| format!("kind={}", self.kind.name()));
        let parts = [kind, day("from", self.days.0), day("to", self.days.1)];
        parts.into_iter().flatten().collect::<Vec<_>>().join("&")
    }
}

/// Returns a sentence that describes the entry. An action that this version does not know (the
/// server may be newer) is returned by its name.
pub fn describe_entry(note: &AuditEntry) -> String {
    let Some(action) = Action::from_name(&note.action) else { return note.action.clone() };
    let texts = i18n::activity();
    let text = |member: &str| detail_text(note, member).unwrap_or_default();
    let number = |member: &str| note.detail.get(member).and_then(Value::as_u64).unwrap_or(1);
    let is_set = |member: &str| note.detail.get(member).and_then(Value::as_bool) == Some(true);
    // The name of the object, or its id if the entry has no name.
    let id = note.object.as_ref().map(|object| object.id.as_str());
    let name = detail_text(note, "name").or(id).unwrap_or_default();
    let form = text("name");
    let count = number("count");
    let is_denied = note.outcome == AuditOutcome::Denied;
    match action {
        Action::AccountCreated => texts.account_created.to_owned(),
        Action::AccountDeleted => (texts.account_deleted)(name),
        Action::PlanSet => (texts.plan_set)(text("before"), text("plan")),
        Action::SignedIn if is_denied => texts.sign_in_refused.to_owned(),
        Action::SignedIn => texts.signed_in.to_owned(),
        Action::SignedOut => texts.signed_out.to_owned(),
        Action::OthersSignedOut => texts.others_signed_out.to_owned(),
        Action::Proven if is_denied => texts.reauthentication_failed.to_owned(),
        Action::Proven => texts.proven.to_owned(),
        Action::PasswordSet if is_denied => texts.password_refused.to_owned(),
        Action::PasswordSet => texts.password_set.to_owned(),
        Action::PersonAdded => texts.person_added.to_owned(),
        Action::PersonChanged => texts.person_changed.to_owned(),
        Action::PreferencesSet => texts.preferences_set.to_owned(),
        Action::PersonRemoved => texts.person_removed.to_owned(),
        Action::PersonLinked => texts.person_linked.to_owned(),
        Action::PersonUnlinked => texts.person_unlinked.to_owned(),
        Action::EmailSet => (texts.email_set)(text("before"), text("email")),
        Action::LinkMade => texts.link_made.to_owned(),
        Action::KeyCreated => (texts.key_created)(name),
        Action::KeyRevoked => (texts.key_revoked)(name),
        Action::FormCreated => (texts.form_created)(name),
        Action::FormRenamed => (texts.form_renamed)(text("before"), name),
        Action::FormDuplicated => (texts.form_duplicated)(text("source"), name),
        Action::FormDeleted => (texts.form_deleted)(name),
        Action::FieldsSet => (texts.fields_set)(name),
        Action::AnalysisSet if is_set("on") => (texts.analysis_on)(name),
        Action::AnalysisSet => (texts.analysis_off)(name),
        Action::CategoriesSet => (texts.categories_set)(name),
        Action::IntakeSet => (texts.intake_set)(name),
        Action::TrashSet => (texts.trash_set)(name, number("days")),
        Action::AutoReplySet => (texts.auto_reply_set)(name, is_set("enabled")),
        Action::SubmissionDeleted => (texts.submission_deleted)(name),
        Action::SubmissionsTrashed => (texts.submissions_trashed)(count),
        Action::SubmissionsRestored => (texts.submissions_restored)(count),
        Action::SubmissionsUpdated => (texts.submissions_updated)(count),
        Action::SubmissionsImported => (texts.imported)(count),
        Action::TrashDeleted => (texts.trash_deleted)(count),
        Action::SpamMarked => (texts.spam_marked)(count),
        Action::SpamReleased => (texts.spam_released)(count),
        Action::SpamDeleted => (texts.spam_deleted)(count),
        Action::TriageSet => texts.triage_set.to_owned(),
        Action::NoteCreated => (texts.note_created)(text("submission")),
        Action::NoteEdited => (texts.note_edited)(text("submission")),
        Action::NoteDeleted => (texts.note_deleted)(text("submission")),
        Action::ViewCreated => (texts.view_created)(text("view"), form),
        Action::ViewSet => (texts.view_set)(text("view"), form),
        Action::ViewDeleted => (texts.view_deleted)(text("view"), form),
        Action::WebhookCreated => (texts.webhook_created)(text("host"), form),
        Action::WebhookSet => (texts.webhook_set)(text("host"), form),
        Action::WebhookRotated => (texts.webhook_rotated)(text("host"), form),
        Action::WebhookDeleted => (texts.webhook_deleted)(text("host"), form),
        Action::WebhookTested => (texts.webhook_tested)(text("host"), form),
        Action::WebhookReplayed => (texts.webhook_replayed)(count, text("host"), form),
        Action::NotificationCreated => (texts.notification_created)(text("email"), form),
        Action::NotificationSet => (texts.notification_set)(text("email"), form),
        Action::NotificationDeleted => (texts.notification_deleted)(text("email"), form),
        Action::NotificationConfirmed => (texts.notification_confirmed)(text("email"), form),
        Action::NotificationUnsubscribed => (texts.notification_unsubscribed)(text("email"), form),
        Action::ConfirmationSent => (texts.confirmation_sent)(text("email"), form),
        Action::NotificationTested => (texts.notification_tested)(text("email"), form),
        Action::ExportBegun => (texts.export_begun)(name),
        Action::ExportEnded if note.outcome == AuditOutcome::Error => {
            (texts.export_broken)(number("rows"))
        }
        Action::ExportEnded => (texts.export_ended)(number("rows")),
        Action::InsightCorrected => (texts.insight_corrected)(name),
        Action::InsightReset => (texts.insight_reset)(name),
        Action::Refused => texts.request_refused.to_owned(),
        Action::Limited => texts.request_limited.to_owned(),
        Action::RefusalsOmitted => (texts.refusals_omitted)(count),
        Action::Forged => texts.request_forged.to_owned(),
        Action::AuditExported => texts.audit_exported.to_owned(),
        Action::AuditDropped => (texts.audit_dropped)(count),
    }
}

/// Returns who acted: the member's email address at that time, or a description of the actor.
pub fn actor_name(note: &AuditEntry) -> &str {
    let texts = i18n::activity();
    match (&note.actor.person, note.actor.kind) {
        (Some(person), _) => &person.email,
        (None, ActorKind::Nobody) => texts.by_nobody,
        (None, ActorKind::Session) => texts.by_session,
        (None, ActorKind::Key) => texts.by_key,
        (None, ActorKind::System) => texts.by_system,
    }
}

fn detail_text<'n>(note: &'n AuditEntry, member: &str) -> Option<&'n str> {
    note.detail.get(member).and_then(Value::as_str)
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn audit_note(action: &str, outcome: &str, detail: &Value) -> AuditEntry {
        let note = json!({
            "place": 1, "at": "2026-03-01T09:00:00Z", "account": "acc_1", "mode": "live",
            "actor": {"kind": "session", "id": "ses_1", "client": {"device": null, "browser": null}},
            "address": null, "request": null, "action": action,
            "object": {"kind": "key", "id": "key_1"}, "outcome": outcome, "code": null,
            "detail": detail, "hash": "",
        });
        serde_json::from_value(note).unwrap()
    }

    #[test]
    fn every_action_has_unique_sentence() {
        let mut sentences: Vec<String> = Vec::new();
        for action in Action::ALL {
            let sentence =
                describe_entry(&audit_note(action.as_str(), "ok", &json!({"name": "N"})));
            assert!(!sentence.contains(action.as_str()), "{sentence}");
            assert!(!sentences.contains(&sentence), "{sentence}");
            sentences.push(sentence);
        }
        assert_eq!(describe_entry(&audit_note("key.polished", "ok", &json!({}))), "key.polished");
    }

    #[test]
    fn sentences_contain_names_and_counts() {
        let check = |action, outcome, detail: Value, expect: &str| {
            assert_eq!(describe_entry(&audit_note(action, outcome, &detail)), expect);
        };
        check("key.created", "ok", json!({"name": "Website"}), "Key “Website” created");
        check("key.revoked", "ok", json!({}), "Key “key_1” revoked");
        check("form.renamed", "ok", json!({"before": "A", "name": "B"}), "Form “A” renamed to “B”");
        check("spam.deleted", "ok", json!({}), "1 submission deleted from spam");
        check("spam.released", "ok", json!({"name": "A"}), "1 submission released from spam");
        check(
            "submission.export_ended",
            "ok",
            json!({"rows": 1}),
            "Export completed with 1 submission",
        );
        check("session.begun", "denied", json!({}), "Sign-in failed");
        check("submission.updated", "ok", json!({"count": 2}), "2 submissions updated");
        let note = json!({"submission": "sub_1", "form": "frm_1", "name": "A"});
        check("note.created", "ok", note, "Note on submission sub_1 created");
        let view = json!({"form": "frm_1", "name": "A", "view": "New"});
        check("view.deleted", "ok", view, "Shared view “New” of “A” deleted");
        let webhook = json!({"form": "frm_1", "name": "A", "host": "example.com", "count": 2});
        check("webhook.created", "ok", webhook.clone(), "Webhook example.com of “A” created");
        let replayed = "2 deliveries of webhook example.com of “A” replayed";
        check("webhook.replayed", "ok", webhook, replayed);
        let address = json!({"form": "frm_1", "name": "A", "email": "ada@example.org"});
        let added = "Notification to ada@example.org about “A” created";
        check("notification.created", "ok", address.clone(), added);
        let sentence = "ada@example.org unsubscribed from “A”";
        check("notification.unsubscribed", "ok", address, sentence);
        let enabled_detail = json!({"name": "A", "enabled": true});
        check("form.auto_reply_changed", "ok", enabled_detail, "Auto-reply of “A” changed: on");
    }

    #[test]
    fn actor_is_email_or_actor_kind() {
        let mut note = audit_note("key.created", "ok", &json!({}));
        // Older entries have no `person`.
        assert_eq!(actor_name(&note), "Signed-in user");
        let person = json!({"id": "psn_1", "email": "ada@example.org"});
        note.actor.person = serde_json::from_value(person).unwrap();
        assert_eq!(actor_name(&note), "ada@example.org");
        note.actor.person = None;
        for (kind, expect) in [
            (ActorKind::Nobody, "Unknown"),
            (ActorKind::Key, "API key"),
            (ActorKind::System, "System"),
        ] {
            note.actor.kind = kind;
            assert_eq!(actor_name(&note), expect);
        }
    }

    #[test]
    fn kind_roundtrips_and_filter_is_valid() {
        for kind in ActivityKind::ALL {
            assert_eq!(ActivityKind::from_name(kind.name()), kind);
            let query =
                contract::audit::AuditQuery { filter: kind.audit_filter(), ..Default::default() };
            assert!(
                contract::audit::AuditQuery::parse(&query.to_query_string()).is_ok(),
                "{kind:?}"
            );
        }
        assert_eq!(ActivityKind::from_name("nonsense"), ActivityKind::All);
    }

    #[test]
    fn query_roundtrips_and_ignores_malformed_parameters() {
        for kind in ActivityKind::ALL {
            let days = [None, parse_day("2026-03-01")];
            for (first, last) in days.into_iter().flat_map(|start| days.map(|end| (start, end))) {
                let filter = ActivityFilter { kind, days: (first, last) };
                assert_eq!(ActivityFilter::parse_query(&filter.write_query()), filter);
            }
        }
        let check = |query, expect: &str| {
            assert_eq!(ActivityFilter::parse_query(query).write_query(), expect, "{query}");
        };
        check("", "");
        check("to=2026-03-09&kind=key&from=2026-03-01", "kind=key&from=2026-03-01&to=2026-03-09");
        check("kind=nonsense&from=2026-02-30&to=&x=1&kind", "");
    }
}
