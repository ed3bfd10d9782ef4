//! The dialog that adds an address or edits its settings.

use contract::ViewId;
use contract::account::{EMAIL_BYTES_MAX, canonical_email};
use contract::notification::{
    Frequency, MailContent, MailLanguage, NewNotification, Notification, NotificationSettings,
};
use leptos::{prelude::*, task::spawn_local};

use super::{
    NotificationsState,
    fields::{LanguageField, TimeZoneField},
};
use crate::{
    api::{self, ApiError},
    components::{calendar::time_zone, page::rescue_focus},
    domain::notifications::{content_label, frequency_label, mail_language, view_label},
    i18n,
    ui::{
        dialog::FormDialog,
        field::{Choice, FieldKind, SelectField, TextField, store_input},
        run_effect,
    },
};

/// Content of the dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditTarget {
    /// An address to add.
    New {
        /// Suggested address; may be empty.
        email: String,
    },
    /// A notification to edit.
    Existing(Notification),
}

/// State of the dialog. Cheap to copy.
#[derive(Clone, Copy)]
struct AddressDraft {
    email: RwSignal<String>,
    email_error: RwSignal<Option<String>>,
    view: RwSignal<Option<ViewId>>,
    view_error: RwSignal<Option<String>>,
    every: RwSignal<Frequency>,
    content: RwSignal<MailContent>,
    time_zone: RwSignal<String>,
    time_zone_error: RwSignal<Option<String>>,
    language: RwSignal<MailLanguage>,
    /// Error that belongs to no field.
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    state: NotificationsState,
}

impl AddressDraft {
    fn new(state: NotificationsState) -> Self {
        Self {
            email: RwSignal::new(String::new()),
            email_error: RwSignal::new(None),
            view: RwSignal::new(None),
            view_error: RwSignal::new(None),
            every: RwSignal::new(Frequency::Submission),
            content: RwSignal::new(MailContent::Full),
            time_zone: RwSignal::new(String::new()),
            time_zone_error: RwSignal::new(None),
            language: RwSignal::new(MailLanguage::English),
            error: RwSignal::new(None),
            busy: RwSignal::new(false),
            state,
        }
    }

    fn clear_errors(self) {
        self.email_error.set(None);
        self.view_error.set(None);
        self.time_zone_error.set(None);
        self.error.set(None);
    }

    /// Fills the fields with the settings of the content.
    fn fill(self, target: &EditTarget) {
        self.clear_errors();
        match target.clone() {
            EditTarget::New { email } => {
                self.email.set(email);
                self.view.set(None);
                self.every.set(Frequency::Submission);
                self.content.set(MailContent::Full);
                self.time_zone.set(time_zone());
                self.language.set(mail_language(i18n::current_language()));
            }
            EditTarget::Existing(notification) => {
                self.email.set(notification.email);
                self.view.set(notification.view);
                self.every.set(notification.every);
                self.content.set(notification.content);
                self.time_zone.set(notification.time_zone);
                self.language.set(notification.language);
            }
        }
    }

    fn close(self) {
        self.state.editing.set(None);
        // The button that opened the dialog may be gone: the first address replaces the empty list.
        spawn_local(rescue_focus());
    }

    /// Returns whether the dialog still shows `target`. The user may have left the tab by the
    /// history.
    fn shows(self, target: &EditTarget) -> bool {
        self.state.editing.try_get_untracked().flatten().as_ref() == Some(target)
    }

    /// Returns the inputs, or shows an error.
    fn parse_inputs(self) -> Option<NewNotification> {
        self.clear_errors();
        let email = self.email.with_untracked(|email| canonical_email(email));
        if email.is_none() {
            self.email_error.set(Some(i18n::people().needs_email.to_owned()));
        }
        let time_zone = self.time_zone.get_untracked().trim().to_owned();
        if time_zone.is_empty() {
            let needs = i18n::form_notifications().needs_time_zone;
            self.time_zone_error.set(Some(needs.to_owned()));
            return None;
        }
        Some(NewNotification {
            email: email?,
            view: self.view.get_untracked(),
            every: self.every.get_untracked(),
            content: self.content.get_untracked(),
            time_zone,
            language: self.language.get_untracked(),
        })
    }

    fn send(self) {
        let target = self.state.editing.get_untracked();
        let Some(target) = target.filter(|_| !self.busy.get_untracked()) else { return };
        let Some(inputs) = self.parse_inputs() else { return };
        self.busy.set(true);
        spawn_local(async move {
            let answer = match &target {
                EditTarget::New { .. } => self.create(inputs).await,
                EditTarget::Existing(notification) => self.change(notification, inputs).await,
            };
            self.busy.try_set(false);
            match answer {
                Ok(()) if self.shows(&target) => self.close(),
                Ok(()) => {}
                Err(error) if self.shows(&target) => self.show_error(&error),
                Err(error) => self.state.show_error(&error),
            }
        });
    }

    /// Shows an error of the server at the field that it names first.
    fn show_error(self, error: &ApiError) {
        let message = error.message();
        let field_error = if message.starts_with("`email`") {
            self.email_error
        } else if message.starts_with("`view`") {
            self.view_error
        } else if message.starts_with("`time_zone`") {
            self.time_zone_error
        } else {
            self.error
        };
        field_error.set(Some(self.state.explain(error)));
    }

    async fn create(self, new: NewNotification) -> Result<(), ApiError> {
        let form = self.state.form_id();
        let request = || api::create_notification(&form, &new);
        let created = self.state.reauthentication.run_action(request).await?;
        self.state.upsert(created.clone());
        let added = (i18n::form_notifications().added)(&created.email);
        self.state.report(&created, &added);
        Ok(())
    }

    async fn change(
        self,
        notification: &Notification,
        inputs: NewNotification,
    ) -> Result<(), ApiError> {
        let change = |newest: Notification| {
            let NewNotification { view, every, content, time_zone, language, .. } = inputs.clone();
            let (view, enabled) = (Some(view), newest.disabled.is_none());
            NotificationSettings { view, every, content, time_zone, language, enabled }
        };
        self.state.save(notification, change).await?;
        self.state.toasts.show_success(i18n::form_notifications().saved);
        Ok(())
    }
}

/// The dialog.
#[component]
pub fn AddressEditor(
    /// State of the tab.
    state: NotificationsState,
) -> impl IntoView {
    let texts = i18n::form_notifications();
    let draft = AddressDraft::new(state);
    run_effect(move || {
        state.editing.with(|target| target.iter().for_each(|target| draft.fill(target)));
    });
    let is_open = Memo::new(move |_| state.editing.with(Option::is_some));
    let title = Memo::new(move |before: Option<&String>| {
        state.editing.with(|target| match target {
            Some(EditTarget::Existing(notification)) => (texts.edit_title)(&notification.email),
            Some(EditTarget::New { .. }) => texts.add.to_owned(),
            // The title stays while the dialog fades out.
            None => before.cloned().unwrap_or_default(),
        })
    });
    let is_new =
        move || state.editing.with(|target| matches!(target, Some(EditTarget::New { .. })));
    let verb = move || if is_new() { texts.add_verb } else { texts.save }.to_owned();
    view! {
        <FormDialog
            open=is_open
            title
            verb=Signal::derive(verb)
            busy=draft.busy
            on_send=move |()| draft.send()
            on_close=move |()| draft.close()
        >
            {untrack(is_new).then(|| view! { <EmailField draft /> })}
            <ViewField draft />
            <ChoiceFields draft />
            <TimeZoneField
                value=draft.time_zone
                error=draft.time_zone_error
                on_input=store_input(draft.time_zone, draft.time_zone_error)
            />
            <LanguageField value=draft.language hint="" />
            <p class="dialog-error" role="alert">
                {draft.error}
            </p>
        </FormDialog>
    }
}

#[component]
fn EmailField(draft: AddressDraft) -> impl IntoView {
    let texts = i18n::form_notifications();
    view! {
        <TextField
            label=texts.email
            hint=texts.email_hint
            kind=FieldKind::Email
            autocomplete="off"
            value=draft.email
            error=draft.email_error
            length_max=u32::try_from(EMAIL_BYTES_MAX).unwrap_or(u32::MAX)
            on_input=store_input(draft.email, draft.email_error)
        />
    }
}

/// List of all submissions and the shared views, if there are any. A view requires a digest.
#[component]
fn ViewField(draft: AddressDraft) -> impl IntoView {
    let texts = i18n::form_notifications();
    // It stays a choice after its deletion, and after the user has selected another one.
    let stored_view = draft.state.editing.with_untracked(|target| match target {
        Some(EditTarget::Existing(notification)) => notification.view.clone(),
        Some(EditTarget::New { .. }) | None => None,
    });
    let choices = Memo::new(move |_| {
        draft.state.views.with(|views| {
            let deleted = stored_view.iter().filter(|id| views.iter().all(|view| view.id != **id));
            let deleted = deleted.map(|id| Choice::new(id.as_str(), view_label(id, views)));
            let known = views.iter().map(|view| Choice::new(view.id.as_str(), view.name.as_str()));
            let all = Choice::new("", texts.all_submissions);
            std::iter::once(all).chain(known).chain(deleted).collect::<Vec<_>>()
        })
    });
    let choose = move |id: String| {
        let view: Option<ViewId> = id.parse().ok();
        if view.is_some() && draft.every.get_untracked() == Frequency::Submission {
            draft.every.set(Frequency::Day);
        }
        draft.view_error.set(None);
        draft.view.set(view);
    };
    view! {
        <Show when=move || choices.with(|choices| choices.len() > 1)>
            <SelectField
                label=texts.view
                hint=texts.view_hint
                value=Signal::derive(move || {
                    draft.view.get().map(|id| id.to_string()).unwrap_or_default()
                })
                choices
                error=draft.view_error
                on_change=choose
            />
        </Show>
    }
}

#[component]
fn ChoiceFields(draft: AddressDraft) -> impl IntoView {
    let texts = i18n::form_notifications();
    let has_view = Memo::new(move |_| draft.view.with(Option::is_some));
    let frequency = move |value: &Frequency| {
        let is_disabled = has_view.get() && *value == Frequency::Submission;
        Choice::new(value.as_str(), frequency_label(*value)).disabled(is_disabled)
    };
    let content = |content: &MailContent| Choice::new(content.as_str(), content_label(*content));
    view! {
        <SelectField
            label=texts.every
            value=Signal::derive(move || draft.every.get().as_str().to_owned())
            choices=Signal::derive(move || Frequency::ALL.iter().map(frequency).collect::<Vec<_>>())
            on_change=move |name: String| {
                if let Ok(every) = name.parse() {
                    draft.every.set(every);
                }
            }
        />
        <SelectField
            label=texts.content
            value=Signal::derive(move || draft.content.get().as_str().to_owned())
            choices=Signal::stored(MailContent::ALL.iter().map(content).collect::<Vec<_>>())
            on_change=move |name: String| {
                if let Ok(content) = name.parse() {
                    draft.content.set(content);
                }
            }
        />
    }
}
