//! Renders search marks. Loaded on demand.

use contract::filter::Search;
use contract::{Field, Submission};
use leptos::prelude::*;

use super::{Painter, Spot};
use crate::domain::{
    answers,
    row::Role,
    search_highlight::{self, Piece},
};

/// Maximum position of the first match in a cell, in characters: in the widest column, and in other
/// cells.
const ROOM: (usize, usize) = (60, 20);

/// Renderer of search marks.
pub const PAINTER: Painter = Painter { text, flag, row };

fn text(stretches: &[&str], search: &Search) -> Vec<AnyView> {
    search_highlight::pieces(stretches, search).into_iter().map(drawn).collect()
}

/// Renders a boolean. The search matches its stored form, which differs from the visible text, so
/// the whole text is marked.
fn flag(yes: bool, search: &Search) -> AnyView {
    let found = !search.places(if yes { "true" } else { "false" }, 1).is_empty();
    drawn(vec![Piece { text: answers::flag(yes).to_owned(), found }])
}

fn row(
    submission: &Submission,
    spots: &[Spot<'_>],
    fields: &[&Field],
    search: &Search,
) -> Vec<(usize, AnyView)> {
    let given = &submission.answers.0;
    let line = |(_, field, role): &Spot<'_>| {
        let room = if *role == Role::Words { ROOM.0 } else { ROOM.1 };
        given
            .get(&field.key)
            .map(|value| search_highlight::line(value, search, room))
            .unwrap_or_default()
    };
    let lines: Vec<Vec<Piece>> = spots.iter().map(line).collect();
    // Narrow tables and phones show only two of the answers.
    let kept = |role: Role| matches!(role, Role::Title | Role::Words);
    let seen = |narrow: bool| {
        let shown =
            |(spot, line): (&Spot<'_>, &Vec<Piece>)| !line.is_empty() && (!narrow || kept(spot.2));
        spots.iter().zip(&lines).any(shown)
    };
    let hint = |narrow: bool| {
        let shown = spots.iter().filter(|(_, _, role)| !narrow || kept(*role));
        let shown: Vec<&str> = shown.map(|(_, field, _)| field.key.as_str()).collect();
        search_highlight::elsewhere(submission, fields, &shown, search, ROOM.1)
    };
    let (wide, narrow) = (seen(false), seen(true));
    // The hint goes into the cell with long text, or else into the first one.
    let wordy = spots.iter().position(|spot| spot.2 == Role::Words);
    let carrier = wordy.or_else(|| (!spots.is_empty()).then_some(0));
    let mut cells = Vec::new();
    for (index, ((place, field, _), pieces)) in spots.iter().zip(lines).enumerate() {
        let hints = if Some(index) == carrier && !narrow {
            let wide = if wide { None } else { hint(false) };
            let narrow = if wide.is_none() { hint(true) } else { None };
            wide.map(|it| (it, false)).or(narrow.map(|it| (it, true)))
        } else {
            None
        };
        if pieces.is_empty() && hints.is_none() {
            continue;
        }
        let text = if pieces.is_empty() {
            let plain = answers::cell(submission, field);
            if plain.is_empty() { "—".into_any() } else { plain.into_any() }
        } else {
            drawn(pieces)
        };
        cells.push((*place, with_hint(text, hints)));
    }
    cells
}

/// Adds a hint below a cell: the name of another answer with a match, and the match.
fn with_hint(text: AnyView, hint: Option<((String, Vec<Piece>), bool)>) -> AnyView {
    let Some(((name, pieces), narrow)) = hint else { return text };
    let narrow = narrow.then_some("true");
    view! {
        <span class="found-words" data-narrow=narrow>{text}</span>
        <span class="found" data-narrow=narrow>
            <span class="found-name">{name}</span>
            " "
            {drawn(pieces)}
        </span>
    }
    .into_any()
}

fn drawn(pieces: Vec<Piece>) -> AnyView {
    let one = |Piece { text, found }: Piece| {
        if found { view! { <mark>{text}</mark> }.into_any() } else { text.into_any() }
    };
    pieces.into_iter().map(one).collect_view().into_any()
}
