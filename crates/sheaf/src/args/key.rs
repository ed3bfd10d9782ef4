//! Arguments of `sheaf key`.

use clap::Subcommand;
use contract::{Environment, KeyId};

use super::{AccountArg, OutputArgs};

#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Creates an API key and prints its secret once
    Create {
        #[command(flatten)]
        owner: AccountArg,
        /// Name of the key, 1 to 100 characters
        #[arg(long)]
        name: String,
        /// Data that the key can access: live or test (sandbox)
        #[arg(long, value_name = "live|test")]
        mode: Environment,
    },
    /// Lists the API keys of an account, newest first
    List {
        #[command(flatten)]
        owner: AccountArg,
        #[command(flatten)]
        shape: OutputArgs,
    },
    /// Revokes an API key immediately and permanently
    Revoke {
        /// Id of the key, as listed by `sheaf key list`
        #[arg(value_name = "KEY_ID")]
        id: KeyId,
    },
}
