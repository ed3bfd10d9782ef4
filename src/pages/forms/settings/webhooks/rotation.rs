//! The dialog that rotates the secret of a webhook: first the question, then the new secret, which
//! exists only in this dialog.

use contract::webhook::{OLD_SECRET_HOURS, WebhookFormat};
use leptos::{html, prelude::*, task::spawn_local};
use web_sys::Element;

use super::WebhooksState;
use crate::{
    api,
    domain::webhooks::short_url,
    i18n,
    ui::{
        badge::StatusTone,
        copy::CodeBlock,
        dialog::{Dialog, SendOrDone},
        focus,
        notice::Notice,
        run_effect,
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
    /// Closes the dialog, and drops the secret. Ignored while the request runs: the user would
    /// never see the secret.
    fn close(self) {
        if self.busy.get_untracked() {
            return;
        }
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
            // The user may have left the tab by the history.
            let is_shown =
                self.state.rotating.try_get_untracked().flatten().as_ref() == Some(&webhook);
            match answer {
                Ok(rotated) if is_shown => self.secret.set(Some(rotated.secret)),
                Ok(_) => self.state.report_lost_secret(&webhook),
                Err(error) if is_shown => self.error.set(Some(self.state.explain(&error))),
                Err(error) => self.state.show_error(&error),
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
    run_effect(move || {
        if state.rotating.with(Option::is_some) {
            rotation.error.set(None);
        }
    });
    let title = move || {
        state.rotating.with(|webhook| {
            let short = webhook.as_ref().map(|webhook| short_url(&webhook.url)).unwrap_or_default();
            let title = if has_secret.get() { texts.secret_title } else { texts.rotate_title };
            title(&short)
        })
    };
    let on_close = Callback::new(move |()| rotation.close());
    let actions = move || {
        let on_send = move |()| rotation.rotate();
        view! {
            <SendOrDone
                verb=texts.rotate
                busy=rotation.busy
                is_done=has_secret
                on_send
                on_close
            />
        }
    };
    view! {
        <Dialog
            open=Signal::derive(move || state.rotating.with(Option::is_some))
            title=Signal::derive(title)
            on_close
            backdrop_closes=false
            is_read=true
            actions
        >
            {move || match rotation.secret.get() {
                Some(secret) => {
                    let webhook = state.rotating.get();
                    let format = webhook.map(|webhook| webhook.format);
                    view! { <SecretText secret format=format.unwrap_or_default() /> }.into_any()
                }
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

/// A new secret, with a copy button and how to use it. The user cannot see it again later. Moves
/// the focus to the action of the dialog, because the pressed button is gone.
#[component]
pub fn SecretText(
    /// The secret.
    secret: String,
    /// Format of the webhook.
    format: WebhookFormat,
) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let usage = if format == WebhookFormat::Json { texts.verify } else { texts.secret_unneeded };
    let notice = NodeRef::<html::Div>::new();
    run_effect(move || {
        let Some(notice) = notice.get() else { return };
        spawn_local(async move {
            // The actions of the dialog change in the same tick.
            leptos::task::tick().await;
            let dialog = notice.closest("dialog").ok().flatten();
            let find = |dialog: Element| dialog.query_selector(".dialog-actions button").ok()?;
            dialog.and_then(find).inspect(focus);
        });
    });
    view! {
        <div role="status" node_ref=notice>
            <Notice tone=StatusTone::Mixed>{texts.secret_text}</Notice>
        </div>
        <CodeBlock text=secret label=texts.copy_secret />
        <p>{usage}</p>
    }
}
