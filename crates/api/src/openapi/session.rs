//! Descriptions of the gateway's own endpoints: `/session`, `/sessions`, `/password` (additive).

use super::auth_scheme::AuthScheme;
use super::describe::{Describe, Op};
use super::samples;
use super::shared::{BODY_ERRORS, is_describing};
use crate::Service;
use aide::axum::ApiRouter;
use aide::axum::routing::ApiMethodDocs;
use aide::openapi::Operation;
use contract::account::NewEmail;
use contract::people::PasswordConfirmation;
use contract::{CurrentSession, EmailLinkRequest, LinkPerson, LinkToken, SessionId};
use serde_json::{Value, json};

pub(super) const TOO_LARGE: (u16, &str) = (413, "the body may have 4096 bytes at most");
pub(super) const NOT_JSON: (u16, &str) = BODY_ERRORS[1];
const TOO_MANY: (u16, &str) = (429, "too many tries to sign in; try again in 60 s");
pub(super) const TOO_MANY_EMAILS: (u16, &str) =
    (429, "too many mail addresses were tried; try again in 60 s");
const BUSY: (u16, &str) = (503, "too many sign-ins at once; try again in a moment");

/// Operation of the gateway: method, path, scheme and description.
pub(super) type GatewayOperation = (&'static str, &'static str, AuthScheme, fn(Op<'_>) -> Op<'_>);

/// Returns the gateway's endpoints. The API and the gateway do not depend on each other; a test of
/// the binary, which contains both, checks that these endpoints exist.
pub(super) fn operations() -> ApiRouter<Service> {
    describe_operations(
        super::SESSION,
        &[
            ("get", "/session", AuthScheme::Dashboard, get_session),
            ("post", "/session", AuthScheme::Dashboard, sign_in),
            ("delete", "/session", AuthScheme::Session, sign_out),
            ("post", "/session/email-link", AuthScheme::Dashboard, request_link),
            ("post", "/session/link", AuthScheme::Dashboard, get_link_user),
            ("post", "/session/proof", AuthScheme::Session, confirm_password),
            ("get", "/sessions", AuthScheme::Session, list_sessions),
            ("delete", "/sessions", AuthScheme::Session, delete_other_sessions),
            ("delete", "/sessions/{session_id}", AuthScheme::Session, delete_session),
            ("put", "/password", AuthScheme::Session, set_password),
            ("put", "/account/email", AuthScheme::Session, set_email),
        ],
    )
}

/// Returns a router with descriptions and without routes.
pub(super) fn describe_operations(
    tag: &str,
    operations: &[GatewayOperation],
) -> ApiRouter<Service> {
    operations.iter().fold(ApiRouter::new(), |router, &(method, path, scheme, describe)| {
        let mut operation = Operation::default();
        if is_describing() {
            let _ = describe(Op::new(&mut operation));
            scheme.complete_operation(tag, method, &mut operation);
        }
        router.api_route_docs(path, ApiMethodDocs::new(method, operation))
    })
}

fn get_session(op: Op<'_>) -> Op<'_> {
    let current = CurrentSession { data: Some(samples::session()), email_links: true };
    op.title("getSession", "Get the current session")
        .description(
            "`data` is `null` without a session. Behind an authenticating proxy, this request \
             signs in the user that the proxy names. It fails with 401 if the proxy names no user, \
             and with 403 if no account is linked to that user. `known` is then the identity at \
             the proxy, and passwords and links are off. `email_links` is `true` if the server can \
             send sign-in links by email.",
        )
        .add_json_response(200, "The session.", &current)
        .add_errors_with_status(&[(401, "not signed in; sign in through your organisation")])
}

fn sign_in(op: Op<'_>) -> Op<'_> {
    let wrong = "no account has this mail address and password; check both, or ask for a sign-in \
        link";
    op.title("createSession", "Sign in")
        .description(
            "With email address and password, or with the token of a sign-in link. The token \
             works once.",
        )
        .add_json_body(&samples::sign_in())
        .add_data(200, "The session.", samples::session())
        .add_response_header(200, "Set-Cookie", &cookie_header("Token of the session."))
        .add_errors_with_status(&[
            (400, "the body must hold `email` and `password`, or the `token` of a sign-in link"),
            (401, wrong),
            TOO_LARGE,
            NOT_JSON,
            TOO_MANY,
            BUSY,
        ])
}

fn request_link(op: Op<'_>) -> Op<'_> {
    op.title("requestLink", "Send a sign-in link by email")
        .description(
            "Sends a link that works once, within 15 minutes, if there is a user with this \
             address. The response is the same if there is none. An address receives at most 3 \
             links in an hour and 10 in a day. Only with email on the server, and not behind an \
             authenticating proxy.",
        )
        .add_json_body(&EmailLinkRequest { email: "you@example.com".to_owned() })
        .add_empty_response(202, "If there is such a user, a link is on its way.")
        .add_errors_with_status(&[
            (400, "the body must hold `email`"),
            (404, "not found; check the address"),
            TOO_LARGE,
            NOT_JSON,
            TOO_MANY,
        ])
}

fn get_link_user(op: Op<'_>) -> Op<'_> {
    let body = "the body must hold the `token` of a sign-in link";
    let used = "this sign-in link was used already or is too old; ask for a new one";
    op.title("showLink", "Get the user of a sign-in link")
        .description(
            "Does not use up the link. A page shows the address for confirmation before it signs \
             in, since a link may come from somebody else.",
        )
        .add_json_body(&LinkToken {
            token: "dGhpcyBpcyBub3QgYSB0b2tlbiBvZiBhbnkgbGluay4".to_owned(),
        })
        .add_data(200, "The user of the link.", LinkPerson { email: "you@example.com".to_owned() })
        .add_errors_with_status(&[(400, body), (401, used), TOO_LARGE, NOT_JSON, TOO_MANY])
}

fn sign_out(op: Op<'_>) -> Op<'_> {
    op.title("deleteSession", "Sign out")
        .description("Ends the session in the browser and on the server.")
        .add_empty_response(204, "The session has ended.")
}

fn confirm_password(op: Op<'_>) -> Op<'_> {
    let about = "For five minutes, an owner may then create and revoke keys and invite and remove \
        readers, and any user may change their email address. A 403 that requires a confirmation \
        has `needs`: `password`, or `sign_in` for a user without a password. A sign-in counts as a \
        confirmation too.";
    let wrong = "the password is incorrect; nothing was changed";
    op.title("proveSession", "Confirm the password")
        .description(about)
        .add_json_body(&PasswordConfirmation { password: "a walrus in winter".to_owned() })
        .add_empty_response(204, "The password is confirmed; the session continues.")
        .add_response_header(204, "Set-Cookie", &cookie_header("New token of the session."))
        .add_errors_with_status(&[
            (400, "the body must hold `password`"),
            (403, wrong),
            TOO_LARGE,
            NOT_JSON,
            TOO_MANY,
            BUSY,
        ])
}

fn list_sessions(op: Op<'_>) -> Op<'_> {
    op.title("listSessions", "List sessions")
        .description("Active sessions of the user, last used first. A user has at most 20.")
        .add_data(200, "The sessions.", samples::access())
}

fn delete_other_sessions(op: Op<'_>) -> Op<'_> {
    op.title("deleteSessions", "Sign out all other sessions")
        .add_empty_response(204, "Only this session is left.")
}

fn delete_session(op: Op<'_>) -> Op<'_> {
    op.title("deleteOneSession", "Sign out a session")
        .add_path_parameter::<SessionId>("session_id", "Id of the session.")
        .add_empty_response(204, "The session has ended.")
}

fn set_password(op: Op<'_>) -> Op<'_> {
    let about = "Requires the current password or, for a user without one, a sign-in by link in \
        the last five minutes. With email on the server, such a sign-in also replaces the current \
        password of other users (`can_reset_password` in the list of sessions). Ends all sessions \
        and sign-in links, and starts a new session.";
    let weak = "a password must have at least 12 characters";
    let wrong = "the current password is incorrect; the new one was not set";
    op.title("setPassword", "Set the password")
        .description(about)
        .add_json_body(&samples::new_password())
        .add_empty_response(204, "The password is set.")
        .add_response_header(204, "Set-Cookie", &cookie_header("Token of the new session."))
        .add_errors_with_status(&[(400, weak), (403, wrong), TOO_LARGE, NOT_JSON, TOO_MANY, BUSY])
}

fn set_email(op: Op<'_>) -> Op<'_> {
    let about = "Changes the address of the user. Requires a confirmation of the password \
        in the last five minutes. Ends sign-in links to the old address and all other sessions. \
        A server with email first sends a code to the new address: repeat the request with it.";
    let unproven = "confirm your password, then try again";
    let taken = "somebody with this mail address may come in already; take another one";
    op.title("setEmail", "Change the email address")
        .description(about)
        .add_json_body(&NewEmail {
            email: "new@example.com".to_owned(),
            code: Some("01234567".to_owned()),
        })
        .add_empty_response(202, "A code was sent to the new address.")
        .add_empty_response(204, "The email address is changed.")
        .add_errors_with_status(&[
            (400, "the body must hold `email`"),
            (403, unproven),
            (409, taken),
            (502, "the email with the code could not be sent"),
            TOO_LARGE,
            NOT_JSON,
            TOO_MANY_EMAILS,
        ])
}

/// Returns the description of a cookie in a response.
fn cookie_header(description: &str) -> Value {
    json!({"description": description, "required": true, "schema": {"type": "string"}})
}
