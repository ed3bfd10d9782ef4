//! Descriptions of the routes for triage: statuses and tags of the account, status, star, tags,
//! assignee, notes and history of submissions (additive).

use super::describe::{COUNT_CHANGED, Describe, Op, schema_of};
use super::samples;
use crate::handlers::triage::SETTINGS_CHANGED;
use contract::people::Preferences;
use contract::trash::IDS_MAX;
use contract::triage::{
    AccountTriage, HistoryEntry, Member, NOTES_MAX, NOTIFIED_MEMBERS_MAX, Note, NoteText, Status,
    SubmissionTriage, SubmissionsUpdate, TRIAGE_IDS_MAX, Triage, TriageChange, TriageDetail,
    TriageSettings, TriageSettingsUpdate, UndoStep, UnreadCount, UpdatedSubmissions,
};
use contract::{NoteId, PersonId, SubmissionId};
use serde_json::json;
use store::triage::{HISTORY_MAX, UPDATE_MAX};

const SUBMISSION: &str = "Id of a submission in the list of the form.";
const NOTE: &str = "Id of the note.";
const STATUS_USED: &str = "submissions have the status `waiting`, in the list, spam or trash; give \
    them another status before you remove it";

/// `GET /account/triage`.
pub(crate) fn get_triage_settings(op: Op<'_>) -> Op<'_> {
    op.title("getTriageSettings", "Get statuses, tags and members")
        .description(
            "The statuses that the account has in addition to `open`, `in_progress` and `done`, \
             its tags, its members, and which of them is signed in.",
        )
        .add_data(200, "Statuses, tags and members.", account_triage())
}

/// `PUT /account/triage`.
pub(crate) fn set_triage_settings(op: Op<'_>) -> Op<'_> {
    op.title("setTriageSettings", "Update statuses and tags")
        .description(
            "Replaces all statuses and tags. A status that submissions have cannot be removed. \
             Tags that are removed stay on their submissions. With `before`, nothing is changed if \
             the account has other statuses or tags by now.",
        )
        .add_json_body(&settings_update())
        .add_data(200, "The new statuses and tags.", settings())
        .add_errors_with_status(&[(409, STATUS_USED), (409, SETTINGS_CHANGED)])
}

/// `GET /account/preferences`.
pub(crate) fn get_preferences(op: Op<'_>) -> Op<'_> {
    op.title("getPreferences", "Get preferences")
        .description("The preferences of the signed-in member.")
        .add_data(200, "The preferences.", Preferences::default())
}

/// `PUT /account/preferences`.
pub(crate) fn set_preferences(op: Op<'_>) -> Op<'_> {
    op.title("setPreferences", "Update preferences")
        .description("Replaces the preferences of the signed-in member.")
        .add_json_body(&Preferences::default())
        .add_data(200, "The new preferences.", Preferences::default())
}

/// `GET /account/forms/{form_id}/triage`.
pub(crate) fn list_triage(op: Op<'_>) -> Op<'_> {
    let ids = json!({
        "type": "array", "items": schema_of::<SubmissionId>(), "minItems": 1,
        "maxItems": TRIAGE_IDS_MAX,
    });
    let listed =
        SubmissionTriage { id: samples::sample_id("sub_"), triage: triage(), notes_count: 1 };
    op.title("listTriage", "List the triage of submissions")
        .description(
            "Only submissions that differ from a new one, in any order: a new submission is open \
             and unread, and has no star, tag, assignee or note. Unknown ids are ignored.",
        )
        .add_form()
        .add_required_query_parameter("ids", "Ids of submissions, separated by commas.", ids)
        .add_data(200, "Triage by submission.", vec![listed])
}

/// `GET /account/unread`.
pub(crate) fn count_unread(op: Op<'_>) -> Op<'_> {
    let unread = UnreadCount { form_id: samples::sample_id("frm_"), unread: 12 };
    op.title("countUnread", "Count unread submissions")
        .description(
            "The forms of both environments that have submissions in the list that the signed-in \
             member has not read. Submissions from before the member was added count as read.",
        )
        .add_data(200, "Counts by form.", vec![unread])
}

/// `PATCH /account/forms/{form_id}/submissions`.
pub(crate) fn update_submissions(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "Changes status, read state, star, tags or assignee of submissions in the list, in one \
         transaction. \
         The body has either `ids`, or `filter` and `count`: the number of submissions that match \
         the filter, at most {UPDATE_MAX}. If the number differs, nothing is changed. Tags that \
         the account does not have are added to it. Each changed submission gets an entry in its \
         history, except for the read state, which belongs to the signed-in member. Members who \
         can only read may change nothing but the read state. With `undo`, the response has the \
         changes that set the former values back. Send each with at most {IDS_MAX} of its ids.",
    );
    let result = "The number of submissions that are different now, and the changes that undo the \
        update.";
    op.title("updateSubmissions", "Update the triage of submissions")
        .description(&about)
        .add_form()
        .add_json_body(&update())
        .add_data(200, result, updated())
        .add_errors_with_status(&[(409, COUNT_CHANGED)])
}

/// `GET /account/forms/{form_id}/submissions/{id}`.
pub(crate) fn get_triage(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "Triage, notes and the latest {HISTORY_MAX} changes. The submission itself is at \
         `/v1/submissions/{{id}}`.",
    );
    add_submission(op.id("getTriage"))
        .summary("Get the triage of a submission")
        .description(&about)
        .add_data(200, "Triage, notes and history.", detail())
}

/// `POST /account/forms/{form_id}/submissions/{id}/notes`.
pub(crate) fn create_note(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "Plain text, without white space at its ends. Members see it, senders do not. An `@` \
         before the email address of a member, as in `@ada@example.org`, mentions the member. The \
         first {NOTIFIED_MEMBERS_MAX} mentioned members get an e-mail if they have access to the \
         form, have not disabled these e-mails, and are not the author.",
    );
    let too_many = format!("a submission may have at most {NOTES_MAX} notes; delete one first");
    add_submission(op.id("createNote"))
        .summary("Create a note")
        .description(&about)
        .add_json_body(&note_text())
        .add_data(201, "The note.", note())
        .add_errors_with_status(&[(409, &too_many)])
}

/// `PUT /account/forms/{form_id}/submissions/{id}/notes/{note_id}`.
pub(crate) fn edit_note(op: Op<'_>) -> Op<'_> {
    add_submission(op.id("editNote"))
        .summary("Edit a note")
        .description(
            "Replaces the text. Only the author can edit a note. Members whom the former text did \
             not mention get an e-mail, as about a new note.",
        )
        .add_path_parameter::<NoteId>("note_id", NOTE)
        .add_json_body(&note_text())
        .add_data(200, "The note.", note())
}

/// `DELETE /account/forms/{form_id}/submissions/{id}/notes/{note_id}`.
pub(crate) fn delete_note(op: Op<'_>) -> Op<'_> {
    add_submission(op.id("deleteNote"))
        .summary("Delete a note")
        .description("Permanent. Only the author can delete a note.")
        .add_path_parameter::<NoteId>("note_id", NOTE)
        .add_empty_response(204, "The note is deleted.")
}

fn add_submission(op: Op<'_>) -> Op<'_> {
    op.add_form().add_path_parameter::<SubmissionId>("id", SUBMISSION)
}

/// Example: statuses and tags of an account.
fn settings() -> TriageSettings {
    samples::parse_sample(&json!({
        "statuses": [{"id": "waiting", "name": "Waiting for reply"}],
        "tags": [{"name": "urgent", "color": "red"}],
    }))
}

/// Example: the first statuses and tags of an account.
fn settings_update() -> TriageSettingsUpdate {
    let TriageSettings { statuses, tags } = settings();
    TriageSettingsUpdate { statuses, tags, before: Some(TriageSettings::default()) }
}

/// Example: statuses, tags and members of an account.
fn account_triage() -> AccountTriage {
    let id: PersonId = samples::sample_id("psn_");
    let members = vec![Member { id: id.clone(), email: "owner@example.com".to_owned() }];
    let TriageSettings { statuses, tags } = settings();
    AccountTriage { statuses, tags, members, person_id: Some(id) }
}

/// Example: triage of a submission.
fn triage() -> Triage {
    samples::parse_sample(&json!({
        "status": "in_progress", "starred": true, "tags": ["urgent"],
        "assignee": samples::sample_id::<PersonId>("psn_"),
    }))
}

/// Example: a change by filter.
fn update() -> SubmissionsUpdate {
    let filter = Some("sentiment=negative&status=open".to_owned());
    SubmissionsUpdate { ids: None, filter, count: Some(12), set: change(), undo: true }
}

/// Example: the result of an update.
fn updated() -> UpdatedSubmissions {
    let set = TriageChange { status: Some(Status::default()), ..TriageChange::default() };
    UpdatedSubmissions {
        changed: 1,
        undo: vec![UndoStep { ids: vec![samples::sample_id("sub_")], set }],
    }
}

/// Example: a change.
fn change() -> TriageChange {
    samples::parse_sample(&json!({"status": "in_progress", "add_tags": ["urgent"]}))
}

/// Example: triage, notes and history of a submission.
fn detail() -> TriageDetail {
    let at = samples::sample_time();
    let person = Some(samples::sample_id("psn_"));
    TriageDetail {
        triage: triage(),
        updated_at: Some(at),
        notes: vec![note()],
        history: vec![HistoryEntry { at, person, change: change() }],
    }
}

/// Example: the text of a note.
fn note_text() -> NoteText {
    NoteText { text: note().text }
}

/// Example: a note.
fn note() -> Note {
    Note {
        id: samples::sample_id("nte_"),
        author: Some(samples::sample_id("psn_")),
        text: "Asked for the order number.".to_owned(),
        created_at: samples::sample_time(),
        edited_at: None,
    }
}
