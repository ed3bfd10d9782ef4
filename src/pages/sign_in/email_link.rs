//! The form that requests a sign-in link by email. The message does not say whether there is a
//! member with the address, because the server does not say it either.

use leptos::{ev, prelude::*, task::spawn_local};

use super::{GateCard, explain_limit};
use crate::{
    api,
    components::page::{rescue_focus, use_title},
    i18n,
    ui::{
        badge::StatusTone,
        button::{Button, ButtonVariant},
        field::{FieldKind, TextField},
        notice::Notice,
    },
};

/// The card with the form.
#[component]
pub fn EmailLinkCard(
    /// Content of the email field.
    email: RwSignal<String>,
    /// Called when the user returns to the sign-in form.
    #[prop(into)]
    on_back: Callback<()>,
) -> impl IntoView {
    let texts = i18n::sign_in();
    use_title(texts.email_link_title.to_owned());
    spawn_local(rescue_focus());
    let busy = RwSignal::new(false);
    let is_sent = RwSignal::new(false);
    let error = RwSignal::new(None::<String>);
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        is_sent.set(false);
        error.set(None);
        spawn_local(async move {
            let address = email.get_untracked().trim().to_owned();
            match api::request_sign_in_link(address).await {
                Ok(()) => {
                    is_sent.try_set(true);
                }
                Err(problem) => {
                    error.try_set(Some(explain_limit(&problem)));
                }
            }
            busy.try_set(false);
        });
    };
    let failure =
        move || error.get().map(|text| view! { <Notice tone=StatusTone::Negative>{text}</Notice> });
    let done = move || {
        let notice = || view! { <Notice tone=StatusTone::Info>{texts.email_link_sent}</Notice> };
        is_sent.get().then(notice)
    };
    view! {
        <GateCard title=texts.email_link_title text=texts.email_link_text.to_owned()>
            <form class="form" on:submit=submit>
                {failure}
                <TextField
                    label=texts.email
                    kind=FieldKind::Email
                    name="email"
                    autocomplete="username"
                    required=true
                    value=email
                    on_input=move |text| email.set(text)
                />
                <Button variant=ButtonVariant::Primary submit=true busy>
                    {texts.email_link_send}
                </Button>
                <Button on_click=move |_| on_back.run(())>{texts.email_link_back}</Button>
                // Exists before its content, so that screen readers announce it.
                <div role="status">{done}</div>
            </form>
        </GateCard>
    }
}
