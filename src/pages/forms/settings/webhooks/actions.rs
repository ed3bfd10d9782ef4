//! The buttons of a webhook: edit, test, rotate the secret, enable or disable, delete.

use contract::webhook::{Webhook, WebhookSettings};
use leptos::{prelude::*, task::spawn_local};

use super::{
    WebhooksState,
    editor::EditTarget,
    log::{DeliveryLog, enable_first},
};
use crate::{
    api,
    domain::webhooks::{WebhookSelection, short_url},
    i18n,
    ui::button::Button,
};

impl WebhooksState {
    fn set_enabled(self, webhook: Webhook, enabled: bool, busy: RwSignal<bool>) {
        let texts = i18n::form_webhooks();
        busy.set(true);
        spawn_local(async move {
            let change = |newest: Webhook| {
                let Webhook { url, events, format, .. } = newest;
                WebhookSettings { url, events, format, enabled }
            };
            let answer = self.save(&webhook, change).await;
            busy.try_set(false);
            match answer {
                Ok(()) if enabled => self.toasts.show_success(texts.was_enabled),
                Ok(()) => self.toasts.show_success(texts.was_disabled),
                Err(error) => self.show_error(&error),
            }
        });
    }

    fn ask_to_delete(self, webhook: Webhook) {
        let texts = i18n::form_webhooks();
        let title = (texts.delete_title)(&short_url(&webhook.url));
        // The dialog stays open if the user leaves the tab by the history.
        let key = (self.form_id(), webhook.id);
        let delete = move || {
            let (form, id) = key.clone();
            async move {
                match api::delete_webhook(&form, &id).await {
                    // 404: the webhook was already deleted, which is the wanted result.
                    Err(error) if error.status() != Some(404) => {
                        Err((texts.action_failed)(&self.explain(&error)))
                    }
                    _ => {
                        self.toasts.show_success(texts.was_deleted);
                        self.select.try_run(WebhookSelection::default());
                        self.webhooks.remove(&id);
                        Ok(())
                    }
                }
            }
        };
        self.confirm.ask(title, texts.delete_text, texts.delete, delete);
    }
}

/// The buttons.
#[component]
pub fn WebhookActions(
    /// The webhook.
    webhook: Signal<Webhook>,
    /// Its log, which shows the delivery of a test event.
    log: DeliveryLog,
    /// State of the tab.
    state: WebhooksState,
) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let is_testing = RwSignal::new(false);
    let is_saving = RwSignal::new(false);
    let is_enabled = Memo::new(move |_| webhook.with(|webhook| webhook.disabled.is_none()));
    let reason = enable_first(webhook);
    let edit = move |_| state.editing.set(Some(EditTarget::Existing(webhook.get_untracked())));
    let switch = move |_| {
        state.set_enabled(webhook.get_untracked(), !is_enabled.get_untracked(), is_saving);
    };
    view! {
        <div class="form-acts">
            <Button
                busy=is_testing
                disabled_reason=reason
                on_click=move |_| log.send_test(is_testing)
            >
                {texts.test}
            </Button>
            <Button on_click=edit>{texts.edit}</Button>
            <Button on_click=move |_| {
                state.rotating.set(Some(webhook.get_untracked()));
            }>{texts.rotate}</Button>
            <Button busy=is_saving on_click=switch>
                {move || if is_enabled.get() { texts.disable } else { texts.enable }}
            </Button>
            <Button on_click=move |_| {
                state.ask_to_delete(webhook.get_untracked());
            }>{texts.delete}</Button>
        </div>
    }
}
