//! Examples of how a program uses an API key: in a terminal and in Rust. They contain a placeholder
//! instead of the secret.

use contract::{ApiKey, Form};
use leptos::prelude::*;

use crate::{
    domain::curl::{curl_command, quote_shell},
    i18n, routes,
    state::session::{Forms, SessionStore},
    ui::{
        button::{Button, ButtonVariant},
        copy::CodeBlock,
        dialog::Dialog,
        field::{Choice, SelectField},
        run_effect,
    },
};

/// Placeholder for a form id, if there is no form yet.
const NO_FORM: &str = "frm_…";

/// Returns the example in Rust, which uses the `client` crate.
fn rust_example(origin: &str, form: &str) -> String {
    format!(
        r#"use client::{{Client, contract::ListQuery}};
use futures_util::TryStreamExt as _;

let key = std::env::var("SHEAF_KEY")?;
let client = Client::new("{origin}", key.as_str())?;
let form = "{form}".parse()?;
let mut submissions = client.submissions(&form, &ListQuery::default());
while let Some(submission) = submissions.try_next().await? {{
    println!("{{}} {{}}", submission.id, submission.metadata.submitted_at);
}}"#
    )
}

/// The dialog with the examples of a key.
#[component]
pub fn Examples(
    /// The key; `None` while the dialog is closed.
    key: RwSignal<Option<ApiKey>>,
    /// Provides the forms.
    session: SessionStore,
) -> impl IntoView {
    let open = Signal::derive(move || key.with(Option::is_some));
    let title = Signal::derive(move || {
        key.with(|key| key.as_ref().map(|key| (i18n::keys().use_title)(&key.name)))
            .unwrap_or_default()
    });
    let actions = move || {
        view! {
            <Button variant=ButtonVariant::Primary on_click=move |_| key.set(None)>
                {i18n::common().done}
            </Button>
        }
    };
    view! {
        <Dialog open title on_close=move |()| key.set(None) actions=actions>
            {move || {
                key.get().map(|key| view! { <KeyExamples key session /> })
            }}
        </Dialog>
    }
}

#[component]
fn KeyExamples(key: ApiKey, session: SessionStore) -> impl IntoView {
    let texts = i18n::keys();
    let environment = key.environment;
    let forms = move || {
        session.forms().with(|forms| match forms {
            Forms::Loaded(forms) => {
                let server_origin =
                    |form: &&Form| form.environment == environment && key.covers_form(&form.id);
                let choice = |form: &Form| Choice::new(form.id.as_str(), form.name.clone());
                forms.iter().filter(server_origin).map(choice).collect()
            }
            Forms::Loading | Forms::Failed(_) => Vec::new(),
        })
    };
    let choices = Memo::new(move |_| forms());
    let form = RwSignal::new(NO_FORM.to_owned());
    run_effect(move || {
        let first = choices.with(|choices| choices.first().map(|first| first.value.clone()));
        form.set(first.unwrap_or_else(|| NO_FORM.to_owned()));
    });
    let origin = window().location().origin().unwrap_or_default();
    let of_rust = origin.clone();
    let curl =
        move || curl_command(environment, &quote_shell(&routes::public_list(&origin, &form.get())));
    let rust = move || rust_example(&of_rust, &form.get());
    view! {
        <div class="form">
            <Show when=move || choices.with(|choices| choices.len() > 1)>
                <SelectField
                    label=texts.form
                    value=form
                    choices
                    on_change=move |value| form.set(value)
                />
            </Show>
            <h3 class="field-label">{texts.in_terminal}</h3>
            <CodeBlock text=Signal::derive(curl) label=i18n::common().copy_command />
            <h3 class="field-label">{texts.in_rust}</h3>
            <CodeBlock text=Signal::derive(rust) label=texts.copy_code />
            <p class="field-hint">
                {texts.use_text}
            </p>
        </div>
    }
}
