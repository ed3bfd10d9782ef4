//! The buttons of an address: edit, test, confirm, enable or disable, delete.

use contract::notification::{Notification, NotificationSettings};
use leptos::{prelude::*, task::spawn_local};

use super::{NotificationsState, editor::EditTarget};
use crate::{
    api::{self, ApiError},
    components::page::rescue_focus,
    domain::notifications::{AddressStatus, status_of},
    i18n,
    ui::button::{Button, ButtonSize},
};

impl NotificationsState {
    fn set_enabled(self, notification: Notification, enabled: bool, busy: RwSignal<bool>) {
        let texts = i18n::form_notifications();
        busy.set(true);
        spawn_local(async move {
            let change = |newest: Notification| {
                let Notification { every, content, time_zone, language, .. } = newest;
                let view = None;
                NotificationSettings { view, every, content, time_zone, language, enabled }
            };
            let answer = self.save(&notification, change).await;
            busy.try_set(false);
            match answer {
                Ok(saved) => {
                    let done = if enabled { texts.was_enabled } else { texts.was_disabled };
                    self.report(&saved, &done(&saved.email));
                }
                Err(error) => self.show_error(&error),
            }
        });
    }

    /// Awaits a request that sends an email, reports its result, and loads the usage of the daily
    /// limit.
    fn report_sent(
        self,
        request: impl Future<Output = Result<(), ApiError>> + 'static,
        done: String,
        busy: RwSignal<bool>,
    ) {
        busy.set(true);
        spawn_local(async move {
            let answer = request.await;
            busy.try_set(false);
            match answer {
                Ok(()) => self.toasts.show_success(done),
                Err(error) => self.show_error(&error),
            }
            self.load();
        });
    }

    fn send_test(self, notification: &Notification, busy: RwSignal<bool>) {
        let done = (i18n::form_notifications().test_sent)(&notification.email);
        let (form, id) = (self.form_id(), notification.id.clone());
        self.report_sent(async move { api::test_notification(&form, &id).await }, done, busy);
    }

    fn send_link(self, notification: &Notification, busy: RwSignal<bool>) {
        let done = (i18n::form_notifications().link_sent)(&notification.email);
        let (form, id) = (self.form_id(), notification.id.clone());
        self.report_sent(async move { api::send_confirmation(&form, &id).await }, done, busy);
    }

    fn ask_to_delete(self, notification: Notification) {
        let texts = i18n::form_notifications();
        let title = (texts.delete_title)(&notification.email);
        // The dialog stays open if the user leaves the tab by the history.
        let form = self.form_id();
        let delete = move || {
            let (form, notification) = (form.clone(), notification.clone());
            async move {
                match api::delete_notification(&form, &notification.id).await {
                    // 404: it was already deleted, which is the wanted result.
                    Err(error) if error.status() != Some(404) => {
                        Err((texts.action_failed)(&self.explain(&error)))
                    }
                    _ => {
                        self.toasts.show_success((texts.was_deleted)(&notification.email));
                        self.change(|loaded| {
                            loaded.data.retain(|other| other.id != notification.id);
                        });
                        spawn_local(rescue_focus());
                        Ok(())
                    }
                }
            }
        };
        self.confirm.ask(title, texts.delete_text, texts.delete_verb, delete);
    }
}

/// The buttons.
#[component]
pub fn AddressActions(
    /// The notification.
    notification: Signal<Notification>,
    /// State of the tab.
    state: NotificationsState,
) -> impl IntoView {
    let texts = i18n::form_notifications();
    let is_sending = RwSignal::new(false);
    let is_saving = RwSignal::new(false);
    let status = Memo::new(move |_| notification.with(status_of));
    let is_enabled = Memo::new(move |_| !matches!(status.get(), AddressStatus::Disabled(_)));
    let now = move || notification.get_untracked();
    let email = now().email;
    let of = move || view! { <span class="visually-hidden">{(texts.of)(&email)}</span> };
    let [of_edit, of_send, of_switch, of_delete] = std::array::from_fn(|_| of.clone());
    let is_waiting = move || status.get() == AddressStatus::Waiting;
    let send_reason = Signal::derive(move || {
        let first = (!is_enabled.get()).then(|| texts.enable_first.to_owned());
        first.or_else(|| state.missing_mail())
    });
    let send = move |_| {
        if untrack(is_waiting) {
            state.send_link(&now(), is_sending);
        } else {
            state.send_test(&now(), is_sending);
        }
    };
    let switch = move |_| state.set_enabled(now(), !is_enabled.get_untracked(), is_saving);
    view! {
        <div class="form-acts">
            <Button
                size=ButtonSize::Small
                on_click=move |_| state.editing.set(Some(EditTarget::Existing(now())))
            >
                {texts.edit}
                {of_edit()}
            </Button>
            <Button
                size=ButtonSize::Small
                busy=is_sending
                disabled_reason=send_reason
                on_click=send
            >
                {move || if is_waiting() { texts.send_link } else { texts.test }}
                {of_send()}
            </Button>
            <Button size=ButtonSize::Small busy=is_saving on_click=switch>
                {move || if is_enabled.get() { texts.disable } else { texts.enable }}
                {of_switch()}
            </Button>
            <Button size=ButtonSize::Small on_click=move |_| state.ask_to_delete(now())>
                {texts.delete}
                {of_delete()}
            </Button>
        </div>
    }
}
