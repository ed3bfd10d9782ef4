//! Who may do what: the table of it, and the proofs that are given out by it.
//!
//! What is handed on to another router bears an [`Admitted`], which is made here alone. What the
//! gateway does itself takes a [`SignedIn`], an [`Owner`] or a [`Proven`] as an argument. Whatever
//! has no line in the table is the owner's.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use contract::error::Needs;
use contract::{AccountId, Role};
use http::request::Parts;
use http::{Extensions, Method};

use crate::Gateway;
use crate::auth::signed_in::SignedIn;
use crate::error::Error;

/// How long after somebody showed who they are they may do what needs that: five minutes.
pub const PROOF_S: i64 = 300;

/// Who may ask for a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Least {
    /// Whoever is signed in.
    Reader,
    /// The owner.
    Owner,
    /// The owner, within [`PROOF_S`] of having shown who they are.
    Proven,
}

/// What a reader may look at: GET of these, and HEAD with it. `{}` stands for one segment.
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

/// What the owner may do only soon after having shown who they are.
const PROVEN: [(Method, &str); 2] =
    [(Method::POST, "/account/keys"), (Method::DELETE, "/account/keys/{}")];

/// Tells who may ask for a route under `/api` or `/account`.
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

/// In whose name a request may be handed on: somebody who may ask for its route.
pub(crate) struct Admitted {
    pub(crate) account_id: AccountId,
    pub(crate) role: Role,
}

impl Admitted {
    /// Tells another router in whose name it is asked, and as what.
    pub(crate) fn mark(self, extensions: &mut Extensions) {
        extensions.insert(self.account_id);
        extensions.insert(self.role);
    }
}

/// Lets somebody ask for a route, or says why not.
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

/// The owner of an account, signed in.
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

/// The owner of an account, who has just shown that it is them.
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

/// Tells whether somebody showed who they are not long ago. A proof from the future, where the
/// clock was set back, is none: it would hold longer by as much.
pub(crate) fn is_fresh(gateway: &Gateway, signed_in: &SignedIn) -> bool {
    let age_s = gateway.clock.now().seconds() - signed_in.proven_at.seconds();
    (0..PROOF_S).contains(&age_s)
}

/// Says by what somebody can show who they are.
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
    fn what_has_no_line_is_the_owners() {
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
