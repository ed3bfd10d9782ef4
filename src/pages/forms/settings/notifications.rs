//! The tab with the emails about a form's submissions: the notified addresses, and the auto-reply
//! to senders.

pub mod actions;
pub mod auto_reply;
pub mod editor;
pub mod fields;
pub mod list;

use contract::notification::{Notification, NotificationSettings, Notifications};
use contract::{Form, FormId, NotificationId, View};
use leptos::{prelude::*, task::spawn_local};

use auto_reply::AutoReplySection;
use editor::{AddressEditor, EditTarget};
use list::AddressList;

use crate::{
    api::{self, ApiError, Remote},
    components::{
        page::{explain_failure, to_sentence},
        remote::{remote_outcome, remote_view},
    },
    i18n,
    state::{
        confirm::Confirm, reauthentication::Reauthentication, session::SessionStore, toasts::Toasts,
    },
    ui::{badge::StatusTone, notice::Notice},
};

/// State of the tab. Cheap to copy.
#[derive(Clone, Copy)]
pub struct NotificationsState {
    form: Signal<Form>,
    /// The addresses, the auto-reply and the daily limit.
    loaded: RwSignal<Remote<Notifications>>,
    /// The shared views of the form.
    views: RwSignal<Vec<View>>,
    /// Number of requests and changes so far. Responses to requests before the latest are dropped.
    version: StoredValue<u32>,
    /// Content of the editor; `None` while it is closed.
    editing: RwSignal<Option<EditTarget>>,
    session: SessionStore,
    reauthentication: Reauthentication,
    confirm: Confirm,
    toasts: Toasts,
}

impl NotificationsState {
    fn new(form: Signal<Form>, session: SessionStore) -> Self {
        Self {
            form,
            loaded: RwSignal::new(Remote::Loading),
            views: RwSignal::new(Vec::new()),
            version: StoredValue::new(0),
            editing: RwSignal::new(None),
            session,
            reauthentication: expect_context(),
            confirm: expect_context(),
            toasts: expect_context(),
        }
    }

    fn form_id(self) -> FormId {
        self.form.with_untracked(|form| form.id.clone())
    }

    /// Returns a part of the loaded content. Tracked.
    fn read<T>(self, part: impl FnOnce(&Notifications) -> T) -> Option<T> {
        self.loaded.with(|loaded| loaded.loaded().map(part))
    }

    /// Returns the notifications. Tracked.
    fn notifications(self) -> Vec<Notification> {
        self.read(|loaded| loaded.data.clone()).unwrap_or_default()
    }

    /// Returns a notification. Tracked.
    fn find(self, id: &NotificationId) -> Option<Notification> {
        let find =
            |loaded: &Notifications| loaded.data.iter().find(|known| known.id == *id).cloned();
        self.read(find).flatten()
    }

    /// Returns the reason why the server sends nothing, if it cannot send email. Tracked.
    fn missing_mail(self) -> Option<String> {
        let is_enabled = self.read(|loaded| loaded.mail_enabled).unwrap_or_default();
        (!is_enabled).then(|| i18n::form_notifications().needs_mail.to_owned())
    }

    fn advance_version(self) -> Option<u32> {
        self.version.try_update_value(|version| {
            *version += 1;
            *version
        })
    }

    /// Loads everything in the background. Loaded content stays visible meanwhile, and after a
    /// failure, which is shown in a toast.
    fn load(self) {
        let Some(version) = self.advance_version() else { return };
        let form = self.form_id();
        spawn_local(async move {
            let answer = api::list_notifications(&form).await;
            if self.version.try_get_value() != Some(version) {
                return;
            }
            match answer {
                Err(error) if self.loaded.with_untracked(|now| now.loaded().is_some()) => {
                    let title = (i18n::failures().not_loaded)(i18n::form_notifications().what);
                    self.toasts.show_error(format!("{title}. {}", self.explain(&error)));
                }
                answer => {
                    answer.as_ref().inspect_err(|error| self.session.handle_error(error)).ok();
                    self.loaded.set(answer.into());
                }
            }
        });
    }

    /// Returns whether the server stores views. Tracked.
    fn has_views(self) -> bool {
        self.session.capabilities().saved_views
    }

    /// Loads the shared views of the form in the background, if the server stores views.
    fn load_views(self) {
        if !untrack(|| self.has_views()) {
            return;
        }
        let form = self.form_id();
        spawn_local(async move {
            match api::list_views(&form).await {
                Ok(views) => {
                    let shared = views.into_iter().filter(|view| view.shared).collect();
                    self.views.try_set(shared);
                }
                Err(error) => {
                    let title = (i18n::failures().not_loaded)(i18n::form_notifications().views);
                    self.toasts.show_error(format!("{title}. {}", self.explain(&error)));
                }
            }
        });
    }

    fn change(self, change: impl FnOnce(&mut Notifications)) {
        self.advance_version();
        self.loaded.try_update(|loaded| {
            if let Remote::Loaded(loaded) = loaded {
                change(loaded);
            }
        });
    }

    /// Adds a new notification at the end, or replaces a changed one.
    fn upsert(self, notification: Notification) {
        self.change(|loaded| {
            match loaded.data.iter_mut().find(|known| known.id == notification.id) {
                Some(known) => *known = notification,
                None => loaded.data.push(notification),
            }
        });
    }

    /// Changes the settings of a notification, after re-authentication if the server requires it.
    /// `change` gets the newest version: the server or another user may have changed it. Returns
    /// the changed notification.
    async fn save(
        self,
        known: &Notification,
        change: impl Fn(Notification) -> NotificationSettings,
    ) -> Result<Notification, ApiError> {
        let (form, change) = (&self.form_id(), &change);
        let request = move || async move {
            let notifications = api::list_notifications(form).await?.data;
            let newest = notifications.into_iter().find(|notification| notification.id == known.id);
            // For a deleted notification, the response is 404.
            let settings = change(newest.unwrap_or_else(|| known.clone()));
            api::set_notification(form, &known.id, &settings).await
        };
        let saved = self.reauthentication.run_action(request).await?;
        self.upsert(saved.clone());
        Ok(saved)
    }

    /// Reports a new or changed notification: `done`, or that the server has sent the link that
    /// confirms the address, or why it could not.
    fn report(self, notification: &Notification, done: &str) {
        let texts = i18n::form_notifications();
        let email = &notification.email;
        let is_waiting = notification.disabled.is_none() && !notification.confirmed;
        match &notification.last_error {
            Some(reason) if is_waiting => {
                self.toasts.show_error((texts.link_failed)(email, &to_sentence(reason)));
            }
            None if is_waiting => {
                self.toasts.show_success((texts.link_sent)(email));
                // The link counts against the daily limit.
                self.load();
            }
            _ => self.toasts.show_success(done),
        }
    }

    /// Returns the message for an error. A 401 ends the session.
    fn explain(self, error: &ApiError) -> String {
        explain_failure(self.session, error)
    }

    /// Shows the error of an action in a toast.
    fn show_error(self, error: &ApiError) {
        let reason = self.explain(error);
        self.toasts.show_error((i18n::form_notifications().action_failed)(&reason));
    }
}

/// The tab.
#[component]
pub fn NotificationsTab(
    /// The form.
    form: Signal<Form>,
    /// Ended if a request returns 401.
    session: SessionStore,
) -> impl IntoView {
    let texts = i18n::form_notifications();
    let state = NotificationsState::new(form, session);
    state.load();
    state.load_views();
    let is_loaded = Memo::new(move |_| state.read(|_| ()).is_some());
    // A change must not rebuild the view, which contains the pressed button.
    let outcome = remote_outcome(state.loaded);
    let labels = (texts.loading, texts.what);
    let retry = move || state.load();
    let body = remote_view(outcome, labels, retry, move |()| {
        view! {
            <MailNotices state />
            <AddressList state />
        }
        .into_any()
    });
    view! {
        <section>
            <h2 class="section-title">{texts.title}</h2>
            <p class="section-text">{texts.about}</p>
            <div class="form" data-wide="true">
                {body}
            </div>
        </section>
        <Show when=move || is_loaded.get()>
            <AutoReplySection state />
        </Show>
        <AddressEditor state />
    }
}

/// Notes about the server and the daily limit.
#[component]
fn MailNotices(state: NotificationsState) -> impl IntoView {
    let texts = i18n::form_notifications();
    let facts = Memo::new(move |_| {
        state.read(|loaded| (loaded.mail_enabled, loaded.sent_today, loaded.daily_limit))
    });
    move || {
        let (is_enabled, sent, limit) = facts.get()?;
        let note = if !is_enabled {
            view! { <Notice tone=StatusTone::Mixed>{texts.mail_disabled}</Notice> }.into_any()
        } else if sent >= limit {
            view! { <Notice tone=StatusTone::Mixed>{(texts.limit_reached)(limit)}</Notice> }
                .into_any()
        } else {
            view! { <p class="field-hint">{(texts.usage)(sent, limit)}</p> }.into_any()
        };
        Some(note)
    }
}
