//! What of this page is not needed to see the list: fetched when it is wanted, or ahead of that
//! once the list is there. Nothing is shown here.

use leptos::prelude::*;

use super::{
    card::Card,
    columns::ColumnsChoice,
    desk::Desk,
    export::ExportDialog,
    list::List,
    rail::Months,
    select::{Picks, bar::SelectionBar},
    table::NoneYet,
};
use crate::{acts, model::feed::Key, parts, stores::tray::News, ui::table::Pick};
use contract::{Environment, Form, FormId};

parts! {
    /// The card of a submission.
    pub fn card() in card => view! { <Card /> };
    /// The dialog of the export.
    pub fn export(desk: Desk, open: RwSignal<bool>) in export
        => view! { <ExportDialog desk open selected=desk.selected_ids() /> };
    /// What can be done with a selection; with the tray, since most selections end there.
    pub fn selection(desk: Desk) in tray
        => view! { <SelectionBar desk on_export=move |()| desk.exporting.set(true) /> };
    /// What the panel of the columns holds.
    pub fn columns(desk: Desk) in tools => view! { <ColumnsChoice desk /> };
    /// What the date rail holds.
    pub fn months(list: List) in tools => view! { <Months list /> };
    /// What stands for a list without a single submission.
    pub fn none_yet(form: Signal<Option<Form>>) in tools => view! { <NoneYet form /> };
}

acts! {
    /// Asks whether to delete what is open, selected, or has the focus.
    pub fn ask_to_delete(desk: Desk) in tools => desk.ask_to_delete();
    /// Puts submissions of a form into the tray.
    pub fn delete(desk: Desk, environment: Environment, form: FormId, keys: Vec<Key>) in tray
        => desk.delete(environment, form, keys);
    /// Takes in what happened to rows of a list that wait to be deleted, or did. Without news it
    /// is there for the next at once.
    pub fn take_in(list: List, news: Option<News>) in tray => list.take_in(news);
    /// Selects, as a person does.
    pub fn pick(picks: Picks, pick: Pick) in tools => picks.pick(pick);
}
