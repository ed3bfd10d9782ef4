//! The re-authentication dialog, which asks for the password again. The input is cleared when the
//! dialog closes.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    api,
    components::page::to_sentence,
    i18n,
    state::{reauthentication::Reauthentication, session::SessionStore},
    ui::{
        dialog::FormDialog,
        field::{FieldKind, TextField},
    },
};

/// The dialog.
#[component]
pub fn ReauthenticationDialog() -> impl IntoView {
    let reauthentication = expect_context::<Reauthentication>();
    let session = expect_context::<SessionStore>();
    let texts = i18n::reauthentication();
    let password = RwSignal::new(String::new());
    let busy = RwSignal::new(false);
    let error = RwSignal::new(None::<String>);
    let close = move |is_confirmed: bool| {
        password.set(String::new());
        error.set(None);
        reauthentication.close(is_confirmed);
    };
    let send = move |()| {
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        spawn_local(async move {
            let answer = api::reauthenticate(password.get_untracked()).await;
            busy.try_set(false);
            match answer {
                Ok(()) => close(true),
                // The session has ended, so the password cannot be confirmed.
                Err(problem) if problem.status() == Some(401) => {
                    close(false);
                    session.handle_error(&problem);
                }
                Err(problem) if problem.status() == Some(403) => {
                    error.try_set(Some(texts.wrong.to_owned()));
                }
                Err(problem) => {
                    error.try_set(Some(to_sentence(&problem.message())));
                }
            }
        });
    };
    let on_input = move |text| {
        error.set(None);
        password.set(text);
    };
    view! {
        <FormDialog
            open=reauthentication.open()
            title=texts.title
            verb=texts.verb
            busy
            on_send=send
            on_close=move |()| close(false)
        >
            <p>{texts.text}</p>
            <TextField
                label=texts.password
                kind=FieldKind::Password
                name="current-password"
                autocomplete="current-password"
                value=password
                error
                on_input
            />
        </FormDialog>
    }
}
