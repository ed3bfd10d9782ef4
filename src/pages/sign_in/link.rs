//! The confirmation before a sign-in link is used. Another person may have sent the link, and it
//! ends the current session of this browser.

use leptos::{prelude::*, task::spawn_local};

use super::GateCard;
use crate::{
    components::page::{rescue_focus, use_title},
    i18n,
    ui::button::{Button, ButtonVariant},
};

/// A valid sign-in link. It does not implement `Debug`, because the token is a secret.
#[derive(Clone)]
pub struct SignInLink {
    /// Email address of the user of the link.
    pub email: String,
    /// Token of the link.
    pub token: String,
}

/// The card that asks for confirmation.
#[component]
pub fn LinkCard(
    /// The link.
    link: SignInLink,
    /// Email address of the signed-in user.
    #[prop(into)]
    current: Signal<Option<String>>,
    /// Whether a request is running.
    #[prop(into)]
    busy: Signal<bool>,
    /// Called with the token when the user confirms.
    #[prop(into)]
    on_accept: Callback<String>,
    /// Called when the user cancels. The link remains valid.
    #[prop(into)]
    on_cancel: Callback<()>,
) -> impl IntoView {
    let texts = i18n::sign_in();
    let SignInLink { email, token } = link;
    let title = (texts.link_question)(&email);
    use_title(title.clone());
    spawn_local(rescue_focus());
    let text = Signal::derive(move || match current.get() {
        Some(current) if current == email => (texts.link_same)(&current),
        Some(current) => (texts.link_other)(&current),
        None => texts.link_text.to_owned(),
    });
    view! {
        <GateCard title text>
            <div class="form">
                <Button
                    variant=ButtonVariant::Primary
                    busy
                    on_click=move |_| on_accept.run(token.clone())
                >
                    {texts.sign_in}
                </Button>
                <Button on_click=move |_| on_cancel.run(())>{i18n::common().cancel}</Button>
            </div>
        </GateCard>
    }
}
