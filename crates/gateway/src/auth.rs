//! Authentication and authorisation: sessions, sign-in, roles, auth proxies, and the routes for
//! accounts and members.

pub(crate) mod access;
pub(crate) mod account;
pub(crate) mod accounts;
pub(crate) mod browser;
pub(crate) mod cookie;
pub(crate) mod csrf;
pub(crate) mod email_code;
pub(crate) mod email_link;
pub mod identity;
pub(crate) mod login_throttle;
pub(crate) mod mail_limits;
pub(crate) mod mailer;
pub(crate) mod new_session;
pub mod password;
pub(crate) mod people;
pub(crate) mod proxy_auth;
pub(crate) mod roles;
pub(crate) mod session;
pub(crate) mod signed_in;
