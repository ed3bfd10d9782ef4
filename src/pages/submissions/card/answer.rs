//! Renders an answer in the card by its type: text with links, yes or no, a list, or a rating.

use contract::filter::Search;
use leptos::prelude::*;

use crate::{
    components::search_highlight::MarkRenderer,
    domain::answers::{
        self, AnswerView, CardRow,
        links::TextSegment,
        rating::{Rating, RatingScale},
    },
    i18n,
    pages::submissions::facts::answer_button,
};

/// The search and the painter that highlights it; `None` without a search.
type SearchMarks<'a> = Option<&'a (MarkRenderer, Search)>;

/// Returns a field and its answer.
pub(super) fn answer_line(line: CardRow, marks: SearchMarks<'_>) -> impl IntoView + use<> {
    let choice = |value: &str, content: AnyView| match &line.choice_field {
        Some(field) => answer_button(field, value, content),
        None => content,
    };
    let text = |parts: &[TextSegment]| {
        let content = linked_text(parts, marks);
        // A link cannot be inside of a button.
        if parts.iter().any(|part| part.href.is_some()) {
            return content;
        }
        let value: String = parts.iter().map(|part| part.text.as_str()).collect();
        choice(&value, content)
    };
    let answer = match line.answer {
        AnswerView::Missing => view! { <span class="missing">"—"</span> }.into_any(),
        AnswerView::Text(parts) => text(&parts),
        AnswerView::Flag(yes) => {
            let content = match marks {
                Some((painter, search)) => (painter.flag)(yes, search),
                None => answers::yes_no_text(yes).into_any(),
            };
            choice(if yes { "true" } else { "false" }, content)
        }
        AnswerView::Items(items) => {
            let item = |item: &Vec<TextSegment>| view! { <li>{text(item)}</li> };
            let items = items.iter().map(item).collect_view();
            view! { <ul class="answers-list">{items}</ul> }.into_any()
        }
        AnswerView::Rating(rating) => {
            let value = rating.text.clone();
            choice(&value, rating_view(rating, marks))
        }
    };
    view! {
        <div>
            <dt class="answers-name">{line.name}</dt>
            <dd class="answers-text">{answer}</dd>
        </div>
    }
}

/// Returns a text with its links.
fn linked_text(parts: &[TextSegment], marks: SearchMarks<'_>) -> AnyView {
    let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    let drawn = match marks {
        Some((painter, search)) => (painter.text)(&texts, search),
        None => texts.iter().map(|text| (*text).to_owned().into_any()).collect(),
    };
    let segment_view = |(part, drawn): (&TextSegment, AnyView)| match part.href.clone() {
        Some(href) => link_view(href, drawn),
        None => drawn,
    };
    parts.iter().zip(drawn).map(segment_view).collect_view().into_any()
}

/// Returns a link. Web links open in a new tab; `mailto:` and `tel:` links do not.
fn link_view(href: String, text: AnyView) -> AnyView {
    let target = href.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("http"));
    view! {
        <a href=href target=target.then_some("_blank") rel="noopener noreferrer nofollow">
            {text}
        </a>
    }
    .into_any()
}

/// Returns a rating: as stars if its scale is known, or else as a number after one star.
fn rating_view(Rating { text: value, scale }: Rating, marks: SearchMarks<'_>) -> AnyView {
    let value = linked_text(&[TextSegment { text: value, href: None }], marks);
    let (marks, name) = match scale {
        Some(RatingScale { value, filled, marks: of }) => {
            let marks = "★".repeat(filled) + &"☆".repeat(of.saturating_sub(filled));
            (marks, Some((i18n::card().rating)(&value, of)))
        }
        None => ("★".to_owned(), None),
    };
    view! {
        <span class="rating" role=name.is_some().then_some("img") aria-label=name>
            <span class="rating-marks" aria-hidden="true">
                {marks}
            </span>
            {value}
        </span>
    }
    .into_any()
}
