//! Arguments of `sheaf import`.

use clap::Args;
use contract::FormId;
use std::path::PathBuf;

use crate::commands::import::{DateOrder, Delimiter, Mapping, Tool, Zone};

const MAP_HELP: &str = "What a column becomes, for example `When=submitted_at`: a field by its key \
    or name, or submitted_at, started_at, completion_time_seconds, ip_country, device, browser, \
    utm_source, utm_medium, utm_campaign, sentiment, sentiment_score, categories, language, id or \
    skip; may be given several times";

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The form that the submissions answer
    #[arg(long)]
    pub(crate) form: FormId,
    /// A file of NDJSON; - is standard input
    #[arg(value_name = "FILE", required_unless_present = "csv", conflicts_with = "csv")]
    pub(crate) file: Option<PathBuf>,
    /// A file of CSV instead; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Show what would become of the file, with every problem, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Give every submission a new id, also where the file has ids
    #[arg(long)]
    pub(crate) new_ids: bool,
    /// Begin anew: remove what an import into the form left that was killed
    #[arg(long)]
    pub(crate) restart: bool,
    /// The tool that wrote the CSV: google, microsoft, typeform, tally, jotform, surveymonkey,
    /// qualtrics, kobo, odk, limesurvey, nextcloud, formbricks, netlify, formspree, airtable, sheaf
    /// or plain; without it, the header row tells
    #[arg(long, value_name = "TOOL", requires = "csv")]
    pub(crate) from: Option<Tool>,
    #[arg(long, value_name = "HEAD=TARGET", requires = "csv", help = MAP_HELP)]
    pub(crate) map: Vec<Mapping>,
    /// The column of the times of submission, the same as `--map COLUMN=submitted_at`; or `now`,
    /// the time of the import for all
    #[arg(long, value_name = "COLUMN", requires = "csv")]
    pub(crate) time: Option<String>,
    /// The order of dates such as `3/4/26`: dmy, mdy or ymd; without it, the file's times tell,
    /// then its language
    #[arg(long, value_name = "ORDER", requires = "csv")]
    pub(crate) dates: Option<DateOrder>,
    /// The zone of times that state none, for example `Europe/Berlin` or `+02:00`; without it, UTC.
    /// It also decides what an abbreviation such as `IST` means
    #[arg(long, value_name = "ZONE", requires = "csv", allow_hyphen_values = true)]
    pub(crate) time_zone: Option<Zone>,
    /// The file's encoding; without it, UTF-8, UTF-16 or, for CSV, Windows-1252, as the bytes tell
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// The delimiter of cells: comma, semicolon, tab or pipe; without it, a line such as `sep=;` or
    /// the first rows tell
    #[arg(long, value_name = "NAME", requires = "csv")]
    pub(crate) delimiter: Option<Delimiter>,
}
