//! What can be said of intake: a form's settings, its spam shelf, and where countries come from.

use clap::{Args, Subcommand};
use contract::{FormId, SubmissionId, Timestamp};
use std::path::PathBuf;

use super::Shape;

/// A limit, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit(pub(crate) Option<u32>);

/// A number of submissions, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) Option<u64>);

/// An instant, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instant(pub(crate) Option<Timestamp>);

/// Whether a form learns; `None` is "as long as it has no fields".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Learn(pub(crate) Option<bool>);

/// What to change of what a form takes in. What is not named stays.
#[derive(Debug, Args)]
pub(crate) struct Intake {
    /// The form's id
    #[arg(value_name = "FORM")]
    pub(crate) id: FormId,
    /// Where `_redirect` may lead: an origin such as `https://example.com`, or an address with
    /// a path; say it again for each, `none` for nowhere
    #[arg(long = "redirect", value_name = "URL|none")]
    pub(crate) redirects: Vec<String>,
    /// An origin whose pages may send, such as `https://example.com`; say it again for each,
    /// `any` for all
    #[arg(long = "origin", value_name = "ORIGIN|any")]
    pub(crate) origins: Vec<String>,
    /// Who says it took less than so many seconds is set aside as spam; 0 for nobody
    #[arg(long, value_name = "SECONDS")]
    pub(crate) seconds_min: Option<u32>,
    /// Whether what fills the hidden input `_gotcha` is set aside as spam
    #[arg(long, value_name = "on|off", value_parser = on_or_off)]
    pub(crate) honeypot: Option<bool>,
    /// Whether answers with unknown keys become fields, at most 50 a day and 200 in all; `auto` is
    /// as long as the form has none
    #[arg(long, value_name = "on|off|auto", value_parser = learn)]
    pub(crate) learn: Option<Learn>,
    /// Whether a submission with an unknown key is refused; without it, unknown keys that do not
    /// become fields are kept with the submission
    #[arg(long, value_name = "on|off", value_parser = on_or_off)]
    pub(crate) strict: Option<bool>,
    /// Most submissions from one network address in 15 minutes
    #[arg(long, value_name = "COUNT|none", value_parser = limit)]
    pub(crate) address_limit: Option<Limit>,
    /// Most submissions in 15 minutes in all
    #[arg(long, value_name = "COUNT|none", value_parser = limit)]
    pub(crate) form_limit: Option<Limit>,
    /// Whether the form is closed now: it answers 403 and takes nothing
    #[arg(long, value_name = "on|off", value_parser = on_or_off)]
    pub(crate) closed: Option<bool>,
    /// From when on it is closed, such as 2026-03-01T12:00:00Z
    #[arg(long, value_name = "INSTANT|never", value_parser = instant)]
    pub(crate) closes_at: Option<Instant>,
    /// It is closed while it holds so many submissions or more
    #[arg(long, value_name = "COUNT|none", value_parser = count)]
    pub(crate) closes_after: Option<Count>,
    /// What visitors read while it is closed: one line; empty for a sentence in their language
    #[arg(long, value_name = "TEXT")]
    pub(crate) closed_message: Option<String>,
    #[command(flatten)]
    pub(crate) shape: Shape,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Spam {
    /// Lists what a form has set aside, newest first
    List {
        /// The form
        #[arg(long)]
        form: FormId,
        #[command(flatten)]
        shape: Shape,
    },
    /// Moves one among the form's submissions, at the instant at which it came
    Release {
        /// The form
        #[arg(long)]
        form: FormId,
        /// The submission's id, as `sheaf spam list` shows it
        #[arg(value_name = "SUBMISSION")]
        id: SubmissionId,
    },
    /// Deletes one, or all, for good
    Delete {
        /// The form
        #[arg(long)]
        form: FormId,
        /// The submission's id, as `sheaf spam list` shows it
        #[arg(value_name = "SUBMISSION", required_unless_present = "all", conflicts_with = "all")]
        id: Option<SubmissionId>,
        /// Delete all of them
        #[arg(long)]
        all: bool,
    },
}

/// How the country of a submission is found; without either, it stays unknown.
#[derive(Debug, Args)]
pub(crate) struct Countries {
    /// A database of countries by network address, in the format MMDB; read at start
    #[arg(long, value_name = "FILE", conflicts_with = "country_header")]
    pub(crate) geoip_db: Option<PathBuf>,
    /// The header in which a proxy in front names the client's country, such as CF-IPCountry. It
    /// counts only from this machine with --behind-tls, or from what --trusted-proxy names
    #[arg(long, value_name = "NAME")]
    pub(crate) country_header: Option<String>,
}

fn on_or_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("say `on` or `off`, not `{text}`")),
    }
}

fn learn(text: &str) -> Result<Learn, String> {
    match text {
        "auto" => Ok(Learn(None)),
        _ => on_or_off(text)
            .map(|on| Learn(Some(on)))
            .map_err(|_| format!("say `on`, `off` or `auto`, not `{text}`")),
    }
}

fn instant(text: &str) -> Result<Instant, String> {
    if text == "never" {
        return Ok(Instant(None));
    }
    let wrong =
        |_| format!("say an instant such as 2026-03-01T12:00:00Z, or `never`, not `{text}`");
    Timestamp::parse(text).map(|at| Instant(Some(at))).map_err(wrong)
}

fn count(text: &str) -> Result<Count, String> {
    if text == "none" {
        return Ok(Count(None));
    }
    let wrong = |_| format!("say a whole number, or `none`, not `{text}`");
    text.parse().map(|count| Count(Some(count))).map_err(wrong)
}

fn limit(text: &str) -> Result<Limit, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    let wrong = |_| format!("say a whole number, or `none`, not `{text}`");
    text.parse().map(|count| Limit(Some(count))).map_err(wrong)
}
