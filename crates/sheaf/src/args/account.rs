//! Arguments of `sheaf account`.

use clap::{Args, Subcommand};
use contract::{FormId, Plan, Role};

use super::{AccountArg, OutputArgs, parse_base_url};
use crate::config::InsightLimits;

#[derive(Debug, Subcommand)]
pub(crate) enum Account {
    /// Creates an account and prints its id
    Create {
        /// Email address of the owner
        #[arg(long)]
        email: String,
        /// Plan with its rate limits: free, pro, business or enterprise
        #[arg(long)]
        plan: Plan,
        /// Read a password (12 to 128 characters, one line) from standard input
        ///
        /// Without it, the owner signs in by sign-in link.
        #[arg(long)]
        password_stdin: bool,
    },
    /// Lists the accounts, oldest first
    List {
        #[command(flatten)]
        shape: OutputArgs,
    },
    /// Shows how many submissions were analysed today, the daily limit and how many are pending
    Usage {
        #[command(flatten)]
        owner: AccountArg,
        #[command(flatten)]
        limits: InsightLimits,
        #[command(flatten)]
        shape: OutputArgs,
    },
    /// Changes the plan of an account, effective immediately
    SetPlan {
        /// Account, by email address or id (acc_…)
        #[arg(value_name = "EMAIL|ID")]
        account: String,
        /// New plan: free, pro, business or enterprise
        plan: Plan,
    },
    /// Changes the email address of an account's owner and signs them out everywhere
    SetEmail {
        /// Account, by email address or id (acc_…)
        #[arg(value_name = "EMAIL|ID")]
        account: String,
        /// New email address of the owner
        #[arg(value_name = "NEW")]
        email: String,
    },
    /// Deletes an account with its members, keys, forms and submissions permanently
    ///
    /// Access ends immediately; the rows of its forms are deleted in batches. If the command is
    /// interrupted, run it again or restart the server to finish.
    Delete {
        /// Account, by email address or id (acc_…)
        #[arg(value_name = "EMAIL|ID")]
        account: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Prints a sign-in link for a member, valid once within 15 minutes
    SignInLink {
        /// Email address of the member, or id of an account (acc_…) for its owner
        #[arg(long, value_name = "EMAIL|ID")]
        account: String,
        /// URL of the dashboard
        #[arg(
            long,
            value_name = "URL",
            default_value = "http://127.0.0.1:8080",
            value_parser = parse_base_url
        )]
        url: String,
    },
    /// Adds a member and prints a sign-in link, valid once within 24 hours
    #[command(alias = "add-reader")]
    AddMember {
        #[command(flatten)]
        owner: AccountArg,
        /// Email address of the member
        #[arg(long)]
        email: String,
        /// Role: reader, who can view, search and export, or editor, who can also triage
        /// submissions and move them to the trash
        #[arg(long, default_value = "reader", value_parser = parse_member_role)]
        role: Role,
        /// Restricts the member to this form; repeatable, up to 100 times
        #[arg(long = "form", value_name = "FORM")]
        forms: Vec<FormId>,
        /// URL of the dashboard
        #[arg(
            long,
            value_name = "URL",
            default_value = "http://127.0.0.1:8080",
            value_parser = parse_base_url
        )]
        url: String,
    },
    /// Changes the role or the forms of a member, from their next request on
    SetMember {
        /// Email address of the member
        #[arg(long)]
        email: String,
        #[command(flatten)]
        change: MemberChangeArgs,
    },
    /// Lists the members of an account, owner first
    People {
        #[command(flatten)]
        owner: AccountArg,
        #[command(flatten)]
        shape: OutputArgs,
    },
    /// Removes a member, other than the owner, and ends their sessions
    #[command(alias = "remove-reader")]
    RemoveMember {
        /// Email address of the member
        #[arg(long)]
        email: String,
    },
    /// Links an identity of an authenticating proxy to a member
    ///
    /// Identities are never matched by email address: a user without a link has no access, unless
    /// the server creates accounts for new users (--provision).
    LinkIdentity {
        /// Email address of the member, or id of an account (acc_…) for its owner
        #[arg(long, value_name = "EMAIL|ID")]
        account: String,
        #[command(flatten)]
        known: ExternalIdentityArgs,
    },
    /// Unlinks an identity and ends its sessions
    UnlinkIdentity {
        #[command(flatten)]
        known: ExternalIdentityArgs,
    },
    /// Lists the linked identities of an account's members
    Identities {
        #[command(flatten)]
        owner: AccountArg,
        #[command(flatten)]
        shape: OutputArgs,
    },
}

/// Change of a member.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct MemberChangeArgs {
    /// New role: reader or editor
    #[arg(long, value_parser = parse_member_role)]
    pub(crate) role: Option<Role>,
    /// Restricts the member to this form, in place of earlier ones; repeatable, up to 100 times
    #[arg(long = "form", value_name = "FORM")]
    pub(crate) forms: Vec<FormId>,
    /// Gives access to all forms, including later ones
    #[arg(long, conflicts_with = "forms")]
    pub(crate) all_forms: bool,
}

/// Parses the role of a member other than the owner.
fn parse_member_role(text: &str) -> Result<Role, String> {
    match text.parse() {
        Ok(role @ (Role::Reader | Role::Editor)) => Ok(role),
        _ => Err("must be reader or editor".to_owned()),
    }
}

/// Identity of a user at a proxy.
#[derive(Debug, Args)]
pub(crate) struct ExternalIdentityArgs {
    /// Issuer: `header:` and the name of --identity-header, such as `header:x-forwarded-email`, or
    /// the value of --assertion-issuer
    #[arg(long)]
    pub(crate) issuer: String,
    /// Name of the user at the issuer
    #[arg(long)]
    pub(crate) subject: String,
}
