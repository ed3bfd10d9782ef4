//! Renders the first rows of the list as HTML, with the same elements, classes and texts as the
//! dashboard, so that nothing moves when the dashboard takes over.
//!
//! `public/first.js` adds the values that only the browser knows: `data-at` is an instant and
//! `data-number` a number, both formatted in the user's locale. `data-css` becomes the style
//! attribute, because the page's content security policy forbids inline styles in HTML.

mod page_shell;

use std::fmt::{self, Display, Write as _};

use contract::{Form, FormId, Page, Role, Submission, Timestamp};

use crate::answer;
use crate::available_columns::{self, CellRenderer, ColumnDef};
use crate::column::{self, Column};
use crate::labels::Labels;
use crate::tone::StatusTone;

/// Maximum number of rendered rows, more than a tall window shows.
pub const ROWS_MAX: usize = 40;
/// Row index, and the window height in px below which rows from that index on are not visible, at
/// the densest row height. `style/first.css` hides them there.
const BELOW_PX: [(usize, u32); 3] = [(27, 1120), (21, 920), (16, 720)];
/// Maximum number of rows for the track's height. With so many, the scroll bar's thumb has its
/// minimum size.
const TRACK_ROWS_MAX: u64 = 100_000;
/// Minimum number of rows of a list with a date scroller.
pub const RAIL_ROWS_MIN: u64 = 300;

/// HTML of the first rows and of the page around them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FirstRows {
    /// Content of the top bar after the brand.
    pub top: String,
    /// Content of the side bar.
    pub side: String,
    /// Content of the page.
    pub page: String,
}

/// Renders the list of a form; `None` if the list is empty.
///
/// `forms` is `None` if the server does not list forms; fields are then derived from the answers.
/// `role` is the role of the signed-in user.
pub fn render_first_rows(
    labels: &Labels,
    id: &FormId,
    forms: Option<&[Form]>,
    list: &Page<Submission>,
    role: Role,
) -> Option<FirstRows> {
    if list.data.is_empty() {
        return None;
    }
    let form = forms.and_then(|forms| forms.iter().find(|form| form.id == *id));
    let derived_fields =
        if form.is_none() { answer::derive_fields(&list.data) } else { Vec::new() };
    let fields = form.map_or(&derived_fields, |form| &form.fields);
    let available = available_columns::available_columns(
        &labels.titles,
        form,
        fields,
        available_columns::has_source_and_country(&list.data),
    );
    let chosen = available_columns::apply_user_selection(&available, &[]);
    let shown = available_columns::visible_columns(&available, &chosen);
    let columns: Vec<Column> =
        shown.iter().map(|definition| definition.table_column(&chosen, false)).collect();
    let title = form.map_or(id.as_str(), |form| &form.name);
    let mut page = String::with_capacity(48 * 1024);
    // Writing to a `String` cannot fail.
    let _ = write_page(&mut page, labels, ((id, title), role), (&shown, &columns), list);
    let side =
        forms.map(|forms| page_shell::render_side_bar(labels, id, forms, role)).unwrap_or_default();
    Some(FirstRows { top: page_shell::render_top_bar(labels, id), side, page })
}

fn write_page(
    html: &mut String,
    labels: &Labels,
    ((id, title), role): ((&FormId, &str), Role),
    (shown, columns): (&[ColumnDef], &[Column]),
    list: &Page<Submission>,
) -> fmt::Result {
    let total = list.pagination.total;
    write!(html, "<div class=\"page\" data-fill=\"true\" data-drawn=\"{id}\">")?;
    page_shell::write_page_header(html, labels, (title, role), total)?;
    html.write_str("<div class=\"list-frame\">")?;
    if total >= RAIL_ROWS_MIN {
        // Before the rows in the HTML, because a browser may show them while the rest is still
        // loading.
        html.write_str("<div class=\"rail\" data-css=\"order:1\"></div>")?;
    }
    write!(
        html,
        "<div class=\"grid-frame\" data-opens=\"true\" data-checks=\"none\">\
         <div class=\"grid\" data-css=\"--grid-columns:{};--grid-narrow:{};--grid-width:{}\">\
         <div class=\"grid-head\"><div class=\"grid-row\" role=\"row\">\
         <div class=\"grid-check\" role=\"columnheader\"><input type=\"checkbox\"></div>",
        column::grid_template(columns),
        column::narrow_grid_template(columns),
        column::min_row_width(columns),
    )?;
    for column in columns {
        write_cell(html, column, "columnheader", false)?;
        write!(html, "<span>{}</span></div>", Escaped(column.title()))?;
    }
    write!(
        html,
        "</div></div><div class=\"grid-track\" data-css=\"height:calc({} * var(--row))\">\
         <div class=\"grid-rows\">",
        total.min(TRACK_ROWS_MAX),
    )?;
    for (index, row) in list.data.iter().take(ROWS_MAX).enumerate() {
        write_row(html, labels, index, row, (shown, columns))?;
    }
    html.write_str("</div></div></div></div>")?;
    html.write_str("</div></div>")
}

fn write_row(
    html: &mut String,
    labels: &Labels,
    index: usize,
    row: &Submission,
    (shown, columns): (&[ColumnDef], &[Column]),
) -> fmt::Result {
    write!(
        html,
        "<div class=\"grid-row\" role=\"row\" tabindex=\"-1\" aria-selected=\"false\" \
         aria-rowindex=\"{}\" data-key=\"{}\"",
        index + 2,
        row.id,
    )?;
    if let Some((_, px)) = BELOW_PX.iter().find(|(rows, _)| index >= *rows) {
        write!(html, " data-below=\"{px}\"")?;
    }
    html.write_str(
        "><div class=\"grid-check\" role=\"gridcell\">\
         <input type=\"checkbox\" tabindex=\"-1\"></div>",
    )?;
    for (definition, column) in shown.iter().zip(columns) {
        let cell = definition.render_cell(row, &HtmlCells(labels));
        write_cell(html, column, "gridcell", cell.is_empty())?;
        write!(html, "{cell}</div>")?;
    }
    html.write_str("</div>")
}

/// Writes the opening tag of a cell. `is_missing` marks an empty cell.
fn write_cell(html: &mut String, column: &Column, role: &str, is_missing: bool) -> fmt::Result {
    write!(html, "<div class=\"grid-cell\" role=\"{role}\"")?;
    if let Some(align) = column.align() {
        write!(html, " data-align=\"{align}\"")?;
    }
    if is_missing {
        html.write_str(" data-missing=\"true\"")?;
    }
    write!(html, " data-slot=\"{}\">", column.slot_name())
}

/// Renders cells as HTML.
struct HtmlCells<'a>(&'a Labels);

impl CellRenderer for HtmlCells<'_> {
    type Cell = String;

    fn text(&self, text: String) -> String {
        Escaped(&text).to_string()
    }

    fn time(&self, at: Timestamp) -> String {
        format!("<time class=\"time\" data-at=\"{}\"></time>", at.millis())
    }

    fn sentiment(&self, label: &str) -> String {
        let tone = StatusTone::from_sentiment(label);
        let name = self.0.sentiment_name(label).map_or_else(|| capitalise(label), str::to_owned);
        let tint = tone.name();
        let icon = Icon(tone.icon_path());
        format!("<span class=\"badge\" data-tone=\"{tint}\">{icon}{}</span>", Escaped(&name))
    }

    fn country(&self, code: String) -> String {
        format!("<abbr>{}</abbr>", Escaped(&code))
    }

    fn device(&self, code: &str) -> String {
        let name = self.0.device_name(code).map_or_else(|| capitalise(code), str::to_owned);
        Escaped(&name).to_string()
    }

    // Only users who selected this column see it, and this code renders the default columns.
    fn took(&self, seconds: u64) -> String {
        seconds.to_string()
    }
}

/// Icon, given by its path.
struct Icon(&'static str);

impl Display for Icon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(path) = self;
        write!(
            f,
            "<svg class=\"icon\" width=\"16\" height=\"16\" viewBox=\"0 0 20 20\">\
             <path d=\"{path}\"></path></svg>"
        )
    }
}

/// Capitalises the first letter of a label.
fn capitalise(label: &str) -> String {
    let mut rest = label.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// Text escaped for HTML content and for quoted attribute values.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            f.write_str(&rest[..at])?;
            f.write_str(match rest.as_bytes()[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' => "&quot;",
                _ => "&#39;",
            })?;
            rest = &rest[at + 1..];
        }
        f.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::{ENGLISH, GERMAN};
    use serde_json::{Value, json};

    fn form() -> Form {
        let field = |key: &str, kind: &str| json!({ "id": format!("fld_{key}"), "key": key, "name": key, "type": kind });
        serde_json::from_value(json!({
            "id": "frm_1", "name": "A & <b>", "mode": "live", "analysis": true,
            "fields": [field("name", "text"), field("words", "long_text")],
            "created_at": "2026-03-01T00:00:00Z", "submission_count": 400,
            "last_submission_at": null,
        }))
        .unwrap()
    }

    fn list(answers: &[Value], total: u64) -> Page<Submission> {
        let row = |(n, answers): (usize, &Value)| {
            json!({
                "id": format!("sub_{n}"), "form_id": "frm_1", "answers": answers,
                "metadata": { "submitted_at": "2026-03-01T00:00:00Z", "ip_country": "DE" },
                "ai_insights": { "sentiment": "positive" },
            })
        };
        let rows: Vec<Value> = answers.iter().enumerate().map(row).collect();
        let pagination = json!({
            "total": total, "limit": 100, "has_more": false, "next_cursor": null
        });
        serde_json::from_value(json!({ "data": rows, "pagination": pagination })).unwrap()
    }

    fn render_html(labels: &Labels, form: &Form, list: &Page<Submission>) -> String {
        let forms = std::slice::from_ref(form);
        let rendered = render_first_rows(labels, &form.id, Some(forms), list, Role::Owner).unwrap();
        [rendered.top, rendered.side, rendered.page].concat()
    }

    #[test]
    fn row_html_matches_dashboard() {
        let list = list(&[json!({ "name": "Ann", "words": "two\n lines" })], 1);
        let html = render_html(&ENGLISH, &form(), &list);
        let row = html.split("<div class=\"grid-rows\">").nth(1).unwrap();
        let cell = |slot: &str, inner: &str| {
            format!("<div class=\"grid-cell\" role=\"gridcell\" data-slot=\"{slot}\">{inner}</div>")
        };
        for (slot, inner) in [
            ("aside", "<time class=\"time\" data-at=\"1772323200000\"></time>"),
            ("title", "Ann"),
            ("text", "two lines"),
            ("extra", "<abbr>DE</abbr>"),
        ] {
            assert!(row.contains(&cell(slot, inner)), "{inner}: {row}");
        }
        assert!(row.contains("data-tone=\"positive\"") && row.contains("</svg>Positive</span>"));
        assert!(html.contains("data-number=\"1\"></span> submission<"), "{html}");
        let html = render_html(&GERMAN, &form(), &list);
        assert!(html.contains("</svg>Positiv</span>") && html.contains("<span>Eingegangen</span>"));
    }

    #[test]
    fn device_has_localised_name() {
        let mut list = list(&[json!({})], 1);
        let mut check = |labels: &Labels, code: &str, name: &str| {
            list.data[0].metadata.device = Some(code.to_owned());
            let available =
                available_columns::available_columns(&labels.titles, None, &[], (false, false));
            let device = available.iter().find(|column| column.id() == "device").unwrap();
            assert_eq!(device.render_cell(&list.data[0], &HtmlCells(labels)), name);
        };
        check(&ENGLISH, "mobile", "Mobile");
        check(&GERMAN, "mobile", "Mobilgerät");
        check(&GERMAN, "<tv>", "&lt;tv&gt;");
    }

    #[test]
    fn user_input_is_escaped() {
        let hostile = "</script><img src=x onerror=\"alert(1)\" alt='&'>";
        let mut row = list(&[json!({ "name": hostile, "words": hostile })], 1);
        row.data[0].metadata.ip_country = Some(hostile.to_owned());
        row.data[0].ai_insights.as_mut().unwrap().sentiment = Some(hostile.to_owned());
        let mut form = form();
        hostile.clone_into(&mut form.name);
        hostile.clone_into(&mut form.fields[0].name);
        let html = render_html(&ENGLISH, &form, &row);
        assert!(!html.contains("<img") && !html.contains("</script"), "{html}");
        assert!(!html.contains("onerror=\""), "{html}");
        let safe = "&lt;/script&gt;&lt;img src=x onerror=&quot;alert(1)&quot; alt=&#39;&amp;&#39;";
        assert_eq!(html.matches(safe).count(), 7, "{html}");
    }

    #[test]
    fn row_count_is_limited() {
        let long_list = list(&vec![json!({ "a": 1 }); 60], 5_000_000);
        let html =
            render_first_rows(&ENGLISH, &form().id, None, &long_list, Role::Owner).unwrap().page;
        assert_eq!(html.matches("data-key=").count(), ROWS_MAX);
        for (px, rows) in [(720, 5), (920, 6), (1120, 13)] {
            assert_eq!(html.matches(&format!("data-below=\"{px}\"")).count(), rows, "{px}");
        }
        assert!(html.contains("calc(100000 * var(--row))") && html.contains("class=\"rail\""));
        assert!(html.contains("<div class=\"page-title\">frm_1</div>"), "the title is the id");
        assert!(html.contains("<span>a</span>"), "fields are derived from answers");
        assert_eq!(render_first_rows(&ENGLISH, &form().id, None, &list(&[], 0), Role::Owner), None);
    }
}
