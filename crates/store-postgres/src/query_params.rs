//! Parameters of a statement that is built for a filter.

use tokio_postgres::types::{ToSql, Type};

/// Parameters of a statement.
#[derive(Default)]
pub(super) struct QueryParams(Vec<(Box<dyn ToSql + Sync + Send>, Type)>);

impl QueryParams {
    /// Adds a number and returns its placeholder.
    pub(super) fn push_number(&mut self, value: i64) -> String {
        self.push(Box::new(value), Type::INT8)
    }

    /// Adds a number of rows, capped at `i64::MAX`, and returns its placeholder.
    pub(super) fn push_rows(&mut self, rows: usize) -> String {
        self.push_number(i64::try_from(rows).unwrap_or(i64::MAX))
    }

    /// Adds a text and returns its placeholder.
    pub(super) fn push_text(&mut self, value: &str) -> String {
        self.push(Box::new(value.to_owned()), Type::TEXT)
    }

    /// Adds a floating-point number and returns its placeholder.
    pub(super) fn push_float(&mut self, value: f64) -> String {
        self.push(Box::new(value), Type::FLOAT8)
    }

    /// Adds a list of texts and returns its placeholder.
    pub(super) fn push_texts<'t>(&mut self, values: impl Iterator<Item = &'t str>) -> String {
        let values: Vec<String> = values.map(str::to_owned).collect();
        self.push(Box::new(values), Type::TEXT_ARRAY)
    }

    /// Adds a list of numbers and returns its placeholder.
    pub(super) fn push_numbers(&mut self, values: Vec<i64>) -> String {
        self.push(Box::new(values), Type::INT8_ARRAY)
    }

    fn push(&mut self, value: Box<dyn ToSql + Sync + Send>, of: Type) -> String {
        self.0.push((value, of));
        format!("${}", self.0.len())
    }

    /// Returns the parameters for the driver.
    pub(super) fn as_typed(&self) -> Vec<(&(dyn ToSql + Sync), Type)> {
        self.0.iter().map(|(value, of)| (&**value as &(dyn ToSql + Sync), of.clone())).collect()
    }
}
