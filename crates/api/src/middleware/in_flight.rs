//! Limits the memory of large responses in progress, per account and in total, so that slow readers
//! of one account do not exhaust it.
//!
//! A response counts until its last byte is passed to the socket or its connection ends.

use crate::error::{Error, Result};
use axum::body::{Body, HttpBody as _};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use contract::{AccountId, Timestamp};
use futures_util::FutureExt as _;
use http_body_util::BodyExt as _;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::window::lock;

/// Minimum size of a counted response. The limits on connections bound shorter ones.
const COUNTED_BYTES_MIN: usize = 32 * 1024;
/// Bytes charged for a response of unknown length: an export, which is read as it is sent.
const STREAM_BYTES: usize = 1 << 20;
/// Maximum bytes of an account's responses in progress.
const ACCOUNT_BYTES_MAX: usize = 64 << 20;
/// Maximum bytes of all responses in progress.
const ALL_BYTES_MAX: usize = 256 << 20;

/// Marks a response with a limit of its own, which is not counted here.
#[derive(Clone, Copy)]
pub(crate) struct SeparatelyLimited;

/// Counts of the responses in progress. Clones share the counts.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<ResponseCounts>>);

#[derive(Default)]
struct ResponseCounts {
    total: usize,
    by_account: HashMap<AccountId, usize>,
}

/// Bytes charged for a response; released on drop.
struct Permit {
    in_flight: InFlight,
    account: AccountId,
    bytes: usize,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut counts = lock(&self.in_flight.0);
        counts.total -= self.bytes;
        if let Some(bytes) = counts.by_account.get_mut(&self.account) {
            *bytes -= self.bytes;
            if *bytes == 0 {
                counts.by_account.remove(&self.account);
            }
        }
    }
}

/// Bytes that are charged until the last reference to them is dropped.
struct ChargedBytes {
    bytes: Bytes,
    _permit: Permit,
}

impl AsRef<[u8]> for ChargedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl InFlight {
    /// Charges a response to an account until it is sent. Returns an error response instead if a
    /// limit is exceeded.
    pub(crate) fn charge_response(
        &self,
        account: &AccountId,
        response: Response,
        now: Timestamp,
    ) -> Response {
        let exact = response.body().size_hint().exact();
        let bytes =
            exact.map_or(STREAM_BYTES, |exact| usize::try_from(exact).unwrap_or(usize::MAX));
        let is_separate = response.extensions().get::<SeparatelyLimited>().is_some();
        if bytes < COUNTED_BYTES_MIN || is_separate {
            return response;
        }
        match self.acquire_permit(account, bytes, now) {
            Err(error) => error.into_response(),
            Ok(permit) if exact.is_none() => response.map(|body| {
                Body::new(body.map_frame(move |frame| {
                    // The closure owns the permit, which is released with the body.
                    let _permit = &permit;
                    frame
                }))
            }),
            Ok(permit) => attach_permit(permit, response),
        }
    }

    fn acquire_permit(&self, account: &AccountId, bytes: usize, now: Timestamp) -> Result<Permit> {
        let mut counts = lock(&self.0);
        let account_bytes = counts.by_account.get(account).copied().unwrap_or_default();
        let total_bytes = counts.total;
        if account_bytes.saturating_add(bytes) > ACCOUNT_BYTES_MAX {
            return Err(Error::too_many_responses(now));
        }
        if total_bytes.saturating_add(bytes) > ALL_BYTES_MAX {
            return Err(Error::too_many_responses_in_total());
        }
        counts.total += bytes;
        *counts.by_account.entry(account.clone()).or_default() += bytes;
        Ok(Permit { in_flight: self.clone(), account: account.clone(), bytes })
    }
}

/// Attaches a permit to the bytes of a complete response. Slices of the bytes keep the permit.
fn attach_permit(permit: Permit, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    // A body of known length is in memory, so this does not wait.
    match body.collect().now_or_never() {
        Some(Ok(collected)) => {
            let charged = ChargedBytes { bytes: collected.to_bytes(), _permit: permit };
            Response::from_parts(parts, Body::from(Bytes::from_owner(charged)))
        }
        Some(Err(error)) => Error::internal(error).into_response(),
        None => Error::internal("a body of known length was not in memory").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::StatusCode;

    fn account(n: usize) -> AccountId {
        format!("acc_{n}").parse().unwrap()
    }

    fn response_of(bytes: usize) -> Response {
        Response::new(Body::from(vec![b'x'; bytes]))
    }

    const RESPONSE_BYTES: usize = 16 << 20;

    fn now() -> Timestamp {
        Timestamp::from_micros(1_772_366_400_000_000).unwrap()
    }

    #[tokio::test]
    async fn account_limit_holds_until_bytes_are_dropped() {
        let in_flight = InFlight::default();
        let charge = |n| in_flight.charge_response(&account(n), response_of(RESPONSE_BYTES), now());
        let mut under_way: Vec<Response> = (0..4).map(|_| charge(1)).collect();
        assert!(under_way.iter().all(|answer| answer.status() == StatusCode::OK));
        assert_eq!(under_way[0].body().size_hint().exact(), Some(RESPONSE_BYTES as u64));
        let refused = charge(1);
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(refused.headers()["retry-after"], "1");
        assert_eq!(charge(2).status(), StatusCode::OK, "another account has its own limit");
        let read = under_way.pop().unwrap().into_body().collect().await.unwrap().to_bytes();
        assert_eq!(charge(1).status(), StatusCode::TOO_MANY_REQUESTS, "the bytes are in use");
        let part = read.slice(0..1);
        drop(read);
        assert_eq!(charge(1).status(), StatusCode::TOO_MANY_REQUESTS, "a slice is in use");
        drop(part);
        assert_eq!(charge(1).status(), StatusCode::OK);
        drop(under_way);
        assert_eq!(lock(&in_flight.0).total, 0);
        assert!(lock(&in_flight.0).by_account.is_empty());
    }

    #[test]
    fn total_limit_applies_to_all_accounts() {
        let in_flight = InFlight::default();
        let charge = |n| in_flight.charge_response(&account(n), response_of(RESPONSE_BYTES), now());
        let under_way: Vec<Response> = (0..16).map(charge).collect();
        assert!(under_way.iter().all(|answer| answer.status() == StatusCode::OK));
        assert_eq!(charge(16).status(), StatusCode::SERVICE_UNAVAILABLE);
        let short =
            in_flight.charge_response(&account(16), response_of(COUNTED_BYTES_MIN - 1), now());
        assert_eq!(short.status(), StatusCode::OK, "short responses are not counted");
    }

    #[test]
    fn streams_count_until_they_are_dropped() {
        let in_flight = InFlight::default();
        let stream = || {
            let pieces = futures_util::stream::pending::<Result<Bytes, std::io::Error>>();
            in_flight.charge_response(&account(1), Response::new(Body::from_stream(pieces)), now())
        };
        let under_way: Vec<Response> = (0..64).map(|_| stream()).collect();
        assert_eq!(stream().status(), StatusCode::TOO_MANY_REQUESTS);
        let mut separate = Response::new(Body::from_stream(futures_util::stream::pending::<
            Result<Bytes, std::io::Error>,
        >()));
        separate.extensions_mut().insert(SeparatelyLimited);
        let separate = in_flight.charge_response(&account(1), separate, now());
        assert_eq!(separate.status(), StatusCode::OK);
        drop(under_way);
        assert_eq!(stream().status(), StatusCode::OK);
    }
}
