//! Criteria for answers: terms that narrow down the rows, and the exact comparison.
//!
//! The database cannot compare answers as the contract does, so the rows are compared here.

use super::query::read_column;
use super::search_term::Term;
use crate::errors::database_error;
use contract::filter::FieldCriteria;
use store::Result;
use store::answers::AnswerCheck;
use tokio::task::spawn_blocking;
use tokio_postgres::Row;

/// Returns terms that the searched text of each match contains.
pub(super) fn required_terms(fields: &FieldCriteria) -> Vec<Term> {
    let matchers = fields.matchers().unwrap_or_default();
    let terms = matchers.iter().filter_map(|matcher| {
        let (text, is_whole) = matcher.required_text()?;
        Some(Term::for_value(&text, is_whole))
    });
    terms.collect()
}

/// Removes rows that do not match, on a blocking thread. The third column has the JSON.
pub(super) async fn retain_matches(fields: &FieldCriteria, rows: Vec<Row>) -> Result<Vec<Row>> {
    if fields.is_empty() || rows.is_empty() {
        return Ok(rows);
    }
    let fields = fields.clone();
    let retain = move || {
        let check = AnswerCheck::new(&fields);
        let mut matches = Vec::new();
        for row in rows {
            if check.matches(read_column(&row, 2)?)? {
                matches.push(row);
            }
        }
        Ok(matches)
    };
    spawn_blocking(retain).await.map_err(database_error)?
}
