//! The command line: what can be said to the binary, and its manual (`--help`).
//!
//! Types only. What a command does stands in the module of its name.

use clap::{Args, Parser, Subcommand};
use contract::{Environment, FormId, KeyId, Timestamp};
use std::path::PathBuf;

use crate::config::Data;

mod account;
mod archive;
pub(crate) mod audit;
mod bounds;
mod dashboard;
pub(crate) mod database;
mod form;
mod identity;
mod import;
mod insight;
mod intake;
mod listen;
mod operator;
mod sharing;

pub(crate) use account::Account;
pub(crate) use archive::{Dump, Restore};
pub(crate) use audit::Audit;
pub(crate) use bounds::{Limits, Memory};
pub(crate) use dashboard::Dashboard;
pub(crate) use database::DatabaseUse;
pub(crate) use form::{FieldAct, Form, Switch};
pub(crate) use identity::Identity;
pub(crate) use import::Import;
pub(crate) use insight::Insight;
pub(crate) use intake::{Countries, Intake, Spam};
pub(crate) use listen::Listen;
#[cfg(test)]
pub(crate) use listen::OwnTls;
pub(crate) use operator::{Health, Operator};
pub(crate) use sharing::Sharing;

/// Form submissions: the service, the gateway and the dashboard in one binary.
///
/// The shortest way in, with sample data:
///
///   sheaf serve --listen 127.0.0.1:8080 --sample
///
/// The shortest way in, with your own:
///
///   sheaf account create --email you@example.com --plan pro
///   sheaf form create --account you@example.com --name Feedback --field Name --field Score:rating
///   sheaf import --form frm_… answers.ndjson
///   sheaf serve --listen 127.0.0.1:8080
///
/// Every command works while a server runs on the same data, and the server sees its effect at
/// once. Errors go to standard error; the exit status is then 1, or 2 where the command line
/// itself is wrong.
#[derive(Debug, Parser)]
#[command(name = "sheaf", version, verbatim_doc_comment, max_term_width = 96)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) data: Data,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs everything in one process: the API, the gateway and the dashboard
    ///
    /// Prints where it listens. If the only account has no password, it prints a sign-in link on a
    /// terminal, and elsewhere the command that makes one. Ends on Ctrl-C or SIGTERM after the
    /// requests under way are answered, within 30 seconds; a second Ctrl-C ends it at once.
    Serve(Box<Serve>),
    /// Runs the API of the specification, below /v1, and the intake of forms, below /f, alone
    Service(Service),
    /// Runs the gateway and the dashboard in front of another server that speaks the specification
    ///
    /// Accounts, sign-in links and sessions are kept in the data directory. The keys never reach
    /// the browser.
    Gateway(Gateway),
    /// Creates and lists accounts, and lets their owners and readers in
    #[command(subcommand)]
    Account(Account),
    /// Creates and shows forms, and sets what they take in
    #[command(subcommand)]
    Form(Form),
    /// Creates, lists and revokes API keys
    #[command(subcommand)]
    Key(Key),
    /// Lists, releases and deletes what forms have set aside as spam
    #[command(subcommand)]
    Spam(Spam),
    /// Imports submissions from a file, all or nothing
    ///
    /// NDJSON: a submission a line, in the shape in which the API gives it. Only `answers` is
    /// needed: a missing `id` is made up, a missing `metadata.submitted_at` is the time of the
    /// import. Answer keys that the form does not know become its fields.
    ///
    /// CSV (--csv): the header row tells which tool wrote the file, such as Google Forms, Microsoft
    /// Forms, Typeform or an export of Sheaf. Columns are matched with the form's fields by name,
    /// and the others become its fields, of the type that all their cells have. UTM values become
    /// metadata. An export writes every answer again as it stood in its cell; an empty cell is no
    /// answer.
    ///
    /// The time of submission is the column that the tool has for it, or one that its name and its
    /// cells tell. Where a column looks like times and may be another, the import stops and names
    /// the option that decides. Without such a column all submissions get the time of the import,
    /// each a microsecond before the one above it, so that the list and the export keep the file's
    /// order.
    ///
    /// A line that cannot be read is named with its number and the reason, and then nothing of the
    /// file is imported. No submission is visible before all are there. An import that was killed
    /// continues when the same command is given again within seven days.
    #[command(override_usage = "sheaf import --form <FORM> [OPTIONS] <FILE>\n       \
        sheaf import --form <FORM> [OPTIONS] --csv <FILE>")]
    Import(Import),
    /// Inserts made-up submissions, the same for the same form, seed, count and --until
    ///
    /// Several languages and scripts, commas, quotes, line breaks, formulas, missing values and
    /// ties in time. A form without fields gets some.
    Sample(Sample),
    /// Verifies and exports the audit log
    #[command(subcommand)]
    Audit(Audit),
    /// Prints the document of the API as JSON, which a server also gives at /openapi.json
    Openapi,
    /// Gives the dashboard out as files, for a web server that serves it in the gateway's place
    #[command(subcommand)]
    Dashboard(Dashboard),
    /// Writes a consistent copy of the database to a new file, also while a server runs
    ///
    /// The copy bears its name only once it is whole, checked and on disk. To restore it, put it as
    /// `sheaf.db` into an empty data directory.
    Backup(Backup),
    /// Writes everything into one archive, from a file or a database, also while a server runs
    ///
    /// The archive holds one moment of the data: accounts, people, keys, sessions, forms,
    /// submissions, spam, trash, insights and the audit log. `sheaf restore` reads it into a
    /// directory or a database. It is as secret as the data: it is readable by its owner alone, and
    /// `--recipient` encrypts it. Submissions of an import that has not ended are not in it.
    ///
    /// Prints how many rows of each table are in it, and their checksums.
    Dump(Dump),
    /// Reads an archive into a directory without data or an empty database, and verifies it
    ///
    /// No server may use the place meanwhile. Keys, sessions and cursors go on working. At the end
    /// the place is read again and compared with the archive. A restore that fails leaves nothing.
    ///
    /// Prints how many rows of each table were restored, and their checksums.
    Restore(Restore),
    /// Asks a running server whether it is ready; the exit status is 0 if so, else 1
    ///
    /// For the health check of a container, which has no other program.
    Health(Health),
    /// Looks through the database, or a backup of it, for damage, also while a server runs
    ///
    /// Reads everything, and compares each submission with what is kept beside it. Prints how many
    /// submissions are whole; where something is not, prints what, and the exit status is 1.
    Check {
        /// The file to look through, instead of the one in the data directory
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
}

/// How browsers reach the dashboard.
#[derive(Debug, Args)]
pub(crate) struct Public {
    /// Where browsers find the dashboard, for sign-in links; `https://…` implies --behind-tls
    #[arg(long, value_name = "URL", value_parser = public_url)]
    pub(crate) public_url: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) listen: Listen,
    #[command(flatten)]
    pub(crate) operator: Operator,
    #[command(flatten)]
    pub(crate) identity: Identity,
    #[command(flatten)]
    pub(crate) insight: Insight,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) sharing: Sharing,
    #[command(flatten)]
    pub(crate) memory: Memory,
    #[command(flatten)]
    pub(crate) database_use: DatabaseUse,
    #[command(flatten)]
    pub(crate) public: Public,
    /// How many seconds a page waits for each answer that its first rows need
    #[arg(long, hide = true, value_name = "SECONDS", default_value_t = 1)]
    pub(crate) first_rows_wait: u64,
    #[command(flatten)]
    pub(crate) countries: Countries,
    /// Fill an empty data directory with an account, three forms and sample submissions, and print
    /// a sign-in link at every start; without this, no data is ever made up
    #[arg(long)]
    pub(crate) sample: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Service {
    #[command(flatten)]
    pub(crate) listen: Listen,
    #[command(flatten)]
    pub(crate) operator: Operator,
    #[command(flatten)]
    pub(crate) insight: Insight,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) sharing: Sharing,
    #[command(flatten)]
    pub(crate) memory: Memory,
    #[command(flatten)]
    pub(crate) database_use: DatabaseUse,
    #[command(flatten)]
    pub(crate) countries: Countries,
}

#[derive(Debug, Args)]
pub(crate) struct Gateway {
    /// The other server's base address, without /v1
    #[arg(long, value_name = "URL", value_parser = base_url)]
    pub(crate) upstream: String,
    /// A file of certificates (PEM) of the authorities that may vouch for it, in place of the
    /// public ones
    #[arg(long, value_name = "FILE")]
    pub(crate) upstream_ca: Option<PathBuf>,
    /// A file that holds the live key; without it, live data are not offered
    #[arg(long, value_name = "FILE", required_unless_present = "key_test_file")]
    pub(crate) key_live_file: Option<PathBuf>,
    /// A file that holds the test key; without it, test data are not offered
    #[arg(long, value_name = "FILE")]
    pub(crate) key_test_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) listen: Listen,
    #[command(flatten)]
    pub(crate) operator: Operator,
    #[command(flatten)]
    pub(crate) identity: Identity,
    #[command(flatten)]
    pub(crate) public: Public,
}

/// How a list is printed.
#[derive(Debug, Args)]
pub(crate) struct Shape {
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose it is.
#[derive(Debug, Args)]
pub(crate) struct Owner {
    /// The account: its mail address or its id (acc_…)
    #[arg(long, value_name = "EMAIL|ID")]
    pub(crate) account: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Creates an API key and prints its secret, which is never shown again
    Create {
        #[command(flatten)]
        owner: Owner,
        /// What it is called: 1 to 100 characters
        #[arg(long)]
        name: String,
        /// The data that it opens: real (live) or sandbox (test)
        #[arg(long, value_name = "live|test")]
        mode: Environment,
    },
    /// Lists an account's keys, newest first, without their secrets
    List {
        #[command(flatten)]
        owner: Owner,
        #[command(flatten)]
        shape: Shape,
    },
    /// Revokes a key for good: the next request with it is refused
    Revoke {
        /// The key's id, as `sheaf key list` shows it
        #[arg(value_name = "KEY_ID")]
        id: KeyId,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Sample {
    /// The form to fill
    #[arg(long)]
    pub(crate) form: FormId,
    /// How many submissions
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) count: u64,
    /// Any number; another one gives other submissions
    #[arg(long)]
    pub(crate) seed: u64,
    /// The instant before which the submissions came, ISO 8601; left out, it is the present hour
    #[arg(long, value_name = "INSTANT", value_parser = Timestamp::parse)]
    pub(crate) until: Option<Timestamp>,
}

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The file to write; it must not be there yet
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// Takes an address such as `https://forms.example.com` and returns it without a final slash.
fn base_url(text: &str) -> Result<String, String> {
    let wrong =
        || format!("an address is such as `https://forms.example.com`, but this is `{text}`");
    let trimmed = text.trim_end_matches('/');
    let uri: http::Uri = trimmed.parse().map_err(|_| wrong())?;
    let web = matches!(uri.scheme_str(), Some("http" | "https"));
    let plain = uri.query().is_none() && !text.contains(['#', '@']);
    if web && plain && uri.host().is_some() { Ok(trimmed.to_owned()) } else { Err(wrong()) }
}

/// As [`base_url`], without a path: the dashboard needs a host of its own.
fn public_url(text: &str) -> Result<String, String> {
    let url = base_url(text)?;
    let has_path = url.parse::<http::Uri>().is_ok_and(|uri| uri.path() != "/");
    if has_path {
        return Err(format!(
            "the dashboard cannot be below a path, as in `{url}`; give it a host of its own, such \
             as `https://forms.example.com`"
        ));
    }
    Ok(url)
}

#[cfg(test)]
#[path = "args/shown_tests.rs"]
mod shown_tests;
#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_address_is_taken_without_its_final_slash() {
        assert_eq!(base_url("https://a.example/").as_deref(), Ok("https://a.example"));
        assert_eq!(base_url("http://127.0.0.1:8080").as_deref(), Ok("http://127.0.0.1:8080"));
        for bad in
            ["", "a.example", "ftp://a.example", "https://a.example?x=1", "https://u@a.example"]
        {
            assert!(base_url(bad).is_err(), "{bad:?} was taken");
        }
        assert_eq!(public_url("https://a.example/").as_deref(), Ok("https://a.example"));
        assert!(base_url("https://a.example/x").is_ok());
        for bad in ["https://a.example/forms", "http://a.example/x/"] {
            assert!(public_url(bad).unwrap_err().contains("a host of its own"), "{bad}");
        }
    }
}
