//! The dialog that sends failed deliveries again, by default those of the last day.

use contract::Timestamp;
use contract::webhook::ReplayRequest;
use leptos::{prelude::*, task::spawn_local};

use super::DeliveryLog;
use crate::{
    api,
    components::calendar::{field_text, parse_field_text, time_zone},
    i18n,
    ui::{
        dialog::FormDialog,
        field::{FieldKind, TextField, store_input},
        run_effect,
        time::now_ms,
    },
};

/// Default age of the oldest delivery, in milliseconds.
const AGE_MS: i64 = 24 * 60 * 60 * 1000;

/// State of the dialog. Cheap to copy.
#[derive(Clone, Copy)]
struct ReplayDraft {
    since: RwSignal<String>,
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    /// Number of the times that the dialog was opened.
    opening: StoredValue<u32>,
    log: DeliveryLog,
}

impl ReplayDraft {
    fn reset(self) {
        let now_ms = i64::try_from(now_ms()).unwrap_or_default();
        let since = Timestamp::from_millis(now_ms.saturating_sub(AGE_MS));
        self.since.set(since.map(field_text).unwrap_or_default());
        self.error.set(None);
        self.opening.update_value(|opening| *opening += 1);
    }

    /// Returns whether the dialog is still open since this opening.
    fn is_open(self, opening: u32) -> bool {
        self.log.replaying.try_get_untracked() == Some(true)
            && self.opening.try_get_value() == Some(opening)
    }

    fn send(self) {
        let texts = i18n::form_webhooks();
        let Some(failed_since) = parse_field_text(&self.since.get_untracked()) else {
            return self.error.set(Some(texts.since_wrong.to_owned()));
        };
        if self.busy.get_untracked() {
            return;
        }
        self.busy.set(true);
        let opening = self.opening.get_value();
        spawn_local(async move {
            let state = self.log.state;
            let (form, webhook) = (state.form_id(), self.log.webhook_id());
            let answer = api::replay_failed(&form, &webhook, ReplayRequest { failed_since }).await;
            self.busy.try_set(false);
            match answer {
                Ok(affected) => {
                    state.toasts.show_success((texts.replay_queued)(affected.count));
                    if self.is_open(opening) {
                        self.log.replaying.set(false);
                    }
                    self.log.watch(None);
                }
                Err(error) if !self.is_open(opening) => state.show_error(&error),
                Err(error) => {
                    let text = state.explain(&error);
                    self.error.try_set(Some(text));
                }
            }
        });
    }
}

/// The dialog.
#[component]
pub fn ReplayDialog(
    /// The log.
    log: DeliveryLog,
) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let draft = ReplayDraft {
        since: RwSignal::new(String::new()),
        error: RwSignal::new(None),
        busy: RwSignal::new(false),
        opening: StoredValue::new(0),
        log,
    };
    run_effect(move || {
        if log.replaying.get() {
            draft.reset();
        }
    });
    view! {
        <FormDialog
            open=log.replaying
            title=texts.replay_title
            verb=texts.replay_verb
            busy=draft.busy
            on_send=move |()| draft.send()
            on_close=move |()| log.replaying.set(false)
        >
            <TextField
                label=texts.since
                hint=(texts.since_hint)(&time_zone())
                kind=FieldKind::DateTime
                value=draft.since
                error=draft.error
                on_input=store_input(draft.since, draft.error)
            />
        </FormDialog>
    }
}
