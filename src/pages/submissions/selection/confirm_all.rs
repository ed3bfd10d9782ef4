//! The confirmation before all matching submissions are deleted or moved.

use contract::{Field, Filter};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::MoveTarget,
    components::filter_bar::{criterion_text, field_name, part_name, part_value},
    domain::{
        answers,
        filter::{FilterPart, FilterProperty},
    },
    i18n,
    pages::submissions::{actions::SubmissionActions, calendar, list_state::ListState},
    ui::{
        button::{Button, ButtonVariant},
        dialog::Dialog,
        field::{TextField, store_input},
    },
};

/// The dialog: shows the number of submissions and the filter, and asks to type the number.
#[component]
pub fn ConfirmAllDialog(
    /// Target of the move; `None` while the dialog is closed.
    open: RwSignal<Option<MoveTarget>>,
) -> impl IntoView {
    let texts = i18n::selection();
    let list = expect_context::<ListState>();
    let actions = expect_context::<SubmissionActions>();
    let typed = RwSignal::new(String::new());
    let problem = RwSignal::new(None::<String>);
    let busy = RwSignal::new(false);
    let total = move || list.rows.total().get().unwrap_or_default();
    // Keep the last target during the closing animation.
    let target = Memo::new(move |before: Option<&MoveTarget>| {
        open.get().or(before.copied()).unwrap_or(MoveTarget::Trash)
    });
    let fate = Memo::new(move |_| match target.get() {
        MoveTarget::Spam => Destination::Spam,
        MoveTarget::Trash if list.form_id().is_some_and(|form| list.keeps_trash(&form)) => {
            Destination::Trash
        }
        MoveTarget::Trash => Destination::Permanent,
    });
    let close = Callback::new(move |()| {
        if !busy.get_untracked() {
            typed.set(String::new());
            problem.set(None);
            open.set(None);
        }
    });
    let confirm_move = move || {
        let count = untrack(total);
        if busy.get_untracked() {
            return;
        }
        if keep_digits(&typed.get_untracked()) != count.to_string() {
            problem.set(Some((texts.type_to_delete)(count)));
            return;
        }
        busy.set(true);
        spawn_local(async move {
            let outcome = actions.move_all(target.get_untracked(), count).await;
            busy.try_set(false);
            match outcome {
                // The bar, and with it the dialog, may have been removed together with the
                // selection.
                Ok(()) => {
                    close.try_run(());
                }
                Err(reason) => {
                    typed.try_set(String::new());
                    problem.try_set(Some(reason));
                }
            }
        });
    };
    let buttons = move || {
        view! {
            <Button on_click=move |_| close.run(())>{i18n::common().cancel}</Button>
            <Button variant=ButtonVariant::Danger busy on_click=move |_| confirm_move()>
                {move || fate.get().button_label()}
            </Button>
        }
    };
    view! {
        <Dialog
            open=Signal::derive(move || open.with(Option::is_some))
            title=Signal::derive(move || fate.get().dialog_title().to_owned())
            on_close=close
            backdrop_closes=false
            actions=buttons
        >
            {warning_view(list, fate)}
            <form on:submit=move |event| {
                event.prevent_default();
                confirm_move();
            }>
                <TextField
                    label=Signal::derive(move || (texts.type_to_confirm)(total()))
                    value=typed
                    error=problem
                    autocomplete="off"
                    on_input=store_input(typed, problem)
                />
            </form>
        </Dialog>
    }
}

/// Destination of the submissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Destination {
    Trash,
    Spam,
    Permanent,
}

impl Destination {
    fn dialog_title(self) -> &'static str {
        let texts = i18n::selection();
        match self {
            Self::Trash => texts.trash_all,
            Self::Spam => texts.spam_all,
            Self::Permanent => texts.delete_all,
        }
    }

    fn button_label(self) -> &'static str {
        let texts = i18n::deletion();
        match self {
            Self::Trash => texts.to_trash,
            Self::Spam => texts.mark_spam,
            Self::Permanent => texts.verb,
        }
    }

    /// Returns whether the action can be undone, and for how long.
    fn undo_text(self, trash_days: u8) -> String {
        let texts = i18n::selection();
        match self {
            Self::Trash => (texts.restorable)(trash_days),
            Self::Spam => texts.releasable.to_owned(),
            Self::Permanent => i18n::deletion().permanent_text.to_owned(),
        }
    }
}

/// Returns the number of submissions, the filter, and whether the action can be undone.
fn warning_view(list: ListState, fate: Memo<Destination>) -> impl IntoView {
    let texts = i18n::selection();
    let total = move || list.rows.total().get().unwrap_or_default();
    let count = move || (texts.of_form)(total(), &answers::isolate_bidi(list.name()));
    let describe = move || {
        list.fields.with(|fields| list.filter.with(|filter| describe_filter(filter, fields)))
    };
    let description = move || match describe() {
        parts if parts.is_empty() => view! { <p>{texts.no_filter}</p> }.into_any(),
        parts => view! {
            <p>{texts.the_filter}</p>
            <ul class="selection-filter">
                {parts.into_iter().map(|part| view! { <li>{part}</li> }).collect_view()}
            </ul>
        }
        .into_any(),
    };
    let undo = move || {
        let days = list.form.with(|form| form.as_ref().map_or(0, |form| form.trash_days));
        fate.get().undo_text(days)
    };
    let duration = move || {
        let in_bulk = list.session.capabilities().bulk_moves;
        let text = (!in_bulk).then(|| list.deletion_time_text(total(), true)).flatten()?;
        Some(view! { <p>{text}</p> })
    };
    view! {
        <p>{count}</p>
        {description}
        <p>{undo}</p>
        {duration}
    }
}

/// Returns the digits of a number, which the user may have typed with separators.
fn keep_digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Returns a description of each property of a filter.
fn describe_filter(filter: &Filter, fields: &[Field]) -> Vec<String> {
    let texts = i18n::selection();
    let describe = |property: FilterProperty| {
        let part = match property {
            FilterProperty::Part(part) => part,
            FilterProperty::Field { id, criterion } => {
                let value = criterion.as_ref().map(criterion_text)?;
                return Some((texts.is_in)(&field_name(fields, &id), &value));
            }
        };
        let text = part.text(filter);
        Some(match part {
            FilterPart::Search => (texts.contains)(text),
            FilterPart::From => (texts.since)(&calendar::bound_text(filter.date_from?, false)),
            FilterPart::To => (texts.until)(&calendar::bound_text(filter.date_to?, true)),
            FilterPart::Label(_) | FilterPart::Read | FilterPart::Seconds | FilterPart::Score => {
                (texts.is_in)(part_name(part), &part_value(part, filter))
            }
            FilterPart::UtmSource => (texts.source_is)(text),
            FilterPart::UtmMedium => (texts.medium_is)(text),
            FilterPart::UtmCampaign => (texts.campaign_is)(text),
        })
    };
    FilterProperty::active(filter).into_iter().filter_map(describe).collect()
}
