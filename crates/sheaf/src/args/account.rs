//! What can be said of accounts and their people.

use clap::Subcommand;
use contract::Plan;

use super::{Owner, Shape, base_url};
use crate::config::InsightLimits;

#[derive(Debug, Subcommand)]
pub(crate) enum Account {
    /// Creates an account and prints its id
    Create {
        /// The mail address that its owner signs in with
        #[arg(long)]
        email: String,
        /// The plan that limits its requests: free, pro, business or enterprise
        #[arg(long)]
        plan: Plan,
        /// Read a password of 12 to 128 characters from standard input, one line; without it, the
        /// account is opened by sign-in links alone
        #[arg(long)]
        password_stdin: bool,
    },
    /// Lists the accounts, oldest first
    List {
        #[command(flatten)]
        shape: Shape,
    },
    /// Shows how many submissions were analysed today, how many may be, and how many wait
    Usage {
        #[command(flatten)]
        owner: Owner,
        #[command(flatten)]
        limits: InsightLimits,
        #[command(flatten)]
        shape: Shape,
    },
    /// Prints a link that signs a person in, once, within 15 minutes
    SignInLink {
        /// The person's mail address, or the id of an account (acc_…) for its owner
        #[arg(long, value_name = "EMAIL|ID")]
        account: String,
        /// Where browsers find the dashboard
        #[arg(
            long,
            value_name = "URL",
            default_value = "http://127.0.0.1:8080",
            value_parser = base_url
        )]
        url: String,
    },
    /// Lets a reader in, who may look, search and export, and prints a link that signs them in,
    /// once, within 24 hours
    AddReader {
        #[command(flatten)]
        owner: Owner,
        /// The mail address that the reader signs in with
        #[arg(long)]
        email: String,
        /// Where browsers find the dashboard
        #[arg(
            long,
            value_name = "URL",
            default_value = "http://127.0.0.1:8080",
            value_parser = base_url
        )]
        url: String,
    },
    /// Lists the people of an account, its owner first
    People {
        #[command(flatten)]
        owner: Owner,
        #[command(flatten)]
        shape: Shape,
    },
    /// Removes a reader; wherever they are signed in, that ends at once
    RemoveReader {
        /// The reader's mail address
        #[arg(long)]
        email: String,
    },
}
