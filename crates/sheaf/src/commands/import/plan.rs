//! What a file of CSV is and becomes, found by one look at all of it.

use chrono::DateTime;
use contract::{Field, FieldId, Timestamp};
use std::io::Read;
use std::sync::Arc;
use store::clock::{Clock as _, SystemClock};

use super::column::Column;
use super::header::{Header, Known};
use super::input::Content;
use super::languages::order_by_language;
use super::latest_submission;
use super::layout::{self, Layout, Wishes, uses_now};
use super::profile::Profile;
use super::progress::Progress;
use super::rows::Rows;
use super::scan::scan;
use super::table::Table;
use super::target::Part;
use super::time::date_order::Dates;
use super::time::moment::DateOrder;
use super::time::zone::Zone;
use super::time_columns::Seen;
use super::tool::Tool;
use crate::args;
use crate::error::Result;

/// A file of CSV and what its columns become.
pub(super) struct Plan {
    header: Header,
    pub(super) layout: Arc<Layout>,
    pub(super) profiles: Vec<Profile>,
    /// How many rows there are behind the header.
    pub(super) rows: u64,
}

/// What the person says of a file.
#[derive(Clone, Copy)]
pub(super) struct Options<'a> {
    pub(super) known: Known,
    pub(super) wishes: Wishes<'a>,
    pub(super) dates: Option<DateOrder>,
    /// The zone of clocks that state none.
    pub(super) zone: Option<Zone>,
    pub(super) keeps_ids: bool,
    /// No submission is later.
    pub(super) now: Timestamp,
}

impl<'a> Options<'a> {
    /// Takes them from the command line.
    pub(super) fn of(args: &'a args::Import) -> Self {
        Self {
            known: Known { delimiter: args.delimiter, tool: args.from },
            wishes: Wishes { mappings: &args.map, time: args.time.as_deref() },
            dates: args.dates,
            zone: args.time_zone,
            keeps_ids: !args.new_ids,
            now: SystemClock.now(),
        }
    }
}

impl Plan {
    /// Reads all of a file of so many bytes, which `open` gives from its beginning.
    ///
    /// # Errors
    /// A header that cannot be taken, wishes that do not fit, or dates of unknown order.
    pub(super) fn make<R: Read>(
        open: impl Fn() -> Result<R>,
        bytes: u64,
        known: &[Field],
        options: &Options<'_>,
        mint_id: impl FnMut() -> FieldId,
    ) -> Result<Self> {
        let header = Header::read(&open, options.known)?;
        let mut columns = layout::columns(&header, known, options.wishes)?;
        let mut progress = Progress::new("reading", "bytes", bytes, 0);
        let table = Table::new(open()?, header.delimiter);
        let scan = scan(table, header.rows, &columns, |bytes| progress.reach(bytes))?;
        let profiles = scan.profiles;
        let end = latest_submission(options.now);
        let local_end = DateTime::from_timestamp_micros(end.micros()).unwrap_or_default();
        let local_end = local_end.naive_utc();
        let seen = Seen { profiles: &profiles, rows: scan.filled_rows, end: local_end };
        let uses_now = uses_now(&header, options.wishes);
        let new_fields = layout::complete(&mut columns, seen, known, &header, uses_now, mint_id)?;
        let order = date_order(&columns, seen, &header, options.dates)?;
        let layout = Layout {
            columns,
            new_fields,
            order,
            end,
            zone: options.zone.or(header.zone),
            keeps_ids: options.keeps_ids,
            tool: header.tool,
            // One short row may have lost its end. Several are the habit of a program.
            allows_short_rows: scan.short_rows.count != 1,
        };
        Ok(Self { header, layout: Arc::new(layout), profiles, rows: scan.rows })
    }

    /// Returns the submissions of the file, given from its beginning.
    pub(super) fn rows<R: Read>(&self, input: R) -> Rows<R> {
        let table = Table::new(input, self.header.delimiter);
        Rows::new(table, self.header.rows, Arc::clone(&self.layout))
    }

    /// As [`Plan::rows`], with new fields that were made before.
    pub(super) fn rows_with<R: Read>(&self, input: R, new_fields: &[Field]) -> Rows<R> {
        let table = Table::new(input, self.header.delimiter);
        let layout = Layout { new_fields: new_fields.to_vec(), ..(*self.layout).clone() };
        Rows::new(table, self.header.rows, Arc::new(layout))
    }

    /// Says what kind of file it is.
    pub(super) fn words(&self, content: &Content) -> String {
        let (tool, delimiter) = (self.header.tool, self.header.delimiter);
        format!("{tool}, {}, with {delimiter} between its cells", content.encoding)
    }

    /// Whether times of the file state no zone, and nobody else does.
    pub(super) fn assumes_utc(&self) -> bool {
        let is_zoneless = |(column, profile): (&Column, &Profile)| {
            let says_utc = column.head.name.to_uppercase().contains("UTC");
            is_instant(column) && profile.times.has_zoneless() && !says_utc
        };
        let writes_utc = matches!(self.header.tool, Tool::Kobo | Tool::Tally | Tool::Sheaf);
        let layout = &self.layout;
        layout.zone.is_none()
            && !writes_utc
            && layout.columns.iter().zip(&self.profiles).any(is_zoneless)
    }
}

fn is_instant(column: &Column) -> bool {
    column.part.is_some_and(Part::is_instant)
}

/// Finds the order of dates by the times of submission, then by other times that the tool writes,
/// then by the tool or its language. Answers tell nothing: people type dates as they like. `wanted`
/// is that of the person.
fn date_order(
    columns: &[Column],
    seen: Seen<'_>,
    header: &Header,
    wanted: Option<DateOrder>,
) -> Result<DateOrder> {
    let times = columns.iter().zip(seen.profiles).filter(|(column, _)| is_instant(column));
    let times: Vec<_> = times.collect();
    let language = times.iter().find_map(|(column, _)| order_by_language(&column.head.code));
    let is_thai = language == Some(DateOrder::ThaiDmy);
    let order = match wanted {
        Some(wanted) => wanted,
        None if times.is_empty() => DateOrder::Ymd,
        None => {
            let is_written = |(column, _): &(&Column, &Profile)| {
                is_instant(column) || header.tool.writes_time(&column.head.code)
            };
            let written = columns.iter().zip(seen.profiles).filter(is_written);
            let written = Dates::of(written.map(|(_, profile)| &profile.times.dates));
            let written = written.told(seen.end);
            let language = if is_thai { Some(DateOrder::Dmy) } else { language };
            let usual = header.tool.date_order().or(written).or(language);
            Dates::of(times.iter().map(|(_, profile)| &profile.times.dates))
                .order(usual, seen.end)?
        }
    };
    Ok(if is_thai && order == DateOrder::Dmy { DateOrder::ThaiDmy } else { order })
}
