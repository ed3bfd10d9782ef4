//! Loads data, and shows it, its absence, or a way to retry.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{ApiError, Remote},
    components::page::Failure,
    state::session::SessionStore,
    ui::{run_effect, set_if_changed, skeleton::SkeletonLines},
};

/// Awaits a request and stores its result in `remote`. A 401 ends the session.
pub async fn load_and_wait<T: Send + Sync + 'static>(
    remote: RwSignal<Remote<T>>,
    session: SessionStore,
    request: impl Future<Output = Result<T, ApiError>>,
) {
    let answer = request.await;
    if let Err(error) = &answer {
        session.handle_error(error);
    }
    remote.try_set(answer.into());
}

/// Like [`load_and_wait`], in the background.
pub fn load<T: Send + Sync + 'static>(
    remote: RwSignal<Remote<T>>,
    session: SessionStore,
    request: impl Future<Output = Result<T, ApiError>> + 'static,
) {
    spawn_local(load_and_wait(remote, session, request));
}

/// Returns whether `remote` is loaded, without its data. For views that a change of the data must
/// not rebuild, because they contain the pressed button or unsaved text.
pub fn remote_outcome<T: Send + Sync + 'static>(
    remote: RwSignal<Remote<T>>,
) -> RwSignal<Remote<()>> {
    let outcome = RwSignal::new(Remote::Loading);
    run_effect(move || {
        set_if_changed(outcome, remote.with(|remote| remote.map(|_| ())));
    });
    outcome
}

/// Returns a view of `remote`: placeholders with the label `loading`, `view` of the data, or an
/// error about `what`, with a button that calls `retry`.
pub fn remote_view<T: Clone + Send + Sync + 'static>(
    remote: RwSignal<Remote<T>>,
    (loading, what): (&'static str, &'static str),
    retry: impl Fn() + Clone + Send + Sync + 'static,
    view: impl Fn(T) -> AnyView + Send + 'static,
) -> impl Fn() -> AnyView + Send + 'static {
    move || match remote.get() {
        Remote::Loading => view! { <SkeletonLines label=loading /> }.into_any(),
        Remote::Failed(error) => {
            let retry = retry.clone();
            let retry = move |()| {
                remote.set(Remote::Loading);
                retry();
            };
            view! { <Failure error object=what on_retry=retry /> }.into_any()
        }
        Remote::Loaded(data) => view(data),
    }
}
