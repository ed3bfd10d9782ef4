//! Command-line arguments and their help texts. Types only: each command is in the module of its
//! name.

use clap::{Args, Parser, Subcommand};
use contract::{FormId, Timestamp};
use std::path::PathBuf;

use crate::config::Data;

mod account;
mod archive;
pub(crate) mod audit;
mod dashboard;
pub(crate) mod database;
mod form;
mod identity;
mod import;
mod insight;
mod intake;
mod key;
mod limits;
mod listen;
mod mail;
mod notification;
mod operator;
mod sharing;
mod webhook;

pub(crate) use account::{Account, MemberChangeArgs};
pub(crate) use archive::{Dump, Restore};
pub(crate) use audit::Audit;
pub(crate) use dashboard::Dashboard;
pub(crate) use database::DatabaseUse;
pub(crate) use form::{AnalysisSwitch, FieldChange, Form};
pub(crate) use identity::Identity;
pub(crate) use import::Import;
pub(crate) use insight::Insight;
pub(crate) use intake::{Countries, Intake, Spam};
pub(crate) use key::{Key, NewKeyArgs};
pub(crate) use limits::{Limits, Memory};
pub(crate) use listen::Listen;
#[cfg(test)]
pub(crate) use listen::OwnTls;
pub(crate) use mail::{Mail, MailArgs, SmtpArgs};
pub(crate) use notification::Notification;
pub(crate) use operator::{Health, Operator};
pub(crate) use sharing::InstanceArgs;
pub(crate) use webhook::{Webhook, Webhooks};

/// Self-hosted form submissions: the API, the gateway and the dashboard in one binary.
///
/// Quick start with sample data:
///
///   sheaf serve --listen 127.0.0.1:8080 --sample
///
/// Quick start with your own data:
///
///   sheaf account create --email you@example.com --plan pro
///   sheaf form create --account you@example.com --name Feedback --field Name --field Score:rating
///   sheaf import --form frm_… answers.ndjson
///   sheaf serve --listen 127.0.0.1:8080
///
/// All commands also work while a server runs on the same data, and the server sees their changes
/// immediately. Errors are printed to standard error. The exit status is 1 for errors, and 2 for an
/// invalid command line.
#[derive(Debug, Parser)]
#[command(name = "sheaf", version, verbatim_doc_comment, max_term_width = 96)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) data: Data,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Subcommands of `sheaf`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs the API, the gateway and the dashboard in one process
    ///
    /// Prints the addresses that it listens on. If the only account has no password, it also prints
    /// a sign-in link on a terminal, or else the command that creates one. On Ctrl-C or SIGTERM it
    /// finishes running requests for up to 30 seconds and exits; a second Ctrl-C exits immediately.
    Serve(Box<Serve>),
    /// Runs only the API (/v1), the form intake (/f) and the links in e-mails (/n)
    Service(Box<Service>),
    /// Runs the gateway and the dashboard in front of another API server
    ///
    /// Accounts, sign-in links and sessions are stored in the data directory. API keys never reach
    /// the browser.
    Gateway(Box<Gateway>),
    /// Manages accounts, members and their sign-in
    #[command(subcommand)]
    Account(Account),
    /// Manages forms, fields and settings
    #[command(subcommand)]
    Form(Form),
    /// Creates, lists and revokes API keys
    #[command(subcommand)]
    Key(Key),
    /// Lists, releases and deletes submissions marked as spam
    #[command(subcommand)]
    Spam(Spam),
    /// Manages webhooks: HTTP requests to other programs about the submissions of a form
    ///
    /// A running server sends the requests.
    #[command(subcommand)]
    Webhook(Webhook),
    /// Manages notifications: e-mails about the submissions of a form
    ///
    /// A running server with --smtp-url sends them.
    #[command(subcommand)]
    Notification(Notification),
    /// Tests the options of e-mail
    #[command(subcommand)]
    Mail(Mail),
    /// Imports submissions from a file, all or nothing
    ///
    /// NDJSON: one submission per line, in the format of the API. Only `answers` is required. A
    /// missing `id` is generated, and a missing `metadata.submitted_at` is the time of the import.
    /// Unknown answer keys become fields of the form.
    ///
    /// CSV (--csv): the header row identifies the tool that wrote the file, such as Google Forms,
    /// Microsoft Forms, Typeform or Sheaf. Columns are matched to fields by name; other columns
    /// become new fields with the type that fits all cells. UTM values become metadata. Exports
    /// reproduce the text of each cell; an empty cell is no answer.
    ///
    /// The submission time is the column that the tool uses for it, or a column recognised by its
    /// name and cells. If a column may or may not be the submission time, the import stops and
    /// names the option to set. Without such a column, all submissions get the time of the import,
    /// each a microsecond before the one above it, so that lists and exports keep the order of the
    /// file.
    ///
    /// An invalid line is reported with its number and the reason, and no submission is imported.
    /// Submissions become visible together at the end. To resume an interrupted import, run the
    /// same command again within seven days.
    #[command(override_usage = "sheaf import --form <FORM> [OPTIONS] <FILE>\n       \
        sheaf import --form <FORM> [OPTIONS] --csv <FILE>")]
    Import(Import),
    /// Inserts generated sample submissions into a form
    ///
    /// The same form, seed, count and --until give the same submissions. They contain several
    /// languages and scripts, commas, quotes, line breaks, formulas, missing values and equal
    /// times. A form without fields gets default fields.
    Sample(Sample),
    /// Verifies and exports the audit log
    #[command(subcommand)]
    Audit(Audit),
    /// Prints the API description as JSON, which a server also serves at /openapi.json
    Openapi,
    /// Exports the dashboard as static files for another web server
    #[command(subcommand)]
    Dashboard(Dashboard),
    /// Writes a consistent copy of the database file, also while a server runs
    ///
    /// The copy gets its name only when it is complete, verified and on disk. To restore it, put it
    /// into an empty data directory as `sheaf.db`.
    Backup(Backup),
    /// Writes all data to one archive, also while a server runs
    ///
    /// The archive is a consistent snapshot of a data directory or a database: accounts, members,
    /// keys, sessions, forms, submissions, spam, trash, insights, webhooks with their deliveries,
    /// notifications with their pending e-mails, and the audit log. Submissions of an unfinished
    /// import are not included. `sheaf restore` reads it into a directory or a database. The
    /// archive contains secrets: the file is readable by its owner only, and `--recipient` encrypts
    /// it.
    ///
    /// Prints the number of rows and a checksum of each table.
    Dump(Dump),
    /// Restores an archive into an empty data directory or database, and verifies it
    ///
    /// No server may use the target meanwhile. Keys, sessions and cursors stay valid. At the end
    /// the target is read again and compared with the archive. A failed restore leaves no data
    /// behind.
    ///
    /// Prints the number of rows and a checksum of each table.
    Restore(Restore),
    /// Checks whether a running server is ready; the exit status is 0 if it is, else 1
    ///
    /// For the health check of a container without other tools.
    Health(Health),
    /// Checks a database file or a backup for damage, also while a server runs
    ///
    /// Reads all data, and compares each submission with the columns derived from it. Prints the
    /// number of submissions if the file is intact; otherwise prints the damage, and the exit
    /// status is 1.
    Check {
        /// Database file to check, instead of the one in the data directory
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
}

/// Public address of the dashboard.
#[derive(Debug, Args)]
#[command(next_help_heading = "Listening")]
pub(crate) struct PublicUrlArgs {
    /// Public URL of the dashboard, used in sign-in links and e-mails
    ///
    /// `https://…` implies --behind-tls.
    #[arg(long, value_name = "URL", value_parser = parse_public_url)]
    pub(crate) public_url: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  Try Sheaf with sample data:
    sheaf serve --sample

  Run behind a reverse proxy on this machine:
    sheaf serve --data /var/lib/sheaf --public-url https://forms.example.com

  Run without a proxy:
    sheaf serve --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem")]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) listen: Listen,
    #[command(flatten)]
    pub(crate) operator: Operator,
    #[command(flatten)]
    pub(crate) identity: Identity,
    #[command(flatten)]
    pub(crate) api: ApiArgs,
    /// Timeout of each API request for the prerendered first rows, in seconds
    #[arg(long, hide = true, value_name = "SECONDS", default_value_t = 1)]
    pub(crate) first_rows_wait: u64,
    /// Fill an empty data directory with a sample account, forms and submissions
    ///
    /// Also prints a sign-in link at every start.
    #[arg(long, help_heading = None::<&str>)]
    pub(crate) sample: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Service {
    #[command(flatten)]
    pub(crate) listen: Listen,
    #[command(flatten)]
    pub(crate) operator: Operator,
    #[command(flatten)]
    pub(crate) api: ApiArgs,
}

/// Options of a server with the API.
#[derive(Debug, Args)]
pub(crate) struct ApiArgs {
    #[command(flatten)]
    pub(crate) insight: Insight,
    #[command(flatten)]
    pub(crate) webhooks: Webhooks,
    #[command(flatten)]
    pub(crate) mail: MailArgs,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) sharing: InstanceArgs,
    #[command(flatten)]
    pub(crate) memory: Memory,
    #[command(flatten)]
    pub(crate) database_use: DatabaseUse,
    #[command(flatten)]
    pub(crate) public: PublicUrlArgs,
    #[command(flatten)]
    pub(crate) countries: Countries,
}

#[derive(Debug, Args)]
pub(crate) struct Gateway {
    /// Base URL of the API server, without /v1
    #[arg(long, value_name = "URL", value_parser = parse_base_url)]
    pub(crate) upstream: String,
    /// File with CA certificates (PEM) to trust for the API server, instead of the public ones
    #[arg(long, value_name = "FILE")]
    pub(crate) upstream_ca: Option<PathBuf>,
    /// File with the live key; without it, live data are not available
    #[arg(long, value_name = "FILE", required_unless_present = "key_test_file")]
    pub(crate) key_live_file: Option<PathBuf>,
    /// File with the test key; without it, test data are not available
    #[arg(long, value_name = "FILE")]
    pub(crate) key_test_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) listen: Listen,
    #[command(flatten)]
    pub(crate) operator: Operator,
    #[command(flatten)]
    pub(crate) identity: Identity,
    #[command(flatten)]
    pub(crate) public: PublicUrlArgs,
}

/// Output format of a list.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Account that a command works on.
#[derive(Debug, Args)]
pub(crate) struct AccountArg {
    /// Account, by email address or id (acc_…)
    #[arg(long, value_name = "EMAIL|ID")]
    pub(crate) account: String,
}

#[derive(Debug, Args)]
pub(crate) struct Sample {
    /// Id of the form to fill
    #[arg(long)]
    pub(crate) form: FormId,
    /// Number of submissions, 1 to 10,000,000
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) count: u64,
    /// Seed of the generator; different seeds give different submissions
    #[arg(long)]
    pub(crate) seed: u64,
    /// Time before which all submissions are dated (ISO 8601)
    ///
    /// Defaults to the start of the current hour.
    #[arg(long, value_name = "INSTANT", value_parser = Timestamp::parse)]
    pub(crate) until: Option<Timestamp>,
}

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// File to write, which must not exist
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// Returns the begin of a value for an error: at most 100 characters.
fn excerpt(text: &str) -> String {
    text.chars().take(100).collect()
}

/// Parses a base URL such as `https://forms.example.com`, and removes trailing slashes.
fn parse_base_url(text: &str) -> Result<String, String> {
    let wrong =
        || format!("must be a URL such as `https://forms.example.com`, but is `{}`", excerpt(text));
    let trimmed = text.trim_end_matches('/');
    let uri: http::Uri = trimmed.parse().map_err(|_| wrong())?;
    let web = matches!(uri.scheme_str(), Some("http" | "https"));
    let plain = uri.query().is_none() && !text.contains(['#', '@']);
    if web && plain && uri.host().is_some() { Ok(trimmed.to_owned()) } else { Err(wrong()) }
}

/// Like [`parse_base_url`], but rejects a path: the dashboard needs a host of its own.
fn parse_public_url(text: &str) -> Result<String, String> {
    let url = parse_base_url(text)?;
    let has_path = url.parse::<http::Uri>().is_ok_and(|uri| uri.path() != "/");
    if has_path {
        return Err(format!(
            "the dashboard cannot be below a path, as in `{}`; use a host of its own, such as \
             `https://forms.example.com`",
            excerpt(&url)
        ));
    }
    Ok(url)
}

#[cfg(test)]
#[path = "args/deploy_docs_tests.rs"]
mod deploy_docs_tests;
#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn command_line_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn base_url_drops_trailing_slash() {
        assert_eq!(parse_base_url("https://a.example/").as_deref(), Ok("https://a.example"));
        assert_eq!(parse_base_url("http://127.0.0.1:8080").as_deref(), Ok("http://127.0.0.1:8080"));
        for bad in
            ["", "a.example", "ftp://a.example", "https://a.example?x=1", "https://u@a.example"]
        {
            assert!(parse_base_url(bad).is_err(), "{bad:?} was accepted");
        }
        assert_eq!(parse_public_url("https://a.example/").as_deref(), Ok("https://a.example"));
        assert!(parse_base_url("https://a.example/x").is_ok());
        for bad in ["https://a.example/forms", "http://a.example/x/"] {
            assert!(parse_public_url(bad).unwrap_err().contains("a host of its own"), "{bad}");
        }
        let long = "x".repeat(500);
        for bad in [long.clone(), format!("https://a.example/{long}")] {
            assert!(parse_public_url(&bad).unwrap_err().len() < 300, "{bad}");
        }
    }
}
