//! The form that changes the email address of the signed-in user.

use contract::account::EMAIL_BYTES_MAX;
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api,
    components::page::to_sentence,
    i18n,
    state::{reauthentication::Reauthentication, session::SessionStore, toasts::Toasts},
    ui::{
        button::{Button, ButtonVariant},
        dialog::SendForm,
        field::{FieldKind, TextField},
    },
};

/// State of the form. Cheap to copy.
#[derive(Clone, Copy)]
struct EmailDraft {
    email: RwSignal<String>,
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    proofs: Reauthentication,
    session: SessionStore,
    toasts: Toasts,
    on_set: Callback<()>,
}

impl EmailDraft {
    /// Returns the current address.
    fn current_email(self) -> String {
        let session = self.session.session();
        session.map(|session| session.person_email().to_owned()).unwrap_or_default()
    }

    /// Validates an address before it is sent. Returns the problem, if there is one.
    fn validate_email(self, email: &str) -> Option<&'static str> {
        if !email.contains('@') {
            Some(i18n::people().needs_email)
        } else if email == untrack(|| self.current_email()) {
            Some(i18n::account().same_email)
        } else {
            None
        }
    }

    fn save_email(self) {
        let email = self.email.get_untracked().trim().to_owned();
        if self.busy.get_untracked() {
            return;
        }
        if let Some(problem) = self.validate_email(&email) {
            return self.error.set(Some(problem.to_owned()));
        }
        self.busy.set(true);
        spawn_local(async move {
            let answer = self.proofs.run_action(|| api::set_email(email.clone())).await;
            self.busy.try_set(false);
            match answer {
                Ok(()) => {
                    self.email.try_set(String::new());
                    self.toasts.show_success(i18n::account().email_was_set);
                    // Reload the session, because other pages show the address.
                    if let Ok(current) = api::get_session().await
                        && current.data.is_some()
                    {
                        self.session.set_current(Ok(current));
                    }
                    self.on_set.try_run(());
                }
                Err(problem) => {
                    self.session.handle_error(&problem);
                    self.error.try_set(Some(to_sentence(&problem.message())));
                }
            }
        });
    }
}

/// Shows the current address, and a field for the new one.
#[component]
pub fn EmailForm(
    /// Called when the new address has been saved.
    #[prop(into)]
    on_set: Callback<()>,
) -> impl IntoView {
    let texts = i18n::account();
    let draft = EmailDraft {
        email: RwSignal::new(String::new()),
        error: RwSignal::new(None),
        busy: RwSignal::new(false),
        proofs: expect_context(),
        session: expect_context(),
        toasts: expect_context(),
        on_set,
    };
    let on_send = Callback::new(move |()| draft.save_email());
    view! {
        <p class="section-text">{move || (texts.email_text)(&draft.current_email())}</p>
        <SendForm on_send>
            <TextField
                label=texts.new_email
                kind=FieldKind::Email
                name="email"
                autocomplete="email"
                length_max=u32::try_from(EMAIL_BYTES_MAX).unwrap_or(u32::MAX)
                hint=texts.email_hint
                value=draft.email
                error=draft.error
                on_input=move |text| {
                    draft.error.set(None);
                    draft.email.set(text);
                }
            />
            <div>
                <Button variant=ButtonVariant::Primary submit=true busy=draft.busy>
                    {texts.change_email}
                </Button>
            </div>
        </SendForm>
    }
}
