//! Selection of the answers that a row shows: a title, a main text, a contact, and further ones if
//! there is space. Users can choose other columns.

use contract::{Field, FieldType};

/// Role of an answer in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerRole {
    /// Title of the row.
    Title,
    /// Main text of the row.
    MainText,
    /// Email or phone number, or else another answer. In a row with little space it is hidden, or
    /// it replaces a missing main text.
    Contact,
    /// Another answer, shown if there is enough space.
    Other,
}

/// Returns the fields to show in a row, with their roles, in the form's order. There are at most
/// `fields_max`, or three if that is less.
pub fn select_fields(fields: &[Field], fields_max: usize) -> Vec<(Field, AnswerRole)> {
    let mut roles: Vec<Option<AnswerRole>> = vec![None; fields.len()];
    // Gives the role to the first field without one whose type is in `types`; empty means any
    // type.
    let mut assign_role = |role: AnswerRole, types: &[FieldType]| {
        let is_candidate = |index: &usize| {
            roles[*index].is_none() && (types.is_empty() || types.contains(&fields[*index].kind))
        };
        let index = (0..fields.len()).find(is_candidate);
        if let Some(index) = index {
            roles[index] = Some(role);
        }
        index.is_some()
    };
    assign_role(AnswerRole::Title, &[]);
    // Without a long text, use the next field: short answers are best shown in the form's order.
    if !assign_role(AnswerRole::MainText, &[FieldType::LongText]) {
        assign_role(AnswerRole::MainText, &[]);
    }
    if !assign_role(AnswerRole::Contact, &[FieldType::Email])
        && !assign_role(AnswerRole::Contact, &[FieldType::Phone])
    {
        assign_role(AnswerRole::Contact, &[]);
    }
    for _ in 3..fields_max {
        assign_role(AnswerRole::Other, &[]);
    }
    fields.iter().zip(roles).filter_map(|(field, role)| Some((field.clone(), role?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kinds: &[FieldType], fields_max: usize, chosen: &[(usize, AnswerRole)]) {
        let field = |(index, kind): (usize, &FieldType)| Field {
            id: format!("fld_{index}").parse().unwrap(),
            key: index.to_string(),
            name: index.to_string(),
            kind: *kind,
            hidden: false,
        };
        let fields: Vec<Field> = kinds.iter().enumerate().map(field).collect();
        let found: Vec<_> = select_fields(&fields, fields_max)
            .iter()
            .map(|(field, role)| (field.key.parse::<usize>().unwrap(), *role))
            .collect();
        assert_eq!(found, chosen);
    }

    #[test]
    fn row_shows_title_contact_and_text() {
        use AnswerRole::{Contact, MainText, Other, Title};
        use FieldType::{Email, LongText, Phone, Rating, Text};
        let feedback = [Text, Email, Text, Rating, LongText, LongText];
        check(&feedback, 3, &[(0, Title), (1, Contact), (4, MainText)]);
        check(&feedback, 4, &[(0, Title), (1, Contact), (2, Other), (4, MainText)]);
        check(&[Email, Phone, Text, LongText], 3, &[(0, Title), (1, Contact), (3, MainText)]);
        check(&[LongText, Rating], 3, &[(0, Title), (1, MainText)]);
    }

    #[test]
    fn long_form_shows_its_first_answers() {
        use AnswerRole::{Contact, MainText, Other, Title};
        let fields = [FieldType::Text; 65];
        check(&fields, 3, &[(0, Title), (1, MainText), (2, Contact)]);
        check(&fields, 5, &[(0, Title), (1, MainText), (2, Contact), (3, Other), (4, Other)]);
        check(&fields[..1], 5, &[(0, Title)]);
        check(&[], 5, &[]);
    }
}
