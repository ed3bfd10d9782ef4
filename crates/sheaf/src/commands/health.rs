//! `sheaf health`: queries the operator endpoints of a running server, for containers without curl.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::{Request, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::time::timeout;

use crate::args;
use crate::error::{Error, Result};
use crate::output;

/// Timeout of the request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum size of the response, in bytes.
const BODY_BYTES_MAX: usize = 64 * 1024;

/// Queries the server and prints its response.
///
/// # Errors
/// A server that is not ready or, with `--alive`, does not answer.
pub(crate) async fn run(args: args::Health) -> Result<()> {
    let Some(listen) = args.at.operator_listen else {
        return Err(Error::invalid(
            "`--operator-listen` is missing; set it to the address that the server uses",
        ));
    };
    let address = connectable_address(listen);
    let path = if args.alive { "healthz" } else { "readyz" };
    let response = timeout(REQUEST_TIMEOUT, send_request(format!("http://{address}/{path}"))).await;
    let (status, text) = response
        .map_err(|_| Error::invalid(format!("the server on `{address}` did not answer in time")))?
        .map_err(|problem| {
            Error::invalid(format!("the server on `{address}` did not answer: {problem}"))
        })?;
    if status.is_success() {
        output::print_line(text)
    } else {
        Err(Error::invalid(format!("the server on `{address}` is not ready: {text}")))
    }
}

async fn send_request(url: String) -> std::result::Result<(StatusCode, String), String> {
    let client = Client::builder(TokioExecutor::new()).build(HttpConnector::new());
    let request = Request::get(url).body(Empty::<Bytes>::new()).map_err(|e| e.to_string())?;
    let answer = client.request(request).await.map_err(|error| innermost_error(&error))?;
    let status = answer.status();
    let body = Limited::new(answer.into_body(), BODY_BYTES_MAX).collect().await;
    let body = body.map_err(|error| error.to_string())?.to_bytes();
    Ok((status, String::from_utf8_lossy(&body).trim_end().to_owned()))
}

/// Returns the innermost error. The outer ones only say that the request failed.
fn innermost_error(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), innermost_error)
}

/// Replaces an unspecified address by the loopback address, which a client can connect to.
pub(crate) fn connectable_address(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unspecified_address_is_replaced_by_loopback() {
        let check = |listen: &str, expected: &str| {
            assert_eq!(connectable_address(listen.parse().unwrap()).to_string(), expected);
        };
        check("0.0.0.0:9090", "127.0.0.1:9090");
        check("[::]:9090", "[::1]:9090");
        check("10.0.0.7:9090", "10.0.0.7:9090");
    }
}
