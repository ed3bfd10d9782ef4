//! The words between the page and its worker, as JSON: what is to be exported, how far that is, and
//! what became of it. Nothing here acts.

use contract::{AccountId, Environment, Field, FormId, Plan, SubmissionId};
use serde::{Deserialize, Serialize};

/// Most ids that a selection may have.
pub const SELECTION_MAX: usize = 100_000;

/// What a file is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Comma-separated values.
    #[default]
    Csv,
    /// A workbook with typed cells.
    Xlsx,
    /// One JSON object.
    Json,
    /// One JSON object a line.
    Ndjson,
}

impl Format {
    /// Every format, the most asked for first.
    pub const ALL: [Self; 4] = [Self::Csv, Self::Xlsx, Self::Json, Self::Ndjson];

    /// Returns the name, which is also the file's ending.
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

    /// Whether it has columns, rather than whole submissions.
    pub fn is_table(self) -> bool {
        matches!(self, Self::Csv | Self::Xlsx)
    }
}

/// In which time zone a table tells when a submission came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Zone {
    /// UTC.
    #[default]
    Utc,
    /// The zone of the browser.
    Viewer,
}

/// An export, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The account that asks; what is left of the export is no other's business.
    pub account: AccountId,
    /// The environment.
    pub environment: Environment,
    /// The form.
    pub form: FormId,
    /// Its fields; empty where the server tells none, and the answers must.
    pub fields: Vec<Field>,
    /// Whether the server is ours, and its export knows every part of a filter.
    pub managed: bool,
    /// Which submissions, as the query of a list.
    pub query: String,
    /// These alone of them, newest first.
    pub only: Option<Vec<SubmissionId>>,
    /// As what.
    pub format: Format,
    /// Whether cells that a spreadsheet would run as a formula are disarmed; of a CSV only.
    pub safe: bool,
    /// The paths of the columns that are left out. What is kept could not be said: of a server that
    /// tells no fields, the rows tell columns that nobody has seen yet.
    pub left_out: Vec<String>,
    /// The time zone of a table.
    pub zone: Zone,
    /// The plan whose burst is kept.
    pub plan: Plan,
    /// How many submissions the page counts.
    pub expected: Option<u64>,
    /// What the file is called.
    pub name: String,
}

/// What the page asks of the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ask {
    /// Begin; with the message may come the handle of the file to write.
    Begin {
        /// What the page calls it, and gives it up by before anything was heard of it.
        id: String,
        /// What is to be exported.
        task: Box<Task>,
    },
    /// Go on: after a pause, after a failure, or with an export that a reload broke off.
    GoOn {
        /// The export.
        id: String,
    },
    /// Stop for now.
    Pause,
    /// Forget an export and what was written of it.
    Discard {
        /// The export.
        id: String,
    },
}

/// What the worker tells the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Told {
    /// It listens, and knows these exports that were broken off, the newest first.
    Ready(Vec<Left>),
    /// An export is under way.
    Under(Progress),
    /// The one of this id is under way, but the server has not answered for a while.
    Silent(String),
    /// It has stopped, as asked.
    Paused(Progress),
    /// It has stopped by itself, and can go on.
    Failed(Progress, Failure),
    /// It has never begun, or nothing is left of it: there is nothing to go on with.
    NotBegun {
        /// The export.
        id: String,
        /// Why.
        failure: Failure,
    },
    /// The file is whole, or as whole as it gets. With the message comes the file, unless it
    /// stands where the person wanted it.
    Done(Progress, Vec<Remark>),
}

/// An export that a reload broke off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Which it is.
    pub id: String,
    /// Whose it is.
    pub account: AccountId,
    /// What the file is called.
    pub name: String,
    /// How far it came.
    pub progress: Progress,
    /// Whether the file was chosen by the person, who must allow again that it is written.
    pub chosen: bool,
}

/// How far an export is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Which export.
    pub id: String,
    /// Rows written.
    pub written: u64,
    /// Rows in all, once known.
    pub total: Option<u64>,
    /// Bytes written.
    pub bytes: u64,
    /// Requests made.
    pub requests: u64,
    /// About how long the rest takes, once known.
    pub left_ms: Option<u64>,
    /// How long the rate limit makes it wait, in seconds, while it does.
    pub waits_s: Option<u64>,
    /// Whether the server has not answered for a while.
    #[serde(default)]
    pub is_silent: bool,
}

impl Progress {
    /// Returns how many rows are missing.
    pub fn missing(&self) -> u64 {
        self.total.unwrap_or_default().saturating_sub(self.written)
    }
}

/// Why an export has stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failure {
    /// The gateway could not be reached.
    Network,
    /// The gateway did not answer in time, or stopped in the middle of an answer.
    NoAnswer,
    /// An auth proxy in front of the gateway wants a new sign-in.
    SessionEnded,
    /// The answer was an error (§7).
    Status {
        /// The HTTP status.
        status: u16,
        /// The machine-readable code; empty where the body was not the specified one.
        code: String,
        /// What is wrong and what to do; empty likewise.
        message: String,
    },
    /// The answer was not of the shape that the specification says.
    Unreadable(String),
    /// What was to be exported is not there.
    Gone,
    /// The file cannot be written.
    Unwritable(Unwritable),
}

/// Why a file cannot be written. The page says it, in the language that it speaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unwritable {
    /// Nothing is left of it: it came to its end elsewhere, or the browser has removed it.
    Lost,
    /// The rows that were gathered for a table cannot be read any more.
    RowsLost,
    /// The browser does not write, in its own words.
    Refused(String),
    /// The answers have more different keys than so many.
    Keys(u64),
    /// More columns than a sheet takes.
    Columns {
        /// Most that it takes.
        max: u64,
        /// How many there are.
        all: u64,
    },
    /// The workbook is larger than its format allows.
    TooLarge,
    /// What no task that the page makes comes to, in the words of whoever noticed.
    Odd(String),
}

/// What a person must know of a file that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Remark {
    /// So many cells were longer than a sheet takes and were cut.
    CellsCut(u64),
    /// The rows fill so many sheets.
    Sheets(u32),
    /// The server wrote the file as it stands, and its rows could not be counted.
    Uncounted,
}
