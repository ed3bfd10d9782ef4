//! Arguments of webhooks: `sheaf webhook`, and the receivers that a server allows.

use clap::builder::{BoolishValueParser, PossibleValuesParser, TypedValueParser as _};
use clap::{Args, Subcommand};
use contract::webhook::{WebhookEvent, WebhookFormat};
use contract::{DeliveryId, FormId, WebhookId};
use ipnet::IpNet;
use notify::AddressPolicy;
use std::net::IpAddr;
use std::path::PathBuf;

use super::{OutputArgs, excerpt};

/// Maximum of `sheaf webhook deliveries --limit`.
const DELIVERIES_MAX: i64 = 10_000;
/// Maximum of `sheaf webhook test --wait`, in seconds.
const WAIT_S_MAX: u64 = 300;

/// Receivers of webhooks that are allowed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Webhooks")]
pub(crate) struct WebhookAddresses {
    /// Allow webhooks without TLS, to `http://` URLs
    #[arg(long, env = "SHEAF_WEBHOOK_ALLOW_HTTP", value_parser = BoolishValueParser::new())]
    webhook_allow_http: bool,
    /// Allow webhooks to this network, such as `10.0.0.0/8`, although it is not public
    ///
    /// Can be repeated. Everyone who can create webhooks can then send requests to all servers of
    /// the network.
    #[arg(
        long,
        value_name = "CIDR",
        env = "SHEAF_WEBHOOK_ALLOW_NETWORK",
        value_parser = parse_networks
    )]
    webhook_allow_network: Vec<Networks>,
}

/// Networks of one value of `--webhook-allow-network`.
#[derive(Debug, Clone)]
struct Networks(Vec<IpNet>);

impl WebhookAddresses {
    /// Returns the policy for the URLs of webhooks.
    pub(crate) fn policy(&self) -> AddressPolicy {
        let networks = self.webhook_allow_network.iter().flat_map(|value| value.0.clone());
        AddressPolicy::new(self.webhook_allow_http, networks.collect())
    }
}

/// Sending of webhooks by a server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Webhooks")]
pub(crate) struct Webhooks {
    #[command(flatten)]
    pub(crate) addresses: WebhookAddresses,
    /// File with CA certificates (PEM) to trust for webhooks, in addition to the public ones
    #[arg(long, value_name = "FILE")]
    pub(crate) webhook_ca: Option<PathBuf>,
}

/// Subcommands of `sheaf webhook`.
#[derive(Debug, Subcommand)]
pub(crate) enum Webhook {
    /// Creates a webhook and prints its id and secret as JSON
    ///
    /// The secret verifies signatures. It is printed only once.
    Create {
        /// Id of the form
        #[arg(long)]
        form: FormId,
        /// URL of the receiver, with `https`
        #[arg(long)]
        url: String,
        /// Event to send; can be repeated. Defaults to `submission.created`
        #[arg(long = "event", value_name = "EVENT", value_parser = event_parser())]
        events: Vec<WebhookEvent>,
        /// Format of the requests
        #[arg(long, default_value = "json", value_parser = format_parser())]
        format: WebhookFormat,
        #[command(flatten)]
        addresses: WebhookAddresses,
    },
    /// Lists the webhooks of a form, oldest first
    List {
        /// Id of the form
        #[arg(long)]
        form: FormId,
        #[command(flatten)]
        shape: OutputArgs,
    },
    /// Deletes a webhook with its pending deliveries and its log permanently
    Delete {
        /// Id of the webhook, as listed by `sheaf webhook list`
        #[arg(value_name = "WEBHOOK")]
        id: WebhookId,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Replaces the secret of a webhook and prints the new one as JSON
    ///
    /// For 24 hours, requests are signed with both secrets, and the secret cannot be replaced
    /// again. The new one is printed only once.
    Rotate {
        /// Id of the webhook, as listed by `sheaf webhook list`
        #[arg(value_name = "WEBHOOK")]
        id: WebhookId,
    },
    /// Enables a webhook; its pending deliveries continue
    Enable {
        /// Id of the webhook, as listed by `sheaf webhook list`
        #[arg(value_name = "WEBHOOK")]
        id: WebhookId,
    },
    /// Disables a webhook; its pending deliveries wait, and new events are not sent
    Disable {
        /// Id of the webhook, as listed by `sheaf webhook list`
        #[arg(value_name = "WEBHOOK")]
        id: WebhookId,
    },
    /// Sends a test event with an invented submission, and waits for the outcome
    ///
    /// A server must be running. Prints the status of the response; the exit status is 1 if the
    /// first attempt failed or has not ended in time.
    Test {
        /// Id of the webhook, as listed by `sheaf webhook list`
        #[arg(value_name = "WEBHOOK")]
        id: WebhookId,
        /// Maximum time to wait for the outcome, in seconds
        #[arg(
            long = "wait",
            value_name = "SECONDS",
            default_value_t = 20,
            value_parser = clap::value_parser!(u64).range(0..=WAIT_S_MAX)
        )]
        wait_s: u64,
    },
    /// Lists the deliveries of a webhook with every attempt, newest first
    Deliveries {
        /// Id of the webhook, as listed by `sheaf webhook list`
        #[arg(value_name = "WEBHOOK")]
        id: WebhookId,
        /// Maximum number of deliveries, 1 to 10,000
        #[arg(
            long,
            value_name = "COUNT",
            default_value_t = 20,
            value_parser = clap::value_parser!(u16).range(1..=DELIVERIES_MAX)
        )]
        limit: u16,
        #[command(flatten)]
        shape: OutputArgs,
    },
    /// Sends a delivery again, with the same id and body
    Replay {
        /// Id of the delivery, as listed by `sheaf webhook deliveries`
        #[arg(value_name = "DELIVERY")]
        id: DeliveryId,
    },
}

fn event_parser() -> impl clap::builder::TypedValueParser<Value = WebhookEvent> {
    PossibleValuesParser::new(WebhookEvent::CHOICES.map(WebhookEvent::as_str))
        .try_map(|text| text.parse::<WebhookEvent>())
}

fn format_parser() -> impl clap::builder::TypedValueParser<Value = WebhookFormat> {
    PossibleValuesParser::new(WebhookFormat::ALL.map(WebhookFormat::as_str))
        .try_map(|text| text.parse::<WebhookFormat>())
}

/// Parses networks that are separated by commas. An empty value names no network: an unset variable
/// is often written as `NAME=`.
fn parse_networks(text: &str) -> Result<Networks, String> {
    if text.is_empty() {
        return Ok(Networks(Vec::new()));
    }
    text.split(',').map(parse_network).collect::<Result<_, _>>().map(Networks)
}

/// Parses a network, or an address as a network of one address.
fn parse_network(text: &str) -> Result<IpNet, String> {
    let address = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse()
        .or_else(|_| address())
        .map_err(|_| format!("must be a network such as `10.0.0.0/8`, but is `{}`", excerpt(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_is_address_or_prefix() {
        let parse = |text: &str| parse_network(text).map(|network| network.to_string());
        assert_eq!(parse("10.0.0.0/8").as_deref(), Ok("10.0.0.0/8"));
        assert_eq!(parse("192.168.1.7").as_deref(), Ok("192.168.1.7/32"));
        assert_eq!(parse("fd00::/8").as_deref(), Ok("fd00::/8"));
        assert_eq!(parse("::1").as_deref(), Ok("::1/128"));
        for bad in ["", "10", "10.0.0.0/33", "10.0.0.0/", "example.com", "10.0.0.0/8 "] {
            assert!(parse(bad).unwrap_err().ends_with(&format!("`{bad}`")), "{bad}");
        }
        assert!(parse(&"x".repeat(500)).unwrap_err().len() < 200);
    }

    #[test]
    fn empty_value_has_no_network() {
        let count = |text: &str| parse_networks(text).map(|networks| networks.0.len());
        assert_eq!((count(""), count("10.0.0.0/8,::1")), (Ok(0), Ok(2)));
        for bad in [" ", ",", "10.0.0.0/8,", "10.0.0.0/8,,::1"] {
            assert!(count(bad).is_err(), "{bad:?}");
        }
    }
}
