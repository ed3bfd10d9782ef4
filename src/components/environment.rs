//! Live and test, as they are called, shown and chosen.

use contract::Environment;
use leptos::prelude::*;

use crate::{
    i18n,
    ui::{
        badge::{Badge, Tone},
        field::{Choice, RadioField},
        icon::Glyph,
    },
};

/// Returns what an environment is called.
pub fn name(environment: Environment) -> &'static str {
    match environment {
        Environment::Live => i18n::common().live,
        Environment::Test => i18n::common().test,
    }
}

/// Returns the badge of an environment.
pub fn badge(environment: Environment) -> AnyView {
    let (tone, icon) = match environment {
        Environment::Live => (Tone::Info, Glyph::Check),
        Environment::Test => (Tone::Mixed, Glyph::Flask),
    };
    view! { <Badge text=name(environment) tone icon /> }.into_any()
}

/// Asks for one of the two.
#[component]
pub fn EnvironmentField(
    /// The chosen one, by its name in paths.
    value: RwSignal<String>,
    /// What the live one is for.
    live_hint: &'static str,
    /// What the test one is for.
    test_hint: &'static str,
) -> impl IntoView {
    let choices = vec![
        Choice::new("live", name(Environment::Live)).hint(live_hint),
        Choice::new("test", name(Environment::Test)).hint(test_hint),
    ];
    let label = i18n::common().environment;
    view! { <RadioField label value choices on_change=move |chosen| value.set(chosen) /> }
}
