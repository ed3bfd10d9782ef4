//! HTTP API: the routes of the specification, the owner's routes, and the intake of submissions.
//!
//! A request passes from the table in `router` through `middleware` to `handlers` or `intake`, and
//! from there to the [`store`]; responses return the same way. This crate does not depend on a
//! database driver or on the gateway.

mod audit;
mod cursor;
mod deletions;
mod distributions;
mod error;
pub mod fields;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod handlers;
mod html;
mod intake;
mod live;
mod locale;
mod mail;
mod message;
mod middleware;
mod notification_links;
mod openapi;
mod plan_limits;
mod router;
mod state;

pub use intake::{Country, client_of_user_agent, intake_router};
pub use mail::MailService;
pub use notification_links::notification_links_router;
pub use openapi::{documented_paths, openapi_document};
pub use plan_limits::{BURST_REQUESTS_MAX, PlanLimits, WINDOW_REQUESTS_MAX};
pub use router::{account, is_public, public_router};
pub use state::Service;
