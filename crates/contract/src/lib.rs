//! What both sides of the wire agree upon, written once.
//!
//! The service, the gateway and the dashboard compile this crate, natively and to WebAssembly, so
//! that a list, an export and a filter in the browser cannot mean different things. It does no
//! I/O, reads no clock, is not async, and depends on nothing else of Sheaf.
//!
//! In reading order: [`id`] and [`time`] are the words; [`submission`] and [`form`] the things;
//! [`filter`] and its [`fold`] say which submissions are meant; [`query`] is how that is written
//! in a URL; [`page`] is how the answer comes back; [`columns`], [`csv`] and [`json`] are how it is
//! exported; [`key`], [`plan`], [`rate_limit`] and [`error`] are the terms of service; [`account`],
//! [`people`], [`insight`] and [`summary`] are what the dashboard asks beside the specification,
//! [`intake`] and [`snippet`] how submissions come in, [`trash`] how deleted ones are restored,
//! [`tries`] how often a password may be tried.
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
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
pub mod id;
pub mod insight;
pub mod intake;
pub mod json;
pub mod key;
mod message;
#[cfg(feature = "openapi")]
mod openapi;
pub mod page;
pub mod people;
pub mod plan;
pub mod query;
pub mod rate_limit;
pub mod snippet;
mod stored;
pub mod submission;
pub mod summary;
pub mod time;
pub mod trash;
pub mod tries;
pub mod untrusted;

pub use account::{Account, ApiKey, CreatedKey, LinkPerson, LinkToken, NewKey, Session, SignIn};
pub use closing::Closing;
pub use columns::{Column, Columns};
pub use error::{ErrorBody, ErrorCode};
pub use filter::Filter;
pub use form::{
    Field, FieldEdit, FieldEdits, FieldType, Form, FormCopy, FormName, NewField, NewForm,
};
pub use id::{AccountId, BatchId, FieldId, FormId, KeyId, PersonId, SessionId, SubmissionId};
pub use intake::{Intake, Receipt, Spam, SpamReason};
pub use key::Environment;
pub use page::{Data, Page, PageOrWhole, Pagination};
pub use people::{Person, Role};
pub use plan::Plan;
pub use query::{ExportFormat, ExportQuery, ListQuery, QueryError};
pub use rate_limit::RateLimit;
pub use submission::{Answers, Insight, Metadata, Submission};
pub use time::Timestamp;
pub use tries::TryRules;

/// Largest body of a request, in bytes.
pub const BODY_BYTES_MAX: usize = 256 * 1024;

/// Something to read on one line: no control character, and not spaces alone.
#[cfg(feature = "openapi")]
pub(crate) const NAME_PATTERN: &str =
    concat!(r"^[^\x00-\x1f\x7f-\x9f]*", r"[^\s\x00-\x1f\x7f-\x9f]", r"[^\x00-\x1f\x7f-\x9f]*$");
