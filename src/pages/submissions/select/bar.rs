//! What can be done with the selection, over the head of the list so that no row moves, and the
//! question that is asked before all that match go.

use contract::Filter;
use leptos::prelude::*;

use super::reach;
use crate::{
    model::{answers, filter::Part, selection::Selection},
    pages::submissions::{calendar, desk::Desk},
    texts,
    ui::{
        button::{Button, ButtonSize, ButtonVariant},
        dialog::Dialog,
        field::TextField,
        icon::Glyph,
    },
};

/// The bar.
#[component]
pub fn SelectionBar(
    /// What the page shares.
    desk: Desk,
    /// Opens the export.
    #[prop(into)]
    on_export: Callback<()>,
) -> impl IntoView {
    reach::follow(desk);
    let texts = texts::selection();
    let picks = desk.picks;
    let asking = RwSignal::new(false);
    let is_all = move || picks.selection().with(Selection::is_all);
    let reaching = Signal::derive(move || picks.reach.with(Option::is_some));
    // Who has selected all that are loaded may mean all there are.
    let others = move || {
        let total = desk.list.total().get()?;
        let whole = picks.selection().with(|one| !one.is_all() && desk.list.holds_all_of(one));
        (whole && picks.count() < total).then_some(total)
    };
    let delete = move |_| {
        if picks.selection().with_untracked(Selection::is_all) {
            asking.set(true);
        } else {
            desk.ask_to_delete_selected();
        }
    };
    view! {
        <div class="selection" role="toolbar" aria-label=texts.selection>
            <span class="selection-count">
                {move || if reaching.get() { texts.selecting.to_owned() } else { picks.text() }}
            </span>
            {move || others().map(|total| {
                let text = (texts.select_all)(total);
                view! {
                    <Button
                        size=ButtonSize::Small
                        variant=ButtonVariant::Ghost
                        on_click=move |_| picks.take_all()
                    >
                        {text}
                    </Button>
                }
            })}
            <span class="selection-acts">
                <Button
                    size=ButtonSize::Small
                    icon=Glyph::Download
                    busy=reaching
                    on_click=move |_| on_export.run(())
                >
                    {move || if is_all() { texts.export_all } else { texts.export_selection }}
                </Button>
                <Show when=move || desk.session.may_change()>
                    <Button size=ButtonSize::Small icon=Glyph::Trash busy=reaching on_click=delete>
                        {texts::common().delete}
                    </Button>
                </Show>
                <Button
                    size=ButtonSize::Small
                    variant=ButtonVariant::Ghost
                    icon=Glyph::Close
                    on_click=move |_| desk.leave_selection()
                >
                    {texts.clear}
                </Button>
            </span>
        </div>
        <AllDialog desk open=asking />
    }
}

/// Asks before all that match go: how many, which, and the number to be typed.
#[component]
fn AllDialog(desk: Desk, open: RwSignal<bool>) -> impl IntoView {
    let texts = texts::selection();
    let (typed, wrong) = (RwSignal::new(String::new()), RwSignal::new(None::<String>));
    let total = move || desk.list.total().get().unwrap_or_default();
    let close = Callback::new(move |()| {
        typed.set(String::new());
        wrong.set(None);
        open.set(false);
    });
    let act = move || {
        let count = untrack(total);
        if digits(&typed.get_untracked()) != count.to_string() {
            wrong.set(Some((texts.type_to_delete)(count)));
            return;
        }
        close.run(());
        desk.delete_all(count);
    };
    let actions = move || {
        view! {
            <Button on_click=move |_| close.run(())>{texts::common().cancel}</Button>
            <Button variant=ButtonVariant::Danger on_click=move |_| act()>
                {move || (texts::deletion().delete_many)(total())}
            </Button>
        }
    };
    view! {
        <Dialog
            open
            title=texts.delete_all
            on_close=close
            backdrop_closes=false
            actions
        >
            {warning(desk)}
            <form on:submit=move |event| {
                event.prevent_default();
                act();
            }>
                <TextField
                    label=Signal::derive(move || (texts.type_to_confirm)(total()))
                    value=typed
                    error=wrong
                    autocomplete="off"
                    on_input=move |text: String| {
                        wrong.set(None);
                        typed.set(text);
                    }
                />
            </form>
        </Dialog>
    }
}

/// How many go, which, and for how long that can be undone.
fn warning(desk: Desk) -> impl IntoView {
    let texts = texts::selection();
    let count = move || {
        let total = desk.list.total().get().unwrap_or_default();
        (texts.will_go)(total, &answers::isolated(desk.form_name()))
    };
    let which = move || match desk.filter.with(described) {
        parts if parts.is_empty() => view! { <p>{texts.no_filter}</p> }.into_any(),
        parts => view! {
            <p>{texts.the_filter}</p>
            <ul class="selection-filter">
                {parts.into_iter().map(|part| view! { <li>{part}</li> }).collect_view()}
            </ul>
        }
        .into_any(),
    };
    let takes = move || {
        let total = desk.list.total().get().unwrap_or_default();
        desk.takes_text(total, true).map(|text| view! { <p>{text}</p> })
    };
    view! {
        <p>{count}</p>
        {which}
        <p>{texts.undo_text}</p>
        {takes}
    }
}

/// Returns the digits of a number as a person writes it, with or without marks between them.
fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Returns what of a filter is set, part by part.
fn described(filter: &Filter) -> Vec<String> {
    let texts = texts::selection();
    let part = |part: &Part| {
        let text = part.text(filter);
        Some(match part {
            Part::Search => (texts.contains)(text),
            Part::From => (texts.since)(&calendar::bound_text(filter.date_from?, false)),
            Part::To => (texts.until)(&calendar::bound_text(filter.date_to?, true)),
            Part::UtmSource => (texts.source_is)(text),
            Part::UtmMedium => (texts.medium_is)(text),
            Part::UtmCampaign => (texts.campaign_is)(text),
        })
    };
    Part::ALL.iter().filter(|one| one.is_set(filter)).filter_map(part).collect()
}
