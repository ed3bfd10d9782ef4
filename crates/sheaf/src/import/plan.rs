//! What a file of CSV is and becomes, found by one look at all of it.

use contract::{Field, Form};
use std::fs::File;
use std::io::BufReader;
use std::sync::Arc;

use super::csv::Rows;
use super::heads::{Heads, Known};
use super::input::{Content, Input};
use super::instant::{DateOrder, Zone};
use super::layout::{self, Layout, Wishes};
use super::profile::Profile;
use super::progress::Progress;
use super::scan::scan;
use super::table::Table;
use super::target::Part;
use crate::args;
use crate::error::Result;
use crate::mint;

/// A file of CSV and what its columns become.
pub(super) struct Plan {
    heads: Heads,
    pub(super) layout: Arc<Layout>,
    pub(super) profiles: Vec<Profile>,
    /// How many rows there are behind the header.
    pub(super) rows: u64,
}

impl Plan {
    /// Reads all of a file.
    ///
    /// # Errors
    /// A header that cannot be taken, wishes that do not fit, or dates of unknown order.
    pub(super) fn make(
        input: &Input,
        content: &Content,
        form: &Form,
        args: &args::Import,
    ) -> Result<Self> {
        let known = Known { delimiter: args.delimiter, dialect: args.from };
        let heads = Heads::read(|| input.rewound(), known)?;
        let wishes = Wishes { mappings: &args.map, time: args.time.as_deref() };
        let mut columns = layout::columns(&heads, &form.fields, wishes)?;
        let mut progress = Progress::new("reading", "bytes", content.bytes, 0);
        let table = Table::new(input.rewound()?, heads.delimiter);
        let seen = scan(table, heads.rows, &columns, |bytes| progress.reach(bytes))?;
        let dialect = heads.dialect;
        let mint = mint::field_id;
        let new_fields =
            layout::complete(&mut columns, &seen.profiles, &form.fields, dialect, mint)?;
        let has_instants = columns.iter().any(|column| column.part.is_some_and(Part::is_instant));
        let order = match args.dates {
            Some(order) => order,
            None if has_instants => seen.dates.order(dialect.date_order())?,
            None => DateOrder::Ymd,
        };
        let layout = Layout {
            columns,
            new_fields,
            order,
            zone: args.time_zone.unwrap_or(Zone::Offset(0)),
            keeps_ids: !args.new_ids,
            dialect,
        };
        let layout = Arc::new(layout);
        Ok(Self { heads, layout, profiles: seen.profiles, rows: seen.rows })
    }

    /// Returns the submissions of the file.
    ///
    /// # Errors
    /// A file that cannot be read again.
    pub(super) fn rows(&self, input: &Input) -> Result<Rows<BufReader<File>>> {
        let table = Table::new(input.rewound()?, self.heads.delimiter);
        Ok(Rows::new(table, self.heads.rows, Arc::clone(&self.layout)))
    }

    /// As [`Plan::rows`], with new fields that were made before.
    ///
    /// # Errors
    /// As [`Plan::rows`].
    pub(super) fn rows_with(
        &self,
        input: &Input,
        new_fields: &[Field],
    ) -> Result<Rows<BufReader<File>>> {
        let table = Table::new(input.rewound()?, self.heads.delimiter);
        let layout = Layout { new_fields: new_fields.to_vec(), ..(*self.layout).clone() };
        Ok(Rows::new(table, self.heads.rows, Arc::new(layout)))
    }

    /// Says what kind of file it is.
    pub(super) fn words(&self, content: &Content) -> String {
        let (dialect, delimiter) = (self.heads.dialect, self.heads.delimiter);
        format!("{dialect}, {}, with {delimiter} between its cells", content.encoding)
    }
}
