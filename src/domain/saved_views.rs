//! Filters that have a name, as a person keeps them for a form, and as they are kept in a text. It
//! knows neither where the text is kept nor what day it is.

use contract::{Filter, ListQuery};

use super::{
    filter::read,
    time::{DayRange, Preset},
};

/// Most views that are kept for a form.
pub const VIEWS_MAX: usize = 50;
/// Most characters of a name.
pub const NAME_CHARS_MAX: u32 = 60;

/// A filter with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedView {
    /// The name: one line, told from the others of its form.
    pub name: String,
    /// The filter as the page's URL has it; without dates where `preset` says them.
    pub query: String,
    /// Days that move along with today.
    pub preset: Option<Preset>,
    /// The columns as they are kept; empty where the view leaves them as they are.
    pub columns: String,
    /// Whether it opens with the form.
    pub is_default: bool,
}

impl SavedView {
    /// Returns the view of a filter whose days a preset says, where one does.
    pub fn new(name: &str, filter: &Filter, preset: Option<Preset>) -> Self {
        Self {
            name: clean(name),
            query: query(filter, preset.is_some()),
            preset,
            columns: String::new(),
            is_default: false,
        }
    }

    /// Returns its filter today; `bounds` tells the instants that inclusive days mean.
    pub fn filter(
        &self,
        today: chrono::NaiveDate,
        bounds: impl Fn(DayRange) -> super::time::Bounds,
    ) -> Filter {
        let mut filter = read(&self.query).filter;
        if let Some(preset) = self.preset {
            (filter.date_from, filter.date_to) = bounds(preset.days(today));
        }
        filter
    }
}

/// Returns a filter as the URL has it, with its dates or without.
fn query(filter: &Filter, undated: bool) -> String {
    let mut filter = filter.clone();
    if undated {
        (filter.date_from, filter.date_to) = (None, None);
    }
    ListQuery { filter, ..ListQuery::default() }.write()
}

/// Returns a name on one line, no longer than it may be.
pub fn clean(name: &str) -> String {
    let line = name.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX as usize).collect()
}

/// Reads kept views, a line each: `default` or nothing, preset, name, query and columns, with tabs
/// between. What is malformed is left out.
pub fn parse(text: &str) -> Vec<SavedView> {
    let mut views: Vec<SavedView> = Vec::new();
    for line in text.lines() {
        let mut parts = line.split('\t');
        let mut part = || parts.next().unwrap_or_default();
        let (default, preset) = (part(), part());
        let preset = Preset::named(preset);
        let (name, query, columns) = (clean(part()), part().to_owned(), part().to_owned());
        let is_default = default == "default" && views.iter().all(|one| !one.is_default);
        let known = views.iter().any(|one| one.name == name);
        if !name.is_empty() && !known && views.len() < VIEWS_MAX {
            views.push(SavedView { name, query, preset, columns, is_default });
        }
    }
    views
}

/// Writes views as [`parse`] reads them.
pub fn write(views: &[SavedView]) -> String {
    let line = |view: &SavedView| {
        let default = if view.is_default { "default" } else { "" };
        let preset = view.preset.map_or("", Preset::name);
        [default, preset, &view.name, &view.query, &view.columns].join("\t")
    };
    views.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the place of the view that a filter is, whose days are these today. Of several that
/// mean the same today, the one of the preset that was pressed comes first.
pub fn find(
    views: &[SavedView],
    filter: &Filter,
    (days, today): (DayRange, chrono::NaiveDate),
    pressed: Option<Preset>,
) -> Option<usize> {
    let (dated, undated) = (query(filter, false), query(filter, true));
    let is = |view: &&SavedView| match view.preset {
        Some(preset) => view.query == undated && preset.days(today) == days,
        None => view.query == dated,
    };
    let preset = Preset::of(days, today, pressed);
    let exact = views.iter().position(|view| view.preset == preset && is(&view));
    exact.or_else(|| views.iter().position(|view| is(&view)))
}

/// What is done to the views of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Keeps a view; one of the same name gives way to it, at its place.
    Save(SavedView),
    /// Gives the view at a place another name, unless that is empty or taken.
    Rename(usize, String),
    /// Has the view at a place open with the form, or no longer.
    Default(usize, bool),
    /// Moves the view at a place one place up.
    Up(usize),
    /// Moves it one place down.
    Down(usize),
    /// Forgets it.
    Delete(usize),
}

/// Applies a change. A change of what is not there does nothing.
pub fn apply(views: &mut Vec<SavedView>, change: Change) {
    match change {
        Change::Save(view) => {
            if view.is_default && !view.name.is_empty() {
                for one in views.iter_mut() {
                    one.is_default = false;
                }
            }
            match views.iter().position(|one| one.name == view.name) {
                _ if view.name.is_empty() => {}
                // What opens with the form goes on to.
                Some(place) => {
                    let is_default = view.is_default || views[place].is_default;
                    views[place] = SavedView { is_default, ..view };
                }
                None if views.len() < VIEWS_MAX => views.push(view),
                None => {}
            }
        }
        Change::Rename(at, name) => {
            let name = clean(&name);
            if !name.is_empty()
                && views.iter().all(|one| one.name != name)
                && let Some(view) = views.get_mut(at)
            {
                view.name = name;
            }
        }
        Change::Default(at, on) if at < views.len() => {
            for (place, view) in views.iter_mut().enumerate() {
                view.is_default = on && place == at;
            }
        }
        Change::Up(at) if at > 0 && at < views.len() => views.swap(at, at - 1),
        Change::Down(at) if at + 1 < views.len() => views.swap(at, at + 1),
        Change::Delete(at) if at < views.len() => {
            views.remove(at);
        }
        Change::Default(..) | Change::Up(_) | Change::Down(_) | Change::Delete(_) => {}
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::{bounds, parse_day, write_day};
    use chrono::NaiveDate;
    use contract::Timestamp;
    use proptest::prelude::*;

    fn midnight(day: NaiveDate) -> Option<Timestamp> {
        Timestamp::parse(&write_day(day)).ok()
    }

    fn today() -> NaiveDate {
        parse_day("2026-03-18").unwrap()
    }

    fn view(name: &str, url: &str, preset: Option<Preset>) -> SavedView {
        let mut filter = read(url).filter;
        let days = preset.map_or((None, None), |preset| preset.days(today()));
        (filter.date_from, filter.date_to) = match preset {
            Some(_) => bounds(days.0, days.1, midnight),
            None => (filter.date_from, filter.date_to),
        };
        SavedView::new(name, &filter, preset)
    }

    #[test]
    fn a_view_of_the_last_seven_days_moves_along() {
        let week = view("Week", "search=a%20b", Some(Preset::Week));
        assert_eq!(week.query, "search=a%20b");
        let dates = |day: &str| {
            let day = parse_day(day).unwrap();
            let filter = week.filter(day, |(first, last)| bounds(first, last, midnight));
            query(&filter, false)
        };
        assert_eq!(dates("2026-03-18"), "date_from=2026-03-12T00:00:00Z&search=a%20b");
        assert_eq!(dates("2026-04-01"), "date_from=2026-03-26T00:00:00Z&search=a%20b");
        // Days that no preset says stay where they are.
        let fixed = view("March", "date_from=2026-03-01&date_to=2026-03-05", None);
        let filter = fixed.filter(today(), |_| panic!("no preset"));
        assert_eq!(
            query(&filter, false),
            "date_from=2026-03-01T00:00:00Z&date_to=2026-03-05T00:00:00Z"
        );
    }

    #[test]
    fn the_view_that_a_filter_is_is_found() {
        let views = [view("All", "", None), view("Ads", "utm_medium=cpc", Some(Preset::Month))];
        let check = |url: &str, preset: Option<Preset>, at: Option<usize>| {
            let days = preset.map_or((None, None), |preset| preset.days(today()));
            let mut filter = read(url).filter;
            (filter.date_from, filter.date_to) = bounds(days.0, days.1, midnight);
            assert_eq!(find(&views, &filter, (days, today()), None), at, "{url}");
        };
        check("", None, Some(0));
        check("utm_medium=cpc", Some(Preset::Month), Some(1));
        check("utm_medium=cpc", None, None);
        check("utm_medium=cpc", Some(Preset::Week), None);
    }

    #[test]
    fn of_views_that_are_the_same_today_the_pressed_one_is_found() {
        let first = parse_day("2026-01-01").unwrap();
        let days = Preset::Today.days(first);
        let filter = read("date_from=2026-01-01").filter;
        let of = |preset: Preset| SavedView::new(preset.name(), &filter, Some(preset));
        let views = [Preset::Today, Preset::Year].map(of);
        let check = |pressed: Option<Preset>, at: usize| {
            assert_eq!(find(&views, &filter, (days, first), pressed), Some(at), "{pressed:?}");
        };
        check(Some(Preset::Today), 0);
        check(Some(Preset::Year), 1);
        check(None, 1);
        // None is kept of what was pressed, and the other means the same today.
        check(Some(Preset::Month), 0);
        // The year that was saved on its first day is the year on the second, too.
        let second = parse_day("2026-01-02").unwrap();
        let shown = views[1].filter(second, |(first, last)| bounds(first, last, midnight));
        assert_eq!(shown, filter);
    }

    #[test]
    fn what_is_saved_under_a_name_anew_still_opens_with_the_form() {
        let mut views = parse("\t\tA\tsearch=a\t\ndefault\t\tB\tsearch=b\t");
        apply(&mut views, Change::Save(view("B", "search=c", None)));
        assert_eq!(write(&views), "\t\tA\tsearch=a\t\ndefault\t\tB\tsearch=c\t");
        apply(&mut views, Change::Save(SavedView { is_default: true, ..view("A", "", None) }));
        assert_eq!(write(&views), "default\t\tA\t\t\n\t\tB\tsearch=c\t");
    }

    #[test]
    fn what_is_malformed_is_left_out() {
        let text =
            "default\t7d\tA\tsearch=x\tat,-device\n\t\t\tsearch=y\nx\ndefault\tnever\tB\n\t\tA\tz";
        let views = parse(text);
        assert_eq!(write(&views), "default\t7d\tA\tsearch=x\tat,-device\n\t\tB\t\t");
        let many = (0..99).map(|n| format!("\t\tn{n}\t\t")).collect::<Vec<_>>().join("\n");
        assert_eq!(parse(&many).len(), VIEWS_MAX);
        assert_eq!(parse(""), []);
        assert_eq!(clean("  a \t b\n"), "a b");
        assert_eq!(clean(&"é".repeat(99)).chars().count(), 60);
    }

    fn change() -> impl Strategy<Value = Change> {
        let place = 0usize..6;
        let name = "[abc ]{0,2}";
        prop_oneof![
            (name, any::<bool>()).prop_map(|(name, is_default)| {
                Change::Save(SavedView { is_default, ..view(&name, "search=x", None) })
            }),
            (place.clone(), name).prop_map(|(at, name)| Change::Rename(at, name)),
            (place.clone(), any::<bool>()).prop_map(|(at, on)| Change::Default(at, on)),
            place.clone().prop_map(Change::Up),
            place.clone().prop_map(Change::Down),
            place.prop_map(Change::Delete),
        ]
    }

    proptest! {
        #[test]
        fn names_stay_told_apart_and_one_is_the_default_at_most(
            changes in proptest::collection::vec(change(), 0..40)
        ) {
            let mut views = Vec::new();
            for change in changes {
                let before = views.clone();
                apply(&mut views, change.clone());
                let mut names: Vec<&str> = views.iter().map(|one| one.name.as_str()).collect();
                names.sort_unstable();
                names.dedup();
                prop_assert_eq!(names.len(), views.len());
                prop_assert!(!names.contains(&""));
                prop_assert!(views.iter().filter(|one| one.is_default).count() <= 1);
                prop_assert_eq!(parse(&write(&views)), views.clone());
                if matches!(change, Change::Up(_) | Change::Down(_)) {
                    let sorted = |mut all: Vec<SavedView>| {
                        all.sort_by(|a, b| a.name.cmp(&b.name));
                        all
                    };
                    prop_assert_eq!(sorted(before), sorted(views.clone()));
                }
            }
        }

        #[test]
        fn no_kept_text_makes_it_panic(text in "[a-z7\\t\\n=&%]{0,80}") {
            let views = parse(&text);
            prop_assert_eq!(parse(&write(&views)), views);
        }
    }
}
