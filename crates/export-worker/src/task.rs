//! Messages between the page and its worker, as JSON: the export task, its progress and its result.
//! Data only.

use contract::triage::{TriageColumns, TriageNames};
use contract::{AccountId, Environment, Field, FormId, Plan, SubmissionId};
use serde::{Deserialize, Serialize};

/// Maximum number of ids in a selection.
pub const SELECTION_MAX: usize = 100_000;

/// File format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Comma-separated values.
    #[default]
    Csv,
    /// Excel workbook with typed cells.
    Xlsx,
    /// One JSON object for the whole file.
    Json,
    /// One JSON object per line.
    Ndjson,
}

impl Format {
    /// All formats, the most used first.
    pub const ALL: [Self; 4] = [Self::Csv, Self::Xlsx, Self::Json, Self::Ndjson];

    /// Returns the name, which is also the file extension.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
        }
    }

    /// Returns the media type of the file.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Json => "application/json",
            Self::Ndjson => "application/x-ndjson",
        }
    }

    /// Returns whether the format has columns, rather than whole submissions.
    pub fn is_table(self) -> bool {
        matches!(self, Self::Csv | Self::Xlsx)
    }
}

/// Time zone of the timestamps in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableTimeZone {
    /// UTC.
    #[default]
    Utc,
    /// Time zone of the browser.
    Viewer,
}

/// Complete description of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportTask {
    /// Account that exports. An interrupted export is offered to this account only.
    pub account: AccountId,
    /// Environment.
    pub environment: Environment,
    /// Form.
    pub form: FormId,
    /// Fields of the form; empty if the server does not publish them. The answers then determine
    /// the columns.
    pub fields: Vec<Field>,
    /// Whether the server is our own. Its export supports every part of a filter.
    pub managed: bool,
    /// Filter of the submissions, as the query of a list.
    pub query: String,
    /// Limits the export to these submissions, newest first.
    #[serde(rename = "only")]
    pub selected_ids: Option<Vec<SubmissionId>>,
    /// File format.
    pub format: Format,
    /// Whether cells that a spreadsheet would run as a formula are escaped; CSV only.
    pub safe: bool,
    /// Excluded column paths. Exclusions are stored because, on servers that do not publish fields,
    /// later rows can introduce columns.
    pub left_out: Vec<String>,
    /// Columns of the triage; only for our own server.
    #[serde(default)]
    pub triage: TriageColumns,
    /// Names of statuses and members, for the cells of a table.
    #[serde(default)]
    pub triage_names: TriageNames,
    /// Time zone of a table.
    pub zone: TableTimeZone,
    /// Plan with the burst limit that the export observes.
    pub plan: Plan,
    /// Number of submissions according to the page.
    pub expected: Option<u64>,
    /// Name of the file.
    pub name: String,
}

/// Command of the page to the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WorkerCommand {
    /// Starts an export. The message may include the handle of the file to write.
    Start {
        /// Id assigned by the page. With it the page can discard the export before the first event.
        id: String,
        /// Export to run.
        task: Box<ExportTask>,
    },
    /// Resumes an export after a pause, a failure or a reload.
    Resume {
        /// Id of the export.
        id: String,
    },
    /// Pauses the running export.
    Pause,
    /// Discards an export and its files.
    Discard {
        /// Id of the export.
        id: String,
    },
}

/// Event of the worker for the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WorkerEvent {
    /// The worker is ready. Contains the interrupted exports, newest first.
    Ready(Vec<InterruptedExport>),
    /// An export is running.
    Under(Progress),
    /// The server has not responded for a while to the running export with this id.
    Silent(String),
    /// The export was paused, as requested.
    Paused(Progress),
    /// The export failed and can be resumed.
    Failed(Progress, Failure),
    /// The export has not started, or its data is lost; it cannot be resumed.
    NotBegun {
        /// Id of the export.
        id: String,
        /// Reason.
        failure: Failure,
    },
    /// The file is complete, or as complete as it gets. The message includes the file, unless it is
    /// at a location that the user chose.
    Done(Progress, Vec<ExportWarning>),
}

/// Export that was interrupted by a reload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterruptedExport {
    /// Id.
    pub id: String,
    /// Account that exports.
    pub account: AccountId,
    /// Name of the file.
    pub name: String,
    /// Progress.
    pub progress: Progress,
    /// Whether the user chose the file. Writing to it again then needs the user's permission.
    pub chosen: bool,
}

/// Progress of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Id of the export.
    pub id: String,
    /// Rows written.
    pub written: u64,
    /// Total number of rows, once known.
    pub total: Option<u64>,
    /// Bytes written.
    pub bytes: u64,
    /// Requests made.
    pub requests: u64,
    /// Estimated remaining time in milliseconds, once known.
    pub left_ms: Option<u64>,
    /// Remaining wait for the rate limit in seconds, while waiting.
    pub waits_s: Option<u64>,
    /// Whether the server has not responded for a while.
    #[serde(default)]
    pub is_silent: bool,
}

impl Progress {
    /// Returns the number of missing rows.
    pub fn missing_rows(&self) -> u64 {
        self.total.unwrap_or_default().saturating_sub(self.written)
    }
}

/// Reason why an export stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failure {
    /// The gateway is unreachable.
    Network,
    /// The gateway did not respond in time, or stopped in the middle of a response.
    NoAnswer,
    /// The response with the rows ended early, repeatedly.
    Truncated,
    /// An auth proxy in front of the gateway requires a new sign-in.
    SessionEnded,
    /// Error response (Specification, section 7).
    Status {
        /// HTTP status.
        status: u16,
        /// Machine-readable code; empty if the body does not have the specified format.
        code: String,
        /// Problem and remedy; empty in the same case.
        message: String,
    },
    /// The response does not have the specified format.
    Unreadable(String),
    /// The requested object does not exist.
    Gone,
    /// The file cannot be written.
    Unwritable(Unwritable),
}

/// Reason why a file cannot be written. The page translates it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unwritable {
    /// The saved export does not exist: it finished elsewhere, or the browser removed it.
    Lost,
    /// The rows gathered for a table are not readable any more.
    RowsLost,
    /// The browser refused to write, with its own message.
    Refused(String),
    /// The answers have more distinct keys than this maximum.
    Keys(u64),
    /// More columns than a sheet supports.
    Columns {
        /// Maximum of a sheet.
        max: u64,
        /// Number of columns.
        all: u64,
    },
    /// The workbook exceeds the size limit of its format.
    TooLarge,
    /// Unexpected error with its message. No task of the page causes it.
    Odd(String),
}

/// Warning about a file that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportWarning {
    /// Number of cells that were cut to the maximum length of a sheet.
    CellsCut(u64),
    /// Number of sheets that the rows fill.
    #[serde(rename = "Sheets")]
    Worksheets(u32),
    /// The server wrote the file itself, and its rows could not be counted.
    Uncounted,
}
