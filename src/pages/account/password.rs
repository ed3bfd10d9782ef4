//! The form that sets the password. It requires the current one, unless it is missing or the user
//! has just signed in by link. The input is dropped together with the form.

use contract::account::{NewPassword, PASSWORD_CHARS_MIN};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api,
    components::page::to_sentence,
    i18n,
    state::{session::SessionStore, toasts::Toasts},
    ui::{
        button::{Button, ButtonVariant},
        dialog::SendForm,
        field::{FieldKind, TextField, store_input},
    },
};

/// State of the form. Cheap to copy.
#[derive(Clone, Copy)]
struct PasswordDraft {
    current: RwSignal<String>,
    new: RwSignal<String>,
    /// Error of the current password.
    current_error: RwSignal<Option<String>>,
    /// Error of the new password.
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    /// Whether the current password is required.
    needs_current: RwSignal<bool>,
}

impl PasswordDraft {
    fn new(needs_current: bool) -> Self {
        let text = || RwSignal::new(String::new());
        let current_error = RwSignal::new(None);
        let error = RwSignal::new(None);
        Self {
            current: text(),
            new: text(),
            current_error,
            error,
            busy: RwSignal::new(false),
            needs_current: RwSignal::new(needs_current),
        }
    }

    fn save_password(self, has_password: bool, session: SessionStore, on_set: impl Fn() + 'static) {
        if self.busy.get_untracked() {
            return;
        }
        let new = self.new.get_untracked();
        if new.chars().count() < PASSWORD_CHARS_MIN {
            self.error.set(Some((i18n::account().too_short)(PASSWORD_CHARS_MIN)));
            return;
        }
        let is_checked = self.needs_current.get_untracked();
        let current = is_checked.then(|| self.current.get_untracked());
        self.busy.set(true);
        spawn_local(async move {
            let answer = api::set_password(&NewPassword { current, new }).await;
            self.busy.try_set(false);
            let Err(problem) = answer else { return on_set() };
            session.handle_error(&problem);
            let is_refused = has_password && problem.status() == Some(403);
            if is_refused && !is_checked {
                // The time to reset the password has ended while the form was open.
                self.needs_current.try_set(true);
                self.current_error.try_set(Some(i18n::account().reset_ended.to_owned()));
                return;
            }
            let field = if is_refused { self.current_error } else { self.error };
            field.try_set(Some(to_sentence(&problem.message())));
        });
    }
}

/// The form: the current password, if there is one, and the new one.
#[component]
pub fn PasswordForm(
    /// Whether the user has a password.
    has_password: bool,
    /// Whether a new password can be set without the current one.
    can_reset_password: bool,
    /// Called when the new password has been saved.
    #[prop(into)]
    on_set: Callback<()>,
) -> impl IntoView {
    let texts = i18n::account();
    let draft = PasswordDraft::new(has_password && !can_reset_password);
    let session = expect_context::<SessionStore>();
    let toasts = expect_context::<Toasts>();
    let on_send = Callback::new(move |()| {
        draft.save_password(has_password, session, move || {
            toasts.show_success(texts.was_set.to_owned());
            on_set.try_run(());
        });
    });
    let hint = if has_password { texts.new_hint } else { texts.first_hint };
    view! {
        <SendForm on_send>
            <Show when=move || draft.needs_current.get()>
                {password_field(
                    "current-password",
                    (texts.current, ""),
                    draft.current,
                    draft.current_error,
                )}
            </Show>
            {password_field("new-password", (texts.new, hint), draft.new, draft.error)}
            <div>
                <Button variant=ButtonVariant::Primary submit=true busy=draft.busy>
                    {if has_password { texts.change } else { texts.set }}
                </Button>
            </div>
        </SendForm>
    }
}

/// Returns a password field. Password managers recognise it by `name`.
fn password_field(
    name: &'static str,
    (label, hint): (&'static str, &'static str),
    value: RwSignal<String>,
    error: RwSignal<Option<String>>,
) -> AnyView {
    view! {
        <TextField
            label
            kind=FieldKind::Password
            name
            autocomplete=name
            value
            error
            hint
            on_input=store_input(value, error)
        />
    }
    .into_any()
}
