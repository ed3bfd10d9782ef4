//! The log of a webhook's deliveries, filtered by state.

pub mod delivery;
pub mod replay;
pub mod table;
mod watch;

use contract::webhook::{
    DELIVERIES_DEFAULT, DELIVERIES_MAX, Deliveries, Delivery, DeliveryState, LOG_DAYS, Webhook,
};
use contract::{DeliveryId, Page, Pagination, WebhookId};
use leptos::{prelude::*, task::spawn_local};

use super::WebhooksState;
use crate::{
    api,
    components::{
        page::Failure,
        paginated::{PageOutcome, Paginated, paginated_view},
    },
    domain::webhooks::{
        WebhookSelection,
        log::{WatchedDelivery, append_page, refresh_page},
        state_label,
    },
    i18n,
    ui::{
        button::Button,
        empty::Empty,
        field::{Choice, SelectField},
        icon::Glyph,
        run_effect,
    },
};
use delivery::DeliveryDialog;
use replay::ReplayDialog;
use table::DeliveryTable;

/// The loaded deliveries. Cheap to copy.
#[derive(Clone, Copy)]
pub struct DeliveryLog {
    webhook: StoredValue<WebhookId>,
    pages: Paginated<Delivery>,
    /// Whether the latest request was for the first deliveries, not for the next ones.
    is_refresh: RwSignal<bool>,
    /// Delivery in the dialog, as it was when the dialog opened.
    opened: RwSignal<Option<Delivery>>,
    /// Whether the dialog that replays failed deliveries is open.
    replaying: RwSignal<bool>,
    /// Number of the latest call of [`Self::watch`], which ends the earlier ones.
    watch: StoredValue<u32>,
    state: WebhooksState,
}

impl DeliveryLog {
    /// Returns an empty log of a webhook, owned by the current reactive owner.
    pub fn new(webhook: WebhookId, state: WebhooksState) -> Self {
        Self {
            webhook: StoredValue::new(webhook),
            pages: Paginated::new(state.session),
            is_refresh: RwSignal::new(true),
            opened: RwSignal::new(None),
            replaying: RwSignal::new(false),
            watch: StoredValue::new(0),
            state,
        }
    }

    /// Returns the id of the webhook.
    pub fn webhook_id(self) -> WebhookId {
        self.webhook.get_value()
    }

    /// Lists only deliveries in a state; all for `None`.
    pub fn set_state(self, state: Option<DeliveryState>) {
        // A test event may be sent after the user has left the webhook.
        if let Some(webhook) = self.webhook.try_get_value() {
            self.state.select.try_run(WebhookSelection { webhook: Some(webhook), state });
        }
    }

    /// Requests the first deliveries, as many as are loaded up to [`DELIVERIES_MAX`], or the next
    /// ones. Awaits the end of the request.
    fn load(self, is_refresh: bool) -> impl Future<Output = PageOutcome> + use<> {
        let (form, webhook) = (self.state.form_id(), self.webhook_id());
        let state = self.state.selection.with_untracked(|selection| selection.state);
        let loaded = self.pages.rows.with_untracked(Vec::len);
        let limit = if is_refresh { u16::try_from(loaded).unwrap_or(u16::MAX) } else { 0 };
        let limit = limit.clamp(DELIVERIES_DEFAULT, DELIVERIES_MAX);
        let next: Option<DeliveryId> =
            untrack(|| self.pages.cursor()).and_then(|cursor| cursor.parse().ok());
        self.is_refresh.set(is_refresh);
        // The response is merged here, so it always replaces the rows.
        self.pages.load_and_wait(true, async move {
            let before = next.as_ref().filter(|_| !is_refresh);
            let page = api::list_deliveries(&form, &webhook, limit, before, state).await?;
            let known = self.pages.rows.try_get_untracked().unwrap_or_default();
            let deliveries =
                if is_refresh { refresh_page(known, next, page) } else { append_page(known, page) };
            Ok(to_page(deliveries, limit))
        })
    }

    fn load_in_background(self, is_refresh: bool) {
        let loading = self.load(is_refresh);
        spawn_local(async move {
            loading.await;
        });
    }

    fn refresh(self) {
        self.load_in_background(true);
    }

    fn load_next(self) {
        if untrack(|| self.pages.has_more()) {
            self.load_in_background(false);
        }
    }

    /// Sends the failed request again.
    fn retry(self) {
        if self.is_refresh.get_untracked() { self.refresh() } else { self.load_next() }
    }

    /// Sends a test event and shows its delivery.
    pub fn send_test(self, busy: RwSignal<bool>) {
        busy.set(true);
        spawn_local(async move {
            let form = self.state.form_id();
            let answer = api::test_webhook(&form, &self.webhook_id()).await;
            busy.try_set(false);
            match answer {
                Ok(delivery) => {
                    self.state.toasts.show_success(i18n::form_webhooks().test_queued);
                    // A filter by another state would hide the test event.
                    self.set_state(None);
                    self.watch(Some(WatchedDelivery::new(&delivery, &[])));
                }
                Err(error) => self.state.show_error(&error),
            }
        });
    }
}

/// Returns the loaded deliveries as one page. The server reports no total; the loaded ones are
/// enough to tell whether the log is empty.
fn to_page(deliveries: Deliveries, limit: u16) -> Page<Delivery> {
    let Deliveries { data, next } = deliveries;
    let pagination = Pagination {
        total: data.len() as u64,
        limit,
        has_more: next.is_some(),
        next_cursor: next.map(|next| next.to_string()),
    };
    Page { data, pagination }
}

/// Returns the reason why a disabled webhook sends nothing now: its deliveries wait.
pub(super) fn enable_first(webhook: Signal<Webhook>) -> Signal<Option<String>> {
    Signal::derive(move || {
        let is_disabled = webhook.with(|webhook| webhook.disabled.is_some());
        is_disabled.then(|| i18n::form_webhooks().enable_first.to_owned())
    })
}

/// The section with the log.
#[component]
pub fn DeliverySection(
    /// The webhook.
    webhook: Signal<Webhook>,
    /// Its log.
    log: DeliveryLog,
) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let state = Memo::new(move |_| log.state.selection.with(|selection| selection.state));
    run_effect(move || {
        // Tracking is not enough: a memo that is never read does not detect changes.
        state.with(|_| ());
        untrack(|| {
            log.pages.clear(None);
            log.refresh();
        });
    });
    let labels = (texts.log_loading, texts.log_what);
    let body = paginated_view(
        log.pages,
        labels,
        move || log.refresh(),
        move |has_rows| {
            if has_rows {
                return view! { <DeliveryTable log /> }.into_any();
            }
            let (title, text) = if state.get().is_some() {
                (texts.log_none_match, texts.log_none_match_text)
            } else {
                (texts.log_none, texts.log_none_text)
            };
            view! { <Empty icon=Glyph::Clock title text /> }.into_any()
        },
    );
    let failed = move || {
        // Without rows, `body` shows the error.
        log.pages.total.get()?;
        let error = log.pages.error.get()?;
        let object = if log.is_refresh.get() { texts.log_what } else { texts.log_rest };
        Some(view! { <Failure error object on_retry=move |()| log.retry() /> })
    };
    let refresh = move |_| {
        log.refresh();
        log.state.reload();
    };
    let disabled_reason = enable_first(webhook);
    view! {
        <section>
            <h3 class="section-title">{texts.log}</h3>
            <p class="section-text">{(texts.log_about)(LOG_DAYS)}</p>
            <div class="form" data-wide="true">
                <div class="form-acts">
                    <StateField log />
                    <Button icon=Glyph::Refresh busy=log.pages.busy on_click=refresh>
                        {texts.refresh}
                    </Button>
                    <Button disabled_reason on_click=move |_| log.replaying.set(true)>
                        {texts.replay_failed}
                    </Button>
                </div>
                {body}
                {failed}
            </div>
        </section>
        <DeliveryDialog log disabled_reason />
        <ReplayDialog log />
    }
}

/// The field that filters by state.
#[component]
fn StateField(log: DeliveryLog) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let states = DeliveryState::ALL.map(|state| Choice::new(state.as_str(), state_label(state)));
    let choices = [vec![Choice::new("", texts.any_state)], states.to_vec()].concat();
    let value = move || {
        let state = log.state.selection.with(|selection| selection.state);
        state.map(DeliveryState::as_str).unwrap_or_default().to_owned()
    };
    view! {
        <SelectField
            label=texts.state
            value=Signal::derive(value)
            choices=Signal::stored(choices)
            on_change=move |name: String| log.set_state(name.parse().ok())
        />
    }
}
