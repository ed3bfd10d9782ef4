//! How the gateway's own endpoints are described: `/session`, `/sessions`, `/password`
//! (additive).

use super::auth_scheme::AuthScheme;
use super::describe::{Describe, Op};
use super::samples;
use super::shared::BODY_ERRORS;
use crate::Service;
use aide::axum::ApiRouter;
use aide::axum::routing::ApiMethodDocs;
use aide::openapi::Operation;
use contract::account::NewEmail;
use contract::{Data, ErrorCode, Session, SessionId};
use serde_json::{Value, json};

pub(super) const TOO_LARGE: (u16, ErrorCode, &str) =
    (413, ErrorCode::Validation, "the body may have 4096 bytes at most");
pub(super) const NOT_JSON: (u16, ErrorCode, &str) = BODY_ERRORS[1];
const TOO_MANY: (u16, ErrorCode, &str) =
    (429, ErrorCode::RateLimitExceeded, "too many tries to sign in; try again in 60 s");
pub(super) const TOO_MANY_EMAILS: (u16, ErrorCode, &str) =
    (429, ErrorCode::RateLimitExceeded, "too many mail addresses were tried; try again in 60 s");
const BUSY: (u16, ErrorCode, &str) =
    (503, ErrorCode::Internal, "too many sign-ins at once; try again in a moment");

/// An operation of the gateway: method, path, scheme and description.
pub(super) type Documented = (&'static str, &'static str, AuthScheme, fn(Op<'_>) -> Op<'_>);

/// The gateway's endpoints. The API does not depend on the gateway, nor the gateway on the API: a
/// test of the binary, which has both, checks that they exist.
pub(super) fn operations() -> ApiRouter<Service> {
    documented(
        super::SESSION,
        &[
            ("get", "/session", AuthScheme::Dashboard, show),
            ("post", "/session", AuthScheme::Dashboard, sign_in),
            ("delete", "/session", AuthScheme::Session, sign_out),
            ("post", "/session/link", AuthScheme::Dashboard, show_link),
            ("post", "/session/proof", AuthScheme::Session, prove),
            ("get", "/sessions", AuthScheme::Session, list),
            ("delete", "/sessions", AuthScheme::Session, end_others),
            ("delete", "/sessions/{session_id}", AuthScheme::Session, end),
            ("put", "/password", AuthScheme::Session, set_password),
            ("put", "/account/email", AuthScheme::Session, set_email),
        ],
    )
}

/// Returns a router that has descriptions and no routes.
pub(super) fn documented(tag: &str, operations: &[Documented]) -> ApiRouter<Service> {
    operations.iter().fold(ApiRouter::new(), |router, &(method, path, scheme, describe)| {
        let mut operation = Operation::default();
        let _ = describe(Op::new(&mut operation));
        scheme.complete(tag, method, &mut operation);
        router.api_route_docs(path, ApiMethodDocs::new(method, operation))
    })
}

fn show(op: Op<'_>) -> Op<'_> {
    op.id("getSession")
        .summary("Say who is signed in")
        .description(
            "That nobody is, is an answer too: `data` is `null` then. Where an auth proxy says who \
             comes, this signs them in, or says why not: with 401 where nobody is named, with 403 \
             where nobody here is linked with whom it names. Then `known` says as whom they are \
             known there, and passwords and links are off.",
        )
        .answer(200, "Who is signed in.", &Data { data: Some(samples::session()) })
        .finer(&[(401, ErrorCode::Unauthorized, "nobody says who you are")])
}

fn sign_in(op: Op<'_>) -> Op<'_> {
    let wrong = "no account has this mail address and password; check both, or ask for a sign-in \
        link";
    op.id("createSession")
        .summary("Sign in")
        .description(
            "By mail address and password, or by the token of a sign-in link, which works once.",
        )
        .body(&samples::sign_in())
        .answer(200, "Who is signed in.", &Data::<Session> { data: samples::session() })
        .answer_header(200, "Set-Cookie", &cookie("The session."))
        .finer(&[
            (
                400,
                ErrorCode::Validation,
                "the body must hold `email` and `password`, or the `token` of a sign-in link",
            ),
            (401, ErrorCode::Unauthorized, wrong),
            TOO_LARGE,
            NOT_JSON,
            TOO_MANY,
            BUSY,
        ])
}

fn show_link(op: Op<'_>) -> Op<'_> {
    let body = "the body must hold the `token` of a sign-in link";
    let used = "this sign-in link was used already or is too old; ask for a new one";
    op.id("showLink")
        .summary("Show whom a sign-in link signs in")
        .description(
            "The link can still be used afterwards. A page shows the address and asks before it \
             signs in, since a link may come from somebody else.",
        )
        .body(&samples::link_token())
        .answer(200, "The person of the link.", &Data { data: samples::link_person() })
        .finer(&[
            (400, ErrorCode::Validation, body),
            (401, ErrorCode::Unauthorized, used),
            TOO_LARGE,
            NOT_JSON,
            TOO_MANY,
        ])
}

fn sign_out(op: Op<'_>) -> Op<'_> {
    op.id("deleteSession").summary("Sign out").description("Here and on the server.").answers(
        204,
        "Nobody is signed in any more.",
        &Value::Null,
    )
}

fn prove(op: Op<'_>) -> Op<'_> {
    let about = "By the password. For five minutes the owner may then create and revoke keys, and \
        let readers in and remove them, and everybody may change their own mail address. A 403 \
        that asks for a proof has `needs`: `password`, or, where there is none, `sign_in`. A \
        sign-in counts as a proof, too.";
    let wrong = "this is not the password of this account; nothing was done";
    op.id("proveSession")
        .summary("Show that it is still you")
        .description(about)
        .body(&samples::proof())
        .answers(204, "It is shown; the session goes on.", &Value::Null)
        .answer_header(204, "Set-Cookie", &cookie("The session, under another token."))
        .finer(&[
            (400, ErrorCode::Validation, "the body must hold `password`"),
            (403, ErrorCode::Forbidden, wrong),
            TOO_LARGE,
            NOT_JSON,
            TOO_MANY,
            BUSY,
        ])
}

fn list(op: Op<'_>) -> Op<'_> {
    op.id("listSessions")
        .summary("List one's sign-ins")
        .description("Those that have not ended, the last used first. A person has 20 at most.")
        .answer(200, "By what the account is open.", &Data { data: samples::access() })
}

fn end_others(op: Op<'_>) -> Op<'_> {
    op.id("deleteSessions").summary("Sign out everywhere else").answers(
        204,
        "Only this sign-in is left.",
        &Value::Null,
    )
}

fn end(op: Op<'_>) -> Op<'_> {
    op.id("deleteOneSession")
        .summary("End one sign-in")
        .path::<SessionId>("session_id", "The sign-in.")
        .answers(204, "It has ended.", &Value::Null)
}

fn set_password(op: Op<'_>) -> Op<'_> {
    let about = "By the password so far, or, where there is none, within five minutes of a sign-in \
        by link. Every sign-in and every link ends; whoever asked gets a new sign-in.";
    let weak = "a password must have at least 12 characters";
    let wrong = "this is not the password so far; the new one was not set";
    op.id("setPassword")
        .summary("Set the password")
        .description(about)
        .body(&samples::new_password())
        .answers(204, "It is set.", &Value::Null)
        .answer_header(204, "Set-Cookie", &cookie("The new session."))
        .finer(&[
            (400, ErrorCode::Validation, weak),
            (403, ErrorCode::Forbidden, wrong),
            TOO_LARGE,
            NOT_JSON,
            TOO_MANY,
            BUSY,
        ])
}

fn set_email(op: Op<'_>) -> Op<'_> {
    let about = "One's own, within five minutes of a proof of who one is. Sign-in links that went \
        to the old address end, and so does every other sign-in.";
    let unproven = "show that it is still you: give your password again";
    let taken = "somebody with this mail address may come in already; take another one";
    op.id("setEmail")
        .summary("Change the mail address")
        .description(about)
        .body(&NewEmail { email: "new@example.com".to_owned() })
        .answers(204, "It is changed.", &Value::Null)
        .finer(&[
            (400, ErrorCode::Validation, "the body must hold `email`"),
            (403, ErrorCode::Forbidden, unproven),
            (409, ErrorCode::Validation, taken),
            TOO_LARGE,
            NOT_JSON,
            TOO_MANY_EMAILS,
        ])
}

/// A cookie that an answer gives.
fn cookie(description: &str) -> Value {
    json!({"description": description, "required": true, "schema": {"type": "string"}})
}
