//! Options of an export, its cost, and the name of its file. The crate `export-worker` writes the
//! file.

use super::filter::is_dates_only;
use super::time::format_duration;
use crate::i18n;
use contract::triage::TriageColumns;
use contract::{Columns, Field, Filter, SubmissionId};
use export_worker::plan::ExportCost;
use export_worker::task::{Format, TableTimeZone, Unwritable};

/// Which submissions to export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExportScope {
    /// All submissions of the form.
    Form,
    /// Submissions in the date range of the filter.
    Dates,
    /// Submissions that match the filter.
    Filtered,
    /// Selected submissions.
    Selected,
}

impl ExportScope {
    /// Returns the scopes that differ under this filter and selection, widest first.
    pub fn available(filter: &Filter, selected: usize) -> Vec<Self> {
        let dates = filter.date_from.is_some() || filter.date_to.is_some();
        let mut scopes = vec![Self::Form];
        scopes.extend(dates.then_some(Self::Dates));
        scopes.extend((!is_dates_only(filter)).then_some(Self::Filtered));
        scopes.extend((selected > 0).then_some(Self::Selected));
        scopes
    }

    /// Returns the value used in the dialog's inputs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Dates => "dates",
            Self::Filtered => "filtered",
            Self::Selected => "selected",
        }
    }

    /// Returns the filter that selects the scope's submissions.
    pub fn narrow_filter(self, filter: &Filter) -> Filter {
        let Filter { date_from, date_to, .. } = *filter;
        match self {
            Self::Form => Filter::default(),
            Self::Dates => Filter { date_from, date_to, ..Filter::default() },
            Self::Filtered | Self::Selected => filter.clone(),
        }
    }
}

/// Options of an export, as chosen in the dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportOptions {
    /// Which submissions to export.
    pub scope: ExportScope,
    /// File format.
    pub format: Format,
    /// Whether cells are escaped so that a spreadsheet does not run them as formulas.
    pub escape_formulas: bool,
    /// Paths of the excluded columns.
    pub excluded_columns: Vec<String>,
    /// Columns of the triage.
    pub triage: TriageColumns,
    /// Time zone of the submission times in a table.
    pub zone: TableTimeZone,
    /// Whether the browser writes directly to a file chosen by the user.
    pub direct_to_file: bool,
    /// Ids of the selected submissions.
    pub selected_ids: Vec<SubmissionId>,
}

impl ExportOptions {
    /// Returns the defaults of the dialog.
    pub fn new(scope: ExportScope, selected: Vec<SubmissionId>) -> Self {
        Self {
            scope,
            format: Format::Csv,
            escape_formulas: true,
            excluded_columns: Vec::new(),
            triage: TriageColumns::default(),
            zone: TableTimeZone::Utc,
            direct_to_file: false,
            selected_ids: selected,
        }
    }

    /// Whether columns can be chosen. Formats of whole submissions offer only the answers, and only
    /// if the server publishes the fields.
    pub fn has_columns(&self, fields_known: bool) -> bool {
        fields_known || self.format.is_table()
    }

    /// Returns the paths of the excluded columns; empty if columns cannot be chosen.
    pub fn effective_exclusions(&self, fields_known: bool) -> Vec<String> {
        if self.has_columns(fields_known) { self.excluded_columns.clone() } else { Vec::new() }
    }
}

/// Returns path and header of each column of a form with these fields, or of its answers only.
pub fn export_columns(fields: &[Field], answers_only: bool) -> Vec<(String, String)> {
    let columns = Columns::all(fields);
    let exported = columns.iter().filter(|column| !answers_only || column.answer_key().is_some());
    exported.map(|column| (column.path(), column.header.clone())).collect()
}

/// Returns the cost of an export as a sentence.
pub fn cost_text(cost: Option<ExportCost>) -> String {
    let texts = i18n::export();
    let Some(ExportCost { requests, min_duration_ms: least_ms }) = cost else {
        return texts.cost_unknown.to_owned();
    };
    let least = Some(least_ms.div_ceil(1000)).filter(|least_s| *least_s > 1).map(format_duration);
    (texts.cost)(requests, least.as_deref())
}

/// Returns the reason why a file cannot be written, as a sentence.
pub fn unwritable_text(reason: &Unwritable) -> String {
    let texts = i18n::export();
    match reason {
        Unwritable::Lost => texts.lost.to_owned(),
        Unwritable::RowsLost => texts.rows_lost.to_owned(),
        Unwritable::Refused(reason) => (texts.refused)(reason),
        Unwritable::Keys(max) => (texts.keys_max)(*max),
        Unwritable::Columns { max, all } => (texts.columns_max)(*max, *all),
        Unwritable::TooLarge => texts.too_large.to_owned(),
        Unwritable::Odd(what) => what.clone(),
    }
}

/// Maximum characters of a form's name in a file name.
const STEM_CHARS_MAX: usize = 60;

/// Returns a file name that is valid on every file system: `customer-feedback-2026-03-01.csv`.
pub fn file_name(form: &str, day: &str, format: Format) -> String {
    let mut stem = String::new();
    for c in form.chars().take(STEM_CHARS_MAX) {
        if c.is_alphanumeric() {
            stem.extend(c.to_lowercase());
        } else if !stem.is_empty() && !stem.ends_with('-') {
            stem.push('-');
        }
    }
    let stem = stem.trim_end_matches('-');
    let stem = if stem.is_empty() { "submissions" } else { stem };
    format!("{stem}-{day}.{}", format.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::filter::parse_filter;

    #[test]
    fn only_different_scopes_are_offered() {
        let check = |url: &str, selected: usize, scopes: &[ExportScope]| {
            assert_eq!(
                ExportScope::available(&parse_filter(url).filter, selected),
                scopes,
                "{url}"
            );
        };
        let dates = "date_from=2026-01-01";
        let filtered = "search=x&date_to=2026-01-01";
        check("", 0, &[ExportScope::Form]);
        check("", 2, &[ExportScope::Form, ExportScope::Selected]);
        check(dates, 0, &[ExportScope::Form, ExportScope::Dates]);
        check("search=x", 0, &[ExportScope::Form, ExportScope::Filtered]);
        check(
            filtered,
            1,
            &[ExportScope::Form, ExportScope::Dates, ExportScope::Filtered, ExportScope::Selected],
        );
    }

    #[test]
    fn scope_determines_filter() {
        let filter = parse_filter("search=x&date_from=2026-01-01").filter;
        assert!(ExportScope::Form.narrow_filter(&filter).is_empty());
        assert_eq!(
            ExportScope::Dates.narrow_filter(&filter),
            parse_filter("date_from=2026-01-01").filter
        );
        assert_eq!(ExportScope::Filtered.narrow_filter(&filter), filter);
    }

    #[test]
    fn columns_are_excluded_only_if_selectable() {
        let field = Field {
            id: "fld_1".parse().unwrap(),
            key: "name".to_owned(),
            name: "Name".to_owned(),
            kind: contract::FieldType::Text,
            hidden: false,
        };
        let name = ("answers.name".to_owned(), "Name".to_owned());
        assert_eq!(export_columns(&[field], true), [name]);
        let left_out = vec!["answers.name".to_owned()];
        let options = ExportOptions {
            excluded_columns: left_out.clone(),
            ..ExportOptions::new(ExportScope::Form, Vec::new())
        };
        let check = |format: Format, fields_known: bool, columns: &[String]| {
            assert_eq!(
                ExportOptions { format, ..options.clone() }.effective_exclusions(fields_known),
                columns
            );
        };
        check(Format::Csv, false, &left_out);
        check(Format::Json, true, &left_out);
        check(Format::Json, false, &[]);
    }

    #[test]
    fn cost_text_contains_requests_and_time() {
        let check = |requests: u64, least_ms: u64, text: &str| {
            assert_eq!(cost_text(Some(ExportCost { requests, min_duration_ms: least_ms })), text);
        };
        check(1, 0, "Uses 1 API request");
        check(7, 900, "Uses 7 API requests");
        check(23, 130_000, "Uses 23 API requests, about 2 min 10 s at your plan’s rate limit");
        assert!(cost_text(None).starts_with("Uses 1 API request per 100 submissions"));
    }

    #[test]
    fn unwritable_reason_becomes_sentence() {
        let check = |reason: Unwritable, text: &str| assert_eq!(unwritable_text(&reason), text);
        check(Unwritable::RowsLost, "The collected rows can no longer be read. Export again.");
        check(
            Unwritable::Refused("QuotaExceededError".to_owned()),
            "The browser could not write the file (QuotaExceededError). Free disk space and try \
             again.",
        );
    }

    #[test]
    fn file_name_has_only_safe_characters() {
        let check = |form: &str, name: &str| {
            assert_eq!(file_name(form, "2026-03-01", Format::Csv), name);
        };
        check("Customer feedback", "customer-feedback-2026-03-01.csv");
        check("  ../../etc/passwd  ", "etc-passwd-2026-03-01.csv");
        check("Über uns: Größe?", "über-uns-größe-2026-03-01.csv");
        check("???", "submissions-2026-03-01.csv");
        check(&"x".repeat(500), &format!("{}-2026-03-01.csv", "x".repeat(60)));
        assert_eq!(file_name("a", "d", Format::Xlsx), "a-d.xlsx");
    }
}
