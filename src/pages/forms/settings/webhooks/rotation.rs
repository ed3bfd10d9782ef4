//! The dialog that rotates the secret of a webhook: first the question, then the new secret, which
//! exists only in this dialog.

use contract::webhook::OLD_SECRET_HOURS;
use leptos::{prelude::*, task::spawn_local};

use super::WebhooksState;
use crate::{
    api,
    domain::webhooks::short_url,
    i18n,
    ui::{
        badge::StatusTone,
        button::{Button, ButtonVariant},
        copy::CodeBlock,
        dialog::{Dialog, SendActs},
        notice::Notice,
    },
};

/// State of the dialog. Cheap to copy.
#[derive(Clone, Copy)]
struct Rotation {
    /// The new secret, once the server has created it.
    secret: RwSignal<Option<String>>,
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    state: WebhooksState,
}

impl Rotation {
    /// Closes the dialog, and drops the secret.
    fn close(self) {
        self.state.rotating.set(None);
        self.secret.set(None);
        self.error.set(None);
    }

    fn rotate(self) {
        let webhook = self.state.rotating.get_untracked();
        let Some(webhook) = webhook.filter(|_| !self.busy.get_untracked()) else { return };
        self.busy.set(true);
        self.error.set(None);
        spawn_local(async move {
            let form = self.state.form_id();
            let request = || api::rotate_webhook_secret(&form, &webhook.id);
            let answer = self.state.reauthentication.run_action(request).await;
            self.busy.try_set(false);
            match answer {
                Ok(rotated) => {
                    // A closed dialog must not show the secret when it is opened again.
                    if self.state.rotating.try_get_untracked().flatten() == Some(webhook) {
                        self.secret.try_set(Some(rotated.secret));
                    }
                }
                Err(error) => {
                    let text = self.state.explain(&error);
                    self.error.try_set(Some(text));
                }
            }
        });
    }
}

/// The dialog.
#[component]
pub fn RotationDialog(
    /// State of the tab.
    state: WebhooksState,
) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let rotation = Rotation {
        secret: RwSignal::new(None),
        error: RwSignal::new(None),
        busy: RwSignal::new(false),
        state,
    };
    let has_secret = Memo::new(move |_| rotation.secret.with(Option::is_some));
    let title = move || {
        state.rotating.with(|webhook| {
            let short = webhook.as_ref().map(|one| short_url(&one.url)).unwrap_or_default();
            if has_secret.get() { (texts.secret_title)(short) } else { (texts.rotate_title)(short) }
        })
    };
    view! {
        <Dialog
            open=Signal::derive(move || state.rotating.with(Option::is_some))
            title=Signal::derive(title)
            on_close=move |()| rotation.close()
            backdrop_closes=false
            is_read=true
            actions=move || view! { <RotationActions rotation has_secret /> }
        >
            {move || match rotation.secret.get() {
                Some(secret) => view! { <SecretText secret /> }.into_any(),
                None => view! {
                    <p>{(texts.rotate_text)(OLD_SECRET_HOURS)}</p>
                    <p class="dialog-error" role="alert">
                        {rotation.error}
                    </p>
                }
                .into_any(),
            }}
        </Dialog>
    }
}

#[component]
fn RotationActions(rotation: Rotation, has_secret: Memo<bool>) -> impl IntoView {
    let rotate = move || {
        let verb = i18n::form_webhooks().rotate;
        let on_send = Callback::new(move |()| rotation.rotate());
        let on_close = Callback::new(move |()| rotation.close());
        view! { <SendActs verb busy=rotation.busy.into() on_send on_close /> }
    };
    view! {
        <Show when=move || has_secret.get() fallback=rotate>
            <Button variant=ButtonVariant::Primary on_click=move |_| rotation.close()>
                {i18n::common().done}
            </Button>
        </Show>
    }
}

/// A new secret, with a copy button and how to use it. The user cannot see it again later.
#[component]
pub fn SecretText(
    /// The secret.
    secret: String,
) -> impl IntoView {
    let texts = i18n::form_webhooks();
    view! {
        <Notice tone=StatusTone::Mixed>{texts.secret_text}</Notice>
        <CodeBlock text=secret label=texts.copy_secret />
        <p>{texts.verify}</p>
    }
}
