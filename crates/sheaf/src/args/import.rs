//! Arguments of `sheaf import`.

use clap::Args;
use contract::FormId;
use std::path::PathBuf;

use crate::commands::import::{DateOrder, Delimiter, Mapping, Tool, Zone};

const MAP_HELP: &str = "Map a column, for example `When=submitted_at`, to a field by its key or \
    name, or to submitted_at, started_at, completion_time_seconds, ip_country, device, browser, \
    utm_source, utm_medium, utm_campaign, sentiment, sentiment_score, categories, language, id or \
    skip; can be repeated";

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Id of the form to import into
    #[arg(long)]
    pub(crate) form: FormId,
    /// NDJSON file; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "csv", conflicts_with = "csv")]
    pub(crate) file: Option<PathBuf>,
    /// CSV file instead; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Show the result and all problems without importing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Generate new ids, even if the file has ids
    #[arg(long)]
    pub(crate) new_ids: bool,
    /// Start over: discard an interrupted import into the form
    #[arg(long)]
    pub(crate) restart: bool,
    /// Tool that wrote the CSV file: google, microsoft, typeform, tally, jotform, surveymonkey,
    /// qualtrics, kobo, odk, limesurvey, nextcloud, formbricks, netlify, formspree, airtable, sheaf
    /// or plain; detected from the header row by default
    #[arg(long, value_name = "TOOL", requires = "csv")]
    pub(crate) from: Option<Tool>,
    #[arg(long, value_name = "HEAD=TARGET", requires = "csv", help = MAP_HELP)]
    pub(crate) map: Vec<Mapping>,
    /// Column with the submission times, the same as `--map COLUMN=submitted_at`
    ///
    /// `now` uses the time of the import.
    #[arg(long, value_name = "COLUMN", requires = "csv")]
    pub(crate) time: Option<String>,
    /// Order of dates such as `3/4/26`: dmy, mdy or ymd
    ///
    /// Detected from the times in the file and its language by default.
    #[arg(long, value_name = "ORDER", requires = "csv")]
    pub(crate) dates: Option<DateOrder>,
    /// Time zone of times without one, such as `Europe/Berlin` or `+02:00`
    ///
    /// Defaults to UTC. Also decides the meaning of abbreviations such as `IST`.
    #[arg(long, value_name = "ZONE", requires = "csv", allow_hyphen_values = true)]
    pub(crate) time_zone: Option<Zone>,
    /// Encoding of the file
    ///
    /// UTF-8, UTF-16 or, for CSV, Windows-1252 is detected by default.
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// Delimiter of cells: comma, semicolon, tab or pipe
    ///
    /// Detected from a line such as `sep=;` or the first rows by default.
    #[arg(long, value_name = "NAME", requires = "csv")]
    pub(crate) delimiter: Option<Delimiter>,
}
