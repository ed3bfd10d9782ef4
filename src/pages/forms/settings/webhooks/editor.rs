//! The dialog that creates or edits a webhook. After a creation it shows the secret, which exists
//! only in this dialog.

use contract::webhook::{
    CreatedWebhook, NewWebhook, URL_BYTES_MAX, Webhook, WebhookEvent, WebhookFormat,
    WebhookSettings, default_events,
};
use leptos::{prelude::*, task::spawn_local};

use super::{WebhooksState, rotation::SecretText};
use crate::{
    api::{self, ApiError},
    components::page::rescue_focus,
    domain::webhooks::{event_label, format_label, short_url},
    i18n,
    ui::{
        dialog::{Dialog, SendForm, SendOrDone},
        field::{CheckField, Choice, SelectField, TextField, store_input},
        run_effect,
    },
};

/// Content of the dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditTarget {
    /// A webhook to create.
    New,
    /// A webhook to edit.
    Existing(Webhook),
}

/// State of the dialog. Cheap to copy.
#[derive(Clone, Copy)]
struct WebhookDraft {
    url: RwSignal<String>,
    url_error: RwSignal<Option<String>>,
    events: RwSignal<Vec<WebhookEvent>>,
    events_error: RwSignal<Option<String>>,
    format: RwSignal<WebhookFormat>,
    /// An error that is not about an input.
    send_error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    /// The new webhook; while set, the dialog shows its secret.
    created: RwSignal<Option<CreatedWebhook>>,
    state: WebhooksState,
}

impl WebhookDraft {
    fn new(state: &WebhooksState) -> Self {
        Self {
            url: RwSignal::new(String::new()),
            url_error: RwSignal::new(None),
            events: RwSignal::new(default_events()),
            events_error: RwSignal::new(None),
            format: RwSignal::new(WebhookFormat::default()),
            send_error: RwSignal::new(None),
            busy: RwSignal::new(false),
            created: RwSignal::new(None),
            state: *state,
        }
    }

    /// Fills the fields with the settings of the content.
    fn fill(self, target: &EditTarget) {
        let (url, events, format) = match target {
            EditTarget::New => (String::new(), default_events(), WebhookFormat::default()),
            EditTarget::Existing(webhook) => {
                (webhook.url.clone(), webhook.events.clone(), webhook.format)
            }
        };
        self.url.set(url);
        self.events.set(events);
        self.format.set(format);
        self.clear_errors();
    }

    fn clear_errors(self) {
        self.url_error.set(None);
        self.events_error.set(None);
        self.send_error.set(None);
    }

    /// Closes the dialog, and drops the secret. Ignored while the request runs: the user would
    /// never see the secret.
    fn close(self) {
        if self.busy.get_untracked() {
            return;
        }
        self.state.editing.set(None);
        self.created.set(None);
        // The button that opened the dialog may be gone: the first webhook replaces the empty list.
        spawn_local(rescue_focus());
    }

    fn set_event(self, event: WebhookEvent, is_on: bool) {
        self.events_error.set(None);
        self.events.update(|events| {
            events.retain(|known| *known != event);
            if is_on {
                events.push(event);
            }
        });
    }

    /// Returns whether the dialog still shows `target`. The user may have left the tab by the
    /// history.
    fn shows(self, target: &EditTarget) -> bool {
        self.state.editing.try_get_untracked().flatten().as_ref() == Some(target)
    }

    /// Returns the inputs, or shows an error.
    fn parse_inputs(self) -> Option<NewWebhook> {
        let texts = i18n::form_webhooks();
        let url = self.url.get_untracked().trim().to_owned();
        if url.is_empty() {
            self.url_error.set(Some(texts.needs_url.to_owned()));
            return None;
        }
        let chosen = self.events.get_untracked();
        if chosen.is_empty() {
            self.events_error.set(Some(texts.needs_event.to_owned()));
            return None;
        }
        let events = WebhookEvent::CHOICES.into_iter().filter(|event| chosen.contains(event));
        let format = self.format.get_untracked();
        Some(NewWebhook { url, events: events.collect(), format })
    }

    fn send(self) {
        let target = self.state.editing.get_untracked();
        let Some(target) = target.filter(|_| !self.busy.get_untracked()) else { return };
        self.clear_errors();
        let Some(inputs) = self.parse_inputs() else { return };
        self.busy.set(true);
        spawn_local(async move {
            let answer = match &target {
                EditTarget::New => self.create(inputs).await,
                EditTarget::Existing(webhook) => self.change(webhook, inputs).await,
            };
            self.busy.try_set(false);
            match answer {
                Ok(()) => {}
                Err(error) if self.shows(&target) => {
                    // Only the URL can be invalid: the other inputs are choices.
                    let is_invalid = error.status() == Some(400);
                    let shown = if is_invalid { self.url_error } else { self.send_error };
                    shown.set(Some(self.state.explain(&error)));
                }
                Err(error) => self.state.show_error(&error),
            }
        });
    }

    async fn create(self, new: NewWebhook) -> Result<(), ApiError> {
        let form = self.state.form_id();
        let request = || api::create_webhook(&form, &new);
        let created = self.state.reauthentication.run_action(request).await?;
        self.state.webhooks.upsert(created.webhook.clone());
        if self.shows(&EditTarget::New) {
            self.created.set(Some(created));
        } else {
            self.state.report_lost_secret(&created.webhook);
        }
        Ok(())
    }

    async fn change(self, webhook: &Webhook, inputs: NewWebhook) -> Result<(), ApiError> {
        let change = |newest: Webhook| {
            let NewWebhook { url, events, format } = inputs.clone();
            WebhookSettings { url, events, format, enabled: newest.disabled.is_none() }
        };
        self.state.save(webhook, change).await?;
        self.state.toasts.show_success(i18n::form_webhooks().saved);
        if self.shows(&EditTarget::Existing(webhook.clone())) {
            self.state.editing.set(None);
        }
        Ok(())
    }
}

/// The dialog.
#[component]
pub fn WebhookEditor(
    /// State of the tab.
    state: WebhooksState,
) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let draft = WebhookDraft::new(&state);
    run_effect(move || {
        state.editing.with(|target| target.iter().for_each(|target| draft.fill(target)));
    });
    let is_new = Memo::new(move |_| state.editing.with(|now| *now == Some(EditTarget::New)));
    let title = move || match draft.created.get() {
        Some(created) => (texts.secret_title)(&short_url(&created.webhook.url)),
        None if is_new.get() => texts.create.to_owned(),
        None => texts.edit.to_owned(),
    };
    let on_close = Callback::new(move |()| draft.close());
    let actions = move || {
        let verb = if is_new.get() { texts.create_verb } else { texts.save };
        let is_done = Signal::derive(move || draft.created.with(Option::is_some));
        let on_send = move |()| draft.send();
        view! { <SendOrDone verb busy=draft.busy is_done on_send on_close /> }
    };
    view! {
        <Dialog
            open=Signal::derive(move || state.editing.with(Option::is_some))
            title=Signal::derive(title)
            on_close
            backdrop_closes=false
            actions
        >
            {move || match draft.created.get() {
                Some(CreatedWebhook { webhook, secret }) => {
                    view! { <SecretText secret format=webhook.format /> }.into_any()
                }
                None => view! { <WebhookForm draft /> }.into_any(),
            }}
        </Dialog>
    }
}

#[component]
fn WebhookForm(draft: WebhookDraft) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let formats =
        WebhookFormat::ALL.map(|format| Choice::new(format.as_str(), format_label(format)));
    view! {
        <SendForm on_send=Callback::new(move |()| draft.send())>
            <TextField
                label=texts.url
                hint=texts.url_hint
                placeholder="https://example.com/hook"
                autocomplete="off"
                value=draft.url
                error=draft.url_error
                length_max=u32::try_from(URL_BYTES_MAX).unwrap_or(u32::MAX)
                on_input=store_input(draft.url, draft.url_error)
            />
            <EventFields draft />
            <SelectField
                label=texts.format
                value=Signal::derive(move || draft.format.get().as_str().to_owned())
                choices=Signal::stored(formats.to_vec())
                on_change=move |name: String| draft.format.set(name.parse().unwrap_or_default())
            />
            <p class="dialog-error" role="alert">
                {draft.send_error}
            </p>
        </SendForm>
    }
}

#[component]
fn EventFields(draft: WebhookDraft) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let field = move |event: WebhookEvent| {
        let hint = match event {
            WebhookEvent::Created => texts.created_hint,
            WebhookEvent::Analyzed => texts.analyzed_hint,
            WebhookEvent::Updated => texts.updated_hint,
            WebhookEvent::Deleted => texts.deleted_hint,
            WebhookEvent::Test => "",
        };
        view! {
            <CheckField
                label=event_label(event)
                hint
                checked=Signal::derive(move || draft.events.with(|events| events.contains(&event)))
                on_change=move |on| draft.set_event(event, on)
            />
        }
    };
    view! {
        <fieldset class="field">
            <legend class="field-label">{texts.events}</legend>
            <div class="choices">
                {WebhookEvent::CHOICES.map(field).into_iter().collect_view()}
            </div>
            <p class="field-error" role="alert">
                {draft.events_error}
            </p>
        </fieldset>
    }
}
