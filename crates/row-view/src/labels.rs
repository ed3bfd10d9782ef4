//! Labels of rows and of the page around the list, in every supported language. The server renders
//! the first rows with them, and the dashboard's text catalogue includes them.

use crate::available_columns::Titles;

/// Labels in one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the English labels explain the fields")]
pub struct Labels {
    /// Language code, such as `de`.
    pub code: &'static str,
    /// Column titles.
    pub titles: Titles,
    pub mixed: &'static str,
    pub negative: &'static str,
    pub neutral: &'static str,
    pub positive: &'static str,
    pub desktop: &'static str,
    pub mobile: &'static str,
    pub tablet: &'static str,
    pub submission: &'static str,
    pub submissions: &'static str,
    pub account: &'static str,
    /// Title of the audit log page.
    pub activity: &'static str,
    pub all_forms: &'static str,
    pub api_keys: &'static str,
    pub board: &'static str,
    pub columns: &'static str,
    pub date: &'static str,
    pub export: &'static str,
    pub filter: &'static str,
    pub forms: &'static str,
    pub inbox: &'static str,
    pub insights: &'static str,
    pub live: &'static str,
    pub search_answers: &'static str,
    pub settings: &'static str,
    pub test: &'static str,
    pub trash: &'static str,
    pub views: &'static str,
}

/// English labels.
pub const ENGLISH: Labels = Labels {
    code: "en",
    titles: Titles {
        browser: "Browser",
        campaign: "Campaign",
        country: "Country",
        device: "Device",
        medium: "Medium",
        sentiment: "Sentiment",
        source: "Source",
        submitted: "Submitted",
        time_taken: "Time taken",
    },
    mixed: "Mixed",
    negative: "Negative",
    neutral: "Neutral",
    positive: "Positive",
    desktop: "Desktop",
    mobile: "Mobile",
    tablet: "Tablet",
    submission: "submission",
    submissions: "submissions",
    account: "Account",
    activity: "Activity",
    all_forms: "All forms",
    api_keys: "API keys",
    board: "Board",
    columns: "Columns",
    date: "Date",
    export: "Export",
    filter: "Filter",
    forms: "Forms",
    inbox: "Inbox",
    insights: "Insights",
    live: "Live",
    search_answers: "Search answers",
    settings: "Settings",
    test: "Test",
    trash: "Trash",
    views: "Views",
};

/// German labels.
pub const GERMAN: Labels = Labels {
    code: "de",
    titles: Titles {
        browser: "Browser",
        campaign: "Kampagne",
        country: "Land",
        device: "Gerät",
        medium: "Medium",
        sentiment: "Stimmung",
        source: "Quelle",
        submitted: "Eingegangen",
        time_taken: "Dauer",
    },
    mixed: "Gemischt",
    negative: "Negativ",
    neutral: "Neutral",
    positive: "Positiv",
    desktop: "Desktop",
    mobile: "Mobilgerät",
    tablet: "Tablet",
    submission: "Einsendung",
    submissions: "Einsendungen",
    account: "Konto",
    activity: "Aktivität",
    all_forms: "Alle Formulare",
    api_keys: "API-Schlüssel",
    board: "Board",
    columns: "Spalten",
    date: "Datum",
    export: "Export",
    filter: "Filter",
    forms: "Formulare",
    inbox: "Posteingang",
    insights: "Auswertung",
    live: "Live",
    search_answers: "Antworten durchsuchen",
    settings: "Einstellungen",
    test: "Test",
    trash: "Papierkorb",
    views: "Ansichten",
};

impl Labels {
    /// Returns the labels for the first tag in a supported language, such as `de-AT`; otherwise the
    /// English ones.
    pub fn for_language_tags<'a>(tags: impl IntoIterator<Item = &'a str>) -> &'static Self {
        let find = |tag: &str| {
            let (code, _) = tag.split_once('-').unwrap_or((tag, ""));
            [&ENGLISH, &GERMAN].into_iter().find(|labels| labels.code.eq_ignore_ascii_case(code))
        };
        tags.into_iter().find_map(find).unwrap_or(&ENGLISH)
    }

    /// Returns the name of a sentiment, if its label is known.
    pub fn sentiment_name(&self, label: &str) -> Option<&'static str> {
        match label {
            "positive" => Some(self.positive),
            "negative" => Some(self.negative),
            "mixed" => Some(self.mixed),
            "neutral" => Some(self.neutral),
            _ => None,
        }
    }

    /// Returns the name of a device class, if its code is known.
    pub fn device_name(&self, code: &str) -> Option<&'static str> {
        match code {
            "desktop" => Some(self.desktop),
            "mobile" => Some(self.mobile),
            "tablet" => Some(self.tablet),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_supported_language_is_used() {
        let check = |tags: &[&str], code: &str| {
            assert_eq!(Labels::for_language_tags(tags.iter().copied()).code, code, "{tags:?}");
        };
        check(&["de-AT", "en"], "de");
        check(&["fr", "DE", "en"], "de");
        check(&["en-GB", "de"], "en");
        check(&["den", "fr-FR"], "en");
        check(&[], "en");
    }
}
