//! Rust client of the API: a thin layer over `contract`, which has the types.
//!
//! The client retries requests if that is safe and may help, waits as long as the server asks, and
//! stops at a deadline. It follows no redirects. It sends the API key only over TLS by default, and
//! never prints or logs it.
//!
//! ```no_run
//! use client::{Client, contract::ListQuery};
//! use futures_util::TryStreamExt as _;
//!
//! # async fn example() -> Result<(), client::Error> {
//! let client = Client::new("https://forms.example.com", "svc_sk_live_…")?;
//! let form = "frm_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f".parse().expect("an id of a form");
//! let query = ListQuery::parse("search=café&date_from=2026-03-01").expect("a query");
//! let mut submissions = client.submissions(&form, &query);
//! while let Some(submission) = submissions.try_next().await? {
//!     println!("{} {}", submission.id, submission.metadata.submitted_at);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Reading order: [`Client`] and its [`Options`]; [`Error`]; [`Export`].

mod base;
mod completeness;
mod error;
mod export;
mod options;
mod pages;
mod request;
mod retry;

pub use contract;
pub use error::{Error, Refusal};
pub use export::Export;
pub use options::{Key, Options};

use base::BaseUrl;
use contract::{
    Data, ExportQuery, Form, FormId, ListQuery, Page, RateLimit, Submission, SubmissionId,
};
use futures_util::Stream;
use http::Method;
use request::RequestSender;
use retry::PossibleEffect;
use std::sync::Arc;

/// Client of one server with one API key. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Client(Arc<RequestSender>);

impl Client {
    /// Creates a client of the server at `base_url` (without `/v1`) with default [`Options`].
    ///
    /// # Errors
    /// [`Error::SetUp`] if the address or the key cannot be used. Plain `http` to another host is
    /// refused.
    pub fn new(base_url: &str, key: impl Into<Key>) -> Result<Self, Error> {
        Self::with_options(base_url, key, Options::default())
    }

    /// Creates a client with options, otherwise as [`Client::new`].
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn with_options(
        base_url: &str,
        key: impl Into<Key>,
        options: Options,
    ) -> Result<Self, Error> {
        let base = BaseUrl::parse(base_url, options.allows_plain_http)?;
        Ok(Self(Arc::new(RequestSender::new(base, &key.into(), options)?)))
    }

    /// Returns one page of the forms of the key's environment, oldest first. It is not in the
    /// specification, so other servers may return 404.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn list_forms(&self, limit: u16, cursor: Option<&str>) -> Result<Page<Form>, Error> {
        let cursor = cursor.map(str::to_owned);
        let query = ListQuery { limit, cursor, ..ListQuery::default() };
        let path = path_with_query("/v1/forms", &query.to_query_string());
        Ok(self.0.send_for_json(Method::GET, &path).await?.0)
    }

    /// Returns one form with its fields. It is not in the specification, so other servers may
    /// return 404.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn get_form(&self, id: &FormId) -> Result<Form, Error> {
        let (Data { data }, _) =
            self.0.send_for_json(Method::GET, &format!("/v1/forms/{id}")).await?;
        Ok(data)
    }

    /// Returns one page of a form's submissions (specification, section 4.1).
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn list(&self, form: &FormId, query: &ListQuery) -> Result<Page<Submission>, Error> {
        let path =
            path_with_query(&format!("/v1/forms/{form}/submissions"), &query.to_query_string());
        Ok(self.0.send_for_json(Method::GET, &path).await?.0)
    }

    /// Streams the pages of a form's submissions, from the query's page to the last one.
    ///
    /// A page is requested when the previous one was consumed. The stream ends at the first error;
    /// a new stream can continue at the last seen cursor.
    pub fn pages(
        &self,
        form: &FormId,
        query: &ListQuery,
    ) -> impl Stream<Item = Result<Page<Submission>, Error>> + Send + Unpin + 'static {
        Box::pin(pages::stream_pages(self.clone(), form.clone(), query.clone()))
    }

    /// Streams a form's submissions, newest first, page by page. If the query has the default
    /// limit, the maximum page size is used.
    pub fn submissions(
        &self,
        form: &FormId,
        query: &ListQuery,
    ) -> impl Stream<Item = Result<Submission, Error>> + Send + Unpin + 'static {
        Box::pin(pages::stream_submissions(self.clone(), form.clone(), query.clone()))
    }

    /// Returns one submission (specification, section 4.2).
    ///
    /// # Errors
    /// See [`Error`]. An unknown submission is a [`Refusal`] with status 404.
    pub async fn get(&self, id: &SubmissionId) -> Result<Submission, Error> {
        let path = format!("/v1/submissions/{id}");
        let (Data { data }, _) = self.0.send_for_json(Method::GET, &path).await?;
        Ok(data)
    }

    /// Deletes one submission permanently (specification, section 4.3).
    ///
    /// If the response of an attempt was lost and the next attempt returns 404, the deletion counts
    /// as successful. If the first attempt returns 404, the result is a [`Refusal`].
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn delete(&self, id: &SubmissionId) -> Result<(), Error> {
        let path = format!("/v1/submissions/{id}");
        match self.0.send_for_empty(Method::DELETE, &path).await {
            Err((error, PossibleEffect::MayBeDone)) if error.status() == Some(404) => Ok(()),
            Err((error, _)) => Err(error),
            Ok(()) => Ok(()),
        }
    }

    /// Exports a form's submissions as a stream of bytes (specification, section 4.4). A truncated
    /// export ends with [`Error::Truncated`].
    ///
    /// The deadline in [`Options`] applies until the response begins. After that the download may
    /// take any time, as long as it does not stall.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn export(&self, form: &FormId, query: &ExportQuery) -> Result<Export, Error> {
        let path = path_with_query(
            &format!("/v1/forms/{form}/submissions/export"),
            &query.to_query_string(),
        );
        let response = self.0.send_for_head(Method::GET, &path).await?;
        Export::new(response, query.format, self.0.options().stall_timeout)
    }

    /// Returns the most recent rate-limit headers (specification, section 8.2).
    pub fn rate_limit(&self) -> Option<RateLimit> {
        self.0.rate_limit()
    }
}

/// Appends a query string to a path.
fn path_with_query(path: &str, query: &str) -> String {
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}
