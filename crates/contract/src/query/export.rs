//! Query of an export (specification, section 4.4).

use super::{
    QueryError, QueryWriter, check_ranges, invalid_parameter, parse_bool, parse_filter_parameter,
    parse_pairs, shorten_value,
};
use crate::named_enum::named_enum;
use crate::triage::{TriageColumn, TriageColumns};
use crate::{FieldId, Filter, Sort};

/// Query of an export (specification, section 4.4).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportQuery {
    /// Filter of the submissions. `search` and `utm_*` are not in the specification.
    pub filter: Filter,
    /// Format of the file.
    pub format: ExportFormat,
    /// Fields to export, in this order; `None` exports all columns.
    pub fields: Option<Vec<FieldId>>,
    /// Whether to neutralise cells that a spreadsheet would run as formulas (not in the
    /// specification).
    pub disarms_formulas: bool,
    /// Columns of the triage to append (not in the specification).
    pub triage: TriageColumns,
    /// Order; `None` for newest first (not in the specification).
    pub sort: Option<Sort>,
}

named_enum! {
    /// Format of an export (specification, section 4.4).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
    pub enum ExportFormat {
        /// Comma-separated values.
        #[default]
        Csv = "csv",
        /// One JSON object.
        Json = "json",
    }
}

impl ExportFormat {
    /// Returns the media type of the file.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Json => "application/json",
        }
    }
}

impl ExportQuery {
    /// Parses a query string without `?`.
    ///
    /// # Errors
    /// For the first parameter that is unknown, repeated or invalid (specification, section 4.4).
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        let mut read = Self::default();
        for (name, value) in parse_pairs(query)? {
            match name.as_str() {
                "format" | "fields" | "safe" | "columns" | "sort" if value.is_empty() => {}
                "format" => read.format = parse_format(&value)?,
                "fields" => read.fields = Some(parse_fields(&value)?),
                "safe" => read.disarms_formulas = parse_bool(&name, &value)?,
                "columns" => read.triage = parse_columns(&value)?,
                "sort" => read.sort = Sort::parse(&value)?,
                _ => parse_filter_parameter(&mut read.filter, &name, &value)?,
            }
        }
        check_ranges(&read.filter)?;
        Ok(read)
    }

    /// Returns the query string without `?`. Defaults are omitted.
    pub fn to_query_string(&self) -> String {
        let mut out = QueryWriter::default();
        if self.format != ExportFormat::default() {
            out.push_pair("format", self.format.as_str());
        }
        out.push_filter(&self.filter);
        if let Some(fields) = &self.fields {
            let ids: Vec<&str> = fields.iter().map(FieldId::as_str).collect();
            out.push_pair("fields", &ids.join(","));
        }
        if self.disarms_formulas {
            out.push_pair("safe", "true");
        }
        if !self.triage.is_empty() {
            out.push_pair("columns", &self.triage.to_string());
        }
        if let Some(sort) = &self.sort {
            out.push_pair("sort", &sort.to_string());
        }
        out.0
    }
}

fn parse_format(value: &str) -> Result<ExportFormat, QueryError> {
    match value {
        "csv" => Ok(ExportFormat::Csv),
        "json" => Ok(ExportFormat::Json),
        _ => Err(invalid_parameter(
            "format",
            format!("must be `csv` or `json`, but is `{}`", shorten_value(value)),
        )),
    }
}

fn parse_fields(value: &str) -> Result<Vec<FieldId>, QueryError> {
    let mut ids: Vec<FieldId> = Vec::new();
    for text in value.split(',') {
        let id: FieldId = text.parse().map_err(|problem| {
            invalid_parameter("fields", format!("names `{}`, but {problem}", shorten_value(text)))
        })?;
        if ids.contains(&id) {
            return Err(invalid_parameter("fields", format!("names `{id}` twice; name it once")));
        }
        ids.push(id);
    }
    Ok(ids)
}

fn parse_columns(value: &str) -> Result<TriageColumns, QueryError> {
    let mut columns = TriageColumns::default();
    for text in value.split(',') {
        let Some(column) = TriageColumn::ALL.into_iter().find(|known| known.as_str() == text)
        else {
            let names = TriageColumn::ALL.map(|column| format!("`{}`", column.as_str())).join(", ");
            let text = shorten_value(text);
            let problem = format!("names `{text}`, which is not a column; use {names}");
            return Err(invalid_parameter("columns", problem));
        };
        if columns.contains(column) {
            return Err(invalid_parameter(
                "columns",
                format!("names `{text}` twice; name it once"),
            ));
        }
        columns.set(column, true);
    }
    Ok(columns)
}
