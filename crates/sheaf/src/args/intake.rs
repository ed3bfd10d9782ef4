//! Arguments of form intake: settings, spam, and the source of countries.

use clap::{Args, Subcommand};
use contract::{FormId, SubmissionId, Timestamp};
use std::path::PathBuf;

use super::OutputArgs;

/// A rate limit; `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LimitArg(pub(crate) Option<u32>);

/// A number of submissions; `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CountArg(pub(crate) Option<u64>);

/// A closing time; `None` is never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClosingTimeArg(pub(crate) Option<Timestamp>);

/// Whether unknown keys become fields; `None` is `auto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LearnFieldsArg(pub(crate) Option<bool>);

/// Intake settings to change. Settings without an option stay the same.
#[derive(Debug, Args)]
pub(crate) struct Intake {
    /// Id of the form
    #[arg(value_name = "FORM")]
    pub(crate) id: FormId,
    /// Allowed target of `_redirect`: an origin such as `https://example.com`, or a URL with a path
    ///
    /// Can be repeated, `none` allows no redirect.
    #[arg(long = "redirect", value_name = "URL|none")]
    pub(crate) redirects: Vec<String>,
    /// Origin of pages that may submit, such as `https://example.com`
    ///
    /// Can be repeated, `any` allows all.
    #[arg(long = "origin", value_name = "ORIGIN|any")]
    pub(crate) origins: Vec<String>,
    /// Minimum completion time in seconds
    ///
    /// Faster submissions are marked as spam, 0 disables the check.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) seconds_min: Option<u32>,
    /// Whether submissions that fill the hidden input `_gotcha` are marked as spam
    #[arg(long, value_name = "on|off", value_parser = parse_on_off)]
    pub(crate) honeypot: Option<bool>,
    /// Whether unknown answer keys become fields, at most 50 a day and 200 in total
    ///
    /// `auto` is on while the form has no fields.
    #[arg(long, value_name = "on|off|auto", value_parser = parse_learn)]
    pub(crate) learn: Option<LearnFieldsArg>,
    /// Whether submissions with unknown keys are rejected
    ///
    /// Otherwise keys that do not become fields are stored with the submission.
    #[arg(long, value_name = "on|off", value_parser = parse_on_off)]
    pub(crate) strict: Option<bool>,
    /// Maximum submissions per network address in 15 minutes
    #[arg(long, value_name = "COUNT|none", value_parser = parse_limit)]
    pub(crate) address_limit: Option<LimitArg>,
    /// Maximum submissions of the form in 15 minutes
    #[arg(long, value_name = "COUNT|none", value_parser = parse_limit)]
    pub(crate) form_limit: Option<LimitArg>,
    /// Whether the form is closed; it then answers 403 and accepts no submissions
    #[arg(long, value_name = "on|off", value_parser = parse_on_off)]
    pub(crate) closed: Option<bool>,
    /// Closing time of the form, such as 2026-03-01T12:00:00Z
    #[arg(long, value_name = "INSTANT|never", value_parser = parse_closing_time)]
    pub(crate) closes_at: Option<ClosingTimeArg>,
    /// Close the form while it holds this many submissions or more
    #[arg(long, value_name = "COUNT|none", value_parser = parse_count)]
    pub(crate) closes_after: Option<CountArg>,
    /// One-line message shown while the form is closed
    ///
    /// Empty for a default in the browser's language.
    #[arg(long, value_name = "TEXT")]
    pub(crate) closed_message: Option<String>,
    #[command(flatten)]
    pub(crate) shape: OutputArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Spam {
    /// Lists the spam of a form, newest first
    List {
        /// Id of the form
        #[arg(long)]
        form: FormId,
        #[command(flatten)]
        shape: OutputArgs,
    },
    /// Moves a submission from spam to the form, with its original submission time
    Release {
        /// Id of the form
        #[arg(long)]
        form: FormId,
        /// Id of the submission, as listed by `sheaf spam list`
        #[arg(value_name = "SUBMISSION")]
        id: SubmissionId,
    },
    /// Deletes one or all spam submissions of a form permanently
    Delete {
        /// Id of the form
        #[arg(long)]
        form: FormId,
        /// Id of the submission, as listed by `sheaf spam list`
        #[arg(value_name = "SUBMISSION", required_unless_present = "all", conflicts_with = "all")]
        id: Option<SubmissionId>,
        /// Delete all spam of the form
        #[arg(long)]
        all: bool,
    },
}

/// Source of the country of a submission; without one it stays unknown.
#[derive(Debug, Args)]
#[command(next_help_heading = "Country of the sender")]
pub(crate) struct Countries {
    /// Country database by network address (MMDB), read at start
    #[arg(long, value_name = "FILE", conflicts_with = "country_header")]
    pub(crate) geoip_db: Option<PathBuf>,
    /// Header in which a proxy sends the country of the client, such as CF-IPCountry
    ///
    /// Accepted only from this machine with --behind-tls, or from proxies in --trusted-proxy.
    #[arg(long, value_name = "NAME")]
    pub(crate) country_header: Option<String>,
}

fn parse_on_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("must be `on` or `off`, but is `{text}`")),
    }
}

fn parse_learn(text: &str) -> Result<LearnFieldsArg, String> {
    match text {
        "auto" => Ok(LearnFieldsArg(None)),
        _ => parse_on_off(text)
            .map(|on| LearnFieldsArg(Some(on)))
            .map_err(|_| format!("must be `on`, `off` or `auto`, but is `{text}`")),
    }
}

fn parse_closing_time(text: &str) -> Result<ClosingTimeArg, String> {
    if text == "never" {
        return Ok(ClosingTimeArg(None));
    }
    let wrong =
        |_| format!("must be a time such as 2026-03-01T12:00:00Z, or `never`, but is `{text}`");
    Timestamp::parse(text).map(|at| ClosingTimeArg(Some(at))).map_err(wrong)
}

fn parse_count(text: &str) -> Result<CountArg, String> {
    if text == "none" {
        return Ok(CountArg(None));
    }
    let wrong = |_| format!("must be a whole number or `none`, but is `{text}`");
    text.parse().map(|count| CountArg(Some(count))).map_err(wrong)
}

fn parse_limit(text: &str) -> Result<LimitArg, String> {
    if text == "none" {
        return Ok(LimitArg(None));
    }
    let wrong = |_| format!("must be a whole number or `none`, but is `{text}`");
    text.parse().map(|count| LimitArg(Some(count))).map_err(wrong)
}
