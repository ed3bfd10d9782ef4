//! A client of the API for Rust programs: thin over `contract`, which has the types.
//!
//! It tries again where that may help and is safe, waits as long as the server says, and ends at a
//! deadline. It follows no redirect, sends the key over TLS alone unless told otherwise, and never
//! prints or logs it.
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
//! In reading order: [`Client`] and its [`Options`]; [`Error`]; [`Export`].

mod base;
mod error;
mod exchange;
mod export;
mod options;
mod pages;
mod retry;
mod whole;

pub use contract;
pub use error::{Error, Refusal};
pub use export::Export;
pub use options::{Key, Options};

use base::Base;
use contract::{Data, ExportQuery, FormId, ListQuery, Page, RateLimit, Submission, SubmissionId};
use exchange::Exchange;
use futures_util::Stream;
use http::Method;
use retry::Past;
use std::sync::Arc;

/// A client of one server, with one key. A clone shares its connections.
#[derive(Debug, Clone)]
pub struct Client(Arc<Exchange>);

impl Client {
    /// Returns a client of the server at `base_url` (without `/v1`), with the usual [`Options`].
    ///
    /// # Errors
    /// [`Error::SetUp`] for an address or a key that cannot be used; plain `http` is refused where
    /// the host is another machine.
    pub fn new(base_url: &str, key: impl Into<Key>) -> Result<Self, Error> {
        Self::with(base_url, key, Options::default())
    }

    /// As [`Client::new`], with other options.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn with(base_url: &str, key: impl Into<Key>, options: Options) -> Result<Self, Error> {
        let base = Base::parse(base_url, options.allows_plain_http)?;
        Ok(Self(Arc::new(Exchange::new(base, &key.into(), options)?)))
    }

    /// Lists one page of a form's submissions (§4.1).
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn list(&self, form: &FormId, query: &ListQuery) -> Result<Page<Submission>, Error> {
        let path = target(&format!("/v1/forms/{form}/submissions"), &query.write());
        Ok(self.0.json(Method::GET, &path).await?.0)
    }

    /// Streams the pages of a form's submissions from the query's own on, until the last.
    ///
    /// A page is asked for when the one before was taken. A stream that failed has ended; a new one
    /// can begin at the last cursor that was seen.
    pub fn pages(
        &self,
        form: &FormId,
        query: &ListQuery,
    ) -> impl Stream<Item = Result<Page<Submission>, Error>> + Send + Unpin + 'static {
        Box::pin(pages::pages(self.clone(), form.clone(), query.clone()))
    }

    /// Streams a form's submissions, newest first, page by page. A query without a limit of its
    /// own is asked for by the largest pages.
    pub fn submissions(
        &self,
        form: &FormId,
        query: &ListQuery,
    ) -> impl Stream<Item = Result<Submission, Error>> + Send + Unpin + 'static {
        Box::pin(pages::submissions(self.clone(), form.clone(), query.clone()))
    }

    /// Gets one submission (§4.2).
    ///
    /// # Errors
    /// See [`Error`]; one that is not there is a [`Refusal`] of status 404.
    pub async fn get(&self, id: &SubmissionId) -> Result<Submission, Error> {
        let path = format!("/v1/submissions/{id}");
        let (Data { data }, _) = self.0.json(Method::GET, &path).await?;
        Ok(data)
    }

    /// Deletes one submission, for good (§4.3).
    ///
    /// Where an answer was lost on the way and the next try finds nothing, it was this deletion
    /// that took it away: that is success. A submission that was not there at first is a
    /// [`Refusal`] of status 404.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn delete(&self, id: &SubmissionId) -> Result<(), Error> {
        let path = format!("/v1/submissions/{id}");
        match self.0.nothing(Method::DELETE, &path).await {
            Err((error, Past::MayBeDone)) if error.status() == Some(404) => Ok(()),
            Err((error, _)) => Err(error),
            Ok(()) => Ok(()),
        }
    }

    /// Exports a form's submissions as a stream of bytes (§4.4). One that was cut ends in
    /// [`Error::Cut`].
    ///
    /// The deadline of the [`Options`] is for the answer to begin; the file may take as long as it
    /// does, so long as it does not stand still.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn export(&self, form: &FormId, query: &ExportQuery) -> Result<Export, Error> {
        let path = target(&format!("/v1/forms/{form}/submissions/export"), &query.write());
        let response = self.0.head(Method::GET, &path).await?;
        Export::new(response, query.format, self.0.options().silence)
    }

    /// Where the key stood at the last answer that told (§8.2).
    pub fn rate_limit(&self) -> Option<RateLimit> {
        self.0.rate_limit()
    }
}

/// Returns a path with its query.
fn target(path: &str, query: &str) -> String {
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}
