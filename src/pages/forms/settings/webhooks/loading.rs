//! The webhooks of the form. The settings page loads them for its banner, and shares them with the
//! tab.

use contract::webhook::Webhook;
use contract::{Form, FormId};
use leptos::prelude::*;

use crate::{
    api::{self, Remote},
    components::{remote::load, webhook_notice::WebhookNotice},
    domain::webhooks::WebhookSelection,
    routes::{self, Tab},
    state::session::SessionStore,
};

/// Loading state of the webhooks of a form.
pub type WebhooksRemote = RwSignal<Remote<Vec<Webhook>>>;

/// Loads the webhooks of a form in the background. Loaded ones stay visible meanwhile.
pub fn load_webhooks(form: FormId, webhooks: WebhooksRemote, session: SessionStore) {
    load(webhooks, session, async move { api::list_webhooks(&form).await });
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
        if session.can_edit() && (before.is_none() || tab == Tab::Webhooks) {
            load_webhooks(form.clone(), webhooks, session);
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
    let loaded = Signal::derive(move || match webhooks.get() {
        Remote::Loaded(webhooks) => webhooks,
        Remote::Loading | Remote::Failed(_) => Vec::new(),
    });
    let href = Signal::derive(move || {
        let all = WebhookSelection::default();
        let url = |form: &Form| routes::webhooks_url(form.environment, &form.id, &all);
        (tab.get() != Tab::Webhooks).then(|| form.with(url))
    });
    view! { <WebhookNotice webhooks=loaded href /> }
}
