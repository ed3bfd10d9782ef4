//! The answers that the dashboard would ask for first, as it would get them, and the rows drawn of
//! them.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use contract::form::FORMS_MAX;
use contract::page::LIMIT_MAX;
use contract::{Environment, Form, FormId, ListQuery, Page, PageOrWhole, Role, Submission};
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Limited};
use row_view::Words;
use row_view::picture::{self, Picture};
use tower::Service;

use super::Place;
use crate::audit::Asking;
use crate::auth::signed_in::SignedIn;
use crate::auth::{account, signed_in};
use crate::error::Error;
use crate::{Gateway, body, forward};

/// The longest answer that comes with a page, in bytes.
const BYTES_MAX: usize = 1024 * 1024;

/// An answer, by the address at which the dashboard would ask for it.
struct Told {
    url: String,
    body: Bytes,
    /// What its headers say of the rate limit, as JSON.
    terms: String,
}

/// The answers that came in time.
pub(super) struct Answers {
    told: Vec<Told>,
    /// The forms, where the server lists them.
    forms: Option<Vec<Form>>,
    /// The form whose list is among them.
    form: Option<(Environment, FormId)>,
    list: Option<Page<Submission>>,
    role: Role,
    /// The longest that the page waits for one of them.
    wait_max: Duration,
}

impl Answers {
    /// Asks for them, one after the other, as whoever is signed in.
    pub(super) async fn gather<U>(
        gateway: &Arc<Gateway>,
        upstream: U,
        signed_in: SignedIn,
        place: Place,
    ) -> Self
    where
        U: Service<http::Request<Body>, Response = http::Response<Body>> + Send + 'static,
        U::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        U::Future: Send,
    {
        let mut answers = Self {
            told: Vec::new(),
            forms: None,
            form: None,
            list: None,
            role: signed_in.role,
            wait_max: gateway.first_rows_wait,
        };
        let session = signed_in::answer(gateway, Some(&signed_in));
        if answers.take("/session", session).await.is_none() {
            return answers;
        }
        if gateway.account_api.is_some() && answers.take_forms(gateway, &signed_in).await.is_none()
        {
            return answers;
        }
        let Some((environment, id)) = choose(place, answers.forms.as_deref()) else {
            return answers;
        };
        let query = ListQuery { limit: LIMIT_MAX, ..ListQuery::default() }.write();
        let url = format!("/api/{environment}/v1/forms/{id}/submissions?{query}");
        // It only reads: nothing of it is noted but a refusal, by its session.
        let (state, asking) = (State(Arc::clone(gateway)), Asking::default());
        let asked = forward::call(state, signed_in, asking, upstream, ask(&url));
        let list = answers.take(&url, asked).await;
        answers.list = list.and_then(|list| serde_json::from_slice(&list).ok());
        answers.form = Some((environment, id));
        answers
    }

    /// Waits for all forms, page by page, as the dashboard asks for them. `None` if a page is none.
    async fn take_forms(&mut self, gateway: &Arc<Gateway>, signed_in: &SignedIn) -> Option<()> {
        let (mut forms, mut query) = (Vec::new(), ListQuery::default());
        loop {
            let url = match query.write() {
                query if query.is_empty() => "/account/forms".to_owned(),
                query => format!("/account/forms?{query}"),
            };
            let (state, asking) = (State(Arc::clone(gateway)), Asking::default());
            let asked = account::call(state, signed_in.clone(), asking, ask(&url));
            let page = self.take(&url, asked).await?;
            let page: PageOrWhole<Form> = serde_json::from_slice(&page).ok()?;
            query.cursor = page.next().map(str::to_owned);
            forms.extend(page.data);
            if query.cursor.is_none() || forms.len() >= FORMS_MAX {
                break;
            }
        }
        self.forms = Some(forms);
        Some(())
    }

    /// Waits for an answer. One that is refused, late, too long or no JSON is none.
    async fn take(
        &mut self,
        url: &str,
        asked: impl Future<Output = Result<Response, Error>>,
    ) -> Option<Bytes> {
        let whole = async {
            let (parts, body) = asked.await.into_response().into_parts();
            let is_told = parts.status == StatusCode::OK && body::is_json(&parts.headers);
            let body =
                if is_told { Limited::new(body, BYTES_MAX).collect().await.ok() } else { None };
            Some((body?.to_bytes(), parts.headers))
        };
        let (body, headers) = tokio::time::timeout(self.wait_max, whole).await.ok().flatten()?;
        let terms = headers.iter().filter(|(name, _)| name.as_str().starts_with("x-ratelimit-"));
        let terms: serde_json::Map<_, _> = terms
            .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.into())))
            .collect();
        let terms = serde_json::Value::from(terms).to_string();
        self.told.push(Told { url: url.to_owned(), body: body.clone(), terms });
        Some(body)
    }

    /// Draws the first rows, where there are some. Test data has a band above it, which the
    /// dashboard draws.
    pub(super) fn draw(&self, words: &Words) -> Option<Picture> {
        let (environment, id) = self.form.as_ref()?;
        let list = self.list.as_ref().filter(|_| *environment == Environment::Live)?;
        picture::draw(words, id, self.forms.as_deref(), list, self.role)
    }

    /// Writes the answers as blocks of data, which no browser runs.
    pub(super) fn blocks(&self) -> String {
        let mut blocks = String::new();
        for Told { url, body, terms } in &self.told {
            let Ok(json) = std::str::from_utf8(body) else { continue };
            // Without a `<` nothing in it ends the block, or begins another; in JSON one can only
            // stand within a text.
            let json = json.replace('<', "\\u003c");
            let terms = terms.replace('&', "&amp;").replace('"', "&quot;");
            // Writing to a string cannot fail.
            let _ = write!(
                blocks,
                "<script type=\"application/json\" data-url=\"{url}\" data-terms=\"{terms}\">\
                 {json}</script>"
            );
        }
        blocks
    }
}

/// A request as the dashboard would send it.
fn ask(url: &str) -> Request<Body> {
    let mut request = Request::new(Body::empty());
    if let Ok(uri) = url.parse() {
        *request.uri_mut() = uri;
    }
    request
}

/// Returns the form whose list is shown. Where forms are listed, none but these is.
fn choose(place: Place, forms: Option<&[Form]>) -> Option<(Environment, FormId)> {
    match (place, forms) {
        (Place::Form(environment, id), None) => Some((environment, id)),
        (Place::Form(environment, id), Some(forms)) => {
            let is_it = |form: &Form| form.id == id && form.environment == environment;
            forms.iter().any(is_it).then_some((environment, id))
        }
        (Place::First(_), None) => None,
        (Place::First(wanted), Some(forms)) => {
            // In this order, as the dashboard leads on.
            Environment::ALL.into_iter().find_map(|environment| {
                let is_wanted = wanted.is_none_or(|wanted| wanted == environment);
                let form =
                    forms.iter().find(|form| is_wanted && form.environment == environment)?;
                Some((environment, form.id.clone()))
            })
        }
    }
}
