//! Authorisation: the table of permissions, and the types that prove an authorisation.
//!
//! A request for another router needs an [`Admitted`], which only this module creates. The
//! gateway's own handlers take a [`SignedIn`], an [`Owner`] or a [`Proven`] as an argument. A route
//! outside of the table requires the owner.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use contract::error::Needs;
use contract::{AccountId, Role};
use http::request::Parts;
use http::{Extensions, Method};

use crate::Gateway;
use crate::auth::signed_in::SignedIn;
use crate::error::Error;

/// Time in seconds after an authentication during which sensitive actions are allowed: five
/// minutes.
pub const PROOF_S: i64 = 300;

/// The role that a route requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Least {
    /// Any signed-in user.
    Reader,
    /// The owner.
    Owner,
    /// The owner, within [`PROOF_S`] of their last authentication.
    Proven,
}

/// Routes that a reader may request with GET or HEAD. `{}` matches one segment.
const READABLE: [&str; 13] = [
    "/api/{}/v1/forms/{}/submissions",
    "/api/{}/v1/forms/{}/submissions/export",
    "/api/{}/v1/submissions/{}",
    "/account/forms",
    "/account/forms/{}",
    "/account/forms/{}/analysis",
    "/account/forms/{}/categories",
    "/account/forms/{}/intake",
    "/account/forms/{}/spam",
    "/account/forms/{}/summary",
    "/account/forms/{}/trash",
    "/account/insight",
    "/account/submissions/{}/insight",
];

/// Routes that require the owner's recent authentication.
const PROVEN: [(Method, &str); 2] =
    [(Method::POST, "/account/keys"), (Method::DELETE, "/account/keys/{}")];

/// Returns the role that a route under `/api` or `/account` requires.
pub fn least(method: &Method, path: &str) -> Least {
    let is_look = matches!(*method, Method::GET | Method::HEAD);
    if is_look && READABLE.iter().any(|template| fits(template, path)) {
        Least::Reader
    } else if PROVEN.iter().any(|(of, template)| of == method && fits(template, path)) {
        Least::Proven
    } else {
        Least::Owner
    }
}

fn fits(template: &str, path: &str) -> bool {
    let mut given = path.split('/');
    let all = template.split('/').all(|expected| {
        given.next().is_some_and(|it| it == expected || expected == "{}" && !it.is_empty())
    });
    all && given.next().is_none()
}

/// An authorised account and role, for a request to another router.
pub(crate) struct Admitted {
    pub(crate) account_id: AccountId,
    pub(crate) role: Role,
}

impl Admitted {
    /// Adds the account and the role to a request's extensions.
    pub(crate) fn mark(self, extensions: &mut Extensions) {
        extensions.insert(self.account_id);
        extensions.insert(self.role);
    }
}

/// Checks that a user may request a route.
pub(crate) async fn admit(
    gateway: &Gateway,
    signed_in: SignedIn,
    method: &Method,
    path: &str,
) -> Result<Admitted, Error> {
    let least = least(method, path);
    let signed_in = match least {
        Least::Reader => signed_in,
        Least::Owner => Owner::check(signed_in)?.0,
        Least::Proven => Proven::check(gateway, Owner::check(signed_in)?).await?.0.0,
    };
    Ok(Admitted { account_id: signed_in.account_id, role: signed_in.role })
}

/// A signed-in owner of an account.
pub(crate) struct Owner(pub(crate) SignedIn);

impl Owner {
    fn check(signed_in: SignedIn) -> Result<Self, Error> {
        match signed_in.role {
            Role::Owner => Ok(Self(signed_in)),
            Role::Reader => Err(Error::ReadersMayNot),
        }
    }
}

impl FromRequestParts<Arc<Gateway>> for Owner {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, gateway: &Arc<Gateway>) -> Result<Self, Error> {
        Self::check(SignedIn::from_request_parts(parts, gateway).await?)
    }
}

/// A signed-in owner of an account who authenticated recently.
pub(crate) struct Proven(pub(crate) Owner);

impl Proven {
    async fn check(gateway: &Gateway, owner: Owner) -> Result<Self, Error> {
        if is_fresh(gateway, &owner.0) {
            Ok(Self(owner))
        } else {
            Err(lacks(gateway, &owner.0).await?)
        }
    }
}

impl FromRequestParts<Arc<Gateway>> for Proven {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, gateway: &Arc<Gateway>) -> Result<Self, Error> {
        let owner = Owner::from_request_parts(parts, gateway).await?;
        Self::check(gateway, owner).await
    }
}

/// Returns whether a user authenticated recently. A time in the future, as after the clock was set
/// back, does not count, because it would stay valid for longer.
pub(crate) fn is_fresh(gateway: &Gateway, signed_in: &SignedIn) -> bool {
    let age_s = gateway.clock.now().seconds() - signed_in.proven_at.seconds();
    (0..PROOF_S).contains(&age_s)
}

/// Returns the error that names how a user can authenticate again.
pub(crate) async fn lacks(gateway: &Gateway, signed_in: &SignedIn) -> Result<Error, Error> {
    let record = signed_in.record(gateway).await?;
    let needs = if record.password_hash.is_some() { Needs::Password } else { Needs::SignIn };
    Ok(Error::Unproven(needs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(method: &Method, path: &str, expect: Least) {
        assert_eq!(least(method, path), expect, "{method} {path}");
    }

    #[test]
    fn unlisted_routes_require_owner() {
        let submission = "/api/live/v1/submissions/sub_1";
        check(&Method::GET, submission, Least::Reader);
        check(&Method::HEAD, submission, Least::Reader);
        check(&Method::DELETE, submission, Least::Owner);
        check(&Method::GET, "/account/forms", Least::Reader);
        check(&Method::POST, "/account/forms", Least::Owner);
        check(&Method::GET, "/account/keys", Least::Owner);
        check(&Method::POST, "/account/keys", Least::Proven);
        check(&Method::DELETE, "/account/keys/key_1", Least::Proven);
        for odd in [
            "/account",
            "/account/",
            "/account/forms/",
            "/account/forms//intake",
            "/account/forms/frm_1/unknown",
            "/account/forms/frm_1/intake/more",
            "/api/live",
            "",
        ] {
            check(&Method::GET, odd, Least::Owner);
        }
    }
}
