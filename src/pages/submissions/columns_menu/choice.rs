//! The panel to choose columns, their order, the order of the rows, and the format of times.

use contract::{Sort, SortBy};
use leptos::prelude::*;

use crate::{
    domain::columns::SelectedColumn,
    i18n,
    pages::submissions::{
        columns::{ColumnDef, apply_user_selection},
        list_state::ListState,
        open_submission::OpenSubmission,
    },
    state::list_view::ViewStore,
    ui::{
        button::{Button, ButtonSize, IconButton},
        field::{CheckField, Choice, SelectField},
        focus_after_render,
        icon::Glyph,
    },
};

/// The panel.
#[component]
pub fn ColumnsPanel() -> impl IntoView {
    let ListState { view, offers, .. } = expect_context();
    let columns = Memo::new(move |_| {
        offers.with(|offers| view.columns().with(|columns| apply_user_selection(offers, columns)))
    });
    let title = move |id: &str| {
        let named = |offer: &&ColumnDef| offer.id() == id;
        offers.with(|offers| offers.iter().find(named).map(|offer| offer.title().to_owned()))
    };
    let item = move |(index, column): (usize, SelectedColumn)| {
        let title = title(&column.id).unwrap_or_default();
        let up = (i18n::common().move_up)(&title);
        let down = (i18n::common().move_down)(&title);
        view! {
            <li class="columns-item">
                <CheckField
                    label=title
                    checked=column.shown
                    on_change=move |_| change_column(view, columns, index, ColumnChange::Toggle)
                />
                <IconButton
                    icon=Glyph::ChevronUp
                    size=ButtonSize::Small
                    label=up
                    on_click=move |_| change_column(view, columns, index, ColumnChange::Up)
                />
                <IconButton
                    icon=Glyph::ChevronDown
                    size=ButtonSize::Small
                    label=down
                    on_click=move |_| change_column(view, columns, index, ColumnChange::Down)
                />
            </li>
        }
    };
    view! {
        <div class="form">
            <SortField />
            <CheckField
                label=i18n::columns().whole_times
                checked=view.absolute_times()
                on_change=move |is_absolute| view.set_absolute_times(is_absolute)
            />
            <ul class="columns-list" tabindex="-1" aria-label=i18n::columns().in_order>
                {move || columns.get().into_iter().enumerate().map(item).collect_view()}
            </ul>
            <Button size=ButtonSize::Small on_click=move |_| view.set_columns(Vec::new())>
                {i18n::columns().reset}
            </Button>
        </div>
    }
}

/// The order of the rows. On a phone, where the table has no headers, only this field changes it.
#[component]
fn SortField() -> impl IntoView {
    let ListState { session, sort, offers, .. } = expect_context();
    let opened = expect_context::<OpenSubmission>();
    let choices = move || offers.with(|offers| sort_choices(offers));
    let value = move || sort.with(|sort| sort.as_ref().map(ToString::to_string));
    view! {
        <Show when=move || session.capabilities().filters_properties>
            <SelectField
                label=i18n::columns().sort_by
                value=Signal::derive(move || value().unwrap_or_default())
                choices=Signal::derive(choices)
                on_change=move |chosen: String| {
                    opened.set_sort(Sort::parse(&chosen).unwrap_or_default());
                }
            />
        </Show>
    }
}

/// Returns both directions of each column that the list can be sorted by. Newest first is the empty
/// value.
fn sort_choices(offers: &[ColumnDef]) -> Vec<Choice> {
    let texts = i18n::columns();
    let value = |by, is_descending| Sort::new(by, is_descending).to_string();
    let mut choices = vec![
        Choice::new("", texts.newest_first),
        Choice::new(value(SortBy::SubmittedAt, false), texts.oldest_first),
        Choice::new(value(SortBy::UpdatedAt, true), texts.last_changed_first),
        Choice::new(value(SortBy::UpdatedAt, false), texts.last_changed_last),
    ];
    for offer in offers {
        let Some(by) = offer.sort_by().filter(|by| *by != SortBy::SubmittedAt) else { continue };
        for (is_descending, label) in [(false, texts.ascending), (true, texts.descending)] {
            let sort = Sort::new(by.clone(), is_descending);
            choices.push(Choice::new(sort.to_string(), label(offer.title())));
        }
    }
    choices
}

/// Change of a column.
#[derive(Clone, Copy, PartialEq)]
enum ColumnChange {
    Toggle,
    Up,
    Down,
}

/// Changes a column. The list is rendered again, so the focus is restored to the pressed control.
fn change_column(
    view: ViewStore,
    columns: Memo<Vec<SelectedColumn>>,
    index: usize,
    change: ColumnChange,
) {
    let mut columns = columns.get_untracked();
    let last = columns.len().saturating_sub(1);
    let to = match change {
        ColumnChange::Toggle => index,
        ColumnChange::Up => index.saturating_sub(1),
        ColumnChange::Down => (index + 1).min(last),
    };
    if change == ColumnChange::Toggle {
        columns[index].shown = !columns[index].shown;
        if columns.iter().all(|column| !column.shown) {
            // At least one column stays visible.
            columns[index].shown = true;
        }
    }
    columns.swap(index, to);
    view.set_columns(columns);
    let control = match change {
        ColumnChange::Toggle => "input",
        ColumnChange::Up => "button",
        ColumnChange::Down => "button:last-child",
    };
    focus_after_render(format!(".columns-item:nth-child({}) {control}", to + 1));
}
