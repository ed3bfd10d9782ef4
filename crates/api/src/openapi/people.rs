//! Descriptions of the gateway's endpoints for the members of an account: `/people` (additive).

use super::auth_scheme::AuthScheme;
use super::describe::{Describe, Op};
use super::samples;
use super::session::{NOT_JSON, TOO_LARGE, TOO_MANY_EMAILS, describe_operations};
use crate::Service;
use aide::axum::ApiRouter;
use contract::people::{NewPerson, PersonChange};
use contract::{PersonId, Role};

/// Returns the gateway's endpoints, like [`super::session`].
pub(super) fn operations() -> ApiRouter<Service> {
    describe_operations(
        super::PEOPLE,
        &[
            ("get", "/people", AuthScheme::Session, list_members),
            ("post", "/people", AuthScheme::Session, add_member),
            ("patch", "/people/{person_id}", AuthScheme::Session, change_member),
            ("delete", "/people/{person_id}", AuthScheme::Session, remove_member),
            ("post", "/people/{person_id}/link", AuthScheme::Session, link_member),
        ],
    )
}

fn list_members(op: Op<'_>) -> Op<'_> {
    op.title("listPeople", "List members")
        .description("The owner first. Editors and readers get 403.")
        .add_data(200, "All members.", samples::people())
}

fn add_member(op: Op<'_>) -> Op<'_> {
    let about = "A reader can list, get, search, summarise and export submissions. An editor can \
        also triage submissions, write notes, and move submissions to spam and trash and back. \
        `role` is `reader` if omitted. `forms` limits the member to forms of the account; if \
        `null` or omitted, the member has access to all. The link works once, within 24 hours. \
        Its token is in this response only: it opens `/sign-in#token=…`. If a proxy signs users \
        in, there is no link, and the operator of the server links the user's identity. Requires \
        a confirmation of the password within the last five minutes. An account has at most 50 \
        members.";
    let exists = "somebody with this mail address may come in already; take another one";
    let new = NewPerson { email: "them@example.com".to_owned(), role: Role::Reader, forms: None };
    op.title("addReader", "Invite a member")
        .description(about)
        .add_json_body(&new)
        .add_json_response(201, "The member and the invitation link.", &samples::invited())
        .add_errors_with_status(&[TOO_LARGE, NOT_JSON, (409, exists), TOO_MANY_EMAILS])
}

fn link_member(op: Op<'_>) -> Op<'_> {
    let about = "Replaces a lost or expired link. Requires a confirmation of the password within \
        the last five minutes. If a proxy signs users in, there are no links, and this is 403.";
    op.title("linkReader", "Create another invitation link")
        .description(about)
        .add_path_parameter::<PersonId>("person_id", "Id of the member.")
        .add_json_response(201, "The member and the invitation link.", &samples::invited())
}

fn change_member(op: Op<'_>) -> Op<'_> {
    let about = "Changes the role, the forms that the member has access to, or both. The change applies \
        from the member's next request on; an open stream of events keeps its forms for up to two \
        minutes. The owner cannot be changed. Requires a confirmation of the password within the last five minutes.";
    let forms = Some(Some(vec![samples::sample_id("frm_")]));
    let change = PersonChange { role: Some(Role::Editor), forms };
    op.title("changeMember", "Change a member")
        .description(about)
        .add_path_parameter::<PersonId>("person_id", "Id of the member.")
        .add_json_body(&change)
        .add_empty_response(204, "The member is changed.")
        .add_errors_with_status(&[TOO_LARGE, NOT_JSON])
}

fn remove_member(op: Op<'_>) -> Op<'_> {
    let about = "Ends all sessions of the member at once. An owner cannot be removed. Requires a \
        confirmation of the password within the last five minutes.";
    op.title("removeReader", "Remove a member")
        .description(about)
        .add_path_parameter::<PersonId>("person_id", "Id of the member.")
        .add_empty_response(204, "The member is removed.")
}
