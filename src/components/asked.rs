//! What a page asks the server for: waited for, shown, or asked for again.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::ApiError, components::page::Failure, state::session::SessionStore,
    ui::skeleton::SkeletonLines,
};

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked<T> {
    /// It has not come yet.
    Loading,
    /// It is there.
    Loaded(T),
    /// It did not come, and why.
    Failed(ApiError),
}

/// Waits for something, and puts what comes of it into `to`. A session that is over ends here.
pub async fn fetch<T: Send + Sync + 'static>(
    to: RwSignal<Asked<T>>,
    session: SessionStore,
    answer: impl Future<Output = Result<T, ApiError>>,
) {
    let answer = answer.await;
    if let Err(error) = &answer {
        session.notice(error);
    }
    to.try_set(match answer {
        Ok(it) => Asked::Loaded(it),
        Err(error) => Asked::Failed(error),
    });
}

/// As [`fetch`], and waits for nothing.
pub fn ask<T: Send + Sync + 'static>(
    to: RwSignal<Asked<T>>,
    session: SessionStore,
    answer: impl Future<Output = Result<T, ApiError>> + 'static,
) {
    spawn_local(fetch(to, session, answer));
}

/// Shows what was asked for: shapes that are told as `loading`, then `view` of it, or that `what`
/// did not come, with a way to `load` it again.
pub fn shown<T: Clone + Send + Sync + 'static>(
    asked: RwSignal<Asked<T>>,
    (loading, what): (&'static str, &'static str),
    load: impl Fn() + Clone + Send + Sync + 'static,
    view: impl Fn(T) -> AnyView + Send + 'static,
) -> impl Fn() -> AnyView + Send + 'static {
    move || match asked.get() {
        Asked::Loading => view! { <SkeletonLines label=loading /> }.into_any(),
        Asked::Failed(error) => {
            let load = load.clone();
            let retry = move |()| {
                asked.set(Asked::Loading);
                load();
            };
            view! { <Failure error what on_retry=retry /> }.into_any()
        }
        Asked::Loaded(it) => view(it),
    }
}
