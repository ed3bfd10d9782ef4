//! How the gateway's endpoints for the people of an account are described: `/people` (additive).

use super::auth_scheme::AuthScheme;
use super::describe::{Describe, Op};
use super::samples;
use super::session::{NOT_JSON, TOO_LARGE, TOO_MANY_EMAILS, documented};
use crate::Service;
use aide::axum::ApiRouter;
use contract::{Data, ErrorCode, PersonId};
use serde_json::Value;

/// The gateway's endpoints, as those of [`super::session`].
pub(super) fn operations() -> ApiRouter<Service> {
    documented(
        super::PEOPLE,
        &[
            ("get", "/people", AuthScheme::Session, list),
            ("post", "/people", AuthScheme::Session, add),
            ("delete", "/people/{person_id}", AuthScheme::Session, remove),
            ("post", "/people/{person_id}/link", AuthScheme::Session, link),
        ],
    )
}

fn list(op: Op<'_>) -> Op<'_> {
    op.id("listPeople")
        .summary("List who may come in")
        .description("The owner first. A reader gets 403.")
        .answer(200, "Everybody.", &Data { data: samples::people() })
}

fn add(op: Op<'_>) -> Op<'_> {
    let about = "A reader lists, gets, searches, sums up and exports; they delete and change \
        nothing and see no keys. The link works once, within 24 hours; its token is in this answer \
        and never again: it opens `/sign-in#token=…`. Where a proxy in front signs people in, \
        there is no link, and whoever runs the server links their identity. Needs a proof of the \
        last five minutes. An account has 50 people at most.";
    let exists = "somebody with this mail address may come in already; take another one";
    op.id("addReader")
        .summary("Let a reader in")
        .description(about)
        .body(&samples::new_person())
        .answer(201, "The reader, and the link for them.", &samples::invited())
        .finer(&[TOO_LARGE, NOT_JSON, (409, ErrorCode::Validation, exists), TOO_MANY_EMAILS])
}

fn link(op: Op<'_>) -> Op<'_> {
    let about = "Where the first one was lost or is over. Needs a proof of the last five minutes. \
        Where a proxy in front signs people in, there are no links, and this is 403.";
    op.id("linkReader")
        .summary("Make another link for a reader")
        .description(about)
        .path::<PersonId>("person_id", "The reader.")
        .answer(201, "The reader, and the link for them.", &samples::invited())
}

fn remove(op: Op<'_>) -> Op<'_> {
    let about = "Wherever they are signed in, that ends at once. An owner cannot be removed. Needs \
        a proof of the last five minutes.";
    op.id("removeReader")
        .summary("Remove a reader")
        .description(about)
        .path::<PersonId>("person_id", "The reader.")
        .answers(204, "They may not come in any more.", &Value::Null)
}
