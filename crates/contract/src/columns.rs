//! Columns of an export: their selection, order and headers (specification, section 4.4).
//!
//! Columns depend on the form's fields, never on the rows, so that all exports of a form with the
//! same fields have the same header row.

use crate::submission::answer_text;
use crate::triage::{TriageColumn, TriageColumns};
use crate::{Field, FieldId, Submission, Timestamp};
use serde_json::Value as Json;
use std::borrow::Cow;

/// The columns of an export, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    columns: Vec<Column>,
    /// All answer keys of the form in field order, including those without a column. The reader of
    /// stored JSON looks keys up fastest in the order of the answers.
    keys: Vec<String>,
}

/// Column of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Text in the header row.
    pub header: String,
    pub(crate) source: ColumnSource,
}

/// Source of a column's cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ColumnSource {
    /// Answer with this key.
    Answer(String),
    /// Property that every submission has.
    Fixed(MetadataColumn),
    /// Member of the triage.
    Triage(TriageColumn),
}

/// Property that every submission has. The variants are in column order, and their numbers are
/// indexes of `FieldOffsets::fixed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetadataColumn {
    SubmissionId,
    SubmittedAt,
    IpCountry,
    Device,
    Browser,
    CompletionTime,
    UtmSource,
    UtmMedium,
    UtmCampaign,
    Sentiment,
    SentimentScore,
    Categories,
    Language,
}

/// Number of variants of [`MetadataColumn`].
pub(crate) const METADATA_COLUMNS: usize = LEADING.len() + TRAILING.len();

/// Columns before the answers (specification, section 4.4, rule 2).
const LEADING: [(&str, MetadataColumn); 2] = [
    ("submission_id", MetadataColumn::SubmissionId),
    ("submitted_at", MetadataColumn::SubmittedAt),
];

/// Columns after the answers (section 4.4, rule 4), then those of the insight (not in the
/// specification).
const TRAILING: [(&str, MetadataColumn); 11] = [
    ("ip_country", MetadataColumn::IpCountry),
    ("device", MetadataColumn::Device),
    ("browser", MetadataColumn::Browser),
    ("completion_time_seconds", MetadataColumn::CompletionTime),
    ("utm_source", MetadataColumn::UtmSource),
    ("utm_medium", MetadataColumn::UtmMedium),
    ("utm_campaign", MetadataColumn::UtmCampaign),
    ("sentiment", MetadataColumn::Sentiment),
    ("sentiment_score", MetadataColumn::SentimentScore),
    ("categories", MetadataColumn::Categories),
    ("language", MetadataColumn::Language),
];

/// Cell of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell<'a> {
    /// Text of the cell.
    pub text: Cow<'a, str>,
    /// Whether the text may be user input, which a spreadsheet must not run as a formula. It is
    /// false for numbers, booleans and instants.
    pub is_text: bool,
}

impl Columns {
    /// Returns all columns of a form: the identifier and the time of the submission, one column
    /// per field, then the other metadata and the insight.
    pub fn all(fields: &[Field]) -> Self {
        let fixed = |(head, source): (&str, MetadataColumn)| Column {
            header: head.to_owned(),
            source: ColumnSource::Fixed(source),
        };
        let answers = fields.iter().map(|field| answer_column(field, fields));
        let columns = LEADING.map(fixed).into_iter().chain(answers).chain(TRAILING.map(fixed));
        Self { columns: columns.collect(), keys: answer_keys(fields) }
    }

    /// Returns only the columns of the listed fields, in the order of `ids` and without metadata
    /// (specification, section 4.4, rule 6).
    ///
    /// # Errors
    /// The first identifier that is not a field of the form.
    pub fn for_fields(fields: &[Field], ids: &[FieldId]) -> Result<Self, FieldId> {
        let column = |id: &FieldId| {
            let field = fields.iter().find(|field| field.id == *id).ok_or_else(|| id.clone())?;
            Ok(answer_column(field, fields))
        };
        Ok(Self {
            columns: ids.iter().map(column).collect::<Result<_, _>>()?,
            keys: answer_keys(fields),
        })
    }

    /// Removes the columns with the given paths, as returned by [`Column::path`].
    #[must_use]
    pub fn without_paths(mut self, paths: &[String]) -> Self {
        self.columns.retain(|column| !paths.contains(&column.path()));
        self
    }

    /// Appends columns of the triage. A field whose name is one of their headers gets its
    /// identifier appended to its header. `fields` are those of the form.
    #[must_use]
    pub fn with_triage(mut self, triage: TriageColumns, fields: &[Field]) -> Self {
        for column in &mut self.columns {
            let is_taken = triage.iter().any(|triage| triage.as_str() == column.header);
            let field = fields.iter().find(|field| column.answer_key() == Some(&*field.key));
            if let (true, Some(field)) = (is_taken, field) {
                column.header = format!("{} ({})", field.name, field.id);
            }
        }
        self.columns.extend(triage.iter().map(|triage| Column {
            header: triage.as_str().to_owned(),
            source: ColumnSource::Triage(triage),
        }));
        self
    }

    /// Iterates over the columns.
    pub fn iter(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter()
    }

    /// Iterates over the form's answer keys, in field order.
    pub(crate) fn answer_keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(String::as_str)
    }
}

fn answer_keys(fields: &[Field]) -> Vec<String> {
    fields.iter().map(|field| field.key.clone()).collect()
}

/// Returns a field's column. Its header is the field's name, with the identifier appended if
/// another field has the same name, could have this header, or a metadata column has this header.
fn answer_column(field: &Field, fields: &[Field]) -> Column {
    let has_header = |other: &Field| match field.name.strip_prefix(&other.name) {
        Some(rest) if !rest.is_empty() => {
            let id = rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
            id == Some(other.id.as_str())
        }
        rest => rest.is_some(),
    };
    let is_duplicate = fields.iter().any(|other| other.id != field.id && has_header(other));
    let fixed = LEADING.iter().chain(&TRAILING).any(|(head, _)| *head == field.name);
    let head = if is_duplicate || fixed {
        format!("{} ({})", field.name, field.id)
    } else {
        field.name.clone()
    };
    Column { header: head, source: ColumnSource::Answer(field.key.clone()) }
}

/// Typed value of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum CellValue<'a> {
    /// No value.
    Empty,
    /// Text. List items are joined.
    Text(Cow<'a, str>),
    /// A number, as its JSON text.
    Number(String),
    /// A boolean.
    Bool(bool),
    /// An instant.
    Instant(Timestamp),
}

impl Column {
    /// Returns the stable identifier of the column within the form.
    ///
    /// A header is not stable: it changes when the field is renamed, or when another field gets the
    /// same name.
    pub fn path(&self) -> String {
        match &self.source {
            ColumnSource::Answer(key) => format!("answers.{key}"),
            ColumnSource::Fixed(_) | ColumnSource::Triage(_) => self.header.clone(),
        }
    }

    /// Returns the answer key of the column, if its cells are answers.
    pub fn answer_key(&self) -> Option<&str> {
        match &self.source {
            ColumnSource::Answer(key) => Some(key),
            ColumnSource::Fixed(_) | ColumnSource::Triage(_) => None,
        }
    }

    /// Returns the column of the triage, if it is one. Its cells are those of
    /// [`ExportedTriage`](crate::triage::ExportedTriage); a submission alone has empty ones.
    pub fn triage_column(&self) -> Option<TriageColumn> {
        match self.source {
            ColumnSource::Triage(column) => Some(column),
            ColumnSource::Answer(_) | ColumnSource::Fixed(_) => None,
        }
    }

    /// Returns the typed value of a submission in this column, for formats with typed cells.
    pub fn value<'a>(&self, submission: &'a Submission) -> CellValue<'a> {
        match &self.source {
            ColumnSource::Fixed(MetadataColumn::SubmittedAt) => {
                CellValue::Instant(submission.metadata.submitted_at)
            }
            ColumnSource::Answer(key) => match submission.answers.0.get(key) {
                Some(Json::Number(number)) => CellValue::Number(number.to_string()),
                Some(Json::Bool(yes)) => CellValue::Bool(*yes),
                other => text_value(answer_cell(other).text),
            },
            ColumnSource::Fixed(fixed) => match metadata_cell(*fixed, submission) {
                cell if cell.is_text || cell.text.is_empty() => text_value(cell.text),
                cell => CellValue::Number(cell.text.into_owned()),
            },
            ColumnSource::Triage(_) => CellValue::Empty,
        }
    }

    /// Returns the cell of a submission in this column. An unknown value is an empty cell.
    pub fn cell<'a>(&self, submission: &'a Submission) -> Cell<'a> {
        match &self.source {
            ColumnSource::Answer(key) => answer_cell(submission.answers.0.get(key)),
            ColumnSource::Fixed(fixed) => metadata_cell(*fixed, submission),
            ColumnSource::Triage(_) => Cell { text: Cow::Borrowed(""), is_text: false },
        }
    }
}

/// Returns a text as a typed value. An empty text counts as no value.
fn text_value(text: Cow<'_, str>) -> CellValue<'_> {
    if text.is_empty() { CellValue::Empty } else { CellValue::Text(text) }
}

fn answer_cell(value: Option<&Json>) -> Cell<'_> {
    let is_text = !matches!(value, Some(Json::Number(_) | Json::Bool(_)));
    Cell { text: value.map_or(Cow::Borrowed(""), answer_text), is_text }
}

fn metadata_cell(fixed: MetadataColumn, submission: &Submission) -> Cell<'_> {
    fn text(value: Option<&str>) -> Cell<'_> {
        Cell { text: Cow::Borrowed(value.unwrap_or_default()), is_text: true }
    }
    fn formatted<'a>(value: Option<impl ToString>) -> Cell<'a> {
        let text = value.map(|value| Cow::Owned(value.to_string())).unwrap_or_default();
        Cell { text, is_text: false }
    }
    let metadata = &submission.metadata;
    let insight = submission.ai_insights.as_ref();
    match fixed {
        MetadataColumn::SubmissionId => text(Some(submission.id.as_str())),
        MetadataColumn::SubmittedAt => formatted(Some(metadata.submitted_at)),
        MetadataColumn::IpCountry => text(metadata.ip_country.as_deref()),
        MetadataColumn::Device => text(metadata.device.as_deref()),
        MetadataColumn::Browser => text(metadata.browser.as_deref()),
        MetadataColumn::CompletionTime => formatted(metadata.completion_time_seconds),
        MetadataColumn::UtmSource => text(metadata.utm_source.as_deref()),
        MetadataColumn::UtmMedium => text(metadata.utm_medium.as_deref()),
        MetadataColumn::UtmCampaign => text(metadata.utm_campaign.as_deref()),
        MetadataColumn::Sentiment => text(insight.and_then(|insight| insight.sentiment.as_deref())),
        MetadataColumn::SentimentScore => {
            formatted(insight.and_then(|insight| insight.sentiment_score))
        }
        MetadataColumn::Categories => {
            let joined = insight.map(|insight| insight.categories.join("; "));
            Cell { text: joined.map(Cow::Owned).unwrap_or_default(), is_text: true }
        }
        MetadataColumn::Language => text(insight.and_then(|insight| insight.language.as_deref())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FieldType;

    fn field(id: &str, name: &str) -> Field {
        let id = id.parse().unwrap();
        let name = name.to_owned();
        Field { id, key: name.clone(), name, kind: FieldType::Text, hidden: false }
    }

    fn headers(columns: &Columns) -> Vec<&str> {
        columns.iter().map(|column| column.header.as_str()).collect()
    }

    #[test]
    fn all_columns_are_in_specified_order() {
        let columns = Columns::all(&[field("fld_b", "Name"), field("fld_a", "Mail")]);
        assert_eq!(
            headers(&columns).join(","),
            "submission_id,submitted_at,Name,Mail,ip_country,device,browser,\
             completion_time_seconds,utm_source,utm_medium,utm_campaign,sentiment,\
             sentiment_score,categories,language"
        );
    }

    #[test]
    fn excluded_columns_keep_order_and_cell_types() {
        let fields = ["A", "B", "C", "device"].map(|name| field(&format!("fld_{name}"), name));
        let columns = Columns::all(&fields);
        let mut left_out: Vec<_> = columns.iter().skip(7).map(Column::path).collect();
        left_out.retain(|path| path != "sentiment_score");
        left_out.extend(["submission_id", "answers.C", "answers.device"].map(str::to_owned));
        let columns = columns.without_paths(&left_out);
        assert_eq!(headers(&columns), ["submitted_at", "A", "B", "ip_country", "sentiment_score"]);
        let row: Submission = serde_json::from_str(
            r#"{"id":"sub_1","form_id":"frm_1","answers":{"A":1.50,"B":["x",true]},
                "metadata":{"submitted_at":"2026-03-01"}}"#,
        )
        .unwrap();
        let values: Vec<_> = columns.iter().map(|column| column.value(&row)).collect();
        let instant = CellValue::Instant(Timestamp::parse("2026-03-01").unwrap());
        let text = CellValue::Text("x; true".into());
        let number = CellValue::Number("1.50".to_owned());
        assert_eq!(values, [instant, number, text, CellValue::Empty, CellValue::Empty]);
        assert_eq!(columns.iter().nth(1).and_then(Column::answer_key), Some("A"));
    }

    #[test]
    fn duplicate_headers_are_made_unique() {
        let fields = [
            field("fld_a", "Name"),
            field("fld_b", "Name"),
            field("fld_c", "device"),
            field("fld_d", "Name (fld_a)"),
            field("fld_e", "Name (fld_a) (fld_d)"),
            field("fld_f", "Name (fld_z)"),
        ];
        let columns = Columns::all(&fields);
        let expected = [
            "Name (fld_a)",
            "Name (fld_b)",
            "device (fld_c)",
            "Name (fld_a) (fld_d)",
            "Name (fld_a) (fld_d) (fld_e)",
            "Name (fld_z)",
        ];
        assert_eq!(headers(&columns)[2..8], expected);
        let unique: std::collections::HashSet<_> = headers(&columns).into_iter().collect();
        assert_eq!(unique.len(), headers(&columns).len());
    }

    #[test]
    fn triage_columns_are_last_with_unique_headers() {
        let fields = [field("fld_a", "status"), field("fld_b", "tags")];
        let triage = [TriageColumn::NotesCount, TriageColumn::Status].into_iter().collect();
        let ids = fields.each_ref().map(|field| field.id.clone());
        let columns = Columns::for_fields(&fields, &ids).unwrap().with_triage(triage, &fields);
        assert_eq!(headers(&columns), ["status (fld_a)", "tags", "status", "notes_count"]);
        let paths: Vec<_> = columns.iter().map(Column::path).collect();
        assert_eq!(paths, ["answers.status", "answers.tags", "status", "notes_count"]);
        assert_eq!(columns.iter().last().unwrap().triage_column(), Some(TriageColumn::NotesCount));
        let all = Columns::all(&fields);
        assert_eq!(all.clone().with_triage(TriageColumns::default(), &fields), all);
    }

    #[test]
    fn listed_fields_are_exported_in_order() {
        let fields = [field("fld_a", "A"), field("fld_b", "B")];
        let ids = |texts: &[&str]| -> Vec<FieldId> {
            texts.iter().map(|text| text.parse().unwrap()).collect()
        };
        let columns = Columns::for_fields(&fields, &ids(&["fld_b", "fld_a"])).unwrap();
        assert_eq!(headers(&columns), ["B", "A"]);
        let missing = Columns::for_fields(&fields, &ids(&["fld_a", "fld_z"]));
        assert_eq!(missing, Err("fld_z".parse().unwrap()));
    }
}
