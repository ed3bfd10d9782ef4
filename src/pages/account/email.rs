//! The form that changes the email address of the signed-in user.

use contract::account::EMAIL_BYTES_MAX;
use leptos::{html, prelude::*, task::spawn_local};

use crate::{
    api::{self, EmailChange},
    components::page::explain_failure,
    i18n,
    state::{reauthentication::Reauthentication, session::SessionStore, toasts::Toasts},
    ui::{
        button::{Button, ButtonVariant},
        dialog::SendForm,
        field::{FieldKind, TextField, store_input},
    },
};

/// State of the form. Cheap to copy.
#[derive(Clone, Copy)]
struct EmailDraft {
    email: RwSignal<String>,
    error: RwSignal<Option<String>>,
    /// Address that received a code; the field for the code is shown for it.
    code_sent_to: RwSignal<Option<String>>,
    code: RwSignal<String>,
    code_error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    reauthentication: Reauthentication,
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
        let has_code = self.code_sent_to.with_untracked(Option::is_some);
        let code = has_code.then(|| self.code.get_untracked().trim().to_owned());
        if code.as_ref().is_some_and(String::is_empty) {
            return self.code_error.set(Some(i18n::account().needs_code.to_owned()));
        }
        self.busy.set(true);
        spawn_local(async move {
            let set = || api::set_email(email.clone(), code.clone());
            let answer = self.reauthentication.run_action(set).await;
            self.busy.try_set(false);
            match answer {
                Ok(EmailChange::CodeSent) => {
                    self.code_sent_to.try_set(Some(email));
                }
                Ok(EmailChange::Done) => self.finish().await,
                Err(problem) => {
                    let error = if has_code { self.code_error } else { self.error };
                    error.try_set(Some(explain_failure(self.session, &problem)));
                }
            }
        });
    }

    async fn finish(self) {
        self.email.try_set(String::new());
        self.forget_code();
        self.toasts.show_success(i18n::account().email_was_set);
        // Reload the session, because other pages show the address.
        if let Ok(current) = api::get_session().await
            && current.data.is_some()
        {
            self.session.set_current(Ok(current));
        }
        self.on_set.try_run(());
    }

    /// Hides the field for the code. Another address needs another code.
    fn forget_code(self) {
        self.code_sent_to.try_set(None);
        self.code.try_set(String::new());
        self.code_error.try_set(None);
    }

    /// Field for the code that was sent to an address.
    fn code_field(self, sent_to: &str) -> impl IntoView + use<> {
        let texts = i18n::account();
        let input = NodeRef::<html::Input>::new();
        input.on_load(|input| drop(input.focus()));
        view! {
            <TextField
                node_ref=input
                label=texts.email_code
                name="code"
                autocomplete="one-time-code"
                hint=(texts.code_sent)(sent_to)
                value=self.code
                error=self.code_error
                on_input=store_input(self.code, self.code_error)
            />
        }
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
        code_sent_to: RwSignal::new(None),
        code: RwSignal::new(String::new()),
        code_error: RwSignal::new(None),
        busy: RwSignal::new(false),
        reauthentication: expect_context(),
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
                    draft.forget_code();
                    draft.email.set(text);
                }
            />
            {move || draft.code_sent_to.get().map(|sent_to| draft.code_field(&sent_to))}
            <div>
                <Button variant=ButtonVariant::Primary submit=true busy=draft.busy>
                    {texts.change_email}
                </Button>
            </div>
        </SendForm>
    }
}
