//! The table of what is forwarded, and how a client's path is read by it. Pure.
//!
//! A path is compared as it came, never decoded: what has two readings has none here.

use contract::{Environment, FormId, SubmissionId};
use http::Method;

/// One path of the specification that is forwarded.
#[derive(Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Its path at the upstream; `{form}` and `{submission}` stand for ids.
    pub template: &'static str,
    /// The methods that it has, as in an `Allow` header.
    pub methods: &'static str,
}

/// All that is forwarded (§4), each under `/api/live` and `/api/test`.
pub const ENDPOINTS: [Endpoint; 3] = [
    Endpoint { template: "/v1/forms/{form}/submissions", methods: "GET" },
    Endpoint { template: "/v1/forms/{form}/submissions/export", methods: "GET" },
    Endpoint { template: "/v1/submissions/{submission}", methods: "GET, DELETE" },
];

impl Endpoint {
    /// Tells whether the endpoint has a method.
    pub(crate) fn allows(&self, method: &Method) -> bool {
        self.methods.split(", ").any(|allowed| allowed == method.as_str())
    }

    /// Returns the upstream's path for a client's one: the template with the ids filled in.
    fn fill(&self, path: &str) -> Option<String> {
        let mut filled = String::with_capacity(path.len());
        let mut given = path.split('/');
        for (position, expected) in self.template.split('/').enumerate() {
            let segment = given.next()?;
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
        given.next().is_none().then_some(filled)
    }
}

/// Where a request is to go.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) environment: Environment,
    pub(super) endpoint: &'static Endpoint,
    /// The path at the upstream.
    pub(super) path: String,
}

impl Target {
    /// Reads a path under `/api`.
    pub(super) fn parse(path: &str) -> Option<Self> {
        let (environment, rest) = Environment::ALL.into_iter().find_map(|environment| {
            let rest = path.strip_prefix("/api/")?.strip_prefix(environment.as_str())?;
            Some((environment, rest))
        })?;
        ENDPOINTS.iter().find_map(|endpoint| {
            let path = endpoint.fill(rest)?;
            Some(Self { environment, endpoint, path })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(path: &str, expect: Option<(Environment, &str)>) {
        let target = Target::parse(path);
        let found = target.as_ref().map(|target| (target.environment, target.path.as_str()));
        assert_eq!(found, expect, "{path}");
    }

    #[test]
    fn reads_the_four_endpoints() {
        use Environment::{Live, Test};
        check("/api/live/v1/forms/frm_1/submissions", Some((Live, "/v1/forms/frm_1/submissions")));
        check(
            "/api/test/v1/forms/frm_a-B_9/submissions/export",
            Some((Test, "/v1/forms/frm_a-B_9/submissions/export")),
        );
        check("/api/live/v1/submissions/sub_1", Some((Live, "/v1/submissions/sub_1")));
    }

    #[test]
    fn reads_nothing_else() {
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
    fn methods_are_those_of_the_table() {
        let [list, export, submission] = &ENDPOINTS;
        assert!(list.allows(&Method::GET) && export.allows(&Method::GET));
        assert!(submission.allows(&Method::GET) && submission.allows(&Method::DELETE));
        assert!(!list.allows(&Method::DELETE) && !export.allows(&Method::POST));
        assert!(!submission.allows(&Method::HEAD) && !submission.allows(&Method::PUT));
    }

    proptest! {
        /// Whatever the path, the upstream's is the client's without `/api/{environment}`, and
        /// made of plain characters.
        #[test]
        fn never_leads_elsewhere(
            path in concat!(
                r"/api/(live|test)(/|//|%2f|\\)v1/(forms|submissions|\.\.)/",
                r"(frm_|sub_|%2e)?.{0,9}(/submissions(/export)?)?",
            ),
        ) {
            if let Some(target) = Target::parse(&path) {
                let expect = path.strip_prefix(&format!("/api/{}", target.environment));
                prop_assert_eq!(Some(target.path.as_str()), expect);
                let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_');
                prop_assert!(target.path.bytes().all(plain) && !target.path.contains("//"));
            }
        }

        #[test]
        fn reads_every_id(id in "[A-Za-z0-9_-]{1,64}") {
            let path = format!("/api/test/v1/submissions/sub_{id}");
            let expect = format!("/v1/submissions/sub_{id}");
            prop_assert_eq!(Target::parse(&path).map(|target| target.path), Some(expect));
        }
    }
}
