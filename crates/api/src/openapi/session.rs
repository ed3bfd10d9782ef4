//! How the gateway's own endpoints are described: `/session`, `/sessions`, `/password`
//! (additive).

use super::Endpoint;
use super::operation::{Door, Operation};
use super::owner::BODY_ERRORS;
use super::samples;
use super::schemas::Schemas;
use contract::account::NewEmail;
use contract::{Data, ErrorCode, Session, SessionId};
use http::Method;
use serde_json::{Value, json};

/// The tag of signing in and out.
pub(super) const TAG: &str = "Session (additive)";

pub(super) const TOO_LARGE: (u16, ErrorCode, &str) =
    (413, ErrorCode::Validation, "the body may have 4096 bytes at most");
pub(super) const NOT_JSON: (u16, ErrorCode, &str) = BODY_ERRORS[1];
const TOO_MANY: (u16, ErrorCode, &str) =
    (429, ErrorCode::RateLimitExceeded, "too many tries to sign in; try again in 60 s");
pub(super) const TOO_MANY_EMAILS: (u16, ErrorCode, &str) =
    (429, ErrorCode::RateLimitExceeded, "too many mail addresses were tried; try again in 60 s");
const BUSY: (u16, ErrorCode, &str) =
    (503, ErrorCode::Internal, "too many sign-ins at once; try again in a moment");

/// The gateway's endpoints. It depends on nothing of the service, nor the service on it: that
/// these are there is tested on the binary, which has both.
pub(super) fn endpoints() -> Vec<Endpoint> {
    let at = |path, method, describe| Endpoint { method, path, describe };
    vec![
        at("/session", Method::GET, show),
        at("/session", Method::POST, sign_in),
        at("/session", Method::DELETE, sign_out),
        at("/session/link", Method::POST, show_link),
        at("/session/proof", Method::POST, prove),
        at("/sessions", Method::GET, list),
        at("/sessions", Method::DELETE, end_others),
        at("/sessions/{session_id}", Method::DELETE, end),
        at("/password", Method::PUT, set_password),
        at("/account/email", Method::PUT, set_email),
    ]
}

fn show(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Gateway, TAG, "getSession", "Say who is signed in")
        .about(
            "That nobody is, is an answer too: `data` is `null` then. Where an auth proxy says who \
             comes, this signs them in, or says why not: with 401 where nobody is named, with 403 \
             where nobody here is linked with whom it names. Then `known` says as whom they are \
             known there, and passwords and links are off.",
        )
        .answer(schemas, 200, "Who is signed in.", &Data { data: Some(samples::session()) })
        .errors(schemas, &[])
        .finer(schemas, &[(401, ErrorCode::Unauthorized, "nobody says who you are")])
}

fn sign_in(schemas: &mut Schemas) -> Operation {
    let wrong = "no account has this mail address and password; check both, or ask for a sign-in \
        link";
    Operation::new(Door::Gateway, TAG, "createSession", "Sign in")
        .about("By mail address and password, or by the token of a sign-in link, which works once.")
        .body(schemas, &samples::sign_in())
        .answer(schemas, 200, "Who is signed in.", &Data::<Session> { data: samples::session() })
        .answer_header(200, "Set-Cookie", cookie("The session."))
        .errors(schemas, &[])
        .finer(
            schemas,
            &[
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
            ],
        )
}

fn show_link(schemas: &mut Schemas) -> Operation {
    let body = "the body must hold the `token` of a sign-in link";
    let used = "this sign-in link was used already or is too old; ask for a new one";
    Operation::new(Door::Gateway, TAG, "showLink", "Show whom a sign-in link signs in")
        .about(
            "The link can still be used afterwards. A page shows the address and asks before it \
             signs in, since a link may come from somebody else.",
        )
        .body(schemas, &samples::link_token())
        .answer(schemas, 200, "The person of the link.", &Data { data: samples::link_person() })
        .errors(schemas, &[])
        .finer(
            schemas,
            &[
                (400, ErrorCode::Validation, body),
                (401, ErrorCode::Unauthorized, used),
                TOO_LARGE,
                NOT_JSON,
                TOO_MANY,
            ],
        )
}

fn sign_out(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, TAG, "deleteSession", "Sign out")
        .about("Here and on the server.")
        .answers(204, "Nobody is signed in any more.", &Value::Null)
        .errors(schemas, &[])
}

fn prove(schemas: &mut Schemas) -> Operation {
    let about = "By the password. For five minutes the owner may then create and revoke keys, and \
        let readers in and remove them, and everybody may change their own mail address. A 403 \
        that asks for a proof has `needs`: `password`, or, where there is none, `sign_in`. A \
        sign-in counts as a proof, too.";
    let wrong = "this is not the password of this account; nothing was done";
    Operation::new(Door::Session, TAG, "proveSession", "Show that it is still you")
        .about(about)
        .body(schemas, &samples::proof())
        .answers(204, "It is shown; the session goes on.", &Value::Null)
        .answer_header(
            204,
            "Set-Cookie",
            json!({
                "description": "The session, under another token.", "required": true,
                "schema": {"type": "string"},
            }),
        )
        .errors(schemas, &[])
        .finer(
            schemas,
            &[
                (400, ErrorCode::Validation, "the body must hold `password`"),
                (403, ErrorCode::Forbidden, wrong),
                TOO_LARGE,
                NOT_JSON,
                TOO_MANY,
                BUSY,
            ],
        )
}

fn list(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, TAG, "listSessions", "List one's sign-ins")
        .about("Those that have not ended, the last used first. A person has 20 at most.")
        .answer(schemas, 200, "By what the account is open.", &Data { data: samples::access() })
        .errors(schemas, &[])
}

fn end_others(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, TAG, "deleteSessions", "Sign out everywhere else")
        .answers(204, "Only this sign-in is left.", &Value::Null)
        .errors(schemas, &[])
}

fn end(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, TAG, "deleteOneSession", "End one sign-in")
        .path::<SessionId>(schemas, "session_id", "The sign-in.")
        .answers(204, "It has ended.", &Value::Null)
        .errors(schemas, &[ErrorCode::NotFound])
}

fn set_password(schemas: &mut Schemas) -> Operation {
    let about = "By the password so far, or, where there is none, within five minutes of a sign-in \
        by link. Every sign-in and every link ends; whoever asked gets a new sign-in.";
    let weak = "a password must have at least 12 characters";
    let wrong = "this is not the password so far; the new one was not set";
    Operation::new(Door::Session, TAG, "setPassword", "Set the password")
        .about(about)
        .body(schemas, &samples::new_password())
        .answers(204, "It is set.", &Value::Null)
        .answer_header(204, "Set-Cookie", cookie("The new session."))
        .errors(schemas, &[])
        .finer(
            schemas,
            &[
                (400, ErrorCode::Validation, weak),
                (403, ErrorCode::Forbidden, wrong),
                TOO_LARGE,
                NOT_JSON,
                TOO_MANY,
                BUSY,
            ],
        )
}

fn set_email(schemas: &mut Schemas) -> Operation {
    let about = "One's own, within five minutes of a proof of who one is. Sign-in links that went \
        to the old address end, and so does every other sign-in.";
    let unproven = "show that it is still you: give your password again";
    let taken = "somebody with this mail address may come in already; take another one";
    Operation::new(Door::Session, TAG, "setEmail", "Change the mail address")
        .about(about)
        .body(schemas, &NewEmail { email: "new@example.com".to_owned() })
        .answers(204, "It is changed.", &Value::Null)
        .errors(schemas, &[])
        .finer(
            schemas,
            &[
                (400, ErrorCode::Validation, "the body must hold `email`"),
                (403, ErrorCode::Forbidden, unproven),
                (409, ErrorCode::Validation, taken),
                TOO_LARGE,
                NOT_JSON,
                TOO_MANY_EMAILS,
            ],
        )
}

/// A cookie that an answer gives.
fn cookie(description: &str) -> Value {
    json!({"description": description, "required": true, "schema": {"type": "string"}})
}
