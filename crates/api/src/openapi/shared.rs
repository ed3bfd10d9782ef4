//! Parts that all operations of a router share: security, headers of every response, and errors
//! that occur before any handler.

use super::auth_scheme::AuthScheme;
use super::describe::{Describe as _, Op, add_error, responses, schema_of};
use super::{error_samples, samples};
use aide::axum::ApiRouter;
use aide::openapi::{Components, Operation, Parameter, ReferenceOr};
use aide::util::iter_operations_mut;
use contract::account::{CSRF_HEADER, CSRF_VALUE};
use contract::{ErrorBody, ErrorCode};
use serde_json::{Map, Value, json};
use std::cell::Cell;

/// The gateway's errors for a body that it rejects.
pub(super) const BODY_ERRORS: [(u16, &str); 2] = [
    (413, "the body may have 262144 bytes at most"),
    (415, "the body must be JSON: send `content-type: application/json` and no encoding"),
];

thread_local! {
    /// Whether the document is being generated on this thread. aide runs the descriptions while a
    /// router is built, and a server only needs its handlers.
    static IS_DESCRIBING: Cell<bool> = const { Cell::new(false) };
}

/// Whether the document is being generated.
pub(super) fn is_describing() -> bool {
    IS_DESCRIBING.get()
}

/// Runs a function that builds routers with descriptions.
pub(super) fn describe<T>(generate: impl FnOnce() -> T) -> T {
    IS_DESCRIBING.set(true);
    let generated = generate();
    IS_DESCRIBING.set(false);
    generated
}

/// Returns a description that does nothing unless the document is being generated.
pub(crate) fn if_described(
    describe: impl FnOnce(Op<'_>) -> Op<'_>,
) -> impl FnOnce(Op<'_>) -> Op<'_> {
    move |operation| if is_describing() { describe(operation) } else { operation }
}

/// Adds the shared parts to all operations of a router, if the document is being generated.
pub(crate) fn complete_router<S: Clone + Send + Sync + 'static>(
    router: ApiRouter<S>,
    scheme: AuthScheme,
    tag: &str,
) -> ApiRouter<S> {
    if !is_describing() {
        return router;
    }
    router.with_path_items(|mut item| {
        for (method, operation) in iter_operations_mut(item.inner_mut()) {
            scheme.complete_operation(tag, method, operation);
        }
        item
    })
}

impl AuthScheme {
    /// Adds the parts that all operations of the scheme share.
    pub(super) fn complete_operation(self, tag: &str, method: &str, operation: &mut Operation) {
        operation.tags.push(tag.to_owned());
        operation.security = match self {
            Self::Key => samples::parse_sample(&json!([{"ApiKey": []}])),
            Self::Account | Self::Session => samples::parse_sample(&json!([{"Session": []}])),
            Self::Dashboard | Self::Anyone | Self::Sender => Vec::new(),
        };
        if matches!(self, Self::Account | Self::Session | Self::Dashboard) {
            operation.parameters.insert(0, samples::parse_sample(&csrf_parameter()));
        }
        if self == Self::Account && operation.request_body.is_some() {
            let _ = Op::new(operation).add_errors_with_status(&BODY_ERRORS);
        }
        if method != "get" && matches!(self, Self::Key | Self::Account) {
            let _ = Op::new(operation).add_busy_writing();
        }
        if has_id(operation) && self != Self::Sender {
            add_error(operation, ErrorCode::NotFound);
        }
        for code in self.errors() {
            add_error(operation, *code);
        }
        let headers: Vec<_> = self.headers().into_iter().collect();
        let answers = &mut responses(operation).responses;
        for answer in answers.values_mut() {
            match answer {
                ReferenceOr::Reference { reference, .. } => *reference = self.error_ref(reference),
                ReferenceOr::Item(response) => {
                    let shared =
                        headers.iter().map(|(name, it)| (name.clone(), samples::parse_sample(it)));
                    response.headers.extend(shared);
                }
            }
        }
        answers.sort_unstable_keys();
    }

    /// Returns the errors of all operations.
    fn errors(self) -> &'static [ErrorCode] {
        use ErrorCode::{Forbidden, Internal, RateLimitExceeded, Unauthorized, Validation};
        match self {
            Self::Key | Self::Account => {
                &[Validation, Unauthorized, Forbidden, RateLimitExceeded, Internal]
            }
            Self::Session => &[Validation, Unauthorized, Forbidden, Internal],
            Self::Dashboard => &[Forbidden, Internal],
            Self::Anyone => &[Validation, RateLimitExceeded, Internal],
            Self::Sender => &[Validation, Internal],
        }
    }

    /// Returns the headers of all responses.
    fn headers(self) -> Map<String, Value> {
        let names: &[&str] = match self {
            Self::Key | Self::Anyone => &RATE_LIMIT,
            Self::Sender => &["Access-Control-Allow-Origin"],
            Self::Account | Self::Session | Self::Dashboard => &[],
        };
        header_refs(names)
    }

    fn error_ref(self, code: &str) -> String {
        let prefix = match self {
            Self::Key | Self::Anyone => "",
            Self::Account | Self::Session | Self::Dashboard => "Gateway",
            Self::Sender => "Sender",
        };
        format!("#/components/responses/{prefix}{code}")
    }

    /// Returns the response of an error.
    fn error(self, code: ErrorCode) -> Value {
        let (about, example) = error_samples::describe_error(self, code);
        let mut headers = self.headers();
        if code == ErrorCode::RateLimitExceeded {
            if self == Self::Account {
                headers.extend(header_refs(&RATE_LIMIT));
            }
            headers.extend(header_refs(&["Retry-After"]));
        }
        let schema = schema_of::<ErrorBody>();
        let mut content = json!({"application/json": {"schema": schema, "example": example}});
        if self == Self::Sender {
            content["text/html"] = json!({"schema": {"type": "string"}});
        }
        json!({"description": about, "headers": headers, "content": content})
    }
}

/// Returns whether the path has an identifier, which may be unknown.
fn has_id(operation: &Operation) -> bool {
    let parameters = operation.parameters.iter().filter_map(ReferenceOr::as_item);
    parameters.into_iter().any(|parameter| matches!(parameter, Parameter::Path { .. }))
}

const RATE_LIMIT: [&str; 3] = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

fn header_refs(names: &[&str]) -> Map<String, Value> {
    let header = |name: &str| json!({"$ref": format!("#/components/headers/{name}")});
    names.iter().map(|name| ((*name).to_owned(), header(name))).collect()
}

fn csrf_parameter() -> Value {
    json!({
        "in": "header", "name": CSRF_HEADER, "required": true,
        "description": "Distinguishes requests of the dashboard from forged ones: another site \
            cannot add it.",
        "schema": {"type": "string", "const": CSRF_VALUE},
    })
}

/// Returns the security schemes, the headers, and the errors to which `paths` refers.
pub(super) fn components(paths: &str) -> Components {
    let mut errors = Map::new();
    for scheme in [AuthScheme::Key, AuthScheme::Account, AuthScheme::Sender] {
        for code in ErrorCode::ALL {
            let reference = scheme.error_ref(&format!("{code:?}"));
            if paths.contains(&format!("\"{reference}\"")) {
                let name = reference.rsplit('/').next().unwrap_or_default();
                errors.insert(name.to_owned(), scheme.error(code));
            }
        }
    }
    let whole = |about: &str, min: u64| {
        json!({
            "description": about, "required": true,
            "schema": {"type": "integer", "minimum": min},
        })
    };
    samples::parse_sample(&json!({
        "securitySchemes": {
            "ApiKey": {
                "type": "apiKey", "in": "header", "name": "X-API-Key",
                "description": "A key from the dashboard (Settings > API keys). Its prefix, \
                    `svc_sk_live_` or `svc_sk_test_`, names its environment. For use on servers \
                    only: it allows reading and deleting all submissions of its environment.",
            },
            "Session": {
                "type": "apiKey", "in": "cookie", "name": "sheaf",
                "description": "The cookie that `POST /session` sets; `__Host-Http-sheaf` over \
                    TLS.",
            },
        },
        "headers": {
            "X-RateLimit-Limit": whole("Maximum requests in any 15 minutes.", 1),
            "X-RateLimit-Remaining": whole("Remaining requests.", 0),
            "X-RateLimit-Reset": whole(
                "Unix time, in seconds, at which the full limit is available again if no more \
                 requests are sent.",
                0,
            ),
            "Access-Control-Allow-Origin": {
                "description": "Pages of any origin may read the response.", "required": true,
                "schema": {"type": "string", "const": "*"},
            },
            "Retry-After": whole(
                "Seconds until the next request is admitted, the same as `retry_after`.",
                1,
            ),
        },
        "responses": errors,
    }))
}
