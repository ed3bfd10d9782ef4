//! Errors of a store.

use contract::Timestamp;
use contract::form::FORMS_MAX;

/// Maximum number of keys that an account can create in an hour, including revoked ones.
pub const KEYS_PER_HOUR_MAX: usize = 20;

/// Errors of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The object to insert already exists; names it.
    #[error("{0} exists already")]
    Exists(String),
    /// The account has the maximum number of active keys.
    #[error(
        "an account may hold at most {} active keys; revoke one first",
        contract::key::ACTIVE_KEYS_MAX
    )]
    TooManyKeys,
    /// The account has created the maximum number of keys in an hour, including revoked ones.
    #[error(
        "an account may create at most {KEYS_PER_HOUR_MAX} keys in an hour; use an existing key, \
         or try again later"
    )]
    KeysTooFast,
    /// The account has the maximum number of members.
    #[error(
        "an account may have at most {} members; remove one first",
        contract::people::PEOPLE_MAX
    )]
    TooManyMembers,
    /// The member has the maximum number of external identities.
    #[error(
        "a member may have at most {} linked identities; unlink one first",
        super::identity::IDENTITIES_MAX
    )]
    TooManyIdentities,
    /// The account has the maximum number of forms.
    #[error("an account may hold at most {FORMS_MAX} forms, live and test together")]
    TooManyForms,
    /// The form has the maximum number of webhooks.
    #[error(
        "a form may have at most {} webhooks; delete one first",
        contract::webhook::WEBHOOKS_MAX
    )]
    TooManyWebhooks,
    /// The secret of the webhook was rotated, and the previous one is valid until this time.
    #[error(
        "the secret was rotated less than {} hours ago, and the one before is valid until {}; \
         rotate it after that, or create another webhook",
        contract::webhook::OLD_SECRET_HOURS,
        .0
    )]
    SecretRotated(Timestamp),
    /// The form has the maximum number of notifications.
    #[error(
        "a form may have at most {} notifications; delete one first",
        contract::notification::NOTIFICATIONS_MAX
    )]
    TooManyNotifications,
    /// The form has the maximum number of shared views, or of private views of the member.
    #[error(
        "a form may have at most {} shared views, and as many private ones of each member; delete \
         one first",
        contract::view::VIEWS_MAX
    )]
    TooManyViews,
    /// A view does not suit the notifications that use it.
    #[error(transparent)]
    View(super::views::ViewError),
    /// More matches than a list sorts by the answers to a field, or than a sorted export has.
    #[error(
        "`sort` takes at most {} matches by a field or in an export; add a filter, or omit `sort`",
        contract::sort::SORTED_MATCHES_MAX
    )]
    TooManyToSort,
    /// The source of the submissions failed; nothing was inserted.
    #[error("{0}")]
    Source(String),
    /// The database or file cannot be used; the text has the reason and what to do.
    #[error("{0}")]
    Unusable(String),
    /// The disk is full; nothing was written.
    #[error("the disk is full; free some disk space, and try again")]
    DiskFull,
    /// The disk is nearly full, and the rest is reserved for writes other than intake; nothing was
    /// written.
    #[error(
        "the disk is nearly full, and the rest is reserved; free some disk space, and try again"
    )]
    DiskReserved,
    /// The write queue is full; the value is the number of queued writes.
    #[error("{0} writes are already queued")]
    Busy(usize),
    /// The database failed. The source is for the log.
    #[error("the database failed: {0}")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The database is unreachable or overloaded; a retry may succeed.
    #[error("the database failed: {0}")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Result of a store method.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;
