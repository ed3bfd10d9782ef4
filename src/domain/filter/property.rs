//! Properties of a filter that the panel sets: parts, and criteria for the answers to fields.

use contract::filter::{FieldCriteria, FieldCriterion, FieldOperator};
use contract::{Field, FieldId, Filter};

use super::FilterPart;

/// A part of a filter, or criteria for the answers to a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterProperty {
    /// A part.
    Part(FilterPart),
    /// One criterion of a field; all of them if `criterion` is `None`.
    Field {
        /// The field.
        id: FieldId,
        /// The criterion.
        criterion: Option<FieldCriterion>,
    },
}

impl FilterProperty {
    /// Returns all criteria of a field.
    pub fn field(id: FieldId) -> Self {
        Self::Field { id, criterion: None }
    }

    /// Returns the properties that the filter sets, in the order of the chips: one for each
    /// criterion.
    pub fn active(filter: &Filter) -> Vec<Self> {
        let parts = FilterPart::ALL.into_iter().filter(|part| part.is_set(filter));
        let criteria = filter.fields.iter().map(|criterion| Self::Field {
            id: criterion.field().clone(),
            criterion: Some(criterion.clone()),
        });
        parts.map(Self::Part).chain(criteria).collect()
    }

    /// Returns whether the filter sets this property.
    pub fn is_set(&self, filter: &Filter) -> bool {
        match self {
            Self::Part(part) => part.is_set(filter),
            Self::Field { .. } => self.criteria(filter).next().is_some(),
        }
    }

    /// Iterates over the criteria of the filter that belong to this property.
    pub fn criteria<'a>(&'a self, filter: &'a Filter) -> impl Iterator<Item = &'a FieldCriterion> {
        filter.fields.iter().filter(|it| self.has_criterion(it))
    }

    /// Removes this property from the filter.
    pub fn clear(&self, filter: &mut Filter) {
        match self {
            Self::Part(part) => part.clear(filter),
            Self::Field { .. } => filter.fields.retain(|it| !self.has_criterion(it)),
        }
    }

    fn has_criterion(&self, candidate: &FieldCriterion) -> bool {
        match self {
            Self::Part(_) => false,
            Self::Field { id, criterion } => {
                candidate.field() == id && criterion.as_ref().is_none_or(|it| it == candidate)
            }
        }
    }
}

/// Returns the filter with `criterion` in place of `replaced`. Returns `None` if the filter would
/// have too many criteria.
pub fn set_criterion(
    filter: &Filter,
    replaced: Option<&FieldCriterion>,
    criterion: FieldCriterion,
) -> Option<Filter> {
    let mut filter = filter.clone();
    filter.fields.retain(|it| Some(it) != replaced);
    filter.fields.add(criterion).ok()?;
    Some(filter)
}

/// Returns the filter with `criterion` as the only one of its field, as for a label. A criterion
/// for a part of the text is added to the others. Returns `None` if there would be too many.
pub fn narrow_to_answer(filter: &Filter, criterion: &FieldCriterion) -> Option<Filter> {
    let mut filter = filter.clone();
    if criterion.operator() != FieldOperator::Contains {
        FilterProperty::field(criterion.field().clone()).clear(&mut filter);
    }
    set_criterion(&filter, None, criterion.clone())
}

/// Returns whether the field's type supports the operator and value of a criterion.
pub fn is_supported(criterion: &FieldCriterion, field: &Field) -> bool {
    FieldCriteria::from(criterion.clone()).resolve(std::slice::from_ref(field)).is_ok()
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::filter::{parse_filter, tests::query};

    fn criterion(field: &str, text: &str) -> FieldCriterion {
        FieldCriterion::parse(field.parse().unwrap(), text).unwrap()
    }

    #[test]
    fn criteria_are_set_and_cleared_individually() {
        let filter = parse_filter("search=x&fld_a=gte:1&fld_a=lte:9&fld_b=filled").filter;
        let active = FilterProperty::active(&filter);
        assert_eq!(active.len(), 4);
        assert_eq!(active[0], FilterProperty::Part(FilterPart::Search));
        for property in &active {
            let mut one_less = filter.clone();
            assert!(property.is_set(&one_less));
            property.clear(&mut one_less);
            assert!(!property.is_set(&one_less));
            assert_eq!(FilterProperty::active(&one_less).len(), 3, "{property:?}");
        }
        let field = FilterProperty::field("fld_a".parse().unwrap());
        let mut other = filter.clone();
        field.clear(&mut other);
        assert_eq!(query(&other), "search=x&fld_b=filled");
        assert!(!field.is_set(&other));
    }

    #[test]
    fn criterion_is_replaced_or_added() {
        let filter = parse_filter("fld_a=gte:1").filter;
        let first = criterion("fld_a", "gte:1");
        let replaced = set_criterion(&filter, Some(&first), criterion("fld_a", "gte:2"));
        assert_eq!(query(&replaced.unwrap()), "fld_a=gte:2");
        let mut more = set_criterion(&filter, None, criterion("fld_a", "lte:2")).unwrap();
        assert_eq!(query(&more), "fld_a=gte:1&fld_a=lte:2");
        for number in 0..8 {
            more = set_criterion(&more, None, criterion("fld_b", &format!("ne:{number}"))).unwrap();
        }
        assert_eq!(set_criterion(&more, None, criterion("fld_b", "ne:9")), None);
        assert!(set_criterion(&more, Some(&first), criterion("fld_b", "ne:9")).is_some());
    }

    #[test]
    fn answer_replaces_criteria_of_field() {
        let filter = parse_filter("fld_a=gte:1&fld_b=filled").filter;
        let narrow = |text: &str| narrow_to_answer(&filter, &criterion("fld_a", text)).unwrap();
        assert_eq!(query(&narrow("eq:2")), "fld_a=eq:2&fld_b=filled");
        assert_eq!(query(&narrow("contains:2")), "fld_a=contains:2&fld_a=gte:1&fld_b=filled");
    }

    #[test]
    fn value_must_fit_type_of_field() {
        let field = |kind: &str| -> Field {
            let json = serde_json::json!({ "id": "fld_a", "key": "a", "name": "A", "type": kind });
            serde_json::from_value(json).unwrap()
        };
        let number =
            FieldCriterion::new("fld_a".parse().unwrap(), FieldOperator::Eq, "many").unwrap();
        assert!(!is_supported(&number, &field("number")));
        assert!(is_supported(&number, &field("text")));
        assert!(!is_supported(&criterion("fld_a", "gte:1"), &field("text")));
    }
}
