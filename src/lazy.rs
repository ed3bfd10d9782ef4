//! The pages that a first look at a list does not need: each is a file of its own, fetched when one
//! goes there. Nothing is shown here.

use leptos::prelude::*;

use crate::{
    api::ApiError,
    layout::{
        confirm::dialog::Confirmation,
        proof::dialog::ProofDialog,
        shortcuts::{help::KeysHelp, palette::Palette},
    },
    lazy_views,
    pages::{
        account::Account,
        activity::Activity,
        api_keys::ApiKeys,
        forms::{all::AllForms, settings::FormSettings},
        insights::Insights,
        sign_in::{SignIn, access_denied::TurnedAway},
        submissions::{deletion::view::DeletionPanel, export::sign::ExportSign},
    },
};

lazy_views! {
    /// The account's sign-ins and password.
    pub(crate) fn account() in account => view! { <Account /> };
    /// Where it stands who did what.
    pub(crate) fn activity() in activity => view! { <Activity /> };
    /// Where API keys are managed.
    pub(crate) fn api_keys() in api_keys => view! { <ApiKeys /> };
    /// Where forms are managed.
    pub(crate) fn all_forms() in form_settings => view! { <AllForms /> };
    /// Where one form is set up.
    pub(crate) fn form_settings() in form_settings => view! { <FormSettings /> };
    /// What comes of the submissions under a filter.
    pub(crate) fn insights() in insights => view! { <Insights /> };
    /// That an export runs, and how far it is.
    pub(crate) fn export_sign() in export => view! { <ExportSign /> };
    /// The permanent deletion that is under way.
    pub(crate) fn deletion() in deletion => view! { <DeletionPanel /> };
    /// The question before what cannot be undone.
    pub(crate) fn confirmation() in tools => view! { <Confirmation /> };
    /// What is done by keys: the palette, and the help on them.
    pub(crate) fn habits(palette: RwSignal<bool>, help: RwSignal<bool>) in habits
        => view! { <Palette open=palette /> <KeysHelp open=help /> };
    /// Asks for the password anew.
    pub(crate) fn proof() in proof => view! { <ProofDialog /> };
    /// Where one signs in.
    pub(crate) fn sign_in() in sign_in => view! { <SignIn /> };
    /// That whoever comes has no way in, as a proxy in front tells who they are.
    pub(crate) fn turned_away(error: ApiError, retry: Callback<()>) in sign_in
        => view! { <TurnedAway error=error.clone() on_retry=retry /> };
}
