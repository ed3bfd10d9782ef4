//! The dialog that creates a key. The secret lives in it alone and is gone once it closes.

use contract::{CreatedKey, Environment, NewKey, key::KEY_NAME_CHARS_MAX};
use leptos::{ev, prelude::*, task::spawn_local};

use crate::{
    api::{self, ApiError},
    stores::session::SessionStore,
    ui::{
        badge::Tone,
        button::{Button, ButtonVariant},
        copy::CodeBlock,
        dialog::Dialog,
        field::{Choice, RadioField, TextField},
        notice::Notice,
    },
};

/// The id by which the button at the dialog's foot sends the form.
const FORM_ID: &str = "create-key";

/// The dialog.
#[component]
pub fn CreateKey(
    /// Whether it is shown.
    open: RwSignal<bool>,
    /// Runs when a key was created.
    #[prop(into)]
    on_created: Callback<()>,
) -> impl IntoView {
    let session = expect_context::<SessionStore>();
    let (name, mode) = (RwSignal::new(String::new()), RwSignal::new("live".to_owned()));
    let (error, busy) = (RwSignal::new(None::<String>), RwSignal::new(false));
    let created = RwSignal::new(None::<CreatedKey>);
    let close = move |()| {
        open.set(false);
        created.set(None);
        name.set(String::new());
        error.set(None);
    };
    let create = move || {
        let typed = name.get_untracked().trim().to_owned();
        if typed.is_empty() {
            error.set(Some("Give the key a name, so that you know it again".to_owned()));
            return;
        }
        if busy.get_untracked() {
            return;
        }
        let environment = mode.get_untracked().parse().unwrap_or(Environment::Test);
        busy.set(true);
        spawn_local(async move {
            let answer = api::create_key(&NewKey { name: typed, environment }).await;
            busy.try_set(false);
            match answer {
                Ok(key) => {
                    created.try_set(Some(key));
                    on_created.try_run(());
                }
                Err(problem) => {
                    session.notice(&problem);
                    error.try_set(Some(sentence(&problem)));
                }
            }
        });
    };
    let title = move || match created.get() {
        Some(created) => format!("Copy the secret of “{}”", created.data.name),
        None => "Create an API key".to_owned(),
    };
    let actions = move || {
        let is_created = move || created.with(Option::is_some);
        view! {
            <Show
                when=is_created
                fallback=move || {
                    view! {
                        <Button on_click=move |_| close(())>"Cancel"</Button>
                        <Button
                            variant=ButtonVariant::Primary
                            busy
                            on_click=move |_| create()
                        >
                            "Create"
                        </Button>
                    }
                }
            >
                <Button variant=ButtonVariant::Primary on_click=move |_| close(())>
                    "Done"
                </Button>
            </Show>
        }
    };
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        create();
    };
    view! {
        <Dialog
            open
            title=Signal::derive(title)
            on_close=close
            backdrop_closes=false
            actions
        >
            {move || match created.get() {
                Some(created) => view! { <Secret created /> }.into_any(),
                None => view! {
                    <form class="form" id=FORM_ID on:submit=submit>
                        <TextField
                            label="Name"
                            hint="What will use it, for example: website"
                            value=name
                            error
                            length_max=u32::try_from(KEY_NAME_CHARS_MAX).unwrap_or(u32::MAX)
                            on_input=move |text| {
                                error.set(None);
                                name.set(text);
                            }
                        />
                        <RadioField
                            label="Environment"
                            value=mode
                            choices=vec![
                                Choice::new("live", "Live").hint("Opens real submissions"),
                                Choice::new("test", "Test").hint("Opens test submissions only"),
                            ]
                            on_change=move |value| mode.set(value)
                        />
                    </form>
                }
                .into_any(),
            }}
        </Dialog>
    }
}

fn sentence(error: &ApiError) -> String {
    let message = error.message();
    let mut chars = message.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

/// The secret, this once.
#[component]
fn Secret(created: CreatedKey) -> impl IntoView {
    view! {
        <Notice tone=Tone::Mixed>
            "This is the only time that it is shown. Copy it now to where it will be used; nobody can tell it to you later."
        </Notice>
        <CodeBlock text=created.secret label="Copy secret" />
    }
}
