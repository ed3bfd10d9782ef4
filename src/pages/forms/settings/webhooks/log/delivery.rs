//! The dialog with one delivery: its attempts, the body of its requests, and a button that sends it
//! again.

use contract::DeliveryId;
use contract::webhook::{Attempt, Delivery};
use leptos::{prelude::*, task::spawn_local};

use super::{DeliveryLog, table::state_badge};
use crate::{
    api,
    components::calendar::millis_of,
    domain::webhooks::{
        event_label,
        log::{WatchedDelivery, attempt_error, attempt_result, indent_json},
    },
    i18n,
    pages::forms::settings::webhooks::details::fact_view,
    routes,
    ui::{
        button::{Button, ButtonVariant},
        copy::CodeBlock,
        dialog::Dialog,
        time::Instant,
    },
};

impl DeliveryLog {
    /// Sends a delivery again, and closes its dialog, so that the log shows its progress. `sent` is
    /// the delivery that is being sent.
    fn replay(self, id: DeliveryId, sent: RwSignal<Option<DeliveryId>>) {
        sent.set(Some(id.clone()));
        let listed = self.pages.rows.get_untracked();
        spawn_local(async move {
            let form = self.state.form_id();
            let answer = api::replay_delivery(&form, &self.webhook_id(), &id).await;
            // The user may have closed the dialog, and opened another delivery.
            if sent.try_get_untracked().flatten().as_ref() == Some(&id) {
                sent.set(None);
            }
            let opened = self.opened.try_get_untracked().flatten();
            if opened.is_some_and(|opened| opened.id == id) {
                self.opened.set(None);
            }
            match answer {
                Ok(delivery) => {
                    let texts = i18n::form_webhooks();
                    self.state.toasts.show_success((texts.replay_queued)(1));
                    self.watch(Some(WatchedDelivery::new(&delivery, &listed)));
                }
                Err(error) => self.state.show_error(&error),
            }
        });
    }

    /// Returns the delivery in the dialog, in the newest loaded version. Tracked.
    fn shown(self) -> Option<Delivery> {
        let opened = self.opened.get()?;
        let newest =
            self.pages.rows.with(|rows| rows.iter().find(|row| row.id == opened.id).cloned());
        Some(newest.unwrap_or(opened))
    }
}

/// The dialog.
#[component]
pub fn DeliveryDialog(
    /// The log.
    log: DeliveryLog,
    /// Reason why nothing can be sent now, in a sentence.
    disabled_reason: Signal<Option<String>>,
) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let sent = RwSignal::new(None);
    let busy = Signal::derive(move || {
        let sent = sent.get();
        sent.is_some()
            && log
                .opened
                .with(|opened| opened.as_ref().map(|delivery| &delivery.id) == sent.as_ref())
    });
    let title = move || {
        let event = log.opened.with(|opened| opened.as_ref().map(|opened| opened.event));
        event.map(|event| (texts.delivery)(event_label(event))).unwrap_or_default()
    };
    let replay = move |_| {
        if let Some(delivery) = log.opened.get_untracked() {
            log.replay(delivery.id, sent);
        }
    };
    let close = move || log.opened.set(None);
    let actions = move || {
        view! {
            <Button on_click=move |_| close()>{i18n::common().close}</Button>
            <Button variant=ButtonVariant::Primary busy disabled_reason on_click=replay>
                {texts.replay}
            </Button>
        }
    };
    view! {
        <Dialog
            open=Signal::derive(move || log.opened.with(Option::is_some))
            title=Signal::derive(title)
            on_close=move |()| close()
            actions
        >
            {move || log.shown().map(|delivery| view! { <DeliveryDetails delivery log /> })}
        </Dialog>
    }
}

#[component]
fn DeliveryDetails(delivery: Delivery, log: DeliveryLog) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let Delivery {
        id,
        submission_id,
        created_at,
        state,
        next_attempt_at,
        request_body,
        attempts,
        ..
    } = delivery;
    let submission = submission_id.map(|submission| {
        let href = log.state.form.with_untracked(|form| {
            let filter = contract::Filter::default();
            routes::submission_url(form.environment, &form.id, &submission, &filter)
        });
        (texts.submission, view! { <a href=href>{texts.view_submission}</a> }.into_any())
    });
    let instant = |at| view! { <Instant at_ms=millis_of(at) /> }.into_any();
    let facts = [
        Some((texts.state, state_badge(state).into_any())),
        Some((texts.time, instant(created_at))),
        next_attempt_at.map(|at| (texts.next_attempt, instant(at))),
        submission,
        Some((texts.id, view! { <span class="id">{id.to_string()}</span> }.into_any())),
    ];
    let body = request_body.map(|body| {
        view! {
            <h3 class="section-title">{texts.body}</h3>
            <CodeBlock text=indent_json(&body) label=texts.copy_body />
        }
    });
    let tried = if attempts.is_empty() {
        view! { <p>{texts.no_attempt}</p> }.into_any()
    } else {
        view! { <ol class="answers">{attempts.into_iter().map(attempt_view).collect_view()}</ol> }
            .into_any()
    };
    view! {
        <dl class="facts">{facts.into_iter().flatten().map(fact_view).collect_view()}</dl>
        <h3 class="section-title">{texts.attempts}</h3>
        {tried}
        {body}
    }
}

/// Returns an attempt: time, duration, status or error, and the start of the response.
fn attempt_view(attempt: Attempt) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let result = attempt_result(&attempt);
    let error = attempt_error(&attempt).map(|error| format!(" · {error}"));
    let Attempt { at, duration_ms, response, .. } = attempt;
    let response = response.filter(|text| !text.is_empty()).map(|text| {
        view! {
            <pre class="code code-text" tabindex="0" aria-label=texts.response>
                {text}
            </pre>
        }
    });
    view! {
        <li>
            <p class="answers-name">
                <Instant at_ms=millis_of(at) />
                " · "
                {(texts.attempt)(duration_ms)}
            </p>
            <p class="answers-text">
                <strong>{result}</strong>
                {error}
            </p>
            {response}
        </li>
    }
}
