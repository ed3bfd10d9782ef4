//! Plans the import of a CSV file after one pass over it.

use chrono::DateTime;
use contract::{Field, FieldId, Timestamp};
use std::io::Read;
use std::sync::Arc;
use store::clock::{Clock as _, SystemClock};

use super::column::MappedColumn;
use super::column_stats::ColumnStats;
use super::header::{Header, PresetOptions};
use super::input_file::InputSummary;
use super::languages::order_by_language;
use super::latest_submission;
use super::layout::{self, ColumnOptions, Layout, uses_now};
use super::progress::ProgressLine;
use super::rows::CsvRows;
use super::scan::scan_rows;
use super::table::Table;
use super::target::MetadataPart;
use super::time::date_order::DateEvidence;
use super::time::moment::DateOrder;
use super::time::zone::Zone;
use super::time_columns::ColumnEvidence;
use super::tool::Tool;
use crate::args;
use crate::error::Result;

/// A CSV file and the meaning of its columns.
pub(super) struct Plan {
    header: Header,
    pub(super) layout: Arc<Layout>,
    pub(super) profiles: Vec<ColumnStats>,
    /// Number of rows after the header.
    pub(super) rows: u64,
}

/// The user's options for a file.
#[derive(Clone, Copy)]
pub(super) struct ImportOptions<'a> {
    pub(super) preset: PresetOptions,
    pub(super) column_options: ColumnOptions<'a>,
    pub(super) dates: Option<DateOrder>,
    /// Time zone of times without one.
    pub(super) zone: Option<Zone>,
    pub(super) keeps_ids: bool,
    /// Current time; submissions may be slightly later.
    pub(super) now: Timestamp,
}

impl<'a> ImportOptions<'a> {
    /// Returns the options of the command line.
    pub(super) fn from_args(args: &'a args::Import) -> Self {
        Self {
            preset: PresetOptions { delimiter: args.delimiter, tool: args.from },
            column_options: ColumnOptions { mappings: &args.map, time: args.time.as_deref() },
            dates: args.dates,
            zone: args.time_zone,
            keeps_ids: !args.new_ids,
            now: SystemClock.now(),
        }
    }
}

impl Plan {
    /// Plans the import of a file of `bytes` bytes. `open` returns the file from its start.
    ///
    /// # Errors
    /// An invalid header, options that do not match it, or dates of unclear order.
    pub(super) fn create<R: Read>(
        open: impl Fn() -> Result<R>,
        bytes: u64,
        existing: &[Field],
        options: &ImportOptions<'_>,
        generate_id: impl FnMut() -> FieldId,
    ) -> Result<Self> {
        let header = Header::read(&open, options.preset)?;
        let mut columns = layout::assign_columns(&header, existing, options.column_options)?;
        let mut progress = ProgressLine::new("reading", "bytes", bytes, 0);
        let table = Table::new(open()?, header.delimiter);
        let scan = scan_rows(table, header.rows, &columns, |bytes| progress.set_done(bytes))?;
        let profiles = scan.profiles;
        let end = latest_submission(options.now);
        let local_end = DateTime::from_timestamp_micros(end.micros()).unwrap_or_default();
        let local_end = local_end.naive_utc();
        let seen = ColumnEvidence { profiles: &profiles, rows: scan.filled_rows, end: local_end };
        let uses_now = uses_now(&header, options.column_options);
        let new_fields =
            layout::complete_layout(&mut columns, seen, existing, &header, uses_now, generate_id)?;
        let order = date_order(&columns, seen, &header, options.dates)?;
        let layout = Layout {
            columns,
            new_fields,
            order,
            end,
            zone: options.zone.or(header.zone),
            keeps_ids: options.keeps_ids,
            tool: header.tool,
            // A single short row may be cut off. Several are written by a program that omits empty
            // cells.
            allows_short_rows: scan.short_rows.count != 1,
        };
        Ok(Self { header, layout: Arc::new(layout), profiles, rows: scan.rows })
    }

    /// Returns the submissions of the file. `input` must be at its start.
    pub(super) fn rows<R: Read>(&self, input: R) -> CsvRows<R> {
        let table = Table::new(input, self.header.delimiter);
        CsvRows::new(table, self.header.rows, Arc::clone(&self.layout))
    }

    /// Like [`Plan::rows`], with new fields that were created earlier.
    pub(super) fn rows_with<R: Read>(&self, input: R, new_fields: &[Field]) -> CsvRows<R> {
        let table = Table::new(input, self.header.delimiter);
        let layout = Layout { new_fields: new_fields.to_vec(), ..(*self.layout).clone() };
        CsvRows::new(table, self.header.rows, Arc::new(layout))
    }

    /// Returns a description of the file.
    pub(super) fn describe(&self, content: &InputSummary) -> String {
        let tool = self.header.tool;
        let delimiter = self.header.delimiter;
        format!("{tool}, {}, with {delimiter} between its cells", content.encoding)
    }

    /// Whether times without a zone are read as UTC only because no zone is known.
    pub(super) fn assumes_utc(&self) -> bool {
        let is_zoneless = |(column, profile): (&MappedColumn, &ColumnStats)| {
            let says_utc = column.header.name.to_uppercase().contains("UTC");
            is_instant(column) && profile.times.has_zoneless() && !says_utc
        };
        let writes_utc = matches!(self.header.tool, Tool::Kobo | Tool::Tally | Tool::Sheaf);
        let layout = &self.layout;
        layout.zone.is_none()
            && !writes_utc
            && layout.columns.iter().zip(&self.profiles).any(is_zoneless)
    }
}

fn is_instant(column: &MappedColumn) -> bool {
    column.part.is_some_and(MetadataPart::is_instant)
}

/// Detects the date order from the submission times, then from other times that the tool writes,
/// then from the tool or its language. Answers do not count, because people type dates in any
/// order. `given` is the user's choice.
fn date_order(
    columns: &[MappedColumn],
    seen: ColumnEvidence<'_>,
    header: &Header,
    given: Option<DateOrder>,
) -> Result<DateOrder> {
    let times = columns.iter().zip(seen.profiles).filter(|(column, _)| is_instant(column));
    let times: Vec<_> = times.collect();
    let language = times.iter().find_map(|(column, _)| order_by_language(&column.header.code));
    let is_thai = language == Some(DateOrder::ThaiDmy);
    let order = match given {
        Some(given) => given,
        None if times.is_empty() => DateOrder::Ymd,
        None => {
            let is_written = |(column, _): &(&MappedColumn, &ColumnStats)| {
                is_instant(column) || header.tool.writes_time(&column.header.code)
            };
            let written = columns.iter().zip(seen.profiles).filter(is_written);
            let written = DateEvidence::combine(written.map(|(_, profile)| &profile.times.dates));
            let written = written.determined_order(seen.end);
            let language = if is_thai { Some(DateOrder::Dmy) } else { language };
            let usual = header.tool.date_order().or(written).or(language);
            DateEvidence::combine(times.iter().map(|(_, profile)| &profile.times.dates))
                .choose_order(usual, seen.end)?
        }
    };
    Ok(if is_thai && order == DateOrder::Dmy { DateOrder::ThaiDmy } else { order })
}
