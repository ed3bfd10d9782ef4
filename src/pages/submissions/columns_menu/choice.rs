//! The panel to choose columns, their order, and the format of times.

use leptos::prelude::*;

use crate::{
    domain::columns::SelectedColumn,
    i18n,
    pages::submissions::{
        columns::{ColumnDef, apply_user_selection},
        list_state::ListState,
    },
    state::list_view::ViewStore,
    ui::{
        button::{Button, ButtonSize, IconButton},
        field::CheckField,
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
            <CheckField
                label=i18n::columns().whole_times
                checked=view.absolute_times()
                on_change=move |is_absolute| view.set_absolute_times(is_absolute)
            />
            <ul class="columns-list" aria-label=i18n::columns().in_order>
                {move || columns.get().into_iter().enumerate().map(item).collect_view()}
            </ul>
            <Button size=ButtonSize::Small on_click=move |_| view.set_columns(Vec::new())>
                {i18n::columns().reset}
            </Button>
        </div>
    }
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
    let pressed = format!(".columns-item:nth-child({}) {control}", to + 1);
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        if let Ok(Some(pressed)) = document().query_selector(&pressed) {
            crate::ui::focus(&pressed);
        }
    });
}
