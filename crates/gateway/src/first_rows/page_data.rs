//! The responses that the dashboard would request first, and the rows rendered from them.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use contract::form::FORMS_MAX;
use contract::page::LIMIT_MAX;
use contract::{Environment, Form, FormId, ListQuery, MaybePage, Page, Role, Submission};
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Limited};
use row_view::Labels;
use row_view::first_rows::{self, FirstRows};
use tower::Service;

use super::ListTarget;
use crate::audit::RequestActor;
use crate::auth::signed_in::SignedIn;
use crate::auth::{account, signed_in};
use crate::error::Error;
use crate::{Gateway, body, forward};

/// Maximum size of a response embedded in a page, in bytes.
const BYTES_MAX: usize = 1024 * 1024;

/// A response, with the URL that the dashboard would request.
struct EmbeddedResponse {
    url: String,
    body: Bytes,
    /// Rate limit headers of the response, as JSON.
    rate_limit_headers: String,
}

/// The responses that were received in time.
pub(super) struct PageData {
    responses: Vec<EmbeddedResponse>,
    /// The forms, if the server lists forms.
    forms: Option<Vec<Form>>,
    /// The form of the requested list.
    form: Option<(Environment, FormId)>,
    list: Option<Page<Submission>>,
    role: Role,
    /// Maximum wait for one response.
    wait_max: Duration,
}

impl PageData {
    /// Fetches the responses, one after the other, as the signed-in user.
    pub(super) async fn fetch_all<U>(
        gateway: &Arc<Gateway>,
        upstream: U,
        signed_in: SignedIn,
        target: ListTarget,
    ) -> Self
    where
        U: Service<http::Request<Body>, Response = http::Response<Body>> + Send + 'static,
        U::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        U::Future: Send,
    {
        let mut page_data = Self {
            responses: Vec::new(),
            forms: None,
            form: None,
            list: None,
            role: signed_in.role,
            wait_max: gateway.first_rows_wait,
        };
        let session = signed_in::session_response(gateway, Some(&signed_in));
        if page_data.fetch_one("/session", session).await.is_none() {
            return page_data;
        }
        if gateway.account_api.is_some()
            && page_data.fetch_forms(gateway, &signed_in).await.is_none()
        {
            return page_data;
        }
        let Some((environment, id)) = choose_form(target, page_data.forms.as_deref()) else {
            return page_data;
        };
        let query = ListQuery { limit: LIMIT_MAX, ..ListQuery::default() }.to_query_string();
        let url = format!("/api/{environment}/v1/forms/{id}/submissions?{query}");
        // The request only reads, so only a refusal is audited. The session identifies its actor.
        let state = State(Arc::clone(gateway));
        let actor = RequestActor::default();
        let response =
            forward::forward_request(state, signed_in, actor, upstream, build_request(&url));
        let list = page_data.fetch_one(&url, response).await;
        page_data.list = list.and_then(|list| serde_json::from_slice(&list).ok());
        page_data.form = Some((environment, id));
        page_data
    }

    /// Fetches all forms, page by page, as the dashboard does. `None` if one page fails.
    async fn fetch_forms(&mut self, gateway: &Arc<Gateway>, signed_in: &SignedIn) -> Option<()> {
        let mut forms = Vec::new();
        let mut query = ListQuery::default();
        loop {
            let url = match query.to_query_string() {
                query if query.is_empty() => "/account/forms".to_owned(),
                query => format!("/account/forms?{query}"),
            };
            let state = State(Arc::clone(gateway));
            let actor = RequestActor::default();
            let response = account::forward_to_account_api(
                state,
                signed_in.clone(),
                actor,
                build_request(&url),
            );
            let page = self.fetch_one(&url, response).await?;
            let page: MaybePage<Form> = serde_json::from_slice(&page).ok()?;
            query.cursor = page.next_cursor().map(str::to_owned);
            forms.extend(page.data);
            if query.cursor.is_none() || forms.len() >= FORMS_MAX {
                break;
            }
        }
        self.forms = Some(forms);
        Some(())
    }

    /// Waits for a response and stores it. `None` if the response is an error, late, too long or
    /// not JSON.
    async fn fetch_one(
        &mut self,
        url: &str,
        response: impl Future<Output = Result<Response, Error>>,
    ) -> Option<Bytes> {
        let body_and_headers = async {
            let (parts, body) = response.await.into_response().into_parts();
            let is_usable = parts.status == StatusCode::OK && body::is_json(&parts.headers);
            let body =
                if is_usable { Limited::new(body, BYTES_MAX).collect().await.ok() } else { None };
            Some((body?.to_bytes(), parts.headers))
        };
        let (body, headers) =
            tokio::time::timeout(self.wait_max, body_and_headers).await.ok().flatten()?;
        let rate_limit_headers: serde_json::Map<_, _> = headers
            .iter()
            .filter(|(name, _)| name.as_str().starts_with("x-ratelimit-"))
            .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.into())))
            .collect();
        let rate_limit_headers = serde_json::Value::from(rate_limit_headers).to_string();
        self.responses.push(EmbeddedResponse {
            url: url.to_owned(),
            body: body.clone(),
            rate_limit_headers,
        });
        Some(body)
    }

    /// Renders the first rows, if there are any. Test data is not rendered, because the dashboard
    /// shows a banner above it.
    pub(super) fn render_rows(&self, labels: &Labels) -> Option<FirstRows> {
        let (environment, id) = self.form.as_ref()?;
        let list = self.list.as_ref().filter(|_| *environment == Environment::Live)?;
        first_rows::render_first_rows(labels, id, self.forms.as_deref(), list, self.role)
    }

    /// Renders the responses as data blocks, which browsers do not execute.
    pub(super) fn render_data_blocks(&self) -> String {
        let mut blocks = String::new();
        for EmbeddedResponse { url, body, rate_limit_headers } in &self.responses {
            let Ok(json) = std::str::from_utf8(body) else { continue };
            // Without `<` the JSON cannot close the `script` element or open another. In JSON a `<`
            // occurs only within a string, where the escape is equivalent.
            let json = json.replace('<', "\\u003c");
            let headers = rate_limit_headers.replace('&', "&amp;").replace('"', "&quot;");
            // Writing to a string cannot fail.
            let _ = write!(
                blocks,
                "<script type=\"application/json\" data-url=\"{url}\" data-headers=\"{headers}\">\
                 {json}</script>"
            );
        }
        blocks
    }
}

/// Creates a request as the dashboard would send it.
fn build_request(url: &str) -> Request<Body> {
    let mut request = Request::new(Body::empty());
    if let Ok(uri) = url.parse() {
        *request.uri_mut() = uri;
    }
    request
}

/// Returns the form to show. Where the server lists forms, only a listed form is returned.
fn choose_form(target: ListTarget, forms: Option<&[Form]>) -> Option<(Environment, FormId)> {
    match (target, forms) {
        (ListTarget::Form(environment, id), None) => Some((environment, id)),
        (ListTarget::Form(environment, id), Some(forms)) => {
            let is_target = |form: &Form| form.id == id && form.environment == environment;
            forms.iter().any(is_target).then_some((environment, id))
        }
        (ListTarget::First(_), None) => None,
        (ListTarget::First(requested), Some(forms)) => {
            // The dashboard redirects in the same order of environments.
            Environment::ALL.into_iter().find_map(|environment| {
                let is_requested = requested.is_none_or(|requested| requested == environment);
                let form =
                    forms.iter().find(|form| is_requested && form.environment == environment)?;
                Some((environment, form.id.clone()))
            })
        }
    }
}
