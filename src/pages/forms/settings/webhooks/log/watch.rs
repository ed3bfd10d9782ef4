//! After a test event or a replay, the log is loaded again until the attempt is finished, and its
//! result is shown.

use std::time::Duration;

use contract::webhook::{DELIVERIES_MAX, Delivery, DeliveryState};
use gloo_timers::future::sleep;
use leptos::{prelude::*, task::spawn_local};

use super::DeliveryLog;
use crate::{
    api,
    components::paginated::PageOutcome,
    domain::webhooks::log::{WatchedDelivery, failure_text, has_pending},
    i18n,
};

/// Interval of the requests while a delivery is awaited.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum number of these requests.
const POLLS_MAX: u32 = 10;

impl DeliveryLog {
    /// Requests the log again until an attempt is finished, all attempts for `None`. Then shows the
    /// result, and requests the webhook. Sends no requests while the page is hidden, and none while
    /// another one runs.
    pub(super) fn watch(self, watched: Option<WatchedDelivery>) {
        let Some(number) = self.watch.try_update_value(|number| {
            *number += 1;
            *number
        }) else {
            return;
        };
        spawn_local(async move {
            for poll in 0..=POLLS_MAX {
                if poll > 0 {
                    wait_for_poll().await;
                }
                if self.watch.try_get_value() != Some(number) {
                    return;
                }
                if poll > 0 && self.pages.busy.get_untracked() {
                    continue;
                }
                let is_finished = match self.load(true).await {
                    PageOutcome::Failed => return,
                    PageOutcome::Dropped => false,
                    PageOutcome::Loaded => self.check_result(watched.as_ref()).await,
                };
                if is_finished {
                    break;
                }
            }
            if self.watch.try_get_value() == Some(number) {
                self.state.reload();
            }
        });
    }

    /// Returns whether the awaited attempts are finished. Shows the result of a single one.
    async fn check_result(self, watched: Option<&WatchedDelivery>) -> bool {
        let Some(watched) = watched else {
            return self.pages.rows.try_with_untracked(|rows| has_pending(rows)) == Some(false);
        };
        let newest = self.find_newest(watched).await;
        let finished = newest.filter(|delivery| watched.is_finished(delivery));
        if let Some(delivery) = &finished {
            let texts = i18n::form_webhooks();
            match delivery.state {
                DeliveryState::Delivered => self.state.toasts.show_success(texts.delivered),
                DeliveryState::Pending | DeliveryState::Failed => {
                    let reason = failure_text(delivery);
                    self.state.toasts.show_error((texts.not_delivered)(&reason));
                }
            }
        }
        finished.is_some()
    }

    /// Returns the newest version of a delivery. The first rows have just been loaded; another one,
    /// or one that the filter hides, is requested.
    async fn find_newest(self, watched: &WatchedDelivery) -> Option<Delivery> {
        let is_it = |row: &&Delivery| row.id == watched.id;
        let rows = self.pages.rows.try_get_untracked()?;
        let first = rows.iter().take(DELIVERIES_MAX.into()).find(is_it).cloned();
        if first.is_some() {
            return first;
        }
        let (form, webhook) = (self.state.form_id(), self.webhook.try_get_value()?);
        let before = watched.before.as_ref();
        let page = api::list_deliveries(&form, &webhook, DELIVERIES_MAX, before, None).await;
        let newest = page.ok()?.data.into_iter().find(|row| row.id == watched.id)?;
        self.pages.rows.try_update(|rows| {
            if let Some(row) = rows.iter_mut().find(|row| row.id == newest.id) {
                *row = newest.clone();
            }
        });
        Some(newest)
    }
}

/// Waits until the next request of [`DeliveryLog::watch`] is due and the page is visible.
async fn wait_for_poll() {
    sleep(POLL_INTERVAL).await;
    while document().hidden() {
        sleep(POLL_INTERVAL).await;
    }
}
