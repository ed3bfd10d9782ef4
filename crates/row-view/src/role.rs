//! Selection of the answers shown in a row: title, text, contact, and further ones while there is
//! space.

use contract::{Field, FieldType};

/// Role of an answer in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Title of the row.
    Title,
    /// Main text of the row.
    Words,
    /// Shown if there is no main text, such as a contact.
    Spare,
    /// Shown if there is enough space.
    Other,
}

/// Returns the fields to show in a row, at most `fields_max`, in the form's order.
pub fn choose(fields: &[Field], fields_max: usize) -> Vec<(Field, Role)> {
    let mut roles: Vec<Option<Role>> = vec![None; fields.len()];
    let mut give = |role: Role, wanted: &[FieldType]| {
        let fits = |place: &usize| {
            roles[*place].is_none() && (wanted.is_empty() || wanted.contains(&fields[*place].kind))
        };
        let found = (0..fields.len()).find(fits);
        if let Some(place) = found {
            roles[place] = Some(role);
        }
        found.is_some()
    };
    give(Role::Title, &[]);
    // Without a long text, use the next field: a survey is best shown by its first answers.
    if !give(Role::Words, &[FieldType::LongText]) {
        give(Role::Words, &[]);
    }
    if !give(Role::Spare, &[FieldType::Email]) && !give(Role::Spare, &[FieldType::Phone]) {
        give(Role::Spare, &[]);
    }
    for _ in 3..fields_max {
        give(Role::Other, &[]);
    }
    fields.iter().zip(roles).filter_map(|(field, role)| Some((field.clone(), role?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kinds: &[FieldType], fields_max: usize, chosen: &[(usize, Role)]) {
        let field = |(place, kind): (usize, &FieldType)| Field {
            id: format!("fld_{place}").parse().unwrap(),
            key: place.to_string(),
            name: place.to_string(),
            kind: *kind,
            hidden: false,
        };
        let fields: Vec<Field> = kinds.iter().enumerate().map(field).collect();
        let found: Vec<_> = choose(&fields, fields_max)
            .iter()
            .map(|(field, role)| (field.key.parse::<usize>().unwrap(), *role))
            .collect();
        assert_eq!(found, chosen);
    }

    #[test]
    fn row_shows_title_contact_and_text() {
        use FieldType::{Email, LongText, Phone, Rating, Text};
        use Role::{Other, Spare, Title, Words};
        let feedback = [Text, Email, Text, Rating, LongText, LongText];
        check(&feedback, 3, &[(0, Title), (1, Spare), (4, Words)]);
        check(&feedback, 4, &[(0, Title), (1, Spare), (2, Other), (4, Words)]);
        check(&[Email, Phone, Text, LongText], 3, &[(0, Title), (1, Spare), (3, Words)]);
        check(&[LongText, Rating], 3, &[(0, Title), (1, Words)]);
    }

    #[test]
    fn survey_shows_its_first_answers() {
        use Role::{Other, Spare, Title, Words};
        let survey = [FieldType::Text; 65];
        check(&survey, 3, &[(0, Title), (1, Words), (2, Spare)]);
        check(&survey, 5, &[(0, Title), (1, Words), (2, Spare), (3, Other), (4, Other)]);
        check(&survey[..1], 5, &[(0, Title)]);
        check(&[], 5, &[]);
    }
}
