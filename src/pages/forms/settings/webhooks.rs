//! The tab with the webhooks of a form: the list of all, or one of them with its deliveries. The
//! URL selects the webhook.

pub mod actions;
pub mod details;
pub mod editor;
pub mod list;
pub mod loading;
pub mod log;
pub mod rotation;

use contract::webhook::{Webhook, WebhookSettings};
use contract::{Form, FormId, WebhookId};
use leptos::{html, prelude::*, task::spawn_local};
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
    location::Url,
};

use details::WebhookDetails;
use editor::{EditTarget, WebhookEditor};
use list::WebhookList;
use loading::WebhooksRemote;
use rotation::RotationDialog;

use crate::{
    api::{self, ApiError},
    components::{
        page::explain_failure,
        remote::{remote_outcome, remote_view},
    },
    domain::webhooks::{WebhookSelection, short_url},
    i18n,
    routes::{self, Tab},
    state::{
        confirm::Confirm, reauthentication::Reauthentication, session::SessionStore, toasts::Toasts,
    },
    ui::{focus, run_effect},
};

/// State of the tab. Cheap to copy.
#[derive(Clone, Copy)]
pub struct WebhooksState {
    form: Signal<Form>,
    webhooks: WebhooksRemote,
    selection: Memo<WebhookSelection>,
    /// Opens the URL of a selection.
    select: Callback<WebhookSelection>,
    /// Content of the editor; `None` while it is closed.
    editing: RwSignal<Option<EditTarget>>,
    /// Webhook that gets a new secret; `None` while the dialog is closed.
    rotating: RwSignal<Option<Webhook>>,
    session: SessionStore,
    reauthentication: Reauthentication,
    confirm: Confirm,
    toasts: Toasts,
}

impl WebhooksState {
    fn new(form: Signal<Form>, session: SessionStore, webhooks: WebhooksRemote) -> Self {
        let url = use_url();
        let navigate = use_navigate();
        Self {
            form,
            webhooks,
            // While another page is opened, its URL selects nothing: keep the previous selection.
            selection: Memo::new(move |before: Option<&WebhookSelection>| {
                let is_current = |url: &Url| {
                    (routes::tab_of_path(url.path()) == Tab::Webhooks)
                        .then(|| WebhookSelection::parse_query(url.search()))
                };
                url.with(is_current).or(before.cloned()).unwrap_or_default()
            }),
            select: Callback::new(move |selection| {
                let options =
                    NavigateOptions { scroll: false, replace: true, ..NavigateOptions::default() };
                let url = form.with_untracked(|form| {
                    routes::webhooks_url(form.environment, &form.id, &selection)
                });
                navigate(&url, options);
            }),
            editing: RwSignal::new(None),
            rotating: RwSignal::new(None),
            session,
            reauthentication: expect_context(),
            confirm: expect_context(),
            toasts: expect_context(),
        }
    }

    fn form_id(self) -> FormId {
        self.form.with_untracked(|form| form.id.clone())
    }

    /// Returns the URL of a webhook; of the list for `None`.
    fn url_of(self, webhook: Option<WebhookId>) -> String {
        let selection = WebhookSelection { webhook, state: None };
        self.form.with(|form| routes::webhooks_url(form.environment, &form.id, &selection))
    }

    /// Returns a webhook. Tracked.
    fn find(self, id: &WebhookId) -> Option<Webhook> {
        self.webhooks.loaded().into_iter().find(|webhook| webhook.id == *id)
    }

    /// Loads the webhooks again.
    fn reload(self) {
        self.webhooks.load(self.form_id());
    }

    /// Changes the settings of a webhook, after re-authentication if the server requires it.
    /// `change` gets the newest version: the server or another user may have changed it.
    async fn save(
        self,
        known: &Webhook,
        change: impl Fn(Webhook) -> WebhookSettings,
    ) -> Result<(), ApiError> {
        let (form, change) = (&self.form_id(), &change);
        let request = move || async move {
            let webhooks = api::list_webhooks(form).await?;
            let newest = webhooks.into_iter().find(|webhook| webhook.id == known.id);
            // For a deleted webhook, the response is 404.
            let settings = change(newest.unwrap_or_else(|| known.clone()));
            api::set_webhook(form, &known.id, &settings).await
        };
        self.webhooks.upsert(self.reauthentication.run_action(request).await?);
        Ok(())
    }

    /// Reports that the secret of a webhook was created after its dialog was gone.
    fn report_lost_secret(self, webhook: &Webhook) {
        let text = i18n::form_webhooks().secret_lost;
        self.toasts.show_error(text(&short_url(&webhook.url)));
    }

    /// Returns the message for an error of a dialog. A 401 ends the session.
    fn explain(self, error: &ApiError) -> String {
        explain_failure(self.session, error)
    }

    /// Shows the error of an action in a toast.
    fn show_error(self, error: &ApiError) {
        let reason = self.explain(error);
        self.toasts.show_error((i18n::form_webhooks().action_failed)(&reason));
    }
}

/// The tab.
#[component]
pub fn WebhooksTab(
    /// The form.
    form: Signal<Form>,
    /// Ended if a request returns 401.
    session: SessionStore,
    /// The webhooks, which the settings page loads.
    webhooks: WebhooksRemote,
) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let state = WebhooksState::new(form, session, webhooks);
    let selected = Memo::new(move |_| state.selection.with(|selection| selection.webhook.clone()));
    let title = move || {
        let webhook = selected.get().and_then(|id| state.find(&id));
        webhook.map_or_else(|| texts.title.to_owned(), |webhook| short_url(&webhook.url))
    };
    let list = move || {
        selected.with(Option::is_some).then(|| {
            view! {
                <p>
                    <a href=state.url_of(None)>{texts.all}</a>
                </p>
            }
        })
    };
    // A changed webhook must not rebuild the view, which contains the pressed button.
    let outcome = remote_outcome(state.webhooks.list);
    let labels = (texts.loading, texts.what);
    let retry = move || state.reload();
    let body = remote_view(outcome, labels, retry, move |()| match selected.get() {
        Some(id) => view! { <WebhookDetails id state /> }.into_any(),
        None => view! { <WebhookList state /> }.into_any(),
    });
    let heading = NodeRef::<html::H2>::new();
    focus_on_change(selected, heading);
    view! {
        <section>
            {list}
            <h2 class="section-title" tabindex="-1" node_ref=heading>
                {title}
            </h2>
            {body}
        </section>
        <WebhookEditor state />
        <RotationDialog state />
    }
}

/// Moves the focus to the heading when another webhook is selected: the pressed link is gone.
fn focus_on_change(selected: Memo<Option<WebhookId>>, heading: NodeRef<html::H2>) {
    let before = StoredValue::new(selected.get_untracked());
    run_effect(move || {
        let now = selected.get();
        if before.get_value() != now {
            before.set_value(now);
            spawn_local(async move {
                leptos::task::tick().await;
                heading.try_get_untracked().flatten().inspect(|heading| focus(heading));
            });
        }
    });
}
