//! Arguments of the listener for operators, and of those who ask it.

use clap::Args;
use std::net::SocketAddr;

/// Longest time to linger, in seconds.
const LINGER_S_MAX: u64 = 300;

/// Where operators ask, and what they are given time for.
#[derive(Debug, Args)]
pub(crate) struct Operator {
    #[command(flatten)]
    pub(crate) at: OperatorAt,
    /// So many seconds after the signal to end, connections are still taken, while /readyz says
    /// already that none should be sent: for balancers that have to notice
    #[arg(
        long = "linger",
        value_name = "SECONDS",
        default_value_t = 0,
        value_parser = clap::value_parser!(u64).range(0..=LINGER_S_MAX)
    )]
    pub(crate) linger_s: u64,
}

/// The address for operators.
#[derive(Debug, Args)]
pub(crate) struct OperatorAt {
    /// Address and port on which operators ask, without a key: /healthz, /readyz and /metrics;
    /// keep it to this machine or a private network
    #[arg(long, value_name = "ADDR", env = "SHEAF_OPERATOR_LISTEN")]
    pub(crate) operator_listen: Option<SocketAddr>,
}

#[derive(Debug, Args)]
pub(crate) struct Health {
    #[command(flatten)]
    pub(crate) at: OperatorAt,
    /// Ask only whether the process lives, be it ready or not
    #[arg(long)]
    pub(crate) alive: bool,
}
