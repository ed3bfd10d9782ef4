//! Saved views: named filters of a form, and the text format for the browser's storage. Storage,
//! requests and the current day are left to the caller.

use contract::{ListQuery, View, ViewId, view::NewView};

use super::{
    filter::parse_filter,
    time::{DatePreset, DayRange},
};

/// Maximum number of saved views per form; on a server, of shared ones and of own private ones.
pub const VIEWS_MAX: usize = contract::view::VIEWS_MAX;
/// Maximum characters of a name.
pub const NAME_CHARS_MAX: u32 = 60;

/// A named filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedView {
    /// Name: one line, unique within the form.
    pub name: String,
    /// Filter and order as a URL query; without dates if `preset` is set.
    pub query: String,
    /// Date range relative to the current day.
    pub preset: Option<DatePreset>,
    /// Columns in their storage format; empty if the view does not change them.
    pub columns: String,
    /// Whether the form opens with this view.
    pub is_default: bool,
    /// Whether all members have the view; `false` in the browser's storage.
    pub shared: bool,
    /// Identifier on the server; `None` if the browser stores the view.
    pub id: Option<ViewId>,
}

impl From<View> for SavedView {
    fn from(view: View) -> Self {
        Self {
            name: view.name,
            query: view.query,
            preset: view.dates,
            columns: view.columns,
            is_default: view.is_default,
            shared: view.shared,
            id: Some(view.id),
        }
    }
}

impl SavedView {
    /// Creates a view of a list. With a preset, the dates of its filter are not stored.
    pub fn new(name: &str, list: ListQuery, preset: Option<DatePreset>) -> Self {
        Self {
            name: clean_name(name),
            query: query_text(list, preset.is_some()),
            preset,
            columns: String::new(),
            is_default: false,
            shared: false,
            id: None,
        }
    }

    /// Returns the view as a request to create it. Parts of the query that are not valid are left
    /// out.
    pub fn to_new_view(&self) -> NewView {
        NewView {
            name: self.name.clone(),
            query: query_text(parse_filter(&self.query).into_query(), self.preset.is_some()),
            dates: self.preset,
            columns: self.columns.clone(),
            shared: self.shared,
            is_default: self.is_default,
        }
    }

    /// Returns the list for today. `bounds` converts inclusive days to instants.
    pub fn list(
        &self,
        today: chrono::NaiveDate,
        bounds: impl Fn(DayRange) -> super::time::InstantBounds,
    ) -> ListQuery {
        let mut list = parse_filter(&self.query).into_query();
        if let Some(preset) = self.preset {
            (list.filter.date_from, list.filter.date_to) = bounds(preset.days(today));
        }
        list
    }
}

/// Returns a list as a URL query, with or without its dates.
fn query_text(mut list: ListQuery, undated: bool) -> String {
    if undated {
        (list.filter.date_from, list.filter.date_to) = (None, None);
    }
    list.to_query_string()
}

/// Returns a name as one line without control characters, cut at the maximum length.
pub fn clean_name(name: &str) -> String {
    let line = name.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX as usize).collect()
}

/// Parses stored views. Each line has the columns `default` or nothing, preset, name, query and
/// columns, separated by tabs. Malformed lines, duplicate names and views over the maximum are
/// skipped.
pub fn parse(text: &str) -> Vec<SavedView> {
    let mut views: Vec<SavedView> = Vec::new();
    for line in text.lines() {
        let mut parts = line.split('\t');
        let mut part = || parts.next().unwrap_or_default();
        let default = part();
        let preset = part();
        let preset = DatePreset::from_name(preset);
        let name = clean_name(part());
        let query = part().to_owned();
        let columns = part().to_owned();
        let is_default = default == "default" && views.iter().all(|view| !view.is_default);
        let known = views.iter().any(|view| view.name == name);
        if !name.is_empty() && !known && views.len() < VIEWS_MAX {
            let (shared, id) = (false, None);
            views.push(SavedView { name, query, preset, columns, is_default, shared, id });
        }
    }
    views
}

/// Writes views in the format that [`parse`] reads.
pub fn write(views: &[SavedView]) -> String {
    let line = |view: &SavedView| {
        let default = if view.is_default { "default" } else { "" };
        let preset = view.preset.map_or("", DatePreset::name);
        [default, preset, &view.name, &view.query, &view.columns].join("\t")
    };
    views.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the index of the view that a filter with these days corresponds to today. If several
/// views do, the one with the preset that the user pressed is preferred.
pub fn find_view(
    views: &[SavedView],
    list: &ListQuery,
    (days, today): (DayRange, chrono::NaiveDate),
    pressed: Option<DatePreset>,
) -> Option<usize> {
    let dated = query_text(list.clone(), false);
    let undated = query_text(list.clone(), true);
    let is = |view: &&SavedView| match view.preset {
        Some(preset) => view.query == undated && preset.days(today) == days,
        None => view.query == dated,
    };
    let preset = DatePreset::matching(days, today, pressed);
    let exact = views.iter().position(|view| view.preset == preset && is(&view));
    exact.or_else(|| views.iter().position(|view| is(&view)))
}

/// Returns the index of the view with a name, among the shared or the private ones.
pub fn find_named(views: &[SavedView], name: &str, shared: bool) -> Option<usize> {
    views.iter().position(|view| view.name == name && view.shared == shared)
}

/// Returns the view that a form opens with: a private one before a shared one.
pub fn find_default(views: &[SavedView]) -> Option<&SavedView> {
    views.iter().filter(|view| view.is_default).min_by_key(|view| view.shared)
}

/// New settings of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewEdit {
    /// Name.
    pub name: String,
    /// Whether the form opens with the view.
    pub is_default: bool,
    /// Whether all members have the view; `false` in the browser's storage.
    pub shared: bool,
}

/// A change to the views of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SavedViewChange {
    /// Adds a view, or replaces the view with the same name at its position.
    Save(SavedView),
    /// Changes the settings of the view at an index. An empty or taken name is not changed.
    Edit(usize, ViewEdit),
    /// Moves the view at an index up by one.
    Up(usize),
    /// Moves the view at an index down by one.
    Down(usize),
    /// Deletes the view at an index.
    Delete(usize),
}

/// Applies a change to stored views. Does nothing if the index does not exist.
pub fn apply_change(views: &mut Vec<SavedView>, change: SavedViewChange) {
    match change {
        SavedViewChange::Save(view) => {
            if view.is_default && !view.name.is_empty() {
                for other in views.iter_mut() {
                    other.is_default = false;
                }
            }
            match find_named(views, &view.name, view.shared) {
                _ if view.name.is_empty() => {}
                // Replacing the default view keeps it the default.
                Some(index) => {
                    let is_default = view.is_default || views[index].is_default;
                    views[index] = SavedView { is_default, ..view };
                }
                None if views.len() < VIEWS_MAX => views.push(view),
                None => {}
            }
        }
        SavedViewChange::Edit(at, edit) if at < views.len() => {
            let name = clean_name(&edit.name);
            if !name.is_empty() && views.iter().all(|other| other.name != name) {
                views[at].name = name;
            }
            if edit.is_default != views[at].is_default {
                for (index, view) in views.iter_mut().enumerate() {
                    view.is_default = edit.is_default && index == at;
                }
            }
        }
        SavedViewChange::Up(at) if at > 0 && at < views.len() => views.swap(at, at - 1),
        SavedViewChange::Down(at) if at + 1 < views.len() => views.swap(at, at + 1),
        SavedViewChange::Delete(at) if at < views.len() => {
            views.remove(at);
        }
        SavedViewChange::Edit(..)
        | SavedViewChange::Up(_)
        | SavedViewChange::Down(_)
        | SavedViewChange::Delete(_) => {}
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::{instant_bounds, parse_day, write_day};
    use chrono::NaiveDate;
    use contract::Timestamp;
    use proptest::prelude::*;

    fn midnight(day: NaiveDate) -> Option<Timestamp> {
        Timestamp::parse(&write_day(day)).ok()
    }

    fn today() -> NaiveDate {
        parse_day("2026-03-18").unwrap()
    }

    fn view(name: &str, url: &str, preset: Option<DatePreset>) -> SavedView {
        let mut query = parse_filter(url).into_query();
        if let Some(preset) = preset {
            let (first, last) = preset.days(today());
            let bounds = instant_bounds(first, last, midnight);
            (query.filter.date_from, query.filter.date_to) = bounds;
        }
        SavedView::new(name, query, preset)
    }

    #[test]
    fn preset_view_follows_current_day() {
        let week = view("Week", "search=a%20b", Some(DatePreset::Week));
        assert_eq!(week.query, "search=a%20b");
        let dates = |day: &str| {
            let day = parse_day(day).unwrap();
            let list = week.list(day, |(first, last)| instant_bounds(first, last, midnight));
            query_text(list, false)
        };
        assert_eq!(dates("2026-03-18"), "date_from=2026-03-12T00:00:00Z&search=a%20b");
        assert_eq!(dates("2026-04-01"), "date_from=2026-03-26T00:00:00Z&search=a%20b");
        // Fixed dates do not move.
        let fixed = view("March", "date_from=2026-03-01&date_to=2026-03-05", None);
        let list = fixed.list(today(), |_| panic!("no preset"));
        assert_eq!(
            query_text(list, false),
            "date_from=2026-03-01T00:00:00Z&date_to=2026-03-05T00:00:00Z"
        );
    }

    #[test]
    fn view_of_filter_is_found() {
        let views = [view("All", "", None), view("Ads", "utm_medium=cpc", Some(DatePreset::Month))];
        let check = |url: &str, preset: Option<DatePreset>, at: Option<usize>| {
            let days = preset.map_or((None, None), |preset| preset.days(today()));
            let mut list = parse_filter(url).into_query();
            let bounds = instant_bounds(days.0, days.1, midnight);
            (list.filter.date_from, list.filter.date_to) = bounds;
            assert_eq!(find_view(&views, &list, (days, today()), None), at, "{url}");
        };
        check("", None, Some(0));
        check("sort=-sentiment_score", None, None);
        check("utm_medium=cpc", Some(DatePreset::Month), Some(1));
        check("utm_medium=cpc", None, None);
        check("utm_medium=cpc", Some(DatePreset::Week), None);
    }

    #[test]
    fn pressed_preset_decides_between_equal_views() {
        let first = parse_day("2026-01-01").unwrap();
        let days = DatePreset::Today.days(first);
        let list = parse_filter("date_from=2026-01-01").into_query();
        let of = |preset: DatePreset| SavedView::new(preset.name(), list.clone(), Some(preset));
        let views = [DatePreset::Today, DatePreset::Year].map(of);
        let check = |pressed: Option<DatePreset>, at: usize| {
            assert_eq!(find_view(&views, &list, (days, first), pressed), Some(at), "{pressed:?}");
        };
        check(Some(DatePreset::Today), 0);
        check(Some(DatePreset::Year), 1);
        check(None, 1);
        // No view has the pressed preset, so the other view with the same days is found.
        check(Some(DatePreset::Month), 0);
        // A view "this year" saved on January 1 covers the year on January 2 as well.
        let second = parse_day("2026-01-02").unwrap();
        let shown = views[1].list(second, |(first, last)| instant_bounds(first, last, midnight));
        assert_eq!(shown, list);
    }

    #[test]
    fn replaced_default_view_stays_default() {
        let mut views = parse("\t\tA\tsearch=a\t\ndefault\t\tB\tsearch=b\t");
        apply_change(&mut views, SavedViewChange::Save(view("B", "search=c", None)));
        assert_eq!(write(&views), "\t\tA\tsearch=a\t\ndefault\t\tB\tsearch=c\t");
        apply_change(
            &mut views,
            SavedViewChange::Save(SavedView { is_default: true, ..view("A", "", None) }),
        );
        assert_eq!(write(&views), "default\t\tA\t\t\n\t\tB\tsearch=c\t");
    }

    #[test]
    fn malformed_lines_are_skipped() {
        let text =
            "default\t7d\tA\tsearch=x\tat,-device\n\t\t\tsearch=y\nx\ndefault\tnever\tB\n\t\tA\tz";
        let views = parse(text);
        assert_eq!(write(&views), "default\t7d\tA\tsearch=x\tat,-device\n\t\tB\t\t");
        let stored = (0..99).map(|n| format!("\t\tn{n}\t\t")).collect::<Vec<_>>().join("\n");
        assert_eq!(parse(&stored).len(), VIEWS_MAX);
        assert_eq!(parse(""), []);
        assert_eq!(clean_name("  a \t b\n"), "a b");
        assert_eq!(clean_name(&"é".repeat(99)).chars().count(), 60);
    }

    #[test]
    fn private_default_wins_over_shared_one() {
        let mut views = parse("\t\tA\t\t\ndefault\t\tB\t\t");
        let shared = |name: &str| SavedView {
            shared: true,
            is_default: true,
            ..view(name, "search=x", None)
        };
        views.insert(0, shared("B"));
        assert_eq!(find_default(&views), Some(&views[2]));
        assert_eq!(find_named(&views, "B", true), Some(0));
        assert_eq!(find_named(&views, "B", false), Some(2));
        assert_eq!(find_default(&views[..2]), Some(&views[0]));
        assert_eq!(find_default(&views[1..2]), None);
    }

    #[test]
    fn request_has_a_valid_query() {
        let stored = parse("default\t7d\tA\tsearch=a+b&nonsense=1&date_from=2026-01-01\tat");
        let new = stored[0].to_new_view();
        assert_eq!((new.query.as_str(), new.dates), ("search=a%20b", Some(DatePreset::Week)));
        assert_eq!((new.columns.as_str(), new.is_default, new.shared), ("at", true, false));
    }

    fn change() -> impl Strategy<Value = SavedViewChange> {
        let index = 0usize..6;
        let name = "[abc ]{0,2}";
        prop_oneof![
            (name, any::<bool>()).prop_map(|(name, is_default)| {
                SavedViewChange::Save(SavedView { is_default, ..view(&name, "search=x", None) })
            }),
            (index.clone(), name, any::<bool>()).prop_map(|(at, name, is_default)| {
                let shared = false;
                SavedViewChange::Edit(at, ViewEdit { name: name.clone(), is_default, shared })
            }),
            index.clone().prop_map(SavedViewChange::Up),
            index.clone().prop_map(SavedViewChange::Down),
            index.prop_map(SavedViewChange::Delete),
        ]
    }

    proptest! {
        #[test]
        fn names_are_unique_with_one_default(
            changes in proptest::collection::vec(change(), 0..40)
        ) {
            let mut views = Vec::new();
            for change in changes {
                let before = views.clone();
                apply_change(&mut views, change.clone());
                let mut names: Vec<&str> = views.iter().map(|view| view.name.as_str()).collect();
                names.sort_unstable();
                names.dedup();
                prop_assert_eq!(names.len(), views.len());
                prop_assert!(!names.contains(&""));
                prop_assert!(views.iter().filter(|view| view.is_default).count() <= 1);
                prop_assert_eq!(parse(&write(&views)), views.clone());
                if matches!(change, SavedViewChange::Up(_) | SavedViewChange::Down(_)) {
                    let sorted = |mut views: Vec<SavedView>| {
                        views.sort_by(|a, b| a.name.cmp(&b.name));
                        views
                    };
                    prop_assert_eq!(sorted(before), sorted(views.clone()));
                }
            }
        }

        #[test]
        fn parsing_any_text_does_not_panic(text in "[a-z7\\t\\n=&%]{0,80}") {
            let views = parse(&text);
            prop_assert_eq!(parse(&write(&views)), views);
        }
    }
}
