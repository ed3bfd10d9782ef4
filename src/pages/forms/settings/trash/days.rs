//! The retention of a form's trash.

use contract::{Form, trash::DAYS_MAX};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api,
    components::page::explain_failure,
    i18n,
    state::{session::SessionStore, toasts::Toasts},
    ui::{
        button::{Button, ButtonVariant},
        field::{TextField, store_input},
    },
};

/// The section with the setting.
#[component]
pub fn RetentionSetting(
    /// The form.
    form: Signal<Form>,
    /// Ended if a request returns 401.
    session: SessionStore,
) -> impl IntoView {
    let texts = i18n::form_trash();
    let toasts = expect_context::<Toasts>();
    let typed = RwSignal::new(form.with_untracked(|form| form.trash_days.to_string()));
    // Another tab or user may change the setting.
    let stored = Memo::new(move |_| form.with(|form| form.trash_days.to_string()));
    Effect::new(move |before: Option<String>| {
        let stored = stored.get();
        if before.is_some_and(|before| typed.with_untracked(|typed| *typed == before)) {
            typed.set(stored.clone());
        }
        stored
    });
    let error = RwSignal::new(None::<String>);
    let busy = RwSignal::new(false);
    let save = move || {
        let days = typed.with_untracked(|text| text.trim().parse::<u8>());
        let Some(days) = days.ok().filter(|days| *days <= DAYS_MAX) else {
            return error.set(Some((texts.days_wrong)(DAYS_MAX)));
        };
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        let form = form.get_untracked();
        spawn_local(async move {
            let answer = api::set_trash_days(&form, days).await;
            busy.try_set(false);
            match answer {
                Ok(form) => {
                    toasts.show_success(texts.saved);
                    session.upsert_form(form);
                }
                Err(problem) => {
                    error.try_set(Some(explain_failure(session, &problem)));
                }
            }
        });
    };
    view! {
        <section>
            <h2 class="section-title">{texts.settings}</h2>
            <form
                class="form"
                on:submit=move |event| {
                    event.prevent_default();
                    save();
                }
            >
                <TextField
                    label=texts.days
                    hint=texts.days_hint
                    value=typed
                    error
                    autocomplete="off"
                    length_max=2_u32
                    on_input=store_input(typed, error)
                />
                <div class="form-acts">
                    <Button submit=true variant=ButtonVariant::Primary busy>
                        {texts.save}
                    </Button>
                </div>
            </form>
        </section>
    }
}
