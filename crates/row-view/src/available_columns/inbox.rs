//! The columns of the inbox, which lists the submissions of several forms.

use contract::{Field, Submission};

use super::{ANSWERS_MAX, ColumnDef, ColumnKind};
use crate::answer;
use crate::answer_role::{AnswerRole, select_fields};
use crate::column::Slot;

/// Titles of the columns in one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the English titles explain the fields")]
pub struct InboxTitles {
    pub submitted: &'static str,
    pub submission: &'static str,
    pub text: &'static str,
    pub form: &'static str,
    pub sentiment: &'static str,
}

/// Returns the columns of the inbox. All are visible by default. In narrow tables and on phones the
/// form takes the position of the sentiment.
pub fn inbox_columns(titles: &InboxTitles) -> Vec<ColumnDef> {
    let column = |id: &str, title: &str, kind: ColumnKind| ColumnDef {
        id: id.to_owned(),
        title: title.to_owned(),
        kind,
        is_default: true,
    };
    vec![
        column("at", titles.submitted, ColumnKind::SubmittedAt),
        column("title", titles.submission, ColumnKind::FormAnswer(AnswerRole::Title)),
        column("text", titles.text, ColumnKind::FormAnswer(AnswerRole::MainText)),
        column("form", titles.form, ColumnKind::FormName),
        column("sentiment", titles.sentiment, ColumnKind::Sentiment(Slot::Extra)),
    ]
}

/// Returns the fields that are not hidden.
pub fn visible_fields(fields: &[Field]) -> Vec<Field> {
    fields.iter().filter(|field| !field.hidden).cloned().collect()
}

/// Returns the fields whose answers the inbox shows for a form with these visible fields.
pub fn inbox_answers(visible: &[Field]) -> Vec<(Field, AnswerRole)> {
    select_fields(visible, ANSWERS_MAX.0)
}

/// Returns the answer with a role in a form with these fields; empty if there is none.
pub(super) fn answer_text(row: &Submission, fields: &[Field], role: AnswerRole) -> String {
    let field = inbox_answers(&visible_fields(fields))
        .into_iter()
        .find(|(_, chosen_role)| *chosen_role == role);
    field.map(|(field, _)| answer::cell_text(row, &field)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::FieldType;
    use serde_json::json;

    #[test]
    fn answers_follow_the_roles_of_each_form() {
        let row: Submission = serde_json::from_value(json!({
            "id": "sub_1",
            "form_id": "frm_1",
            "answers": {"secret": "x", "name": "Ada", "age": 30, "story": "A long story"},
            "metadata": {"submitted_at": "2026-01-01T00:00:00Z"},
        }))
        .unwrap();
        let field = |key: &str, kind: FieldType| Field {
            id: format!("fld_{key}").parse().unwrap(),
            key: key.to_owned(),
            name: key.to_owned(),
            kind,
            hidden: key == "secret",
        };
        let fields = [
            field("secret", FieldType::Text),
            field("name", FieldType::Text),
            field("age", FieldType::Number),
            field("story", FieldType::LongText),
        ];
        assert_eq!(answer_text(&row, &fields, AnswerRole::Title), "Ada");
        assert_eq!(answer_text(&row, &fields, AnswerRole::MainText), "A long story");
        assert_eq!(answer_text(&row, &[], AnswerRole::Title), "");
    }
}
