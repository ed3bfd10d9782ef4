//! The webhooks of the form. The settings page loads them for its banner, and shares them with the
//! tab.

use contract::webhook::Webhook;
use contract::{Form, FormId, WebhookId};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, ApiError, Remote},
    components::{page::explain_failure, webhook_notice::WebhookNotice},
    domain::webhooks::WebhookSelection,
    i18n,
    routes::{self, Tab},
    state::{session::SessionStore, toasts::Toasts},
};

/// The webhooks of a form. Cheap to copy.
#[derive(Clone, Copy)]
pub struct WebhooksRemote {
    /// Loading state of the list.
    pub list: RwSignal<Remote<Vec<Webhook>>>,
    /// Number of requests and changes so far. Responses to requests before the latest are dropped.
    version: StoredValue<u32>,
    /// Shows the error of a request.
    on_error: Callback<ApiError>,
}

impl WebhooksRemote {
    /// Returns an empty list that belongs to the current reactive owner.
    pub fn new(session: SessionStore) -> Self {
        let list = RwSignal::new(Remote::Loading);
        let toasts: Toasts = expect_context();
        let on_error = Callback::new(move |error: ApiError| {
            let reason = explain_failure(session, &error);
            if list.with_untracked(|list| list.loaded().is_some()) {
                let title = (i18n::failures().not_loaded)(i18n::form_webhooks().what);
                toasts.show_error(format!("{title}. {reason}"));
            } else {
                list.set(Remote::Failed(error));
            }
        });
        Self { list, version: StoredValue::new(0), on_error }
    }

    /// Returns the webhooks; empty until they are loaded. Tracked.
    pub fn loaded(self) -> Vec<Webhook> {
        self.list.with(|list| list.loaded().cloned().unwrap_or_default())
    }

    fn advance_version(self) -> Option<u32> {
        self.version.try_update_value(|version| {
            *version += 1;
            *version
        })
    }

    /// Loads the webhooks of a form in the background. Loaded ones stay visible meanwhile, and
    /// after a failure, which is shown in a toast.
    pub fn load(self, form: FormId) {
        let version = self.advance_version();
        spawn_local(async move {
            let answer = api::list_webhooks(&form).await;
            let now = self.version.try_get_value();
            if now.is_none() || now != version {
                return;
            }
            match answer {
                Ok(webhooks) => self.list.set(Remote::Loaded(webhooks)),
                Err(error) => self.on_error.run(error),
            }
        });
    }

    fn change(self, change_list: impl FnOnce(&mut Vec<Webhook>)) {
        self.advance_version();
        self.list.try_update(|list| {
            if let Remote::Loaded(webhooks) = list {
                change_list(webhooks);
            }
        });
    }

    /// Adds a new webhook at the end, or replaces a changed one.
    pub fn upsert(self, webhook: Webhook) {
        self.change(|webhooks| match webhooks.iter_mut().find(|known| known.id == webhook.id) {
            Some(known) => *known = webhook,
            None => webhooks.push(webhook),
        });
    }

    /// Removes a deleted webhook.
    pub fn remove(self, id: &WebhookId) {
        self.change(|webhooks| webhooks.retain(|known| known.id != *id));
    }
}

/// Loads the webhooks of the form for an owner: once for the banner, and again whenever their tab
/// opens.
pub fn follow_webhooks(
    form: FormId,
    tab: Memo<Tab>,
    webhooks: WebhooksRemote,
    session: SessionStore,
) {
    Effect::new(move |before: Option<Tab>| {
        let tab = tab.get();
        if session.is_owner() && (before.is_none() || tab == Tab::Webhooks) {
            webhooks.load(form.clone());
        }
        tab
    });
}

/// The banner about disabled webhooks, above every tab.
#[component]
pub fn TabNotice(
    /// The form.
    form: Signal<Form>,
    /// The current tab.
    tab: Memo<Tab>,
    /// The webhooks of the form.
    webhooks: WebhooksRemote,
) -> impl IntoView {
    let loaded = Signal::derive(move || webhooks.loaded());
    let href = Signal::derive(move || {
        let selection = WebhookSelection::default();
        let url = |form: &Form| routes::webhooks_url(form.environment, &form.id, &selection);
        (tab.get() != Tab::Webhooks).then(|| form.with(url))
    });
    view! { <WebhookNotice webhooks=loaded href /> }
}
