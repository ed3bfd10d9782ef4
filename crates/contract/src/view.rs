//! Saved views of a form: named filters of the dashboard's list (not in the specification).
//!
//! A shared view belongs to the account, a private one to the member who created it.

use crate::form::validate_name;
use crate::triage::change::present;
use crate::{Filter, ListQuery, QueryError, Timestamp, ViewId};
use chrono::{Datelike, Days, NaiveDate};
use serde::{Deserialize, Serialize};

/// Maximum length of a name, in characters.
pub const VIEW_NAME_CHARS_MAX: usize = 60;
/// Maximum length of a query and of columns, in characters.
pub const VIEW_TEXT_CHARS_MAX: usize = 4000;
/// Maximum number of shared views of a form, and of private views of each member.
pub const VIEWS_MAX: usize = 50;

/// Saved view of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct View {
    /// Identifier of the view.
    pub id: ViewId,
    /// Name, unique among the shared views or the member's private ones, ignoring case.
    pub name: String,
    /// Filter and order, as in the query of a list, without `limit` and `cursor`.
    pub query: String,
    /// Date range relative to the current day, in place of `date_from` and `date_to`; `null` if the
    /// query has all dates.
    pub dates: Option<DatePreset>,
    /// Columns of the dashboard's list, in its own format; empty if the view does not change them.
    pub columns: String,
    /// Whether all members of the account have the view, or only its creator.
    pub shared: bool,
    /// Whether the form opens with the view. A private default takes precedence over the shared
    /// one.
    pub is_default: bool,
    /// Creation time.
    pub created_at: Timestamp,
}

/// Body of `POST /account/forms/{form_id}/views`: a view to create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewView {
    /// Name of at most 60 characters.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = VIEW_NAME_CHARS_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: String,
    /// Filter and order, as in the query of a list, without `limit` and `cursor`.
    #[cfg_attr(feature = "openapi", schemars(length(max = VIEW_TEXT_CHARS_MAX)))]
    pub query: String,
    /// Date range relative to the current day. `query` then has neither `date_from` nor `date_to`.
    #[serde(default)]
    pub dates: Option<DatePreset>,
    /// Columns of the dashboard's list, in its own format.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schemars(length(max = VIEW_TEXT_CHARS_MAX)))]
    pub columns: String,
    /// Whether all members of the account have the view. Only owners can share views.
    #[serde(default)]
    pub shared: bool,
    /// Whether the form opens with the view. The previous default is unset.
    #[serde(default)]
    pub is_default: bool,
}

/// Body of `PATCH /account/forms/{form_id}/views/{view_id}`. Absent members are not changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ViewChange {
    /// New name of at most 60 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(
        length(max = VIEW_NAME_CHARS_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: Option<String>,
    /// New filter. It replaces `dates` as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(length(max = VIEW_TEXT_CHARS_MAX)))]
    pub query: Option<String>,
    /// Date range relative to the current day, with a new `query`; `null` if it has all dates.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "openapi", schemars(with = "Option<DatePreset>"))]
    pub dates: Option<Option<DatePreset>>,
    /// New columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(length(max = VIEW_TEXT_CHARS_MAX)))]
    pub columns: Option<String>,
    /// Whether all members of the account have the view. A view that is not shared any more belongs
    /// to the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<bool>,
    /// Whether the form opens with the view. The previous default is unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_default: Option<bool>,
}

impl ViewChange {
    /// Applies the change to a view.
    pub fn apply(self, view: &mut View) {
        if let Some(query) = self.query {
            view.query = query;
            view.dates = self.dates.flatten();
        }
        view.name = self.name.unwrap_or_else(|| std::mem::take(&mut view.name));
        view.columns = self.columns.unwrap_or_else(|| std::mem::take(&mut view.columns));
        view.shared = self.shared.unwrap_or(view.shared);
        view.is_default = self.is_default.unwrap_or(view.is_default);
    }
}

/// Returns the name of a view, trimmed.
///
/// # Errors
/// If the name is empty, too long, or has a control character.
pub fn validate_view_name(name: &str) -> Result<String, String> {
    validate_name(name, VIEW_NAME_CHARS_MAX)
}

/// Returns the query of a view, and its text in the form that lists of the dashboard have.
///
/// # Errors
/// As [`ListQuery::parse`], and if the query names a limit or a cursor.
pub fn normalize_query(query: &str) -> Result<(ListQuery, String), QueryError> {
    let sort = ListQuery::parse(query)?.sort;
    let is_sort = |part: &&str| part.split('=').next() == Some("sort");
    let others: Vec<&str> = query.split('&').filter(|part| !is_sort(part)).collect();
    let filter = Filter::parse(&others.join("&"))?;
    let query = ListQuery { filter, sort, ..ListQuery::default() };
    let text = query.to_query_string();
    Ok((query, text))
}

/// First and last day, both inclusive and optional.
pub type DayRange = (Option<NaiveDate>, Option<NaiveDate>);

/// A predefined date range relative to today, in the time zone of the viewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub enum DatePreset {
    /// Today only.
    #[serde(rename = "today")]
    Today,
    /// The day before.
    #[serde(rename = "yesterday")]
    Yesterday,
    /// Today and the previous six days.
    #[serde(rename = "7d")]
    Week,
    /// Today and the previous 29 days.
    #[serde(rename = "30d")]
    Days30,
    /// The current calendar month.
    #[serde(rename = "month")]
    Month,
    /// The previous calendar month.
    #[serde(rename = "last-month")]
    LastMonth,
    /// The current calendar year.
    #[serde(rename = "year")]
    Year,
}

impl DatePreset {
    /// Every preset, shortest first.
    pub const ALL: [Self; 7] = [
        Self::Today,
        Self::Yesterday,
        Self::Week,
        Self::Days30,
        Self::Month,
        Self::LastMonth,
        Self::Year,
    ];

    /// Returns the first and the last day, both inclusive. Presets that contain today have no last
    /// day: they are open-ended.
    pub fn days(self, today: NaiveDate) -> DayRange {
        let days_ago = |days| today.checked_sub_days(Days::new(days)).unwrap_or(today);
        let month = today.with_day(1);
        let before = month.and_then(|first| first.pred_opt());
        match self {
            Self::Today => (Some(today), None),
            Self::Yesterday => (Some(days_ago(1)), Some(days_ago(1))),
            Self::Week => (Some(days_ago(6)), None),
            Self::Days30 => (Some(days_ago(29)), None),
            Self::Month => (month, None),
            Self::LastMonth => (before.and_then(|last| last.with_day(1)), before),
            Self::Year => (month.and_then(|first| first.with_month(1)), None),
        }
    }

    /// Returns the preset that covers these days today, if any. Several can match: on the first of
    /// a month, "today" and "this month" do. Then the preset in `pressed` wins if it matches, else
    /// the longest, because it keeps showing the current rows for the longest time.
    pub fn matching(days: DayRange, today: NaiveDate, pressed: Option<Self>) -> Option<Self> {
        let means = |preset: &Self| preset.days(today) == days;
        pressed.filter(means).or_else(|| Self::ALL.into_iter().rev().find(means))
    }

    /// Returns the preset with this storage name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Returns the name used in storage.
    pub fn name(self) -> &'static str {
        match self {
            Self::Today => "today",
            Self::Yesterday => "yesterday",
            Self::Week => "7d",
            Self::Days30 => "30d",
            Self::Month => "month",
            Self::LastMonth => "last-month",
            Self::Year => "year",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> View {
        let json = r#"{"id":"view_1","name":"A","query":"search=x","dates":"7d","columns":"at",
            "shared":true,"is_default":false,"created_at":"2026-03-01T09:30:00Z"}"#;
        serde_json::from_str(json).unwrap()
    }

    fn changed(json: &str) -> View {
        let mut view = view();
        serde_json::from_str::<ViewChange>(json).unwrap().apply(&mut view);
        view
    }

    #[test]
    fn absent_members_are_not_changed() {
        assert_eq!(changed("{}"), view());
        assert_eq!(changed(r#"{"name":"B"}"#), View { name: "B".to_owned(), ..view() });
        let other = changed(r#"{"columns":"","shared":false,"is_default":true}"#);
        let expected = View { columns: String::new(), shared: false, is_default: true, ..view() };
        assert_eq!(other, expected);
    }

    #[test]
    fn new_query_replaces_dates() {
        let plain = View { query: String::new(), dates: None, ..view() };
        assert_eq!(changed(r#"{"query":""}"#), plain);
        assert_eq!(changed(r#"{"query":"","dates":null}"#), plain);
        let month = changed(r#"{"query":"","dates":"last-month"}"#);
        assert_eq!(month, View { dates: Some(DatePreset::LastMonth), ..plain });
    }

    #[test]
    fn presets_have_the_same_name_in_json_and_storage() {
        for preset in DatePreset::ALL {
            let json = serde_json::to_string(&preset).unwrap();
            assert_eq!(json, format!("\"{}\"", preset.name()));
            assert_eq!(DatePreset::from_name(preset.name()), Some(preset));
        }
    }

    #[test]
    fn queries_are_normalized() {
        let text = |query: &str| normalize_query(query).unwrap().1;
        assert_eq!(text("search=a+b&utm_source="), "search=a%20b");
        assert_eq!(text("sort=-sentiment_score&search=a"), "search=a&sort=-sentiment_score");
        assert_eq!(text("sort=-submitted_at"), "");
        assert_eq!(normalize_query("sort=colour").unwrap_err().parameter, "sort");
        assert_eq!(normalize_query("limit=5").unwrap_err().parameter, "limit");
        assert_eq!(normalize_query("cursor=x").unwrap_err().parameter, "cursor");
    }
}
