//! The auto-reply: its settings, and a preview of its text.

use contract::notification::{
    AutoReply, MailLanguage, REPLY_SUBJECT_CHARS_MAX, REPLY_TEXT_CHARS_MAX,
};
use leptos::{ev, prelude::*, task::spawn_local};

use super::{NotificationsState, fields::LanguageField};
use crate::{
    api,
    domain::notifications::{fill_placeholders, localize_auto_reply},
    i18n,
    routes::{self, Tab},
    ui::{
        badge::StatusTone,
        button::{Button, ButtonVariant},
        field::{AreaField, CheckField, TextField, store_input},
        notice::Notice,
        run_effect,
    },
};

/// Time of the submission in the preview, as the server writes it.
const SAMPLE_TIME: &str = "2026-03-01 09:30 (UTC)";
/// Id of the submission in the preview.
const SAMPLE_ID: &str = "sub_0123456789";

/// State of the inputs. Cheap to copy.
#[derive(Clone, Copy)]
struct ReplyDraft {
    /// The saved settings.
    original: RwSignal<AutoReply>,
    enabled: RwSignal<bool>,
    subject: RwSignal<String>,
    subject_error: RwSignal<Option<String>>,
    text: RwSignal<String>,
    text_error: RwSignal<Option<String>>,
    language: RwSignal<MailLanguage>,
    /// Error that belongs to no field.
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    state: NotificationsState,
}

impl ReplyDraft {
    fn new(state: NotificationsState) -> Self {
        let original = localize_auto_reply(AutoReply::default());
        Self {
            enabled: RwSignal::new(original.enabled),
            subject: RwSignal::new(original.subject.clone()),
            subject_error: RwSignal::new(None),
            text: RwSignal::new(original.text.clone()),
            text_error: RwSignal::new(None),
            language: RwSignal::new(original.language),
            original: RwSignal::new(original),
            error: RwSignal::new(None),
            busy: RwSignal::new(false),
            state,
        }
    }

    /// Returns the inputs. Tracked.
    fn inputs(self) -> AutoReply {
        AutoReply {
            enabled: self.enabled.get(),
            subject: self.subject.get(),
            text: self.text.get(),
            language: self.language.get(),
        }
    }

    fn clear_errors(self) {
        self.subject_error.set(None);
        self.text_error.set(None);
        self.error.set(None);
    }

    fn reset(self, reply: AutoReply) {
        self.clear_errors();
        self.enabled.set(reply.enabled);
        self.subject.set(reply.subject.clone());
        self.text.set(reply.text.clone());
        self.language.set(reply.language);
        self.original.set(reply);
    }

    /// Resets the inputs whenever the loaded settings change, unless there are unsaved changes.
    fn follow_loaded(self) {
        let loaded = Memo::new(move |_| {
            self.state.read(|loaded| localize_auto_reply(loaded.auto_reply.clone()))
        });
        run_effect(move || {
            let Some(loaded) = loaded.get() else { return };
            let original = self.original.get_untracked();
            if loaded != original && untrack(|| self.inputs()) == original {
                self.reset(loaded);
            }
        });
    }

    /// Returns the inputs, or shows an error.
    fn parse_inputs(self) -> Option<AutoReply> {
        let texts = i18n::form_notifications();
        self.clear_errors();
        let reply = untrack(|| self.inputs());
        match reply.validate() {
            Ok(()) => Some(reply),
            Err(error) if error.starts_with("`subject`") => {
                self.subject_error.set(Some((texts.subject_wrong)(REPLY_SUBJECT_CHARS_MAX)));
                None
            }
            Err(_) => {
                self.text_error.set(Some((texts.text_wrong)(REPLY_TEXT_CHARS_MAX)));
                None
            }
        }
    }

    fn save(self) {
        if self.busy.get_untracked() {
            return;
        }
        let Some(reply) = self.parse_inputs() else { return };
        self.busy.set(true);
        spawn_local(async move {
            let form = self.state.form_id();
            let request = || api::set_auto_reply(&form, &reply);
            let answer = self.state.reauthentication.run_action(request).await;
            self.busy.try_set(false);
            match answer {
                Ok(saved) => {
                    self.state.toasts.show_success(i18n::form_notifications().reply_saved);
                    // Keeps the text that was typed during the request.
                    self.original.try_set(saved.clone());
                    self.state.change(|loaded| loaded.auto_reply = saved);
                }
                Err(error) => {
                    let reason = Some(self.state.explain(&error));
                    // `try_set` returns the value if the user has left the tab.
                    if self.error.try_set(reason).is_some() {
                        self.state.show_error(&error);
                    }
                }
            }
        });
    }
}

/// The section with the auto-reply.
#[component]
pub fn AutoReplySection(
    /// State of the tab.
    state: NotificationsState,
) -> impl IntoView {
    let texts = i18n::form_notifications();
    let draft = ReplyDraft::new(state);
    draft.follow_loaded();
    let intake = move || {
        state.form.with(|form| routes::settings_url(form.environment, &form.id, Tab::Intake))
    };
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        draft.save();
    };
    let disabled_reason = Signal::derive(move || {
        // Without mail, it can still be disabled.
        if draft.enabled.get() { state.missing_mail() } else { None }
    });
    let error = move || {
        let text = draft.error.get()?;
        Some(view! { <Notice tone=StatusTone::Negative>{text}</Notice> })
    };
    view! {
        <section>
            <h2 class="section-title">{texts.reply}</h2>
            <p class="section-text">
                {texts.reply_about} " " {texts.reply_needs} " "
                <a href=intake>{texts.open_intake}</a>
            </p>
            <form class="form" data-wide="true" novalidate on:submit=submit>
                <ReplyFields draft />
                <ReplyPreview draft />
                {error}
                <div class="form-acts">
                    <Button
                        variant=ButtonVariant::Primary
                        busy=draft.busy
                        disabled_reason
                        submit=true
                    >
                        {texts.save_reply}
                    </Button>
                </div>
            </form>
        </section>
    }
}

#[component]
fn ReplyFields(draft: ReplyDraft) -> impl IntoView {
    let texts = i18n::form_notifications();
    view! {
        <CheckField
            label=texts.reply_on
            hint=texts.reply_on_hint
            checked=draft.enabled
            on_change=move |on| draft.enabled.set(on)
        />
        <TextField
            label=texts.subject
            value=draft.subject
            error=draft.subject_error
            length_max=u32::try_from(REPLY_SUBJECT_CHARS_MAX).unwrap_or(u32::MAX)
            on_input=store_input(draft.subject, draft.subject_error)
        />
        <AreaField
            label=texts.text
            hint=texts.text_hint
            rows=6
            value=draft.text
            error=draft.text_error
            on_input=store_input(draft.text, draft.text_error)
        />
        <LanguageField value=draft.language hint=texts.reply_language_hint />
    }
}

/// The subject and the text with sample values for the placeholders.
#[component]
fn ReplyPreview(draft: ReplyDraft) -> impl IntoView {
    let form = draft.state.form;
    let filled = move |text: RwSignal<String>| {
        move || {
            let name = form.with(|form| form.name.clone());
            text.with(|text| fill_placeholders(text, [&name, SAMPLE_TIME, SAMPLE_ID]))
        }
    };
    view! {
        <section class="group">
            <h3>{i18n::form_notifications().preview}</h3>
            <p class="answers-name" dir="auto">
                {filled(draft.subject)}
            </p>
            <p class="answers-text" dir="auto">
                {filled(draft.text)}
            </p>
        </section>
    }
}
