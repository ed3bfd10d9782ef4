//! Sentences for the entries of the audit log, and the filter of the activity page. It sends no
//! requests and reads no clock.

use chrono::NaiveDate;
use contract::audit::{Action, ActorKind, AuditFilter, Note, Outcome};
use serde_json::Value;

use super::time::{DayRange, parse_day, write_day};
use crate::i18n;

/// Kind of audit entries to list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
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

impl Kind {
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
    pub fn of(name: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or_default()
    }

    /// Returns the label in the language of the interface.
    pub fn word(self) -> &'static str {
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
    pub fn filter(self) -> AuditFilter {
        match self {
            Self::All => AuditFilter::default(),
            Self::Refused => {
                AuditFilter { outcome: Some(Outcome::Denied), ..AuditFilter::default() }
            }
            kind => AuditFilter { action: Some(kind.name().to_owned()), ..AuditFilter::default() },
        }
    }
}

/// Filter of the activity page, as written in its URL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Look {
    /// Kind of entries.
    pub kind: Kind,
    /// First and last day, both inclusive, in the viewer's calendar.
    pub days: DayRange,
}

impl Look {
    /// Parses the query string of a URL. Malformed parameters are ignored.
    pub fn read(query: &str) -> Self {
        let mut look = Self::default();
        for pair in query.split('&') {
            match pair.split_once('=') {
                Some(("kind", name)) => look.kind = Kind::of(name),
                Some(("from", day)) => look.days.0 = parse_day(day),
                Some(("to", day)) => look.days.1 = parse_day(day),
                _ => {}
            }
        }
        look
    }

    /// Writes the query string; empty if no filter is set.
    pub fn write(self) -> String {
        let day =
            |name, day: Option<NaiveDate>| day.map(|day| format!("{name}={}", write_day(day)));
        let kind = (self.kind != Kind::All).then(|| format!("kind={}", self.kind.name()));
        let parts = [kind, day("from", self.days.0), day("to", self.days.1)];
        parts.into_iter().flatten().collect::<Vec<_>>().join("&")
    }
}

/// Returns a sentence that describes the entry. An action that this version does not know (the
/// server may be newer) is returned by its name.
pub fn sentence(note: &Note) -> String {
    let texts = i18n::activity();
    let name = name(note);
    let name = name.as_str();
    let count = number(note, "count");
    let Some(action) = Action::of(&note.action) else { return note.action.clone() };
    match action {
        Action::AccountCreated => texts.account_created.to_owned(),
        Action::PlanSet => {
            let plan = text(note, "plan").unwrap_or_default();
            (texts.plan_set)(text(note, "before").unwrap_or_default(), plan)
        }
        Action::AccountDeleted => (texts.account_deleted)(name),
        Action::SignedIn
        | Action::SignedOut
        | Action::OthersSignedOut
        | Action::Proven
        | Action::PasswordSet => of_sign_ins(action, note.outcome == Outcome::Denied),
        Action::PersonAdded => texts.person_added.to_owned(),
        Action::PersonRemoved => texts.person_removed.to_owned(),
        Action::PersonLinked => texts.person_linked.to_owned(),
        Action::PersonUnlinked => texts.person_unlinked.to_owned(),
        Action::EmailSet => {
            let email = text(note, "email").unwrap_or_default();
            (texts.email_set)(text(note, "before").unwrap_or_default(), email)
        }
        Action::LinkMade => texts.link_made.to_owned(),
        Action::KeyCreated => (texts.key_created)(name),
        Action::KeyRevoked => (texts.key_revoked)(name),
        Action::FormCreated => (texts.form_created)(name),
        Action::FormRenamed => {
            let before = text(note, "before").unwrap_or_default();
            (texts.form_renamed)(before, name)
        }
        Action::FormDuplicated => {
            (texts.form_duplicated)(text(note, "source").unwrap_or_default(), name)
        }
        Action::FormDeleted => (texts.form_deleted)(name),
        Action::FieldsSet => (texts.fields_set)(name),
        Action::AnalysisSet if flag(note, "on") => (texts.analysis_on)(name),
        Action::AnalysisSet => (texts.analysis_off)(name),
        Action::CategoriesSet => (texts.categories_set)(name),
        Action::IntakeSet => (texts.intake_set)(name),
        Action::ExportBegun => (texts.export_begun)(name),
        Action::ExportEnded if note.outcome == Outcome::Error => {
            (texts.export_broken)(number(note, "rows"))
        }
        Action::ExportEnded => (texts.export_ended)(number(note, "rows")),
        Action::InsightCorrected => (texts.insight_corrected)(name),
        Action::InsightReset => (texts.insight_reset)(name),
        Action::TrashSet => (texts.trash_set)(name, number(note, "days")),
        Action::Refused => texts.request_refused.to_owned(),
        Action::Limited => texts.request_limited.to_owned(),
        Action::RefusalsOmitted => (texts.refusals_omitted)(count),
        Action::Forged => texts.request_forged.to_owned(),
        Action::AuditExported => texts.audit_exported.to_owned(),
        Action::AuditDropped => (texts.audit_dropped)(count),
        Action::SubmissionDeleted
        | Action::SubmissionsImported
        | Action::SubmissionsTrashed
        | Action::SubmissionsRestored
        | Action::TrashDeleted
        | Action::SpamMarked
        | Action::SpamReleased
        | Action::SpamDeleted => of_submissions(action, name, count),
    }
}

/// Describes a sign-in, a sign-out or a password change, or its refusal.
fn of_sign_ins(action: Action, is_denied: bool) -> String {
    let texts = i18n::activity();
    match action {
        Action::SignedIn if is_denied => texts.sign_in_refused.to_owned(),
        Action::SignedIn => texts.signed_in.to_owned(),
        Action::SignedOut => texts.signed_out.to_owned(),
        Action::OthersSignedOut => texts.others_signed_out.to_owned(),
        Action::Proven if is_denied => texts.proof_refused.to_owned(),
        Action::Proven => texts.proven.to_owned(),
        Action::PasswordSet if is_denied => texts.password_refused.to_owned(),
        Action::PasswordSet => texts.password_set.to_owned(),
        _ => action.as_str().to_owned(),
    }
}

/// Describes an action on submissions.
fn of_submissions(action: Action, name: &str, count: u64) -> String {
    let texts = i18n::activity();
    match action {
        Action::SubmissionDeleted => (texts.submission_deleted)(name),
        Action::SubmissionsTrashed => (texts.submissions_trashed)(count),
        Action::SubmissionsRestored => (texts.submissions_restored)(count),
        Action::TrashDeleted => (texts.trash_deleted)(count),
        Action::SpamMarked => (texts.spam_marked)(count),
        Action::SpamReleased => (texts.spam_released)(name),
        Action::SpamDeleted => (texts.spam_deleted)(count),
        Action::SubmissionsImported => (texts.imported)(count),
        _ => action.as_str().to_owned(),
    }
}

/// Returns who acted: the member's email address at that time, or a description of the actor.
pub fn actor(note: &Note) -> &str {
    let texts = i18n::activity();
    match (&note.actor.person, note.actor.kind) {
        (Some(person), _) => &person.email,
        (None, ActorKind::Nobody) => texts.by_nobody,
        (None, ActorKind::Session) => texts.by_session,
        (None, ActorKind::Key) => texts.by_key,
        (None, ActorKind::System) => texts.by_system,
    }
}

/// Returns the name of the object, or its id if the entry has no name.
fn name(note: &Note) -> String {
    let id = note.object.as_ref().map(|object| object.id.as_str());
    text(note, "name").or(id).unwrap_or_default().to_owned()
}

fn text<'n>(note: &'n Note, member: &str) -> Option<&'n str> {
    note.detail.get(member).and_then(Value::as_str)
}

fn number(note: &Note, member: &str) -> u64 {
    note.detail.get(member).and_then(Value::as_u64).unwrap_or(1)
}

fn flag(note: &Note, member: &str) -> bool {
    note.detail.get(member).and_then(Value::as_bool).unwrap_or_default()
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn note(action: &str, outcome: &str, detail: &Value) -> Note {
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
        let mut said: Vec<String> = Vec::new();
        for action in Action::ALL {
            let sentence = sentence(&note(action.as_str(), "ok", &json!({"name": "N"})));
            assert!(!sentence.contains(action.as_str()), "{sentence}");
            assert!(!said.contains(&sentence), "{sentence}");
            said.push(sentence);
        }
        assert_eq!(sentence(&note("key.polished", "ok", &json!({}))), "key.polished");
    }

    #[test]
    fn sentences_contain_names_and_counts() {
        let check = |action, outcome, detail: Value, expect: &str| {
            assert_eq!(sentence(&note(action, outcome, &detail)), expect);
        };
        check("key.created", "ok", json!({"name": "Website"}), "Key “Website” created");
        check("key.revoked", "ok", json!({}), "Key “key_1” revoked");
        check("form.renamed", "ok", json!({"before": "A", "name": "B"}), "Form “A” renamed to “B”");
        check("spam.deleted", "ok", json!({}), "1 submission deleted from spam");
        check(
            "submission.export_ended",
            "ok",
            json!({"rows": 1}),
            "Export completed with 1 submission",
        );
        check("session.begun", "denied", json!({}), "Sign-in failed");
    }

    #[test]
    fn actor_is_email_or_actor_kind() {
        let mut note = note("key.created", "ok", &json!({}));
        // Older entries have no `person`.
        assert_eq!(actor(&note), "Signed-in user");
        let person = json!({"id": "psn_1", "email": "ada@example.org"});
        note.actor.person = serde_json::from_value(person).unwrap();
        assert_eq!(actor(&note), "ada@example.org");
        note.actor.person = None;
        for (kind, expect) in [
            (ActorKind::Nobody, "Unknown"),
            (ActorKind::Key, "API key"),
            (ActorKind::System, "System"),
        ] {
            note.actor.kind = kind;
            assert_eq!(actor(&note), expect);
        }
    }

    #[test]
    fn kind_roundtrips_and_filter_is_valid() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of(kind.name()), kind);
            let query = contract::audit::AuditQuery { filter: kind.filter(), ..Default::default() };
            assert!(contract::audit::AuditQuery::parse(&query.write()).is_ok(), "{kind:?}");
        }
        assert_eq!(Kind::of("nonsense"), Kind::All);
    }

    #[test]
    fn query_roundtrips_and_ignores_malformed_parameters() {
        for kind in Kind::ALL {
            let days = [None, parse_day("2026-03-01")];
            for (first, last) in days.into_iter().flat_map(|one| days.map(|two| (one, two))) {
                let look = Look { kind, days: (first, last) };
                assert_eq!(Look::read(&look.write()), look);
            }
        }
        let check = |query, expect: &str| assert_eq!(Look::read(query).write(), expect, "{query}");
        check("", "");
        check("to=2026-03-09&kind=key&from=2026-03-01", "kind=key&from=2026-03-01&to=2026-03-09");
        check("kind=nonsense&from=2026-02-30&to=&x=1&kind", "");
    }
}
