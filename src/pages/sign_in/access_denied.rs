//! Pages that replace the sign-in form behind a proxy that authenticates users: the user has no
//! account, or has signed out.

use leptos::prelude::*;

use super::GateCard;
use crate::{
    api::ApiError,
    components::page::{rescue_focus, to_sentence, use_title},
    i18n,
    ui::{
        badge::StatusTone,
        button::{Button, ButtonVariant},
        icon::Glyph,
        notice::Notice,
    },
};

/// The page for a user without access: the server's reason, and a button to retry.
#[expect(clippy::needless_pass_by_value, reason = "components own their props")]
#[component]
pub fn AccessDenied(
    /// Error of the server.
    error: ApiError,
    /// Requests the session again.
    #[prop(into)]
    on_retry: Callback<()>,
) -> impl IntoView {
    let texts = i18n::sign_in();
    let reason_text = to_sentence(&error.message());
    view! {
        <OneActionCard
            title=texts.away
            text=texts.away_text
            act=i18n::common().retry
            on_act=on_retry
        >
            <Notice tone=StatusTone::Negative>{reason_text}</Notice>
        </OneActionCard>
    }
}

/// The page after sign-out, with a button to sign in again.
#[component]
pub fn SignedOut(
    /// Requests the session again.
    #[prop(into)]
    on_again: Callback<()>,
) -> impl IntoView {
    let texts = i18n::sign_in();
    view! {
        <OneActionCard title=texts.left text=texts.left_text act=texts.again on_act=on_again />
    }
}

/// Card with one button.
#[component]
fn OneActionCard(
    title: &'static str,
    text: &'static str,
    act: &'static str,
    on_act: Callback<()>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    use_title(title.to_owned());
    leptos::task::spawn_local(rescue_focus());
    view! {
        <GateCard title text=text.to_owned()>
                {children.map(|children| children())}
                <Button
                    icon=Glyph::Refresh
                    variant=ButtonVariant::Primary
                    on_click=move |_| on_act.run(())
                >
                    {act}
                </Button>
        </GateCard>
    }
}
