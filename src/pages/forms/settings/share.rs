//! The tab with everything needed to send to a form: its URL, HTML, the script, and a `curl`
//! command.

use std::time::Duration;

use contract::{Form, snippet};
use gloo_timers::future::sleep;
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api, i18n, routes,
    state::session::SessionStore,
    ui::{badge::StatusTone, copy::CodeBlock, field::TextField, notice::Notice},
};

/// Interval of the checks for the first submission.
const POLL_INTERVAL: Duration = Duration::from_secs(3);
/// Maximum number of checks: a quarter of an hour.
const POLLS_MAX: u32 = 300;

/// Polls until the form has a submission or the tab is closed.
fn poll_first_submission(form: Signal<Form>, session: SessionStore) {
    let id = form.with_untracked(|form| form.id.clone());
    spawn_local(async move {
        for _ in 0..POLLS_MAX {
            sleep(POLL_INTERVAL).await;
            let is_waiting = form.try_with_untracked(|form| form.submission_count == 0);
            if is_waiting != Some(true) {
                return;
            }
            match api::get_form(&id).await {
                Ok(form) => session.upsert_form(form),
                Err(error) if matches!(error.status(), Some(401 | 403 | 404)) => {
                    return session.handle_error(&error);
                }
                // The server may be back at the next check.
                Err(_) => {}
            }
        }
    });
}

/// The tab.
#[component]
pub fn ShareTab(
    /// The form.
    form: Signal<Form>,
    /// Receives the form when its first submission arrives.
    session: SessionStore,
) -> impl IntoView {
    let texts = i18n::form_share();
    let base = window().location().origin().unwrap_or_default();
    let redirect = RwSignal::new(String::new());
    let of_address = base.clone();
    let of_html = base.clone();
    let of_curl = base;
    let address = move || form.with(|form| snippet::intake_url(&form.id, &of_address));
    let html = move || {
        let to = redirect.get();
        let to = Some(to.trim()).filter(|to| !to.is_empty());
        form.with(|form| snippet::html_form(form, &of_html, to))
    };
    let curl = move || form.with(|form| snippet::curl_command(form, &of_curl));
    let was_empty = form.with_untracked(|form| form.submission_count == 0);
    if was_empty {
        poll_first_submission(form, session);
    }
    let is_waiting = Memo::new(move |_| form.with(|form| form.submission_count == 0));
    let first_submission_hint =
        move || was_empty.then(|| view! { <FirstSubmissionHint form waits=is_waiting.get() /> });
    view! {
        {first_submission_hint}
        <section>
            <h2 class="section-title">{texts.html}</h2>
            <p class="section-text">{texts.html_about}</p>
            <div class="form" data-wide="true">
                <div class="form">
                    <TextField
                        label=texts.redirect
                        placeholder="https://example.com/thanks"
                        hint=texts.redirect_hint
                        value=redirect
                        on_input=move |text| redirect.set(text)
                    />
                </div>
                <CodeBlock text=Signal::derive(html) label=texts.copy_html />
            </div>
        </section>
        <section>
            <h2 class="section-title">{texts.script}</h2>
            <p class="section-text">{texts.script_about}</p>
            <CodeBlock text=snippet::SCRIPT.to_owned() label=texts.copy_script />
        </section>
        <section>
            <h2 class="section-title">{texts.program}</h2>
            <p class="section-text">{texts.program_about}</p>
            <CodeBlock text=Signal::derive(curl) label=i18n::common().copy_command />
        </section>
        <section>
            <h2 class="section-title">{texts.address}</h2>
            <p class="section-text">{texts.address_about}</p>
            <CodeBlock text=Signal::derive(address) label=texts.copy_address />
        </section>
    }
}

/// Instructions for a form without submissions, and a link to the list after the first one.
#[component]
fn FirstSubmissionHint(form: Signal<Form>, waits: bool) -> impl IntoView {
    let list = form.with_untracked(|form| {
        routes::list_url(form.environment, &form.id, &contract::Filter::default())
    });
    let texts = i18n::form_share();
    let (tone, text) = if waits {
        (StatusTone::Info, texts.first_steps.into_any())
    } else {
        let (before, after) = i18n::split_at_placeholder(texts.first_is_here);
        let list_link = view! { {before} <a href=list>{texts.look_at_it}</a> {after} };
        (StatusTone::Positive, list_link.into_any())
    };
    view! {
        <div role="status">
            <Notice tone>{text}</Notice>
        </div>
    }
}
