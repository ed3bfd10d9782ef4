//! What a file of CSV is and becomes, found by one look at all of it.

use contract::{Field, FieldId};
use std::io::Read;
use std::sync::Arc;

use super::csv::Rows;
use super::heads::{Heads, Known};
use super::input::Content;
use super::instant::{DateOrder, Zone};
use super::layout::{self, Layout, Wishes};
use super::profile::Profile;
use super::progress::Progress;
use super::scan::scan;
use super::table::Table;
use super::target::Part;
use crate::args;
use crate::error::Result;

/// A file of CSV and what its columns become.
pub(super) struct Plan {
    heads: Heads,
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
    pub(super) zone: Zone,
    pub(super) keeps_ids: bool,
}

impl<'a> Options<'a> {
    /// Takes them from the command line.
    pub(super) fn of(args: &'a args::Import) -> Self {
        Self {
            known: Known { delimiter: args.delimiter, dialect: args.from },
            wishes: Wishes { mappings: &args.map, time: args.time.as_deref() },
            dates: args.dates,
            zone: args.time_zone.unwrap_or(Zone::Offset(0)),
            keeps_ids: !args.new_ids,
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
        let heads = Heads::read(&open, options.known)?;
        let mut columns = layout::columns(&heads, known, options.wishes)?;
        let mut progress = Progress::new("reading", "bytes", bytes, 0);
        let table = Table::new(open()?, heads.delimiter);
        let seen = scan(table, heads.rows, &columns, |bytes| progress.reach(bytes))?;
        let dialect = heads.dialect;
        let new_fields = layout::complete(&mut columns, &seen.profiles, known, dialect, mint_id)?;
        let has_instants = columns.iter().any(|column| column.part.is_some_and(Part::is_instant));
        let order = match options.dates {
            Some(order) => order,
            None if has_instants => seen.dates.order(dialect.date_order())?,
            None => DateOrder::Ymd,
        };
        let Options { zone, keeps_ids, .. } = *options;
        let layout = Layout { columns, new_fields, order, zone, keeps_ids, dialect };
        let layout = Arc::new(layout);
        Ok(Self { heads, layout, profiles: seen.profiles, rows: seen.rows })
    }

    /// Returns the submissions of the file, given from its beginning.
    pub(super) fn rows<R: Read>(&self, input: R) -> Rows<R> {
        let table = Table::new(input, self.heads.delimiter);
        Rows::new(table, self.heads.rows, Arc::clone(&self.layout))
    }

    /// As [`Plan::rows`], with new fields that were made before.
    pub(super) fn rows_with<R: Read>(&self, input: R, new_fields: &[Field]) -> Rows<R> {
        let table = Table::new(input, self.heads.delimiter);
        let layout = Layout { new_fields: new_fields.to_vec(), ..(*self.layout).clone() };
        Rows::new(table, self.heads.rows, Arc::new(layout))
    }

    /// Says what kind of file it is.
    pub(super) fn words(&self, content: &Content) -> String {
        let (dialect, delimiter) = (self.heads.dialect, self.heads.delimiter);
        format!("{dialect}, {}, with {delimiter} between its cells", content.encoding)
    }
}
