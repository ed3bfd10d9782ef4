//! The three UTM values of a submission or a filter.

use contract::Filter;

/// Source, medium and campaign.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Utm(pub(crate) [Option<Box<str>>; 3]);

impl Utm {
    /// Creates the values from their parts.
    pub(crate) fn new(source: Option<&str>, medium: Option<&str>, campaign: Option<&str>) -> Self {
        Self([source, medium, campaign].map(|value| value.map(Box::from)))
    }

    /// Returns the values that a filter requires; `None` matches any value.
    pub(crate) fn asked(filter: &Filter) -> Self {
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

    /// Whether these values match the required values `asked`.
    pub(crate) fn fits(&self, asked: &Self) -> bool {
        let mut pairs = self.0.iter().zip(&asked.0);
        pairs.all(|(value, asked)| asked.is_none() || value == asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_filter_value_matches_any() {
        let row = Utm::new(Some("a"), None, Some("c"));
        for (asked, fits) in [
            (Utm::default(), true),
            (Utm::new(Some("a"), None, None), true),
            (Utm::new(Some("a"), None, Some("c")), true),
            (Utm::new(Some("A"), None, None), false),
            (Utm::new(None, Some("b"), None), false),
        ] {
            assert_eq!(row.fits(&asked), fits, "{asked:?}");
        }
    }
}
