//! Renders search marks. Loaded on demand.

use contract::filter::Search;
use contract::{Field, Submission};
use leptos::prelude::*;
use row_view::available_columns::{ColumnDef, inbox_answers, visible_fields};

use super::MarkRenderer;
use crate::{
    domain::{
        answers,
        row::AnswerRole,
        search_highlight::{self, HighlightPiece},
    },
    state::session::SessionStore,
};

/// Answer in a column: index of the column, field, and role in the row.
type AnswerColumn<'a> = (usize, &'a Field, AnswerRole);

/// Maximum position of the first match in a cell, in characters: in the widest column, and in other
/// cells.
const MATCH_POSITION_MAX: (usize, usize) = (60, 20);

/// Renderer of search marks.
pub const MARK_RENDERER: MarkRenderer =
    MarkRenderer { text: render_text, flag: render_flag, row: render_row };

fn render_text(segments: &[&str], search: &Search) -> Vec<AnyView> {
    search_highlight::highlight_segments(segments, search).into_iter().map(render_pieces).collect()
}

/// Renders a boolean. The search matches its stored form, which differs from the visible text, so
/// the whole text is marked.
fn render_flag(yes: bool, search: &Search) -> AnyView {
    let found = !search.find_matches(if yes { "true" } else { "false" }, 1).is_empty();
    render_pieces(vec![HighlightPiece {
        text: answers::yes_no_text(yes).to_owned(),
        is_match: found,
    }])
}

fn render_row(
    row: &Submission,
    shown: &[ColumnDef],
    available: &[ColumnDef],
    session: SessionStore,
    search: &Search,
) -> Vec<(usize, AnyView)> {
    // The columns of the inbox show answers to fields that depend on the form.
    let is_inbox = available.iter().all(|column| column.answer().is_none());
    let form = is_inbox.then(|| untrack(|| session.form(&row.form_id))).flatten();
    let inbox_fields = visible_fields(form.as_ref().map_or(&[], |form| &form.fields));
    let chosen = inbox_answers(&inbox_fields);
    let answer = |(index, column)| {
        ColumnDef::answer_of(column, &chosen).map(|(field, role)| (index, field, role))
    };
    let spots: Vec<_> = shown.iter().enumerate().filter_map(answer).collect();
    let fields = available.iter().filter_map(ColumnDef::answer).map(|(field, _)| field);
    let fields: Vec<_> = fields.chain(&inbox_fields).collect();
    render_cells(row, &spots, &fields, search)
}

fn render_cells(
    submission: &Submission,
    spots: &[AnswerColumn<'_>],
    fields: &[&Field],
    search: &Search,
) -> Vec<(usize, AnyView)> {
    let answers = &submission.answers.0;
    let line = |(_, field, role): &AnswerColumn<'_>| {
        let room =
            if *role == AnswerRole::MainText { MATCH_POSITION_MAX.0 } else { MATCH_POSITION_MAX.1 };
        answers
            .get(&field.key)
            .map(|value| search_highlight::highlight_line(value, search, room))
            .unwrap_or_default()
    };
    let lines: Vec<Vec<HighlightPiece>> = spots.iter().map(line).collect();
    // Narrow tables and phones show only two of the answers.
    let stays_in_narrow =
        |role: AnswerRole| matches!(role, AnswerRole::Title | AnswerRole::MainText);
    let best_match = |narrow: bool| {
        let shown = |(answer_column, line): (&AnswerColumn<'_>, &Vec<HighlightPiece>)| {
            !line.is_empty() && (!narrow || stays_in_narrow(answer_column.2))
        };
        spots.iter().zip(&lines).any(shown)
    };
    let hint = |narrow: bool| {
        let shown = spots.iter().filter(|(_, _, role)| !narrow || stays_in_narrow(*role));
        let shown: Vec<&str> = shown.map(|(_, field, _)| field.key.as_str()).collect();
        search_highlight::find_hidden_match(
            submission,
            fields,
            &shown,
            search,
            MATCH_POSITION_MAX.1,
        )
    };
    let wide = best_match(false);
    let narrow = best_match(true);
    // The hint goes into the cell with long text, or else into the first one.
    let wordy = spots.iter().position(|column| column.2 == AnswerRole::MainText);
    let carrier = wordy.or_else(|| (!spots.is_empty()).then_some(0));
    let mut cells = Vec::new();
    for (index, ((column, field, _), pieces)) in spots.iter().zip(lines).enumerate() {
        let hints = if Some(index) == carrier && !narrow {
            let wide = if wide { None } else { hint(false) };
            let narrow = if wide.is_none() { hint(true) } else { None };
            wide.map(|found| (found, false)).or(narrow.map(|found| (found, true)))
        } else {
            None
        };
        if pieces.is_empty() && hints.is_none() {
            continue;
        }
        let text = if pieces.is_empty() {
            let cell_text = answers::cell_text(submission, field);
            if cell_text.is_empty() { "—".into_any() } else { cell_text.into_any() }
        } else {
            render_pieces(pieces)
        };
        cells.push((*column, with_hint(text, hints)));
    }
    cells
}

/// Adds a hint below a cell: the name of another answer with a match, and the match.
fn with_hint(text: AnyView, hint: Option<((String, Vec<HighlightPiece>), bool)>) -> AnyView {
    let Some(((name, pieces), narrow)) = hint else { return text };
    let narrow = narrow.then_some("true");
    view! {
        <span class="found-words" data-narrow=narrow>{text}</span>
        <span class="found" data-narrow=narrow>
            <span class="found-name">{name}</span>
            " "
            {render_pieces(pieces)}
        </span>
    }
    .into_any()
}

fn render_pieces(pieces: Vec<HighlightPiece>) -> AnyView {
    let piece_view = |HighlightPiece { text, is_match: found }: HighlightPiece| {
        if found { view! { <mark>{text}</mark> }.into_any() } else { text.into_any() }
    };
    pieces.into_iter().map(piece_view).collect_view().into_any()
}
