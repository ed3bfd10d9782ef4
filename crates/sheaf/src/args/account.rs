//! What can be said of accounts and their people.

use clap::{Args, Subcommand};
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
    /// Gives an account another plan, in force at once
    SetPlan {
        /// The account: its mail address or its id (acc_…)
        #[arg(value_name = "EMAIL|ID")]
        account: String,
        /// The plan that limits its requests: free, pro, business or enterprise
        plan: Plan,
    },
    /// Gives the owner of an account another mail address, and signs them out everywhere
    SetEmail {
        /// The account: its mail address or its id (acc_…)
        #[arg(value_name = "EMAIL|ID")]
        account: String,
        /// The mail address that its owner signs in with from now on
        #[arg(value_name = "NEW")]
        email: String,
    },
    /// Deletes an account with its people, keys, forms and submissions, for good
    ///
    /// Everybody is out at once; the rows of its forms are removed piece by piece. If the command
    /// is ended before, the same command or the next start of the server does the rest.
    Delete {
        /// The account: its mail address or its id (acc_…)
        #[arg(value_name = "EMAIL|ID")]
        account: String,
        /// Do not ask for the mail address
        #[arg(long)]
        yes: bool,
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
    /// Lets somebody in whom an auth proxy signs in, as a person who is here
    ///
    /// Nobody is let in by a mail address alone: what is not linked so stays out, unless the server
    /// gives everybody whom the proxy knows an account of their own (--provision).
    LinkIdentity {
        /// The person's mail address, or the id of an account (acc_…) for its owner
        #[arg(long, value_name = "EMAIL|ID")]
        account: String,
        #[command(flatten)]
        known: KnownAs,
    },
    /// Lets them in no more; wherever they are signed in, that ends at once
    UnlinkIdentity {
        #[command(flatten)]
        known: KnownAs,
    },
    /// Lists as whom the people of an account are known elsewhere
    Identities {
        #[command(flatten)]
        owner: Owner,
        #[command(flatten)]
        shape: Shape,
    },
}

/// As whom somebody is known elsewhere.
#[derive(Debug, Args)]
pub(crate) struct KnownAs {
    /// Who vouches for them: `header:` and the name of --identity-header, such as
    /// `header:x-forwarded-email`, or --assertion-issuer
    #[arg(long)]
    pub(crate) issuer: String,
    /// What they are called there
    #[arg(long)]
    pub(crate) subject: String,
}
