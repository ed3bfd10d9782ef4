//! The parts of a filter that a user sets and clears.

use contract::Filter;
use contract::filter::{LABELS_CHARS_MAX, LabelProperty, Labels, NumberRange, Search};

/// One part of a filter that a user sets and clears.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FilterPart {
    /// Start of the date range, inclusive.
    From,
    /// End of the date range, exclusive.
    To,
    /// Search text.
    Search,
    /// Accepted labels of a property.
    Label(LabelProperty),
    /// Whether the user has read the submission.
    Read,
    /// Range of the completion time, in seconds.
    Seconds,
    /// Range of the sentiment score.
    Score,
    /// The UTM source.
    UtmSource,
    /// The UTM medium.
    UtmMedium,
    /// The UTM campaign.
    UtmCampaign,
}

impl FilterPart {
    /// Every part, in the order of the filter chips.
    pub const ALL: [Self; 19] = [
        Self::Search,
        Self::From,
        Self::To,
        Self::Label(LabelProperty::Status),
        Self::Label(LabelProperty::Starred),
        Self::Read,
        Self::Label(LabelProperty::Tag),
        Self::Label(LabelProperty::Assignee),
        Self::Label(LabelProperty::Sentiment),
        Self::Label(LabelProperty::Category),
        Self::Label(LabelProperty::Language),
        Self::Label(LabelProperty::Country),
        Self::Label(LabelProperty::Device),
        Self::Label(LabelProperty::Browser),
        Self::Seconds,
        Self::Score,
        Self::UtmSource,
        Self::UtmMedium,
        Self::UtmCampaign,
    ];

    /// Returns whether only servers with the capability `filters_properties` support this part.
    pub fn is_property(self) -> bool {
        matches!(self, Self::Label(_) | Self::Read | Self::Seconds | Self::Score)
    }

    /// Returns whether the server also needs the capability `triage`.
    pub fn is_triage(self) -> bool {
        match self {
            Self::Label(property) => property.is_triage(),
            _ => self == Self::Read,
        }
    }

    /// Returns whether a server with these capabilities filters by this part.
    pub fn is_available(self, has_properties: bool, has_triage: bool) -> bool {
        (has_properties || !self.is_property()) && (has_triage || !self.is_triage())
    }

    /// Returns whether the panel of properties sets this part. The search and the dates have their
    /// own controls.
    pub fn is_in_panel(self) -> bool {
        !matches!(self, Self::From | Self::To | Self::Search)
    }

    /// Returns whether the filter sets this part.
    pub fn is_set(self, filter: &Filter) -> bool {
        let mut cleared = filter.clone();
        self.clear(&mut cleared);
        cleared != *filter
    }

    /// Removes this part from the filter.
    pub fn clear(self, filter: &mut Filter) {
        match self {
            Self::From => filter.date_from = None,
            Self::To => filter.date_to = None,
            Self::Search => filter.search = None,
            Self::Label(property) => filter.labels.set(property, Labels::default()),
            Self::Read => filter.read = None,
            Self::Seconds => filter.seconds = NumberRange::default(),
            Self::Score => filter.score = NumberRange::default(),
            Self::UtmSource => filter.utm_source = None,
            Self::UtmMedium => filter.utm_medium = None,
            Self::UtmCampaign => filter.utm_campaign = None,
        }
    }

    /// Returns the text of this part; empty if it is not set or is not a text.
    pub fn text(self, filter: &Filter) -> &str {
        let text = match self {
            Self::Search => filter.search.as_ref().map(Search::as_str),
            Self::UtmSource => filter.utm_source.as_deref(),
            Self::UtmMedium => filter.utm_medium.as_deref(),
            Self::UtmCampaign => filter.utm_campaign.as_deref(),
            Self::From | Self::To | Self::Label(_) | Self::Read | Self::Seconds | Self::Score => {
                None
            }
        };
        text.unwrap_or_default()
    }

    /// Sets the text of this part; an empty text clears it. A search is cut at the maximum length,
    /// like the input. Parts without a text are unchanged.
    pub fn set_text(self, filter: &mut Filter, text: &str) {
        let exact = || (!text.is_empty()).then(|| text.to_owned());
        match self {
            Self::Search => {
                let cut: String =
                    text.trim().chars().take(contract::filter::SEARCH_CHARS_MAX).collect();
                filter.search = Search::new(&cut).unwrap_or_default();
            }
            Self::UtmSource => filter.utm_source = exact(),
            Self::UtmMedium => filter.utm_medium = exact(),
            Self::UtmCampaign => filter.utm_campaign = exact(),
            Self::From | Self::To | Self::Label(_) | Self::Read | Self::Seconds | Self::Score => {}
        }
    }

    /// Sets this part to a single value: a label, or `None` for submissions without one,
    /// or a text. Dates, ranges and the read state are unchanged.
    pub fn set_value(self, filter: &mut Filter, value: Option<&str>) {
        match self {
            Self::Label(property) => {
                filter.labels.set(property, Labels::new([value.map(str::to_owned)]));
            }
            _ => self.set_text(filter, value.unwrap_or_default()),
        }
    }

    /// Returns the range of this part; `None` if it is not a range.
    pub fn range(self, filter: &Filter) -> Option<NumberRange> {
        match self {
            Self::Seconds => Some(filter.seconds),
            Self::Score => Some(filter.score),
            _ => None,
        }
    }

    /// Sets the range of this part. Parts that are not ranges are unchanged.
    pub fn set_range(self, filter: &mut Filter, range: NumberRange) {
        match self {
            Self::Seconds => filter.seconds = range,
            Self::Score => filter.score = range,
            _ => {}
        }
    }
}

/// Adds a label to the accepted labels of a property, or removes it. `None` means submissions
/// without a label. Returns `None` if the labels are too long for a URL then.
pub fn toggle_label(
    filter: &Filter,
    property: LabelProperty,
    label: &Option<String>,
) -> Option<Filter> {
    let mut labels = filter.labels.get(property).as_slice().to_vec();
    match labels.iter().position(|accepted| accepted == label) {
        Some(index) => {
            labels.remove(index);
        }
        None => labels.push(label.clone()),
    }
    let labels = Labels::new(labels);
    let is_short = labels.to_query_value().chars().count() <= LABELS_CHARS_MAX;
    is_short.then(|| {
        let mut filter = filter.clone();
        filter.labels.set(property, labels);
        filter
    })
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::filter::{parse_filter, tests::query};

    #[test]
    fn parts_are_set_and_cleared_individually() {
        let url = "search=a&date_from=2026-01-01&date_to=2026-02-01&utm_source=s&utm_medium=m\
                   &utm_campaign=c&score_min=0.5&seconds_max=30&sentiment=mixed&category=Other\
                   &language=de&country=DE&device=mobile&browser=none&status=open\
                   &starred=true&read=false&tag=VIP&assignee=none";
        let mut filter = parse_filter(url).filter;
        for part in FilterPart::ALL {
            assert!(part.is_set(&filter), "{part:?}");
            part.clear(&mut filter);
            assert!(!part.is_set(&filter), "{part:?}");
        }
        assert!(filter.is_empty());
        FilterPart::UtmMedium.set_text(&mut filter, " kept as typed ");
        assert_eq!(FilterPart::UtmMedium.text(&filter), " kept as typed ");
        FilterPart::Search.set_text(&mut filter, &"x".repeat(300));
        assert_eq!(FilterPart::Search.text(&filter).len(), 200);
        FilterPart::Search.set_text(&mut filter, "  ");
        assert!(!FilterPart::Search.is_set(&filter));
    }

    #[test]
    fn value_replaces_labels_of_property() {
        let mut filter = parse_filter("sentiment=mixed,none&country=DE").filter;
        FilterPart::Label(LabelProperty::Sentiment).set_value(&mut filter, Some("negative"));
        FilterPart::Label(LabelProperty::Browser).set_value(&mut filter, None);
        FilterPart::UtmSource.set_value(&mut filter, Some("google"));
        let expected = "utm_source=google&sentiment=negative&country=DE&browser=none";
        assert_eq!(query(&filter), expected);
    }

    #[test]
    fn only_ranges_have_numbers() {
        let filter = parse_filter("seconds_min=10&score_max=0.5").filter;
        let mut other = Filter::default();
        for part in FilterPart::ALL {
            if let Some(range) = part.range(&filter) {
                part.set_range(&mut other, range);
            } else {
                part.set_range(&mut other, filter.score);
            }
        }
        assert_eq!(other, filter);
    }

    #[test]
    fn toggled_label_is_added_or_removed() {
        let toggle = |url: &str, label: Option<&str>| {
            let filter = parse_filter(url).filter;
            let label = label.map(str::to_owned);
            toggle_label(&filter, LabelProperty::Category, &label).map(|filter| query(&filter))
        };
        assert_eq!(toggle("", Some("a, b")).as_deref(), Some("category=a%5C,%20b"));
        assert_eq!(toggle("category=a", Some("b")).as_deref(), Some("category=a,b"));
        assert_eq!(toggle("category=a,b", Some("a")).as_deref(), Some("category=b"));
        assert_eq!(toggle("category=a", None).as_deref(), Some("category=none,a"));
        assert_eq!(toggle("category=none&search=x", None).as_deref(), Some("search=x"));
        assert_eq!(toggle("category=a", Some(&"b".repeat(999))), None);
    }

    #[test]
    fn panel_lists_parts_without_own_control() {
        let count = |is: fn(FilterPart) -> bool| {
            FilterPart::ALL.into_iter().filter(|part| is(*part)).count()
        };
        assert_eq!(count(FilterPart::is_in_panel), 16);
        assert_eq!(count(FilterPart::is_property), 13);
        assert_eq!(count(FilterPart::is_triage), 5);
    }
}
