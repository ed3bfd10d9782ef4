//! Lazy views of pages and overlays that the first view of a list does not need. Each group is a
//! chunk that is fetched on navigation or when the overlay opens.

use leptos::prelude::*;

use crate::{
    api::ApiError,
    layout::{
        confirm::dialog::Confirmation,
        reauthentication::dialog::ReauthenticationDialog,
        shortcuts::{help::ShortcutsHelp, palette::Palette},
    },
    lazy_views,
    pages::{
        account::Account,
        activity::Activity,
        api_keys::ApiKeys,
        forms::{all::AllForms, settings::FormSettings},
        insights::Insights,
        sign_in::{SignIn, access_denied::AccessDenied},
        submissions::{deletion::view::DeletionPanel, export::sign::ExportStatus},
    },
};

lazy_views! {
    /// The account page: sessions, members and password.
    pub(crate) fn account() in account => view! { <Account /> };
    /// The activity page (audit log).
    pub(crate) fn activity() in activity => view! { <Activity /> };
    /// The page of API keys.
    pub(crate) fn api_keys() in api_keys => view! { <ApiKeys /> };
    /// The page that lists all forms.
    pub(crate) fn all_forms() in form_settings => view! { <AllForms /> };
    /// The settings of one form.
    pub(crate) fn form_settings() in form_settings => view! { <FormSettings /> };
    /// The charts of the filtered submissions.
    pub(crate) fn insights() in insights => view! { <Insights /> };
    /// The status of a running export.
    pub(crate) fn export_sign() in export => view! { <ExportStatus /> };
    /// The progress of a permanent deletion.
    pub(crate) fn deletion() in deletion => view! { <DeletionPanel /> };
    /// The confirmation dialog for irreversible actions.
    pub(crate) fn confirmation() in tools => view! { <Confirmation /> };
    /// The command palette and the help on shortcuts.
    pub(crate) fn shortcuts(palette: RwSignal<bool>, help: RwSignal<bool>) in shortcuts
        => view! { <Palette open=palette /> <ShortcutsHelp open=help /> };
    /// The dialog that asks for the password again.
    pub(crate) fn reauthentication() in reauthentication
        => view! { <ReauthenticationDialog /> };
    /// The sign-in page.
    pub(crate) fn sign_in() in sign_in => view! { <SignIn /> };
    /// The page for a user with a proxy identity but without an account.
    pub(crate) fn turned_away(error: ApiError, retry: Callback<()>) in sign_in
        => view! { <AccessDenied error=error.clone() on_retry=retry /> };
}
