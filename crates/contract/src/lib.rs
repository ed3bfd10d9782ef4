//! Types and rules shared by the server and its clients: identifiers, submissions, filters, queries
//! and export formats.
//!
//! The API, the gateway and the dashboard compile this crate, natively and to WebAssembly, so that
//! a list, an export and a filter in the browser have the same meaning everywhere. The crate does
//! no I/O, reads no clock, is not async, and depends on no other crate of Sheaf.
//!
//! Reading order:
//! - basic types: [`id`], [`time`];
//! - the data: [`submission`], [`form`];
//! - the filter: [`filter`] and its case folding in [`fold`]; [`query`] writes it in a URL;
//! - responses: [`page`], [`error`];
//! - exports: [`columns`], [`csv`], [`json`];
//! - API keys and limits: [`key`], [`plan`], [`rate_limit`], [`login_attempts`];
//! - additions to the specification: [`account`], [`people`], [`insight`], [`summary`], [`inbox`],
//!   [`intake`], [`snippet`], [`trash`], [`live`], [`view`], [`webhook`] and [`notification`].
#![deny(missing_docs)]

pub mod account;
pub mod audit;
pub mod closing;
pub mod columns;
pub mod csv;
pub mod error;
pub mod filter;
pub mod fold;
pub mod form;
pub mod form_access;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
pub mod id;
pub mod inbox;
pub mod insight;
pub mod intake;
pub mod json;
pub mod key;
pub mod live;
pub mod login_attempts;
mod message;
mod named_enum;
pub mod network;
pub mod notification;
#[cfg(feature = "openapi")]
mod openapi;
pub mod page;
pub mod people;
pub mod plan;
pub mod query;
pub mod rate_limit;
mod raw_submission;
pub mod session;
pub mod snippet;
pub mod sort;
pub mod submission;
pub mod summary;
pub mod time;
pub mod trash;
pub mod triage;
pub mod untrusted;
pub mod view;
pub mod webhook;

pub use account::{
    Account, CurrentSession, EmailLinkRequest, LinkPerson, LinkToken, Session, SignIn,
};
pub use closing::Closing;
pub use columns::{Column, Columns};
pub use error::{ErrorBody, ErrorCode};
pub use filter::Filter;
pub use form::{
    Field, FieldEdit, FieldEdits, FieldType, Form, FormCopy, FormName, NewField, NewForm,
};
pub use form_access::FormAccess;
pub use id::{
    AccountId, BatchId, DeliveryId, FieldId, FormId, KeyId, NoteId, NotificationId, PersonId,
    SessionId, SubmissionId, ViewId, WebhookId,
};
pub use inbox::{InboxQuery, InboxSummaryQuery};
pub use intake::{Intake, Receipt, SpamReason, SpamSubmission};
pub use key::{ApiKey, CreatedKey, Environment, KeyAccess, NewKey};
pub use login_attempts::LoginAttemptLimits;
pub use notification::Notification;
pub use page::{Data, MaybePage, Page, Pagination};
pub use people::{Person, Role};
pub use plan::Plan;
pub use query::{ExportFormat, ExportQuery, ListQuery, QueryError};
pub use rate_limit::RateLimit;
pub use sort::{Sort, SortBy, SortKey, SortPlace, SortValue};
pub use submission::{Answers, Insight, Metadata, Submission};
pub use time::Timestamp;
pub use triage::Triage;
pub use view::View;
pub use webhook::Webhook;

/// Maximum size of a request body, in bytes.
pub const BODY_BYTES_MAX: usize = 256 * 1024;

/// Pattern of a name: one line without control characters, with at least one visible character.
#[cfg(feature = "openapi")]
pub(crate) const NAME_PATTERN: &str =
    concat!(r"^[^\x00-\x1f\x7f-\x9f]*", r"[^\s\x00-\x1f\x7f-\x9f]", r"[^\x00-\x1f\x7f-\x9f]*$");
