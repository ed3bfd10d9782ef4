//! Descriptions of the gateway's own endpoints: `/session`, `/sessions`, `/password` (additive).

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

/// Operation of the gateway: method, path, scheme and description.
pub(super) type Documented = (&'static str, &'static str, AuthScheme, fn(Op<'_>) -> Op<'_>);

/// Returns the gateway's endpoints. The API and the gateway do not depend on each other; a test of
/// the binary, which contains both, checks that these endpoints exist.
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

/// Returns a router with descriptions and without routes.
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
        .summary("Get the current session")
        .description(
            "`data` is `null` without a session. Behind an authenticating proxy, this request \
             signs in the user that the proxy names. It fails with 401 if the proxy names no user, \
             and with 403 if no account is linked to that user. `known` is then the identity at \
             the proxy, and passwords and links are off.",
        )
        .answer(200, "The session.", &Data { data: Some(samples::session()) })
        .finer(&[(
            401,
            ErrorCode::Unauthorized,
            "not signed in; sign in through your organisation",
        )])
}

fn sign_in(op: Op<'_>) -> Op<'_> {
    let wrong = "no account has this mail address and password; check both, or ask for a sign-in \
        link";
    op.id("createSession")
        .summary("Sign in")
        .description(
            "With email address and password, or with the token of a sign-in link. The token \
             works once.",
        )
        .body(&samples::sign_in())
        .answer(200, "The session.", &Data::<Session> { data: samples::session() })
        .answer_header(200, "Set-Cookie", &cookie("Token of the session."))
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
        .summary("Get the user of a sign-in link")
        .description(
            "Does not use up the link. A page shows the address for confirmation before it signs \
             in, since a link may come from somebody else.",
        )
        .body(&samples::link_token())
        .answer(200, "The user of the link.", &Data { data: samples::link_person() })
        .finer(&[
            (400, ErrorCode::Validation, body),
            (401, ErrorCode::Unauthorized, used),
            TOO_LARGE,
            NOT_JSON,
            TOO_MANY,
        ])
}

fn sign_out(op: Op<'_>) -> Op<'_> {
    op.id("deleteSession")
        .summary("Sign out")
        .description("Ends the session in the browser and on the server.")
        .answers(204, "The session has ended.", &Value::Null)
}

fn prove(op: Op<'_>) -> Op<'_> {
    let about = "For five minutes, an owner may then create and revoke keys and invite and remove \
        readers, and any user may change their email address. A 403 that requires a confirmation \
        has `needs`: `password`, or `sign_in` for a user without a password. A sign-in counts as a \
        confirmation too.";
    let wrong = "the password is incorrect; nothing was changed";
    op.id("proveSession")
        .summary("Confirm the password")
        .description(about)
        .body(&samples::proof())
        .answers(204, "The password is confirmed; the session continues.", &Value::Null)
        .answer_header(204, "Set-Cookie", &cookie("New token of the session."))
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
        .summary("List sessions")
        .description("Active sessions of the user, last used first. A user has at most 20.")
        .answer(200, "The sessions.", &Data { data: samples::access() })
}

fn end_others(op: Op<'_>) -> Op<'_> {
    op.id("deleteSessions").summary("Sign out all other sessions").answers(
        204,
        "Only this session is left.",
        &Value::Null,
    )
}

fn end(op: Op<'_>) -> Op<'_> {
    op.id("deleteOneSession")
        .summary("Sign out a session")
        .path::<SessionId>("session_id", "Id of the session.")
        .answers(204, "The session has ended.", &Value::Null)
}

fn set_password(op: Op<'_>) -> Op<'_> {
    let about = "Requires the current password or, for a user without one, a sign-in by link in \
        the last five minutes. Ends all sessions and sign-in links, and starts a new session.";
    let weak = "a password must have at least 12 characters";
    let wrong = "the current password is incorrect; the new one was not set";
    op.id("setPassword")
        .summary("Set the password")
        .description(about)
        .body(&samples::new_password())
        .answers(204, "The password is set.", &Value::Null)
        .answer_header(204, "Set-Cookie", &cookie("Token of the new session."))
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
    let about = "Changes the address of the user. Requires a confirmation of the password \
        in the last five minutes. Ends sign-in links to the old address and all other sessions.";
    let unproven = "confirm your password, then try again";
    let taken = "somebody with this mail address may come in already; take another one";
    op.id("setEmail")
        .summary("Change the email address")
        .description(about)
        .body(&NewEmail { email: "new@example.com".to_owned() })
        .answers(204, "The email address is changed.", &Value::Null)
        .finer(&[
            (400, ErrorCode::Validation, "the body must hold `email`"),
            (403, ErrorCode::Forbidden, unproven),
            (409, ErrorCode::Validation, taken),
            TOO_LARGE,
            NOT_JSON,
            TOO_MANY_EMAILS,
        ])
}

/// Returns the description of a cookie in a response.
fn cookie(description: &str) -> Value {
    json!({"description": description, "required": true, "schema": {"type": "string"}})
}
