//! The dialog that deletes a form after the user has typed its name.

use contract::Form;
use leptos::{prelude::*, task::spawn_local};
use leptos_router::{NavigateOptions, hooks::use_navigate};

use crate::{
    api,
    components::page::explain_failure,
    domain::answers::isolate_bidi,
    i18n, routes,
    state::{session::SessionStore, toasts::Toasts},
    ui::{
        button::ButtonVariant,
        dialog::FormDialog,
        field::{TextField, store_input},
        run_effect,
    },
};

/// State of the dialog. Cheap to copy.
#[derive(Clone, Copy)]
struct DeleteDraft {
    form: RwSignal<Option<Form>>,
    name: RwSignal<String>,
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    session: SessionStore,
    toasts: Toasts,
}

impl DeleteDraft {
    /// Deletes the form. Calls `leave` before the form is removed from the session store.
    fn delete_form(self, leave: impl Fn() + 'static) {
        let Some(form) = self.form.get_untracked().filter(|_| !self.busy.get_untracked()) else {
            return;
        };
        let typed = self.name.get_untracked().trim().to_owned();
        if typed != form.name {
            return self.error.set(Some(i18n::form_deletion().other_name.to_owned()));
        }
        self.busy.set(true);
        spawn_local(async move {
            let answer = api::delete_form(&form.id, typed).await;
            self.busy.try_set(false);
            let shown =
                self.form.try_with_untracked(|form| form.as_ref().map(|form| form.id.clone()));
            let is_shown = shown.flatten().as_ref() == Some(&form.id);
            match answer {
                Ok(()) => {
                    if is_shown {
                        self.form.try_set(None);
                    }
                    let path = window().location().pathname().unwrap_or_default();
                    if path.contains(form.id.as_str()) {
                        leave();
                    }
                    self.session.remove_form(&form.id);
                    self.toasts
                        .show_success((i18n::form_deletion().done)(&isolate_bidi(form.name)));
                }
                Err(problem) => {
                    let text = explain_failure(self.session, &problem);
                    self.toasts.show_error_in((self.error, is_shown), text);
                }
            }
        });
    }
}

/// The dialog.
#[component]
pub fn DeleteForm(
    /// The form to delete; `None` while the dialog is closed.
    form: RwSignal<Option<Form>>,
) -> impl IntoView {
    let draft = DeleteDraft {
        form,
        name: RwSignal::new(String::new()),
        error: RwSignal::new(None),
        busy: RwSignal::new(false),
        session: expect_context(),
        toasts: expect_context(),
    };
    run_effect(move || {
        form.track();
        draft.name.set(String::new());
        draft.error.set(None);
    });
    let navigate = StoredValue::new_local(use_navigate());
    let leave = move || {
        let replace = NavigateOptions { replace: true, ..NavigateOptions::default() };
        navigate.try_with_value(|navigate| navigate(routes::FORMS, replace));
    };
    let open = Signal::derive(move || form.with(Option::is_some));
    let texts = i18n::form_deletion();
    let about = move || {
        form.with(|form| {
            let text =
                |form: &Form| (texts.text)(form.submission_count, &isolate_bidi(form.name.clone()));
            form.as_ref().map(text)
        })
    };
    view! {
        <FormDialog
            open
            title=texts.title
            verb=texts.verb
            variant=ButtonVariant::Danger
            busy=draft.busy
            on_send=move |()| draft.delete_form(leave)
            on_close=move |()| form.set(None)
        >
            <p>{about}</p>
            <TextField
                label=texts.name
                autocomplete="off"
                value=draft.name
                error=draft.error
                on_input=store_input(draft.name, draft.error)
            />
        </FormDialog>
    }
}
