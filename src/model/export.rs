//! Which way a list becomes a file, and what the file is called.
//!
//! The specified export knows dates only (§4.4). What it can say, the server writes; the rest is
//! written here, by walking the list.

use super::filter::is_dates_only;
use contract::{ExportFormat, ExportQuery, Filter};

/// Which submissions a person wants in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// All of the form's.
    Form,
    /// Those of the filter's dates.
    Dates,
    /// Exactly those on the list.
    Filtered,
}

impl Scope {
    /// Returns the scopes that differ under a filter, the widest first.
    pub fn offered(filter: &Filter) -> Vec<Self> {
        let dates = filter.date_from.is_some() || filter.date_to.is_some();
        let mut scopes = vec![Self::Form];
        scopes.extend(dates.then_some(Self::Dates));
        scopes.extend((!is_dates_only(filter)).then_some(Self::Filtered));
        scopes
    }

    /// Returns the name by which a choice refers to it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Dates => "dates",
            Self::Filtered => "filtered",
        }
    }

    /// Returns the filter of the file.
    pub fn filter(self, filter: &Filter) -> Filter {
        let Filter { date_from, date_to, .. } = *filter;
        match self {
            Self::Form => Filter::default(),
            Self::Dates => Filter { date_from, date_to, ..Filter::default() },
            Self::Filtered => filter.clone(),
        }
    }
}

/// What a person asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wish {
    /// Which submissions.
    pub scope: Scope,
    /// As what.
    pub format: ExportFormat,
    /// Whether a spreadsheet must be able to open it without running what is in it.
    pub safe: bool,
}

/// How the file is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// The server writes it, in one request.
    Server(ExportQuery),
    /// The browser writes it from the pages of the list.
    Walk(ExportQuery),
}

/// Returns the way. A foreign server (`managed` false) may not know how to disarm formulas, so a
/// safe CSV of its submissions is written here.
pub fn way(wish: Wish, filter: &Filter, managed: bool) -> Way {
    let Wish { scope, format, safe } = wish;
    let filter = scope.filter(filter);
    let safe = safe && format == ExportFormat::Csv;
    let server = is_dates_only(&filter) && (managed || !safe);
    let query = ExportQuery { filter, format, fields: None, safe };
    if server { Way::Server(query) } else { Way::Walk(query) }
}

/// Most characters of a form's name in a file's.
const STEM_CHARS_MAX: usize = 60;

/// Returns a file name that every file system takes: `customer-feedback-2026-03-01.csv`.
pub fn file_name(form: &str, day: &str, format: ExportFormat) -> String {
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
    use crate::model::filter::read;

    #[test]
    fn only_scopes_that_differ_are_offered() {
        let check = |url: &str, scopes: &[Scope]| {
            assert_eq!(Scope::offered(&read(url).filter), scopes, "{url}");
        };
        check("", &[Scope::Form]);
        check("date_from=2026-01-01", &[Scope::Form, Scope::Dates]);
        check("search=x", &[Scope::Form, Scope::Filtered]);
        check("search=x&date_to=2026-01-01", &[Scope::Form, Scope::Dates, Scope::Filtered]);
    }

    #[test]
    fn the_server_writes_what_it_can_say() {
        let filter = read("search=x&date_from=2026-01-01").filter;
        let check =
            |scope: Scope, format: ExportFormat, safe: bool, managed: bool, server: bool| {
                let way = way(Wish { scope, format, safe }, &filter, managed);
                assert_eq!(
                    matches!(way, Way::Server(_)),
                    server,
                    "{scope:?} {format:?} {safe} {managed}"
                );
            };
        check(Scope::Form, ExportFormat::Csv, true, true, true);
        check(Scope::Dates, ExportFormat::Json, true, true, true);
        check(Scope::Filtered, ExportFormat::Csv, true, true, false);
        check(Scope::Form, ExportFormat::Csv, true, false, false);
        check(Scope::Form, ExportFormat::Csv, false, false, true);
        check(Scope::Form, ExportFormat::Json, true, false, true);
    }

    #[test]
    fn the_query_is_the_scopes() {
        let filter = read("search=x&date_from=2026-01-01").filter;
        let query =
            |scope| match way(Wish { scope, format: ExportFormat::Csv, safe: true }, &filter, true)
            {
                Way::Server(query) | Way::Walk(query) => query.write(),
            };
        assert_eq!(query(Scope::Form), "safe=true");
        assert_eq!(query(Scope::Dates), "date_from=2026-01-01T00:00:00Z&safe=true");
        assert_eq!(query(Scope::Filtered), "date_from=2026-01-01T00:00:00Z&search=x&safe=true");
    }

    #[test]
    fn file_names_are_harmless() {
        let check = |form: &str, name: &str| {
            assert_eq!(file_name(form, "2026-03-01", ExportFormat::Csv), name);
        };
        check("Customer feedback", "customer-feedback-2026-03-01.csv");
        check("  ../../etc/passwd  ", "etc-passwd-2026-03-01.csv");
        check("Über uns: Größe?", "über-uns-größe-2026-03-01.csv");
        check("???", "submissions-2026-03-01.csv");
        check(&"x".repeat(500), &format!("{}-2026-03-01.csv", "x".repeat(60)));
    }
}
