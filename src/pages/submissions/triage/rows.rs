//! Loads the triage of the rows in view, in batches, and draws it at the end of the first cell with
//! text.

use std::time::Duration;

use contract::triage::{Status, TRIAGE_IDS_MAX, Tag, Triage};
use contract::{PersonId, SubmissionId};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    domain::triage_marks::{first_batch, has_marks},
    i18n,
    pages::submissions::{
        list::ListSource,
        list_state::ListState,
        open_submission::in_table,
        row_marks::{MarkRenderer, RowMarks},
    },
    state::triage::{TriageState, tag_color_name},
    ui::{focus_is_lost, icon::Glyph, run_effect, table::Cell},
};

/// Delay before a retry after an error.
const RETRY_DELAY: Duration = Duration::from_secs(10);
/// Maximum number of tags in a row. The others are counted.
const TAGS_SHOWN_MAX: usize = 2;

/// Region for the results of changes. While it is mounted, the triage of the rows in view is loaded
/// and drawn.
pub fn row_marks(list: ListState) -> impl IntoView {
    follow_rows(list);
    follow_new_submissions(list);
    follow_focus_requests(list);
    view! {
        <p class="visually-hidden" role="status">
            {expect_context::<RowMarks>().announcement()}
        </p>
    }
}

fn follow_rows(list: ListState) {
    let triage = expect_context::<TriageState>();
    let marks = expect_context::<RowMarks>();
    marks.set_renderer(MarkRenderer { version, is_unread, draw });
    // A reload of the list may show other rows.
    Effect::new(move |before: Option<u32>| {
        let generation = list.rows.generation();
        if before.is_some_and(|before| before != generation) {
            triage.forget();
        }
        generation
    });
    let is_waiting = RwSignal::new(false);
    run_effect(move || {
        list.rows.track_rows();
        let visible = marks.visible_rows().get();
        let has_rows = !is_waiting.get() && triage.is_available() && !list.rows.is_stale();
        let ids = if has_rows { unknown_ids(list, triage, visible) } else { Vec::new() };
        if ids.is_empty() {
            return;
        }
        is_waiting.set(true);
        spawn_local(async move {
            if triage.load(first_batch(&ids)).await.is_ok() {
                is_waiting.try_set(false);
            } else {
                // Rows without marks are usable, so there is no message.
                set_timeout(move || _ = is_waiting.try_set(false), RETRY_DELAY);
            }
        });
    });
}

/// Loads the number of unread submissions again when the list learns of new submissions, or loads
/// them.
fn follow_new_submissions(list: ListState) {
    let triage = expect_context::<TriageState>();
    Effect::new(move |before: Option<(Option<ListSource>, u32, u64)>| {
        let new_count = list.rows.new_count().get();
        let now = (list.source.get_untracked(), list.rows.generation(), new_count);
        if let Some(before) = before {
            let was_loaded = before.1 > 0;
            let is_reloaded = was_loaded && before.0 == now.0 && before.1 != now.1;
            if is_reloaded || now.2 > before.2 {
                triage.reload_unread();
            }
        }
        now
    });
}

/// Focuses the row of a requested submission once it is loaded, unless the list has changed or the
/// user has moved the focus since.
fn follow_focus_requests(list: ListState) {
    let request = expect_context::<RowMarks>().focus_request;
    run_effect(move || {
        list.rows.track_rows();
        let Some(wanted) = request.get() else { return };
        let index = untrack(|| list.rows.position(&wanted.id));
        let has_moved = list.rows.table.active().get_untracked() != wanted.from
            || !(in_table() || focus_is_lost());
        let is_outdated = wanted.epoch != list.rows.model_epoch() || has_moved;
        if is_outdated || index.is_some() {
            request.set(None);
        }
        if let (Some(index), false) = (index, is_outdated) {
            list.rows.table.focus_row(index);
        }
    });
}

/// Returns the submissions in view whose triage is unknown, and if there are any, others near them,
/// so that a request loads a whole page. Tracked.
fn unknown_ids(
    list: ListState,
    triage: TriageState,
    (start, end): (usize, usize),
) -> Vec<SubmissionId> {
    triage.with_marks(|marks| {
        let unknown_id = |index: usize| {
            let row = untrack(|| list.rows.loaded_row(index))?;
            (!marks.is_known(&row.id)).then(|| row.id.clone())
        };
        let mut ids: Vec<SubmissionId> = (start..end).filter_map(unknown_id).collect();
        if !ids.is_empty() {
            let after = end..end + TRIAGE_IDS_MAX;
            let before = (start.saturating_sub(TRIAGE_IDS_MAX)..start).rev();
            let room = TRIAGE_IDS_MAX.saturating_sub(ids.len());
            ids.extend(after.chain(before).filter_map(unknown_id).take(room));
        }
        ids
    })
}

fn version(triage: TriageState, id: &SubmissionId) -> u32 {
    triage.with_marks(|marks| marks.version(id))
}

fn is_unread(triage: TriageState, id: &SubmissionId) -> bool {
    triage.read_state(id) == Some(false)
}

/// Adds the marks to the first cell with text. The table itself marks unread rows.
fn draw(triage: TriageState, id: &SubmissionId, mut cells: Vec<Cell>) -> Vec<Cell> {
    let marks = untrack(|| triage.with_marks(|marks| marks.get(id)));
    let carrier = cells.iter_mut().find(|cell| matches!(cell, Cell::Text(_) | Cell::View(_)));
    if let (true, Some(cell)) = (has_marks(&marks), carrier) {
        let text = match std::mem::replace(cell, Cell::Loading) {
            Cell::View(view) => view,
            Cell::Text(text) if !text.is_empty() => text.into_any(),
            _ => "—".into_any(),
        };
        *cell = Cell::View(marked_text(triage, text, marks));
    }
    cells
}

/// Returns the text of a cell, with marks behind it. It uses no components: their signals would
/// live as long as the table, and each row that scrolls by would add some.
fn marked_text(triage: TriageState, text: AnyView, marks: Triage) -> AnyView {
    view! {
        <span class="row-line">
            <span class="row-text">{text}</span>
            {marks_view(triage, marks, true)}
        </span>
    }
    .into_any()
}

/// Returns the star, the assignee and the tags of a submission, with `shows_status` also its status
/// unless it is open. It uses no components, as `marked_text`.
pub fn marks_view(triage: TriageState, marks: Triage, shows_status: bool) -> AnyView {
    let Triage { status, starred, tags, assignee, read: _ } = marks;
    let badge = (shows_status && status.as_str() != Status::OPEN).then(|| {
        let done = status.as_str() == "done";
        view! {
            <span class="badge" data-tone=if done { "positive" } else { "info" }>
                {move || triage.status_name(&status)}
            </span>
        }
    });
    view! {
        <span class="row-marks">
            {starred.then(star_view)} {badge}
            {assignee.map(|person| assignee_view(triage, person))} {tags_view(triage, &tags)}
        </span>
    }
    .into_any()
}

fn star_view() -> AnyView {
    view! {
        <svg class="icon star" width="14" height="14" viewBox="0 0 20 20" aria-hidden="true">
            <path d=Glyph::Star.path() />
        </svg>
        <span class="visually-hidden">{i18n::triage().starred}</span>
    }
    .into_any()
}

fn tags_view(triage: TriageState, tags: &[Tag]) -> AnyView {
    let tag_view = |tag: &Tag| {
        let text = tag.to_string();
        let tag = tag.clone();
        view! {
            <span class="tag" data-color=move || tag_color_name(triage.tag_color(&tag))>
                {text}
            </span>
        }
    };
    let (shown, others) = tags.split_at(tags.len().min(TAGS_SHOWN_MAX));
    let more = (!others.is_empty()).then(|| {
        let names = others.iter().map(Tag::as_str).collect::<Vec<_>>().join(", ");
        view! {
            <span class="tag" title=names>
                <span aria-hidden="true">{format!("+{}", others.len())}</span>
                <span class="visually-hidden">
                    {(i18n::triage().more_tags)(others.len() as u64)}
                </span>
            </span>
        }
    });
    view! {
        {shown.iter().map(tag_view).collect_view()}
        {more}
    }
    .into_any()
}

/// Returns the initial of a member, with the address for assistive technology and on hover.
fn assignee_view(triage: TriageState, person: PersonId) -> AnyView {
    let texts = i18n::triage();
    let name = {
        let person = person.clone();
        move || format!("{}: {}", texts.assignee, triage.assignee_name(&person))
    };
    let initial = move || {
        let name = triage.assignee_name(&person);
        name.chars().next().map(|first| first.to_uppercase().to_string()).unwrap_or_default()
    };
    let title = name.clone();
    view! {
        <span class="initial" title=title>
            <span aria-hidden="true">{initial}</span>
            <span class="visually-hidden">{name}</span>
        </span>
    }
    .into_any()
}
