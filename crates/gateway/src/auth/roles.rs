//! Authorisation: the table of permissions, and the types that prove an authorisation.
//!
//! A request for another router needs an [`Authorized`], which only this module creates. The
//! gateway's own handlers take a [`SignedIn`], a [`SignedInOwner`] or a
//! [`RecentlyAuthenticated`] as an argument. A route outside of the table requires the owner.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use contract::error::ReauthMethod;
use contract::{AccountId, FormAccess, Role};
use http::request::Parts;
use http::{Extensions, Method};

use crate::Gateway;
use crate::auth::signed_in::SignedIn;
use crate::error::Error;

/// Time in seconds after an authentication during which sensitive actions are allowed: five
/// minutes.
pub const REAUTHENTICATION_S: i64 = 300;

/// The role that a route requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredRole {
    /// Any signed-in user.
    Reader,
    /// An editor or the owner.
    Editor,
    /// The owner.
    Owner,
    /// The owner, within [`REAUTHENTICATION_S`] of their last authentication.
    RecentOwner,
}

/// Routes that a reader may request with GET or HEAD. `{}` matches one segment.
const READER_ROUTES: [&str; 23] = [
    "/api/{}/v1/forms/{}/submissions",
    "/api/{}/v1/forms/{}/submissions/export",
    "/api/{}/v1/submissions/{}",
    "/account/events",
    "/account/forms",
    "/account/forms/{}",
    "/account/forms/{}/analysis",
    "/account/forms/{}/categories",
    "/account/forms/{}/distributions",
    "/account/forms/{}/intake",
    "/account/forms/{}/spam",
    "/account/forms/{}/submissions/{}",
    "/account/forms/{}/summary",
    "/account/forms/{}/trash",
    "/account/forms/{}/triage",
    "/account/forms/{}/views",
    "/account/inbox",
    "/account/inbox/summary",
    "/account/insight",
    "/account/preferences",
    "/account/submissions/{}/insight",
    "/account/triage",
    "/account/unread",
];

/// Routes that a reader may request with another method. The API allows them to change what they
/// have read, their private views and their preferences, and nothing else.
const READER_CHANGES: [(Method, &str); 5] = [
    (Method::PATCH, "/account/forms/{}/submissions"),
    (Method::POST, "/account/forms/{}/views"),
    (Method::PATCH, "/account/forms/{}/views/{}"),
    (Method::DELETE, "/account/forms/{}/views/{}"),
    (Method::PUT, "/account/preferences"),
];

/// Routes that an editor may request, in addition to those of a reader. The API allows editors no
/// permanent deletion.
const EDITOR_ROUTES: [(Method, &str); 8] = [
    (Method::POST, "/account/forms/{}/submissions/{}/notes"),
    (Method::PUT, "/account/forms/{}/submissions/{}/notes/{}"),
    (Method::DELETE, "/account/forms/{}/submissions/{}/notes/{}"),
    (Method::POST, "/account/forms/{}/spam"),
    (Method::POST, "/account/forms/{}/spam/{}/release"),
    (Method::POST, "/account/forms/{}/spam/restore"),
    (Method::POST, "/account/forms/{}/trash"),
    (Method::POST, "/account/forms/{}/trash/restore"),
];

/// Routes that require the owner's recent authentication.
const RECENT_OWNER_ROUTES: [(Method, &str); 8] = [
    (Method::POST, "/account/keys"),
    (Method::DELETE, "/account/keys/{}"),
    (Method::POST, "/account/forms/{}/webhooks"),
    (Method::PUT, "/account/forms/{}/webhooks/{}"),
    (Method::POST, "/account/forms/{}/webhooks/{}/rotate"),
    (Method::POST, "/account/forms/{}/notifications"),
    (Method::PUT, "/account/forms/{}/notifications/{}"),
    (Method::PUT, "/account/forms/{}/auto-reply"),
];

/// Returns the role that a route under `/api` or `/account` requires.
pub(crate) fn required_role(method: &Method, path: &str) -> RequiredRole {
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    let is_reader_route = READER_ROUTES.iter().any(|template| matches_template(template, path));
    if (is_read && is_reader_route) || contains_route(&READER_CHANGES, method, path) {
        RequiredRole::Reader
    } else if contains_route(&EDITOR_ROUTES, method, path) {
        RequiredRole::Editor
    } else if contains_route(&RECENT_OWNER_ROUTES, method, path) {
        RequiredRole::RecentOwner
    } else {
        RequiredRole::Owner
    }
}

fn contains_route(routes: &[(Method, &str)], method: &Method, path: &str) -> bool {
    routes
        .iter()
        .any(|(route_method, template)| route_method == method && matches_template(template, path))
}

fn matches_template(template: &str, path: &str) -> bool {
    let mut segments = path.split('/');
    let matches = template.split('/').all(|expected| {
        segments.next().is_some_and(|it| it == expected || expected == "{}" && !it.is_empty())
    });
    matches && segments.next().is_none()
}

/// An authorised account, role and access to forms, for a request to another router.
pub(crate) struct Authorized {
    pub(crate) account_id: AccountId,
    pub(crate) role: Role,
    pub(crate) forms: FormAccess,
}

impl Authorized {
    /// Adds the account, the role and the access to forms to a request's extensions.
    pub(crate) fn insert_into(self, extensions: &mut Extensions) {
        extensions.insert(self.account_id);
        extensions.insert(self.role);
        extensions.insert(self.forms);
    }
}

/// Checks that a user may request a route.
pub(crate) async fn authorize(
    gateway: &Gateway,
    signed_in: SignedIn,
    method: &Method,
    path: &str,
) -> Result<Authorized, Error> {
    let least = required_role(method, path);
    let signed_in = match least {
        RequiredRole::Reader => signed_in,
        RequiredRole::Editor if signed_in.role.can_triage() => signed_in,
        RequiredRole::Editor => return Err(Error::EditorOnly),
        RequiredRole::Owner => SignedInOwner::require(signed_in)?.0,
        RequiredRole::RecentOwner => {
            RecentlyAuthenticated::require(gateway, SignedInOwner::require(signed_in)?).await?.0.0
        }
    };
    let SignedIn { account_id, role, forms, .. } = signed_in;
    Ok(Authorized { account_id, role, forms })
}

/// A signed-in owner of an account.
pub(crate) struct SignedInOwner(pub(crate) SignedIn);

impl SignedInOwner {
    fn require(signed_in: SignedIn) -> Result<Self, Error> {
        match signed_in.role {
            Role::Owner => Ok(Self(signed_in)),
            Role::Editor | Role::Reader => Err(Error::OwnerOnly),
        }
    }
}

impl FromRequestParts<Arc<Gateway>> for SignedInOwner {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, gateway: &Arc<Gateway>) -> Result<Self, Error> {
        Self::require(SignedIn::from_request_parts(parts, gateway).await?)
    }
}

/// A signed-in owner of an account who authenticated recently.
pub(crate) struct RecentlyAuthenticated(pub(crate) SignedInOwner);

impl RecentlyAuthenticated {
    async fn require(gateway: &Gateway, owner: SignedInOwner) -> Result<Self, Error> {
        if is_recently_authenticated(gateway, &owner.0) {
            Ok(Self(owner))
        } else {
            Err(reauthentication_error(gateway, &owner.0).await?)
        }
    }
}

impl FromRequestParts<Arc<Gateway>> for RecentlyAuthenticated {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, gateway: &Arc<Gateway>) -> Result<Self, Error> {
        let owner = SignedInOwner::from_request_parts(parts, gateway).await?;
        Self::require(gateway, owner).await
    }
}

/// Returns whether a user authenticated recently. A time in the future, as after the clock was set
/// back, does not count, because it would stay valid for longer.
pub(crate) fn is_recently_authenticated(gateway: &Gateway, signed_in: &SignedIn) -> bool {
    let age_s = gateway.clock.now().seconds() - signed_in.authenticated_at.seconds();
    (0..REAUTHENTICATION_S).contains(&age_s)
}

/// Returns the error that names how a user can authenticate again.
pub(crate) async fn reauthentication_error(
    gateway: &Gateway,
    signed_in: &SignedIn,
) -> Result<Error, Error> {
    let record = signed_in.load_record(gateway).await?;
    let needs =
        if record.password_hash.is_some() { ReauthMethod::Password } else { ReauthMethod::SignIn };
    Ok(Error::ReauthenticationRequired(needs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(method: &Method, path: &str, expect: RequiredRole) {
        assert_eq!(required_role(method, path), expect, "{method} {path}");
    }

    #[test]
    fn unlisted_routes_require_owner() {
        let submission = "/api/live/v1/submissions/sub_1";
        check(&Method::GET, submission, RequiredRole::Reader);
        check(&Method::HEAD, submission, RequiredRole::Reader);
        check(&Method::DELETE, submission, RequiredRole::Owner);
        check(&Method::GET, "/account/forms", RequiredRole::Reader);
        check(&Method::POST, "/account/forms", RequiredRole::Owner);
        check(&Method::GET, "/account/inbox", RequiredRole::Reader);
        check(&Method::GET, "/account/inbox/summary", RequiredRole::Reader);
        check(&Method::POST, "/account/inbox", RequiredRole::Owner);
        check(&Method::GET, "/account/keys", RequiredRole::Owner);
        check(&Method::POST, "/account/keys", RequiredRole::RecentOwner);
        check(&Method::DELETE, "/account/keys/key_1", RequiredRole::RecentOwner);
        let webhooks = "/account/forms/frm_1/webhooks";
        check(&Method::GET, webhooks, RequiredRole::Owner);
        check(&Method::POST, webhooks, RequiredRole::RecentOwner);
        for (method, rest, expect) in [
            (Method::PUT, "", RequiredRole::RecentOwner),
            (Method::DELETE, "", RequiredRole::Owner),
            (Method::POST, "/rotate", RequiredRole::RecentOwner),
            (Method::POST, "/test", RequiredRole::Owner),
            (Method::POST, "/replay", RequiredRole::Owner),
            (Method::GET, "/deliveries", RequiredRole::Owner),
            (Method::POST, "/deliveries/dlv_1_a/replay", RequiredRole::Owner),
        ] {
            check(&method, &format!("{webhooks}/whk_1{rest}"), expect);
        }
        let notifications = "/account/forms/frm_1/notifications";
        check(&Method::GET, notifications, RequiredRole::Owner);
        check(&Method::POST, notifications, RequiredRole::RecentOwner);
        check(&Method::PUT, "/account/forms/frm_1/auto-reply", RequiredRole::RecentOwner);
        for (method, rest, expect) in [
            (Method::PUT, "", RequiredRole::RecentOwner),
            (Method::DELETE, "", RequiredRole::Owner),
            (Method::POST, "/confirmation", RequiredRole::Owner),
            (Method::POST, "/test", RequiredRole::Owner),
        ] {
            check(&method, &format!("{notifications}/ntf_1{rest}"), expect);
        }
        for method in [Method::GET, Method::PUT] {
            check(&method, "/account/preferences", RequiredRole::Reader);
        }
        for path in [
            "/account",
            "/account/",
            "/account/forms/",
            "/account/forms//intake",
            "/account/forms/frm_1/unknown",
            "/account/forms/frm_1/intake/more",
            "/api/live",
            "",
        ] {
            check(&Method::GET, path, RequiredRole::Owner);
        }
    }

    #[test]
    fn triage_requires_reader_or_editor() {
        let submissions = "/account/forms/frm_1/submissions";
        for (method, rest, expect) in [
            (Method::PATCH, "", RequiredRole::Reader),
            (Method::GET, "/sub_1", RequiredRole::Reader),
            (Method::GET, "/sub_1/notes", RequiredRole::Owner),
            (Method::POST, "/sub_1/notes", RequiredRole::Editor),
            (Method::PUT, "/sub_1/notes/nte_1", RequiredRole::Editor),
            (Method::DELETE, "/sub_1/notes/nte_1", RequiredRole::Editor),
        ] {
            check(&method, &format!("{submissions}{rest}"), expect);
        }
        for (method, rest, expect) in [
            (Method::POST, "spam", RequiredRole::Editor),
            (Method::POST, "spam/restore", RequiredRole::Editor),
            (Method::POST, "spam/sub_1/release", RequiredRole::Editor),
            (Method::DELETE, "spam", RequiredRole::Owner),
            (Method::DELETE, "spam/sub_1", RequiredRole::Owner),
            (Method::POST, "trash", RequiredRole::Editor),
            (Method::POST, "trash/restore", RequiredRole::Editor),
            (Method::POST, "trash/delete", RequiredRole::Owner),
            (Method::PUT, "trash", RequiredRole::Owner),
            (Method::DELETE, "trash", RequiredRole::Owner),
        ] {
            check(&method, &format!("/account/forms/frm_1/{rest}"), expect);
        }
        let views = "/account/forms/frm_1/views";
        for (method, rest, expect) in [
            (Method::GET, "", RequiredRole::Reader),
            (Method::POST, "", RequiredRole::Reader),
            (Method::PATCH, "/view_1", RequiredRole::Reader),
            (Method::DELETE, "/view_1", RequiredRole::Reader),
            (Method::PUT, "/view_1", RequiredRole::Owner),
            (Method::DELETE, "", RequiredRole::Owner),
        ] {
            check(&method, &format!("{views}{rest}"), expect);
        }
        for path in ["/account/triage", "/account/forms/frm_1/triage"] {
            check(&Method::GET, path, RequiredRole::Reader);
            check(&Method::PUT, path, RequiredRole::Owner);
        }
    }
}
