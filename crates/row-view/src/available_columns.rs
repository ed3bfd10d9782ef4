//! The available columns of the submission list, the selection of visible ones, and their cells.

mod filter_value;
mod inbox;

pub use filter_value::FilterValue;
pub use inbox::{InboxTitles, inbox_answers, inbox_columns, visible_fields};

use contract::{Field, FieldType, Form, FormId, Metadata, SortBy, Submission, Timestamp};

use crate::answer;
use crate::answer_role::{self, AnswerRole};
use crate::column::{Column, Slot};
use crate::column_selection::{SelectedColumn, WIDTHS_PX, apply_selection};

/// Number of rows examined to decide whether to show source and country.
const ROWS_READ_MAX: usize = 100;
/// Default number of answer columns, with and without a source or country column.
const ANSWERS_MAX: (usize, usize) = (3, 5);

/// Content of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ColumnKind {
    SubmittedAt,
    Answer(Field, AnswerRole),
    /// Sentiment, with its position in narrow tables and on phones.
    Sentiment(Slot),
    Source,
    Medium,
    Campaign,
    Country,
    Device,
    Browser,
    CompletionTime,
    /// Name of the form, in a list of several forms.
    FormName,
    /// The answer with a role in its form, in a list of several forms.
    FormAnswer(AnswerRole),
}

/// Available column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnDef {
    id: String,
    title: String,
    kind: ColumnKind,
    is_default: bool,
}

/// Titles of the columns in one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the English titles explain the fields")]
pub struct Titles {
    pub browser: &'static str,
    pub campaign: &'static str,
    pub country: &'static str,
    pub device: &'static str,
    pub medium: &'static str,
    pub sentiment: &'static str,
    pub source: &'static str,
    pub submitted: &'static str,
    pub time_taken: &'static str,
}

/// Renderer of cells, with a method for each type of value.
pub trait CellRenderer {
    /// A rendered cell.
    type Cell;

    /// Renders text; a dash if it is empty.
    fn text(&self, text: String) -> Self::Cell;
    /// Renders an instant.
    fn time(&self, at: Timestamp) -> Self::Cell;
    /// Renders a sentiment label.
    fn sentiment(&self, label: &str) -> Self::Cell;
    /// Renders a country code.
    fn country(&self, code: String) -> Self::Cell;
    /// Renders the code of a device class.
    fn device(&self, code: &str) -> Self::Cell;
    /// Renders a duration in seconds.
    fn took(&self, seconds: u64) -> Self::Cell;
    /// Renders the name of a form, in a list of several forms; its id by default.
    fn form(&self, id: &FormId) -> Self::Cell {
        self.text(id.to_string())
    }
    /// Returns the fields of a form, in a list of several forms; none by default.
    fn fields(&self, _form: &FormId) -> Vec<Field> {
        Vec::new()
    }
}

/// Returns whether any of the first rows has a source, and whether any has a country.
pub fn has_source_and_country<'a>(rows: impl IntoIterator<Item = &'a Submission>) -> (bool, bool) {
    rows.into_iter().take(ROWS_READ_MAX).fold((false, false), |(source, country), row| {
        let Metadata { utm_source, ip_country, .. } = &row.metadata;
        (source || utm_source.is_some(), country || ip_country.is_some())
    })
}

/// Returns all available columns. Hidden fields have no column.
///
/// `origin` is the result of [`has_source_and_country`]: a column that would contain only dashes is
/// not visible by default.
pub fn available_columns(
    titles: &Titles,
    form: Option<&Form>,
    fields: &[Field],
    origin: (bool, bool),
) -> Vec<ColumnDef> {
    let analysed = form.is_none_or(|form| form.analysis);
    let fields_max = match origin {
        (false, false) => ANSWERS_MAX.1 - usize::from(analysed),
        _ => ANSWERS_MAX.0,
    };
    let fields: Vec<Field> = fields.iter().filter(|field| !field.hidden).cloned().collect();
    let chosen = answer_role::select_fields(&fields, fields_max);
    let column_def = |id: &str, title: &str, kind: ColumnKind, shown: bool| ColumnDef {
        id: id.to_owned(),
        title: title.to_owned(),
        kind,
        is_default: shown,
    };
    let mut offers = vec![column_def("at", titles.submitted, ColumnKind::SubmittedAt, true)];
    offers.extend(fields.iter().map(|field| {
        let role =
            chosen.iter().find(|(chosen_field, _)| chosen_field == field).map(|(_, role)| *role);
        // The key, not the field's identifier: for servers that do not publish fields, only keys
        // are stable.
        let id =
            format!("a.{}", contract::query::percent_encode(&field.key).replace([',', ':'], "."));
        let kind = ColumnKind::Answer(field.clone(), role.unwrap_or(AnswerRole::Other));
        column_def(&id, &field.name, kind, role.is_some())
    }));
    offers.extend([
        column_def("sentiment", titles.sentiment, ColumnKind::Sentiment(Slot::Mark), analysed),
        column_def("source", titles.source, ColumnKind::Source, origin.0),
        column_def("medium", titles.medium, ColumnKind::Medium, false),
        column_def("campaign", titles.campaign, ColumnKind::Campaign, false),
        column_def("country", titles.country, ColumnKind::Country, origin.1),
        column_def("device", titles.device, ColumnKind::Device, false),
        column_def("browser", titles.browser, ColumnKind::Browser, false),
        column_def("took", titles.time_taken, ColumnKind::CompletionTime, false),
    ]);
    offers
}

/// Applies the user's selection to the available columns.
pub fn apply_user_selection(
    offers: &[ColumnDef],
    chosen: &[SelectedColumn],
) -> Vec<SelectedColumn> {
    let available: Vec<_> =
        offers.iter().map(|offer| (offer.id.clone(), offer.is_default)).collect();
    apply_selection(&available, chosen)
}

/// Returns the visible columns in order.
pub fn visible_columns(offers: &[ColumnDef], columns: &[SelectedColumn]) -> Vec<ColumnDef> {
    let of = |column: &SelectedColumn| offers.iter().find(|offer| offer.id == column.id).cloned();
    columns.iter().filter(|column| column.shown).filter_map(of).collect()
}

/// Returns whether the visible columns or their order differ from the default.
pub fn is_custom(offers: &[ColumnDef], columns: &[SelectedColumn]) -> bool {
    let by_itself = offers.iter().filter(|offer| offer.is_default).map(|offer| &offer.id);
    columns.iter().filter(|column| column.shown).map(|column| &column.id).ne(by_itself)
}

/// Returns the card positions for a user's own selection of columns.
///
/// A narrow table shows all of them, a phone the first four. Time and sentiment keep their default
/// positions, unless there is no other column for the first position.
pub fn custom_slots(shown: &[ColumnDef]) -> Vec<Slot> {
    const CUSTOM_SLOTS: [Slot; 4] = [Slot::Title, Slot::Text, Slot::Aside, Slot::Mark];
    let first = &shown[..shown.len().min(CUSTOM_SLOTS.len())];
    let fixed_slot = |offer: &ColumnDef| match offer.kind {
        ColumnKind::SubmittedAt => Some(Slot::Aside),
        ColumnKind::Sentiment(_) => Some(Slot::Mark),
        _ => None,
    };
    let has_other = first.iter().any(|offer| fixed_slot(offer).is_none());
    let default_slot = |offer: &ColumnDef| fixed_slot(offer).filter(|_| has_other);
    let used_slots: Vec<Slot> = first.iter().filter_map(default_slot).collect();
    let mut free = CUSTOM_SLOTS.into_iter().filter(|slot| !used_slots.contains(slot));
    let mut slot_of = |(index, offer): (usize, &ColumnDef)| match first.get(index) {
        Some(_) => default_slot(offer).or_else(|| free.next()).unwrap_or(Slot::More),
        None => Slot::More,
    };
    shown.iter().enumerate().map(&mut slot_of).collect()
}

/// Returns the columns with a new width of one of them, clamped to [`WIDTHS_PX`].
pub fn resize_column(
    mut columns: Vec<SelectedColumn>,
    id: &str,
    width_px: u32,
) -> Vec<SelectedColumn> {
    if let Some(column) = columns.iter_mut().find(|column| column.id == id) {
        column.width_px = Some(width_px.clamp(WIDTHS_PX.0, WIDTHS_PX.1));
    }
    columns
}

impl ColumnDef {
    /// Returns the column's identifier in a selection.
    pub fn id(&self) -> String {
        self.id.clone()
    }

    /// Returns the table column, with the width from the user's selection, if set.
    pub fn table_column(&self, columns: &[SelectedColumn], whole_times: bool) -> Column {
        let (width_px, share, slot) = match self.kind {
            ColumnKind::SubmittedAt if whole_times => (192, 0, Slot::Aside),
            ColumnKind::SubmittedAt => (120, 0, Slot::Aside),
            ColumnKind::Answer(_, AnswerRole::Title)
            | ColumnKind::FormAnswer(AnswerRole::Title) => (160, 2, Slot::Title),
            ColumnKind::Answer(_, AnswerRole::MainText)
            | ColumnKind::FormAnswer(AnswerRole::MainText) => (160, 3, Slot::Text),
            ColumnKind::FormName => (144, 1, Slot::Mark),
            ColumnKind::Answer(_, AnswerRole::Contact) => (160, 2, Slot::Spare),
            ColumnKind::Answer(_, AnswerRole::Other) => (144, 2, Slot::Extra),
            ColumnKind::Sentiment(slot) => (116, 0, slot),
            ColumnKind::Country => (80, 0, Slot::Extra),
            _ => (104, 0, Slot::Extra),
        };
        let column = Column::new(self.title.clone(), width_px).with_share(share).with_slot(slot);
        let column = if self.has_numbers() { column.into_numeric() } else { column };
        match columns.iter().find(|column| column.id == self.id).and_then(|column| column.width_px)
        {
            Some(width_px) => column.with_width(width_px),
            None => column,
        }
    }

    /// Returns whether the column has numbers.
    fn has_numbers(&self) -> bool {
        match &self.kind {
            ColumnKind::CompletionTime => true,
            ColumnKind::Answer(field, _) => {
                matches!(field.kind, FieldType::Number | FieldType::Rating)
            }
            _ => false,
        }
    }

    /// Renders the cell of a row in this column.
    pub fn render_cell<C: CellRenderer>(&self, row: &Submission, cells: &C) -> C::Cell {
        let metadata = &row.metadata;
        let optional_text = |value: &Option<String>| cells.text(value.clone().unwrap_or_default());
        let empty_cell = || cells.text(String::new());
        match &self.kind {
            ColumnKind::SubmittedAt => cells.time(metadata.submitted_at),
            ColumnKind::Answer(field, _) => cells.text(answer::cell_text(row, field)),
            ColumnKind::Sentiment(_) => {
                match row.ai_insights.as_ref().and_then(|insight| insight.sentiment.as_ref()) {
                    Some(label) => cells.sentiment(label),
                    None => empty_cell(),
                }
            }
            ColumnKind::Source => optional_text(&metadata.utm_source),
            ColumnKind::Medium => optional_text(&metadata.utm_medium),
            ColumnKind::Campaign => optional_text(&metadata.utm_campaign),
            ColumnKind::Country => match metadata.ip_country.clone() {
                Some(code) => cells.country(code),
                None => empty_cell(),
            },
            ColumnKind::Device => {
                metadata.device.as_deref().map_or_else(empty_cell, |device| cells.device(device))
            }
            ColumnKind::Browser => optional_text(&metadata.browser),
            ColumnKind::CompletionTime => metadata
                .completion_time_seconds
                .map_or_else(empty_cell, |seconds| cells.took(seconds)),
            ColumnKind::FormName => cells.form(&row.form_id),
            ColumnKind::FormAnswer(role) => {
                cells.text(inbox::answer_text(row, &cells.fields(&row.form_id), *role))
            }
        }
    }

    /// Returns the field of the column and its role in the row, if the column shows an answer.
    pub fn answer(&self) -> Option<(&Field, AnswerRole)> {
        match &self.kind {
            ColumnKind::Answer(field, role) => Some((field, *role)),
            _ => None,
        }
    }

    /// As [`ColumnDef::answer`]; for a column of the inbox, the field is chosen from those of the
    /// row's form, which [`inbox_answers`] returns.
    pub fn answer_of<'a>(
        &'a self,
        form_answers: &'a [(Field, AnswerRole)],
    ) -> Option<(&'a Field, AnswerRole)> {
        let ColumnKind::FormAnswer(role) = &self.kind else { return self.answer() };
        let found = form_answers.iter().find(|(_, answer_role)| answer_role == role);
        found.map(|(field, role)| (field, *role))
    }

    /// Returns the property that a list can be sorted by, if the column shows one.
    pub fn sort_by(&self) -> Option<SortBy> {
        match &self.kind {
            ColumnKind::SubmittedAt => Some(SortBy::SubmittedAt),
            ColumnKind::Answer(field, _) => Some(SortBy::Field(field.id.clone())),
            ColumnKind::Sentiment(_) => Some(SortBy::SentimentScore),
            ColumnKind::CompletionTime => Some(SortBy::CompletionTime),
            _ => None,
        }
    }

    /// Returns the title in the header row.
    pub fn title(&self) -> &str {
        &self.title
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{column_selection::parse_selection, labels::ENGLISH};

    /// Columns of a form with two answers, without source and country.
    fn test_columns() -> Vec<ColumnDef> {
        let field = |key: &str| Field {
            id: format!("fld_{key}").parse().expect("an id"),
            key: key.to_owned(),
            name: key.to_owned(),
            kind: FieldType::Text,
            hidden: false,
        };
        available_columns(&ENGLISH.titles, None, &["name", "text"].map(field), (false, false))
    }

    #[test]
    fn hidden_field_has_no_column() {
        let field = |key: &str| Field {
            id: format!("fld_{key}").parse().expect("an id"),
            key: key.to_owned(),
            name: key.to_owned(),
            kind: FieldType::Text,
            hidden: key == "name",
        };
        let fields = ["name", "text"].map(field);
        let ids = available_columns(&ENGLISH.titles, None, &fields, (false, false));
        let ids: Vec<_> = ids.iter().map(ColumnDef::id).filter(|id| id.starts_with("a.")).collect();
        assert_eq!(ids, ["a.text"]);
    }

    #[test]
    fn numbers_are_right_aligned() {
        let kinds = [FieldType::Text, FieldType::Number, FieldType::Rating, FieldType::Choice];
        let field = |kind: FieldType| Field {
            id: format!("fld_{kind:?}").parse().expect("an id"),
            key: format!("{kind:?}"),
            name: String::new(),
            kind,
            hidden: false,
        };
        let columns = available_columns(&ENGLISH.titles, None, &kinds.map(field), (false, false));
        let aligned =
            columns.iter().filter(|column| column.table_column(&[], false).align() == Some("end"));
        let ids: Vec<_> = aligned.map(ColumnDef::id).collect();
        assert_eq!(ids, ["a.Number", "a.Rating", "took"]);
    }

    #[test]
    fn default_columns_are_not_own_selection() {
        let check = |text: &str, expected: bool| {
            let columns = apply_user_selection(&test_columns(), &parse_selection(text));
            assert_eq!(is_custom(&test_columns(), &columns), expected, "{text}");
        };
        check("", false);
        // Only the width differs.
        check("at,a.name:300,a.text,sentiment,-device", false);
        check("at,a.name,a.text,sentiment,device", true);
        check("at,a.name,a.text,-sentiment", true);
        check("a.name,at,a.text,sentiment", true);
    }

    #[test]
    fn first_columns_get_card_slots() {
        let check = |text: &str, slots: &str| {
            let hidden = "-at,-a.name,-a.text,-sentiment";
            let columns = apply_user_selection(
                &test_columns(),
                &parse_selection(&format!("{text},{hidden}")),
            );
            let found = custom_slots(&visible_columns(&test_columns(), &columns));
            assert_eq!(found.iter().map(|slot| slot.name()).collect::<Vec<_>>().join(" "), slots);
        };
        check("device,at,took", "title aside text");
        check("at,device,browser,took,a.name", "aside title text mark more");
        check("device,browser,took,country,at", "title text aside mark more");
        check("sentiment,a.text", "mark title");
        check("at,sentiment", "title text");
        check("took", "title");
    }
}
