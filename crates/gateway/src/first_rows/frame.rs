//! The HTML page, split at the points of insertion. Pure functions.

use row_view::Labels;
use row_view::first_rows::FirstRows;

/// The text of the page, with the byte offsets of insertion points.
pub(crate) struct PageTemplate {
    text: String,
    /// After the name of the root element.
    root: usize,
    /// Before the closing tag of the top bar.
    top: usize,
    /// After the opening tag of the side bar.
    side: usize,
    /// After the opening tag of the main element, which contains the skeleton of a list.
    main: usize,
    /// Before the closing tag of the body.
    end: usize,
}

impl PageTemplate {
    /// Splits a page; `None` if it has no skeleton of a list.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let root = text.find("<html")? + "<html".len();
        let shapes = text.find("shell first")?;
        let (before, side) = find_element(text, shapes, "side-bar")?;
        let top = shapes + text[shapes..before].rfind("</div>")?;
        let (_, main) = find_element(text, side, "main")?;
        let end = text.rfind("</body>")?;
        Some(Self { text: text.to_owned(), root, top, side, main, end })
    }

    /// Returns the page up to the first insertion point. An attribute of the root element, which
    /// `public/first.js` reads, gives the language of the rows and announces embedded responses.
    pub(super) fn render_head(&self, labels: &Labels) -> String {
        let root = &self.text[..self.root];
        let rest = &self.text[self.root..self.top];
        format!("{root} data-lang=\"{}\"{rest}", labels.code)
    }

    /// Returns the rest of the page, with the rows and the embedded responses.
    pub(super) fn render_rest(&self, drawn: &FirstRows, data_blocks: &str) -> String {
        let part = |from: usize, to: usize| &self.text[from..to];
        [
            &drawn.top,
            part(self.top, self.side),
            &drawn.side,
            part(self.side, self.main),
            &drawn.page,
            part(self.main, self.end),
            data_blocks,
            part(self.end, self.text.len()),
        ]
        .concat()
    }
}

/// Finds the first element with `class` after `from`. Returns the offsets of its class attribute
/// and of its content.
fn find_element(text: &str, from: usize, class: &str) -> Option<(usize, usize)> {
    let rest = &text[from..];
    let names = [format!("class={class}"), format!("class=\"{class}\"")];
    let at = names.iter().find_map(|name| rest.find(name))?;
    let after = at + rest[at..].find('>')? + 1;
    Some((from + at, from + after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use row_view::labels::GERMAN;

    #[test]
    fn page_is_split_with_or_without_quotes() {
        let text = |text: &str| text.to_owned();
        let drawn = FirstRows { top: text("TOP"), side: text("SIDE"), page: text("ROWS") };
        for quote in ["\"", ""] {
            let page = format!(
                "<!doctype html><html lang=en><body><p class={quote}main{quote}>\
                 <div class=\"shell first\"><div class=top-bar><b></b></div>\
                 <div class={quote}side-bar{quote}></div><div class={quote}main{quote}>SHAPES</div>\
                 </div></body></html>"
            );
            let frame = PageTemplate::parse(&page).unwrap();
            let whole = frame.render_head(&GERMAN) + &frame.render_rest(&drawn, "ANSWERS");
            assert!(whole.starts_with("<!doctype html><html data-lang=\"de\" lang=en><body>"));
            let rest = format!(
                "<b></b>TOP</div><div class={quote}side-bar{quote}>SIDE</div>\
                 <div class={quote}main{quote}>ROWSSHAPES</div></div>ANSWERS</body></html>"
            );
            assert!(whole.ends_with(&rest), "{whole}");
        }
        assert!(PageTemplate::parse("<html><body></body>").is_none());
        assert!(PageTemplate::parse("").is_none());
    }

    /// Uses the `index.html` of this repository.
    #[test]
    fn index_html_has_all_insertion_points() {
        let page = include_str!("../../../../index.html");
        let frame = PageTemplate::parse(page).unwrap();
        assert_eq!(frame.text[frame.main..].trim_start().find("<div class=\"page\""), Some(0));
    }
}
