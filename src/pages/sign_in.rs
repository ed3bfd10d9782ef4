//! The sign-in card. It knows nothing of sessions: the page around it signs in.

use leptos::{ev, prelude::*};

use crate::ui::{
    badge::Tone,
    button::{Button, ButtonVariant},
    field::{FieldKind, TextField},
    icon::Mark,
    notice::Notice,
};

/// A card that asks for e-mail and password.
#[component]
pub fn SignInCard(
    /// What stands in the e-mail field.
    email: RwSignal<String>,
    /// What stands in the password field.
    password: RwSignal<String>,
    /// Why signing in failed, and what to do.
    #[prop(into)]
    error: Signal<Option<String>>,
    /// Whether signing in is under way.
    #[prop(into)]
    busy: Signal<bool>,
    /// Runs when the form is sent.
    #[prop(into)]
    on_submit: Callback<()>,
) -> impl IntoView {
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if !busy.get_untracked() {
            on_submit.run(());
        }
    };
    let failure =
        move || error.get().map(|text| view! { <Notice tone=Tone::Negative>{text}</Notice> });
    view! {
        <main class="gate" id="content" tabindex="-1">
            <div class="gate-card">
                <header>
                    <p class="brand">
                        <Mark />
                        "Sheaf"
                    </p>
                    <h1 class="gate-title">"Sign in"</h1>
                    <p class="gate-text">"Read what people sent you."</p>
                </header>
                <form class="form" on:submit=submit>
                    {failure}
                    <TextField
                        label="E-mail"
                        kind=FieldKind::Email
                        name="email"
                        autocomplete="username"
                        required=true
                        value=email
                        on_input=move |text| email.set(text)
                    />
                    <TextField
                        label="Password"
                        kind=FieldKind::Password
                        name="password"
                        autocomplete="current-password"
                        required=true
                        value=password
                        on_input=move |text| password.set(text)
                    />
                    <Button variant=ButtonVariant::Primary submit=true busy>
                        "Sign in"
                    </Button>
                </form>
            </div>
        </main>
    }
}
