//! Names, badge and field for the environments live and test.

use contract::Environment;
use leptos::prelude::*;

use crate::{
    i18n,
    ui::{
        badge::{Badge, StatusTone},
        field::{Choice, RadioField},
        icon::Glyph,
    },
};

/// Returns the name of an environment.
pub fn environment_name(environment: Environment) -> &'static str {
    match environment {
        Environment::Live => i18n::common().live,
        Environment::Test => i18n::common().test,
    }
}

/// Returns the badge of an environment.
pub fn environment_badge(environment: Environment) -> AnyView {
    let (tone, icon) = match environment {
        Environment::Live => (StatusTone::Info, Glyph::Check),
        Environment::Test => (StatusTone::Mixed, Glyph::Flask),
    };
    view! { <Badge text=environment_name(environment) tone icon /> }.into_any()
}

/// Radio buttons for the environment.
#[component]
pub fn EnvironmentField(
    /// Selected environment, by its name in paths.
    value: RwSignal<String>,
    /// Hint for live.
    live_hint: &'static str,
    /// Hint for test.
    test_hint: &'static str,
) -> impl IntoView {
    let choices = vec![
        Choice::new("live", environment_name(Environment::Live)).hint(live_hint),
        Choice::new("test", environment_name(Environment::Test)).hint(test_hint),
    ];
    let label = i18n::common().environment;
    view! { <RadioField label value choices on_change=move |chosen| value.set(chosen) /> }
}
