//! The sign-in card. It knows nothing of sessions: the page around it signs in.

use leptos::prelude::*;

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
    let _ = (email, password, error, busy, on_submit);
}
