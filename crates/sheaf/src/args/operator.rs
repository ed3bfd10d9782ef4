//! Arguments of the operator endpoints, and of `sheaf health`.

use clap::Args;
use std::net::SocketAddr;

/// Maximum of `--linger`, in seconds.
const LINGER_S_MAX: u64 = 300;

/// Operator endpoints and shutdown delay.
#[derive(Debug, Args)]
#[command(next_help_heading = "Operation")]
pub(crate) struct Operator {
    #[command(flatten)]
    pub(crate) at: OperatorAddress,
    /// Seconds to accept connections after a shutdown signal
    ///
    /// At most 300. Meanwhile /readyz reports not ready, so that load balancers notice.
    #[arg(
        long = "linger",
        value_name = "SECONDS",
        default_value_t = 0,
        value_parser = clap::value_parser!(u64).range(0..=LINGER_S_MAX)
    )]
    pub(crate) linger_s: u64,
}

/// Address of the operator endpoints.
#[derive(Debug, Args)]
#[command(next_help_heading = "Operation")]
pub(crate) struct OperatorAddress {
    /// Address and port of /healthz, /readyz and /metrics, which need no key
    ///
    /// Bind it to this machine or a private network.
    #[arg(long, value_name = "ADDR", env = "SHEAF_OPERATOR_LISTEN")]
    pub(crate) operator_listen: Option<SocketAddr>,
}

#[derive(Debug, Args)]
pub(crate) struct Health {
    #[command(flatten)]
    pub(crate) at: OperatorAddress,
    /// Check only that the process is alive, whether or not it is ready
    #[arg(long)]
    pub(crate) alive: bool,
}
