//! The three UTM values of a submission or a filter.

use contract::Filter;

/// Source, medium and campaign.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct UtmValues(pub(crate) [Option<Box<str>>; 3]);

impl UtmValues {
    /// Creates the values from their parts.
    pub(crate) fn new(source: Option<&str>, medium: Option<&str>, campaign: Option<&str>) -> Self {
        Self([source, medium, campaign].map(|value| value.map(Box::from)))
    }

    /// Returns the values that a filter requires; `None` matches any value.
    pub(crate) fn of_filter(filter: &Filter) -> Self {
        Self::new(
            filter.utm_source.as_deref(),
            filter.utm_medium.as_deref(),
            filter.utm_campaign.as_deref(),
        )
    }

    /// Whether no value is set.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Whether these values match the required values `filter`.
    pub(crate) fn matches(&self, filter: &Self) -> bool {
        let mut pairs = self.0.iter().zip(&filter.0);
        pairs.all(|(value, filter)| filter.is_none() || value == filter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_filter_value_matches_any() {
        let row = UtmValues::new(Some("a"), None, Some("c"));
        for (filter, matches) in [
            (UtmValues::default(), true),
            (UtmValues::new(Some("a"), None, None), true),
            (UtmValues::new(Some("a"), None, Some("c")), true),
            (UtmValues::new(Some("A"), None, None), false),
            (UtmValues::new(None, Some("b"), None), false),
        ] {
            assert_eq!(row.matches(&filter), matches, "{filter:?}");
        }
    }
}
