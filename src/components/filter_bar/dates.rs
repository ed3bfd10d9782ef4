//! Date panel: presets, a calendar, and text fields for the first and the last day. All days are in
//! the viewer's time zone.

use chrono::NaiveDate;
use contract::Filter;
use leptos::prelude::*;

use crate::{
    components::{calendar, day_fields::DayFields},
    domain::time::{DatePreset, DayRange, instant_bounds},
    i18n,
    state::last_date_preset::LastDatePreset,
    ui::calendar::RangeCalendar,
};

/// Returns the name of a preset.
pub fn preset_name(preset: DatePreset) -> &'static str {
    let texts = i18n::dates();
    match preset {
        DatePreset::Today => texts.today,
        DatePreset::Yesterday => texts.yesterday,
        DatePreset::Week => texts.seven_days,
        DatePreset::Days30 => texts.thirty_days,
        DatePreset::Month => texts.this_month,
        DatePreset::LastMonth => texts.last_month,
        DatePreset::Year => texts.this_year,
    }
}

/// Date panel.
#[component]
pub fn Dates(
    /// Filter with the days to edit.
    filter: Signal<Filter>,
    /// Receives the new filter.
    on_change: Callback<Filter>,
) -> impl IntoView {
    let days = Memo::new(move |_| filter.with(calendar::days_of));
    let apply = Callback::new(move |(first, last): DayRange| {
        let (date_from, date_to) = instant_bounds(first, last, calendar::start_of_day);
        on_change.run(Filter { date_from, date_to, ..filter.get_untracked() });
    });
    let today = calendar::today().unwrap_or_default();
    let choose = move |(first, last): (NaiveDate, NaiveDate)| apply.run((Some(first), Some(last)));
    let pressed = expect_context::<LastDatePreset>();
    // Reads the current day each time: the page may stay open past midnight.
    let current_preset =
        move || DatePreset::matching(days.get(), calendar::today()?, pressed.preset());
    let press = move |preset: DatePreset| {
        let Some(today) = calendar::today() else { return };
        pressed.set_preset(Some(preset));
        apply.run(preset.days(today));
    };
    let presets = DatePreset::ALL.map(|choice| preset_button(choice, current_preset, press));
    let texts = i18n::dates();
    let typed = DayFields::new(days, apply);
    view! {
        <div class="dates">
            <div class="dates-presets" role="group" aria-label=texts.ranges>
                {presets.into_iter().collect_view()}
            </div>
            <RangeCalendar
                range=days
                today
                first_weekday=calendar::first_weekday()
                on_choose=choose
            />
            <div class="dates-typed" on:focusout=move |_| typed.on_focusout()>
                {typed.fields()}
                <p class="field-hint">
                    {(texts.time_zone)(&calendar::time_zone())}
                </p>
            </div>
        </div>
    }
}

fn preset_button(
    preset: DatePreset,
    current_preset: impl Fn() -> Option<DatePreset> + Send + 'static,
    press: impl Fn(DatePreset) + 'static,
) -> impl IntoView {
    let current_preset = move || if current_preset() == Some(preset) { "true" } else { "false" };
    view! {
        <button
            type="button"
            class="button"
            data-variant="ghost"
            data-size="small"
            aria-pressed=current_preset
            on:click=move |_| press(preset)
        >
            <span class="button-text">{preset_name(preset)}</span>
        </button>
    }
}
