//! How the gateway's endpoints for the people of an account are described: `/people` (additive).

use super::Endpoint;
use super::operation::{Door, Operation};
use super::samples;
use super::schemas::Schemas;
use super::session::{NOT_JSON, TOO_LARGE, TOO_MANY_EMAILS};
use contract::{Data, ErrorCode, PersonId};
use http::Method;
use serde_json::Value;

/// The tag of who may come in.
pub(super) const TAG: &str = "People (additive)";

/// The gateway's endpoints, as those of [`super::session`].
pub(super) fn endpoints() -> Vec<Endpoint> {
    let at = |path, method, describe| Endpoint { method, path, describe };
    vec![
        at("/people", Method::GET, list),
        at("/people", Method::POST, add),
        at("/people/{person_id}", Method::DELETE, remove),
        at("/people/{person_id}/link", Method::POST, link),
    ]
}

fn list(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, TAG, "listPeople", "List who may come in")
        .about("The owner first. A reader gets 403.")
        .answer(schemas, 200, "Everybody.", &Data { data: samples::people() })
        .errors(schemas, &[])
}

fn add(schemas: &mut Schemas) -> Operation {
    let about = "A reader lists, gets, searches, sums up and exports; they delete and change \
        nothing and see no keys. The link works once, within 24 hours; its token is in this answer \
        and never again: it opens `/sign-in#token=…`. Where a proxy in front signs people in, \
        there is no link, and whoever runs the server links their identity. Needs a proof of the \
        last five minutes. An account has 50 people at most.";
    let exists = "somebody with this mail address may come in already; take another one";
    Operation::new(Door::Session, TAG, "addReader", "Let a reader in")
        .about(about)
        .body(schemas, &samples::new_person())
        .answer(schemas, 201, "The reader, and the link for them.", &samples::invited())
        .errors(schemas, &[])
        .finer(
            schemas,
            &[TOO_LARGE, NOT_JSON, (409, ErrorCode::Validation, exists), TOO_MANY_EMAILS],
        )
}

fn link(schemas: &mut Schemas) -> Operation {
    let about = "Where the first one was lost or is over. Needs a proof of the last five minutes. \
        Where a proxy in front signs people in, there are no links, and this is 403.";
    Operation::new(Door::Session, TAG, "linkReader", "Make another link for a reader")
        .about(about)
        .path::<PersonId>(schemas, "person_id", "The reader.")
        .answer(schemas, 201, "The reader, and the link for them.", &samples::invited())
        .errors(schemas, &[ErrorCode::NotFound])
}

fn remove(schemas: &mut Schemas) -> Operation {
    let about = "Wherever they are signed in, that ends at once. An owner cannot be removed. Needs \
        a proof of the last five minutes.";
    Operation::new(Door::Session, TAG, "removeReader", "Remove a reader")
        .about(about)
        .path::<PersonId>(schemas, "person_id", "The reader.")
        .answers(204, "They may not come in any more.", &Value::Null)
        .errors(schemas, &[ErrorCode::NotFound])
}
