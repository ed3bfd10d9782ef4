//! In place of the sign-in, where a proxy in front says who comes: that they have no way in, or
//! that they left. Nothing is fetched here.

use leptos::prelude::*;

use super::Gate;
use crate::{
    api::ApiError,
    components::page::{rescue_focus, sentence, use_title},
    i18n,
    ui::{
        badge::Tone,
        button::{Button, ButtonVariant},
        icon::Glyph,
        notice::Notice,
    },
};

/// Whoever comes has no way in: why, in the server's words, and another try.
#[expect(clippy::needless_pass_by_value, reason = "a view outlives what it was told")]
#[component]
pub fn TurnedAway(
    /// Why.
    error: ApiError,
    /// Asks again.
    #[prop(into)]
    on_retry: Callback<()>,
) -> impl IntoView {
    let texts = i18n::sign_in();
    let why = sentence(&error.message());
    view! {
        <OneAct title=texts.away text=texts.away_text act=i18n::common().retry on_act=on_retry>
            <Notice tone=Tone::Negative>{why}</Notice>
        </OneAct>
    }
}

/// Nobody is signed in any more, since they left; whoever uses this browser may come back.
#[component]
pub fn Left(
    /// Asks again.
    #[prop(into)]
    on_again: Callback<()>,
) -> impl IntoView {
    let texts = i18n::sign_in();
    view! { <OneAct title=texts.left text=texts.left_text act=texts.again on_act=on_again /> }
}

/// A card before the dashboard, with one act.
#[component]
fn OneAct(
    title: &'static str,
    text: &'static str,
    act: &'static str,
    on_act: Callback<()>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    use_title(title.to_owned());
    leptos::task::spawn_local(rescue_focus());
    view! {
        <Gate title text=text.to_owned()>
                {children.map(|children| children())}
                <Button
                    icon=Glyph::Refresh
                    variant=ButtonVariant::Primary
                    on_click=move |_| on_act.run(())
                >
                    {act}
                </Button>
        </Gate>
    }
}
