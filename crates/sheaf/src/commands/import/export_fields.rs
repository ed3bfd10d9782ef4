//! Fields for the headers of an export, so that the next export has the same headers.

use contract::{Columns, Field, FieldId};

use crate::field_spec::{self, FieldSpec};

/// Creates the fields of an export's columns. An export writes `Name (fld_…)` if two fields have
/// the same name. Their fields get the name and the id from the header, so that the next export has
/// the same headers.
pub(super) fn create_export_fields(
    specs: &[FieldSpec],
    existing: &[Field],
    mut generate_id: impl FnMut() -> FieldId,
) -> Vec<Field> {
    let mut ids: Vec<Option<FieldId>> = Vec::with_capacity(specs.len());
    for spec in specs {
        let id = split_id_suffix(&spec.name).map(|(_, id)| id);
        let is_free = |id: &FieldId| {
            !existing.iter().any(|field| field.id == *id) && !ids.contains(&Some(id.clone()))
        };
        let id = id.filter(is_free);
        ids.push(id);
    }
    loop {
        // Without its suffix, a name can collide with another header. The field then keeps the
        // whole header as its name, and all fields are created again.
        let specs_now = specs.iter().zip(&ids).map(|(FieldSpec { name, kind }, id)| {
            let stem = split_id_suffix(name).filter(|_| id.is_some()).map(|(stem, _)| stem);
            FieldSpec { name: stem.unwrap_or(name).to_owned(), kind: *kind }
        });
        let mut new_ids = ids.iter().cloned();
        let mint = || new_ids.next().flatten().unwrap_or_else(&mut generate_id);
        let fields = field_spec::create_fields(specs_now, existing, mint);
        let all_fields: Vec<Field> = existing.iter().chain(&fields).cloned().collect();
        let columns = Columns::all(&all_fields);
        let new_columns = columns.iter().skip(2 + existing.len());
        let wrong: Vec<usize> = (0..)
            .zip(specs.iter().zip(new_columns).zip(&ids))
            .filter(|(_, ((spec, head), id))| id.is_some() && spec.name != head.header)
            .map(|(at, _)| at)
            .collect();
        if wrong.is_empty() {
            return fields;
        }
        for at in wrong {
            ids[at] = None;
        }
    }
}

/// Splits `Name (fld_…)`.
fn split_id_suffix(head: &str) -> Option<(&str, FieldId)> {
    let (stem, id) = head.strip_suffix(')')?.rsplit_once(" (")?;
    Some((stem, id.parse().ok()?)).filter(|_| !stem.is_empty())
}
