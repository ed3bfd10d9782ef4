//! Which answers a row of the list shows: what a submission is called by, how to reach its sender,
//! what was said, and as many others as there is room for. It draws nothing.

use contract::{Field, FieldType};

/// What an answer is to the row that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// What the submission is called by.
    Title,
    /// What was said.
    Words,
    /// What stands in where nothing was said.
    Spare,
    /// Worth its room where there is some.
    Other,
}

/// Returns the fields that a row shows, `fields_max` at most, in the form's order.
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
    // Without a text there is still what comes next: a survey is read by its first answers.
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
    fn a_row_shows_who_how_to_reach_them_and_what_they_said() {
        use FieldType::{Email, LongText, Phone, Rating, Text};
        use Role::{Other, Spare, Title, Words};
        let feedback = [Text, Email, Text, Rating, LongText, LongText];
        check(&feedback, 3, &[(0, Title), (1, Spare), (4, Words)]);
        check(&feedback, 4, &[(0, Title), (1, Spare), (2, Other), (4, Words)]);
        check(&[Email, Phone, Text, LongText], 3, &[(0, Title), (1, Spare), (3, Words)]);
        check(&[LongText, Rating], 3, &[(0, Title), (1, Words)]);
    }

    #[test]
    fn a_survey_is_read_by_its_first_answers() {
        use Role::{Other, Spare, Title, Words};
        let survey = [FieldType::Text; 65];
        check(&survey, 3, &[(0, Title), (1, Words), (2, Spare)]);
        check(&survey, 5, &[(0, Title), (1, Words), (2, Spare), (3, Other), (4, Other)]);
        check(&survey[..1], 5, &[(0, Title)]);
        check(&[], 5, &[]);
    }
}
