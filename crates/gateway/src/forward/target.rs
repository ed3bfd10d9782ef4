//! The table of forwarded endpoints, and the matching of client paths against it. Pure functions.
//!
//! A path is compared as received and never decoded, so an ambiguous path matches no endpoint.

use contract::{Environment, FormAccess, FormId, SubmissionId};
use http::Method;

/// A path of the specification that is forwarded.
#[derive(Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Path at the upstream, with `{form}` and `{submission}` as placeholders of ids.
    pub template: &'static str,
    /// Allowed methods, in the format of an `Allow` header.
    pub methods: &'static str,
}

/// All forwarded endpoints (specification, section 4), each below `/api/live` and `/api/test`.
pub const ENDPOINTS: [Endpoint; 3] = [
    Endpoint { template: "/v1/forms/{form}/submissions", methods: "GET" },
    Endpoint { template: "/v1/forms/{form}/submissions/export", methods: "GET" },
    Endpoint { template: "/v1/submissions/{submission}", methods: "GET, DELETE" },
];

impl Endpoint {
    /// Returns whether the endpoint allows a method.
    pub(crate) fn allows(&self, method: &Method) -> bool {
        self.methods.split(", ").any(|allowed| allowed == method.as_str())
    }

    /// Returns the upstream's path for a client's path: the template with the client's ids. `None`
    /// if the path does not match.
    fn fill_template(&self, path: &str) -> Option<String> {
        let mut filled = String::with_capacity(path.len());
        let mut segments = path.split('/');
        for (position, expected) in self.template.split('/').enumerate() {
            let segment = segments.next()?;
            if position > 0 {
                filled.push('/');
            }
            match expected {
                "{form}" => filled.push_str(segment.parse::<FormId>().ok()?.as_str()),
                "{submission}" => filled.push_str(segment.parse::<SubmissionId>().ok()?.as_str()),
                literal if literal == segment => filled.push_str(literal),
                _ => return None,
            }
        }
        segments.next().is_none().then_some(filled)
    }
}

/// Destination of a forwarded request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ForwardTarget {
    pub(super) environment: Environment,
    pub(super) endpoint: &'static Endpoint,
    /// Path at the upstream.
    pub(super) path: String,
}

impl ForwardTarget {
    /// Returns whether a user with this access may request the target from another server, whose
    /// submissions do not show their form before the request.
    pub(super) fn is_within(&self, access: &FormAccess) -> bool {
        let form = self.path.strip_prefix("/v1/forms/").and_then(|rest| rest.split('/').next());
        let form = form.and_then(|form| form.parse().ok());
        access.named().is_none() || form.is_some_and(|form| access.covers(&form))
    }

    /// Parses a path below `/api`.
    pub(super) fn parse(path: &str) -> Option<Self> {
        let (environment, rest) = Environment::ALL.into_iter().find_map(|environment| {
            let rest = path.strip_prefix("/api/")?.strip_prefix(environment.as_str())?;
            Some((environment, rest))
        })?;
        ENDPOINTS.iter().find_map(|endpoint| {
            let path = endpoint.fill_template(rest)?;
            Some(Self { environment, endpoint, path })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(path: &str, expect: Option<(Environment, &str)>) {
        let target = ForwardTarget::parse(path);
        let found = target.as_ref().map(|target| (target.environment, target.path.as_str()));
        assert_eq!(found, expect, "{path}");
    }

    #[test]
    fn endpoint_paths_are_parsed() {
        use Environment::{Live, Test};
        check("/api/live/v1/forms/frm_1/submissions", Some((Live, "/v1/forms/frm_1/submissions")));
        check(
            "/api/test/v1/forms/frm_a-B_9/submissions/export",
            Some((Test, "/v1/forms/frm_a-B_9/submissions/export")),
        );
        check("/api/live/v1/submissions/sub_1", Some((Live, "/v1/submissions/sub_1")));
    }

    #[test]
    fn other_paths_are_rejected() {
        let long = format!("/api/live/v1/submissions/sub_{}", "x".repeat(65));
        for path in [
            "",
            "/",
            "/api",
            "/api/",
            "/api/live",
            "/api/live/",
            "/api/live/v1",
            "/api/prod/v1/x",
            "/api/livev1/submissions/sub_1",
            "/api/live/v1/forms",
            "/api/live/v1/forms/frm_1",
            "/api/live/v1/submissions",
            "/api/live/v1/submissions/",
            "/api/live/v1/submissions/frm_1",
            "/api/live/v1/submissions/sub_1/",
            "/api/live//v1/submissions/sub_1",
            "//api/live/v1/submissions/sub_1",
            "/api/live/v1/submissions//sub_1",
            "/api/live/v1/submissions/sub_1/..",
            "/api/live/v1/../v1/submissions/sub_1",
            "/api/live/v1/submissions/sub_%31",
            "/api/live/v1/submissions/sub_1%2f..",
            "/api/live/v1/submissions/%2e%2e",
            "/api/live/v1/submissions/sub_1%00",
            "/api/live/v1\\submissions\\sub_1",
            "/api/live/v1/submissions/sub_é",
            "/api/live/V1/submissions/sub_1",
            "/API/live/v1/submissions/sub_1",
            "/api/live/v1/forms/frm_1/submissions/export/x",
            "/api/live/v1/submissions/sub_1;x=1",
            "/api/live/v1/forms/{form}/submissions",
            &long,
        ] {
            check(path, None);
        }
    }

    #[test]
    fn endpoints_allow_only_their_methods() {
        let [list, export, submission] = &ENDPOINTS;
        assert!(list.allows(&Method::GET) && export.allows(&Method::GET));
        assert!(submission.allows(&Method::GET) && submission.allows(&Method::DELETE));
        assert!(!list.allows(&Method::DELETE) && !export.allows(&Method::POST));
        assert!(!submission.allows(&Method::HEAD) && !submission.allows(&Method::PUT));
    }

    #[test]
    fn limited_access_covers_only_paths_of_named_forms() {
        let limited = FormAccess(Some(vec!["frm_1".parse().unwrap()]));
        for (path, is_within) in [
            ("forms/frm_1/submissions", true),
            ("forms/frm_1/submissions/export", true),
            ("forms/frm_2/submissions", false),
            ("forms/frm_12/submissions/export", false),
            ("submissions/sub_1", false),
        ] {
            let target = ForwardTarget::parse(&format!("/api/live/v1/{path}")).unwrap();
            assert_eq!(target.is_within(&limited), is_within, "{path}");
            assert!(target.is_within(&FormAccess::default()), "{path}");
        }
    }

    proptest! {
        /// For any client path, the upstream's path is the same without `/api/{environment}`, and
        /// contains only plain characters.
        #[test]
        fn upstream_path_equals_client_path(
            path in concat!(
                r"/api/(live|test)(/|//|%2f|\\)v1/(forms|submissions|\.\.)/",
                r"(frm_|sub_|%2e)?.{0,9}(/submissions(/export)?)?",
            ),
        ) {
            if let Some(target) = ForwardTarget::parse(&path) {
                let expect = path.strip_prefix(&format!("/api/{}", target.environment));
                prop_assert_eq!(Some(target.path.as_str()), expect);
                let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_');
                prop_assert!(target.path.bytes().all(plain) && !target.path.contains("//"));
            }
        }

        #[test]
        fn every_valid_id_is_accepted(id in "[A-Za-z0-9_-]{1,64}") {
            let path = format!("/api/test/v1/submissions/sub_{id}");
            let expect = format!("/v1/submissions/sub_{id}");
            prop_assert_eq!(ForwardTarget::parse(&path).map(|target| target.path), Some(expect));
        }
    }
}
