//! The dialog that renames a form.

use contract::Form;
use contract::form::{FORM_NAME_CHARS_MAX, validate_form_name};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api,
    components::page::{explain_failure, to_sentence},
    i18n,
    state::{session::SessionStore, toasts::Toasts},
    ui::{
        dialog::FormDialog,
        field::{TextField, store_input},
        run_effect,
    },
};

/// State of the dialog. Cheap to copy.
#[derive(Clone, Copy)]
struct RenameDraft {
    form: RwSignal<Option<Form>>,
    name: RwSignal<String>,
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    session: SessionStore,
    toasts: Toasts,
}

impl RenameDraft {
    fn close_dialog(self) {
        self.form.set(None);
    }

    fn rename_form(self) {
        let Some(form) = self.form.get_untracked().filter(|_| !self.busy.get_untracked()) else {
            return;
        };
        let name = match validate_form_name(&self.name.get_untracked()) {
            Ok(name) => name,
            Err(problem) => return self.error.set(Some(to_sentence(&problem))),
        };
        self.busy.set(true);
        spawn_local(async move {
            let id = form.id;
            let answer = api::rename_form(&id, name).await;
            self.busy.try_set(false);
            // The dialog may show another form by now.
            let is_shown = |shown: &Option<Form>| shown.as_ref().is_some_and(|it| it.id == id);
            let is_shown = self.form.try_with_untracked(is_shown) == Some(true);
            match answer {
                Ok(form) => {
                    self.toasts.show_success((i18n::forms().renamed)(&form.name));
                    self.session.upsert_form(form);
                    if is_shown {
                        self.form.try_set(None);
                    }
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
pub fn RenameForm(
    /// The form to rename; `None` while the dialog is closed.
    form: RwSignal<Option<Form>>,
) -> impl IntoView {
    let draft = RenameDraft {
        form,
        name: RwSignal::new(String::new()),
        error: RwSignal::new(None),
        busy: RwSignal::new(false),
        session: expect_context(),
        toasts: expect_context(),
    };
    run_effect(move || {
        if let Some(name) = form.with(|form| form.as_ref().map(|form| form.name.clone())) {
            draft.name.set(name);
            draft.error.set(None);
        }
    });
    let open = Signal::derive(move || form.with(Option::is_some));
    let texts = i18n::forms();
    view! {
        <FormDialog
            open
            title=texts.rename_title
            verb=texts.rename
            busy=draft.busy
            on_send=move |()| draft.rename_form()
            on_close=move |()| draft.close_dialog()
        >
            <TextField
                label=i18n::common().name
                hint=texts.rename_hint
                value=draft.name
                error=draft.error
                length_max=u32::try_from(FORM_NAME_CHARS_MAX).unwrap_or(u32::MAX)
                on_input=store_input(draft.name, draft.error)
            />
        </FormDialog>
    }
}
