//! Shows the progress of a permanent deletion on every page, with its failures and their reasons.
//! While it runs, the browser asks for confirmation before the page is left.

use contract::{Filter, SubmissionId};
use leptos::{ev, prelude::*, task::spawn_local};

use super::Deleter;
use crate::{
    components::page::rescue_focus,
    domain::{
        answers::short_id,
        deletion::{Deletion, DeletionFailure, DeletionPhase},
    },
    i18n, routes,
    state::deletions::Deletions,
    ui::{
        button::{Button, ButtonSize, ButtonVariant, IconButton},
        icon::{Glyph, Icon},
        progress::ProgressBar,
    },
};

/// Maximum number of listed failures.
const LISTED_MAX: usize = 50;

/// The panel with progress and failures.
#[component]
pub fn DeletionPanel() -> impl IntoView {
    let deletions = expect_context::<Deletions>();
    let deleter = Deleter::from_context();
    let current = deletions.current();
    let leave = window_event_listener(ev::beforeunload, move |event| {
        if deletions.is_running() {
            event.prevent_default();
        }
    });
    on_cleanup(move || leave.remove());
    let is_shown = Memo::new(move |_| current.with(Option::is_some));
    let running = Memo::new(move |_| {
        current.with(|deletion| deletion.as_ref().is_some_and(Deletion::is_running))
    });
    // Announce only the start and the end, not every submission.
    let announced = Memo::new(move |_| {
        current.with(|deletion| match deletion {
            Some(deletion) if deletion.is_running() => Some(i18n::deletion().deleting.to_owned()),
            deletion => deletion.as_ref().map(progress_text),
        })
    });
    let text = move || current.with(|deletion| deletion.as_ref().map(progress_text));
    let share = Signal::derive(move || {
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let share =
            |deletion: &Deletion| deletion.deleted_count as f64 / deletion.total().max(1) as f64;
        current.with(|deletion| {
            deletion
                .as_ref()
                .filter(|deletion| deletion.phase == DeletionPhase::Deleting)
                .map(share)
        })
    });
    let buttons = move || panel_buttons(running.get(), deleter, deletions);
    view! {
        <p class="visually-hidden" role="status">
            {announced}
        </p>
        <Show when=move || is_shown.get()>
            <section class="task-panel" aria-label=i18n::deletion().label>
                <div class="task">
                    <Icon glyph=Glyph::Trash />
                    <p class="task-text">{text}</p>
                    <div class="task-acts">{buttons}</div>
                    <Show when=move || running.get()>
                        <ProgressBar label=i18n::deletion().deleting value=share />
                        <p class="task-note">{i18n::deletion().keep_open}</p>
                    </Show>
                    <Failures deleter />
                </div>
            </section>
        </Show>
    }
}

fn panel_buttons(running: bool, deleter: Deleter, deletions: Deletions) -> AnyView {
    let texts = i18n::deletion();
    let common = i18n::common();
    let button = |label: &'static str, variant: ButtonVariant, act: fn(Deleter, Deletions)| {
        let press = move |_| {
            act(deleter, deletions);
            spawn_local(rescue_focus());
        };
        view! {
            <Button size=ButtonSize::Small variant on_click=press>
                {label}
            </Button>
        }
        .into_any()
    };
    if running {
        return button(texts.stop, ButtonVariant::Plain, |deleter, _| deleter.stop_deletion());
    }
    let close = button(common.close, ButtonVariant::Ghost, |_, deletions| deletions.clear());
    let retry = button(common.retry, ButtonVariant::Plain, |deleter, _| deleter.retry_all());
    vec![close, retry].into_any()
}

fn progress_text(deletion: &Deletion) -> String {
    let texts = i18n::deletion();
    match &deletion.phase {
        DeletionPhase::Listing => texts.listing.to_owned(),
        DeletionPhase::Deleting if !deletion.pending.is_empty() => {
            (texts.progress)(deletion.deleted_count + 1, deletion.total())
        }
        DeletionPhase::Deleting => (texts.done)(deletion.deleted_count, deletion.total()),
        DeletionPhase::Stopped(why) => {
            let stopped = (texts.stopped)(deletion.deleted_count, deletion.total());
            why.iter().fold(stopped, |text, why| format!("{text}. {why}"))
        }
    }
}

/// Visible line of a failure.
#[derive(Clone, PartialEq, Eq)]
struct FailureLine {
    id: SubmissionId,
    href: String,
    why: String,
}

impl FailureLine {
    fn from_deletion(Deletion { environment, form, failures, .. }: &Deletion) -> Vec<Self> {
        let line = |DeletionFailure { key: (_, id), reason }: &DeletionFailure| {
            let href = routes::submission_url(*environment, form, id, &Filter::default());
            Self { id: id.clone(), href, why: reason.clone() }
        };
        failures.iter().take(LISTED_MAX).map(line).collect()
    }
}

/// The failed submissions with reasons and retry buttons.
#[component]
fn Failures(deleter: Deleter) -> impl IntoView {
    let current = expect_context::<Deletions>().current();
    let count = Memo::new(move |_| {
        current.with(|deletion| deletion.as_ref().map_or(0, |deletion| deletion.failures.len()))
    });
    let has_failures = Memo::new(move |_| count.get() > 0);
    let lines = Memo::new(move |_| {
        current
            .with(|deletion| deletion.as_ref().map(FailureLine::from_deletion).unwrap_or_default())
    });
    let row = move |FailureLine { id, href, why }: FailureLine| {
        let name = short_id(id.as_str());
        let label = (i18n::deletion().retry_one)(&name);
        let retry = move |_| {
            deleter.retry_one(&id);
            spawn_local(rescue_focus());
        };
        view! {
            <li class="task-failure">
                <span>
                    <a href=href>{name}</a>
                    " "
                    {why}
                </span>
                <IconButton icon=Glyph::Refresh label size=ButtonSize::Small on_click=retry />
            </li>
        }
    };
    let more = move || {
        let more = count.get().saturating_sub(LISTED_MAX) as u64;
        (more > 0).then(|| (i18n::deletion().more_failures)(more))
    };
    view! {
        <Show when=move || has_failures.get()>
            <details class="task-failures" open>
                <summary>{move || (i18n::deletion().not_deleted)(count.get() as u64)}</summary>
                <ul>
                    <For
                        each=move || lines.get()
                        key=|line| (line.id.clone(), line.why.clone())
                        children=row
                    />
                </ul>
                <p>{more}</p>
            </details>
        </Show>
    }
}
