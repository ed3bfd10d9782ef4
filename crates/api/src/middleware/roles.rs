//! Permissions of members on the routes below `/account`: of the roles, and of members who are
//! limited to forms.
//!
//! The gateway has its own list of roles. This second check keeps a mistake there from granting
//! access.

use crate::error::{Error, Result};
use contract::{FormAccess, Role};
use http::Method;

/// Fails if a role does not allow a request.
pub(crate) fn check_role(role: Role, method: &Method, path: &str) -> Result<()> {
    let is_look = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    if role == Role::Owner {
        return Ok(());
    }
    if is_for_owner(path) {
        return Err(Error::owner_only());
    }
    if is_look || may_change(method, path) {
        return Ok(());
    }
    match (may_edit(method, path), role.can_triage()) {
        (true, true) => Ok(()),
        (true, false) => Err(Error::editor_only()),
        (false, _) => Err(Error::owner_only()),
    }
}

/// Fails with 404 if a path names a form that a user has no access to, whether it exists or not.
/// Handlers of paths without a form check the access themselves.
pub(crate) fn check_forms(access: &FormAccess, path: &str) -> Result<()> {
    let Some(rest) = path.strip_prefix("/account/forms/") else { return Ok(()) };
    let form = rest.split('/').next().and_then(|form| form.parse().ok());
    // A path with escapes names no form here, but would name one to the handlers.
    let is_covered = access.named().is_none() || form.is_some_and(|form| access.covers(&form));
    if is_covered { Ok(()) } else { Err(Error::not_found("form")) }
}

/// Returns whether an editor may request a change in addition to those of a reader: notes, and
/// moves to and from spam and trash.
fn may_edit(method: &Method, path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').skip(4).collect();
    match segments.as_slice() {
        ["submissions", _, "notes", ..] => true,
        ["spam" | "trash"] | ["spam" | "trash", "restore"] | ["spam", _, "release"] => {
            method == Method::POST
        }
        _ => false,
    }
}

/// Returns whether a reader may request a change. The handlers allow them to change what they have
/// read, their private views and their preferences, and nothing else.
fn may_change(method: &Method, path: &str) -> bool {
    let is_read_state = method == Method::PATCH && path.ends_with("/submissions");
    is_read_state || path == "/account/preferences" || path.split('/').nth(4) == Some("views")
}

/// Returns whether only the owner may even look at a path: API keys, the audit log, and the
/// webhooks and notifications of a form.
fn is_for_owner(path: &str) -> bool {
    let mut parts = path.split('/').skip(2);
    matches!(parts.next(), Some("keys" | "audit"))
        || matches!(parts.nth(1), Some("webhooks" | "notifications"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles_allowed(method: &Method, path: &str) -> Vec<Role> {
        let is_allowed = |role: &Role| check_role(*role, method, path).is_ok();
        Role::ALL.into_iter().filter(is_allowed).collect()
    }

    #[test]
    fn limited_member_requests_only_named_forms() {
        let limited = FormAccess(Some(vec!["frm_1".parse().unwrap()]));
        for (path, is_allowed) in [
            ("/account/forms", true),
            ("/account/triage", true),
            ("/account/inbox", true),
            ("/account/inbox/summary", true),
            ("/account/forms/frm_1", true),
            ("/account/forms/frm_1/submissions/sub_1/notes", true),
            ("/account/forms/frm_2", false),
            ("/account/forms/frm_12/spam", false),
            ("/account/forms/frm%5F2", false),
            ("/account/forms/x/summary", false),
        ] {
            assert_eq!(check_forms(&limited, path).is_ok(), is_allowed, "{path}");
            assert!(check_forms(&FormAccess::default(), path).is_ok(), "{path}");
        }
    }

    #[test]
    fn each_route_allows_certain_roles() {
        let form = "/account/forms/frm_1";
        for (method, rest, least) in [
            (Method::GET, "", Role::Reader),
            (Method::PATCH, "/submissions", Role::Reader),
            (Method::POST, "/views", Role::Reader),
            (Method::POST, "/submissions/sub_1/notes", Role::Editor),
            (Method::PUT, "/submissions/sub_1/notes/nte_1", Role::Editor),
            (Method::POST, "/trash", Role::Editor),
            (Method::POST, "/trash/restore", Role::Editor),
            (Method::POST, "/spam", Role::Editor),
            (Method::POST, "/spam/restore", Role::Editor),
            (Method::POST, "/spam/sub_1/release", Role::Editor),
            (Method::POST, "/trash/delete", Role::Owner),
            (Method::DELETE, "/trash", Role::Owner),
            (Method::PUT, "/trash", Role::Owner),
            (Method::DELETE, "/spam", Role::Owner),
            (Method::DELETE, "/spam/sub_1", Role::Owner),
            (Method::PUT, "", Role::Owner),
            (Method::POST, "/delete", Role::Owner),
            (Method::PUT, "/fields", Role::Owner),
            (Method::GET, "/webhooks", Role::Owner),
            (Method::GET, "/notifications", Role::Owner),
        ] {
            let path = format!("{form}{rest}");
            let expected: Vec<Role> = Role::ALL.into_iter().filter(|role| *role >= least).collect();
            assert_eq!(roles_allowed(&method, &path), expected, "{method} {path}");
        }
        for path in ["/account/inbox", "/account/inbox/summary"] {
            assert_eq!(roles_allowed(&Method::GET, path), Role::ALL, "{path}");
        }
        assert_eq!(roles_allowed(&Method::PUT, "/account/preferences"), Role::ALL);
        for (method, path) in [
            (Method::GET, "/account/keys"),
            (Method::GET, "/account/audit"),
            (Method::GET, "/account/audit/export"),
            (Method::PUT, "/account/triage"),
            (Method::POST, "/account/forms"),
            (Method::PUT, "/account/submissions/sub_1/insight"),
        ] {
            assert_eq!(roles_allowed(&method, path), [Role::Owner], "{method} {path}");
        }
    }
}
