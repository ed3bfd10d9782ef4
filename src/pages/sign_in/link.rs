//! The question before a sign-in link signs in. A link may come from another person, and it ends
//! the present session of this browser.

use leptos::{prelude::*, task::spawn_local};

use super::Gate;
use crate::{
    components::page::{rescue_focus, use_title},
    i18n,
    ui::button::{Button, ButtonVariant},
};

/// A sign-in link that can be used. It cannot be printed, since its token is a secret.
#[derive(Clone)]
pub struct Link {
    /// The mail address of the person whom it signs in.
    pub email: String,
    /// Its token.
    pub token: String,
}

/// A card that asks whether to sign in by a link.
#[component]
pub fn LinkCard(
    /// The link.
    link: Link,
    /// The mail address of the person who is signed in now.
    #[prop(into)]
    current: Signal<Option<String>>,
    /// Whether signing in is under way.
    #[prop(into)]
    busy: Signal<bool>,
    /// Runs with the token when the person agrees.
    #[prop(into)]
    on_accept: Callback<String>,
    /// Runs when the person does not agree. The link stays usable.
    #[prop(into)]
    on_cancel: Callback<()>,
) -> impl IntoView {
    let texts = i18n::sign_in();
    let Link { email, token } = link;
    let title = (texts.link_question)(&email);
    use_title(title.clone());
    spawn_local(rescue_focus());
    let text = Signal::derive(move || match current.get() {
        Some(current) if current == email => (texts.link_same)(&current),
        Some(current) => (texts.link_other)(&current),
        None => texts.link_text.to_owned(),
    });
    view! {
        <Gate title text>
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
        </Gate>
    }
}
