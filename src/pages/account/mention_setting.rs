//! Setting whether the signed-in member gets e-mails about mentions.

use contract::people::Preferences;
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, Remote},
    components::{
        page::explain_failure,
        remote::{load, remote_view},
    },
    i18n,
    state::{session::SessionStore, toasts::Toasts},
    ui::field::CheckField,
};

/// Section with the setting, which the server stores.
#[component]
pub fn MentionSetting() -> impl IntoView {
    let texts = i18n::account();
    let session = expect_context::<SessionStore>();
    let toasts = expect_context::<Toasts>();
    let preferences = RwSignal::new(Remote::Loading);
    let request = move || load(preferences, session, api::get_preferences());
    request();
    let labels = (texts.preferences_loading, texts.preferences);
    let field = remote_view(preferences, labels, request, move |known: Preferences| {
        let checked = RwSignal::new(known.mention_emails);
        let set = move |mention_emails: bool| {
            checked.set(mention_emails);
            spawn_local(async move {
                if let Err(error) = api::set_preferences(&Preferences { mention_emails }).await {
                    checked.try_set(!mention_emails);
                    let reason = explain_failure(session, &error);
                    toasts.show_error((texts.preferences_not_saved)(&reason));
                }
            });
        };
        view! { <CheckField label=texts.mention_emails checked on_change=set /> }.into_any()
    });
    view! {
        <section>
            <h2 class="section-title">{texts.mentions}</h2>
            {field}
        </section>
    }
}
