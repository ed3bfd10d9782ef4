//! The banner about webhooks that the server has disabled: their receiver is gone, or has failed
//! for days.

use std::time::Duration;

use contract::{Environment, FormId, webhook::Webhook};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api,
    domain::webhooks::{WebhookSelection, disabled_notice},
    i18n, routes,
    state::session::SessionStore,
    ui::{badge::StatusTone, notice::Notice, run_effect},
};

/// Delay between the first rows of a list and the request for its webhooks.
const REQUEST_DELAY: Duration = Duration::from_secs(2);

/// Banner about the webhooks that the server has disabled, if any.
#[component]
pub fn WebhookNotice(
    /// The webhooks of the form.
    webhooks: Signal<Vec<Webhook>>,
    /// URL of the webhooks; `None` if the page shows them.
    #[prop(into)]
    href: Signal<Option<String>>,
) -> impl IntoView {
    let text = Memo::new(move |_| webhooks.with(|webhooks| disabled_notice(webhooks)));
    let link = move || {
        let href = href.get()?;
        Some(view! { " " <a href=href>{i18n::form_webhooks().view_webhooks}</a> })
    };
    move || text.get().map(|text| view! { <Notice tone=StatusTone::Mixed>{text} {link}</Notice> })
}

/// Banner of a list of submissions. For an owner, it requests the webhooks of the form, some time
/// after the list has its first rows.
#[component]
pub fn ListWebhookNotice(
    /// The form; `None` if the URL names no form.
    form: Signal<Option<(Environment, FormId)>>,
    /// Whether the list has its first rows.
    #[prop(into)]
    ready: Signal<bool>,
) -> impl IntoView {
    let session = expect_context::<SessionStore>();
    let webhooks = RwSignal::new(Vec::new());
    // Memo, so that another filter of the same form sends no request.
    let form_id = Memo::new(move |_| {
        let is_theirs = session.is_owner() && session.capabilities().form_management;
        form.get().filter(|_| is_theirs && ready.get())
    });
    run_effect(move || {
        webhooks.set(Vec::new());
        let Some((environment, id)) = form_id.get() else { return };
        let request = move || {
            // The user may have left the list, or opened another form.
            if form_id.try_get_untracked().flatten().is_some_and(|(_, now)| now == id) {
                spawn_local(async move {
                    let answer = api::list_webhooks(&id).await;
                    let now = form_id.try_get_untracked().flatten();
                    if now == Some((environment, id)) {
                        // Without a response there is no banner; the settings report the error.
                        webhooks.try_set(answer.unwrap_or_default());
                    }
                });
            }
        };
        set_timeout(request, REQUEST_DELAY);
    });
    let href = Signal::derive(move || {
        let (environment, form) = form.get()?;
        Some(routes::webhooks_url(environment, &form, &WebhookSelection::default()))
    });
    view! { <WebhookNotice webhooks=webhooks.into() href /> }
}
