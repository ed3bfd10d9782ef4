//! Parses files without a store, for the fuzz target and its test.

use contract::{FormId, Timestamp};

use super::header::PresetOptions;
use super::layout::ColumnOptions;
use super::ndjson::NdjsonLines;
use super::plan::{ImportOptions, Plan};
use crate::new_ids;

/// Parses an NDJSON file up to its end or the first error.
pub(crate) fn parse_ndjson(file: &[u8]) {
    let Ok(form) = "frm_1".parse::<FormId>() else { return };
    let lines = file.split(|byte| *byte == b'\n').count();
    let read = NdjsonLines::new(file, form).take_while(Result::is_ok).count();
    assert!(read <= lines, "{read} submissions came from {lines} lines");
}

/// Plans the import of a CSV file, and parses the file up to its end or the first error.
pub(crate) fn parse_csv(file: &[u8]) {
    let options = ImportOptions {
        preset: PresetOptions { delimiter: None, tool: None },
        column_options: ColumnOptions { mappings: &[], time: None },
        dates: None,
        zone: None,
        keeps_ids: true,
        now: Timestamp::MAX,
    };
    let Ok(plan) =
        Plan::create(|| Ok(file), file.len() as u64, &[], &options, new_ids::new_field_id)
    else {
        return;
    };
    let mut rows = plan.rows(file);
    let mut count = 0;
    let mut is_whole = true;
    for row in rows.by_ref() {
        count += 1;
        if row.is_err() {
            is_whole = false;
            break;
        }
    }
    let read = count + rows.notes.empty.count;
    let total = plan.rows;
    assert!(read <= total && (read == total || !is_whole), "{read} of {total}");
}
