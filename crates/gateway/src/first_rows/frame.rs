//! The page, taken apart where something is put into it. Pure.

use row_view::Words;
use row_view::picture::Picture;

/// The page's text, and where what comes with it goes.
pub(crate) struct Frame {
    text: String,
    /// Behind the name of the root element.
    root: usize,
    /// Before the end of the bar at the top.
    top: usize,
    /// Behind the beginning of the bar at the side.
    side: usize,
    /// Behind the beginning of the part in which the shapes of a list stand.
    main: usize,
    /// Before the end of the body.
    end: usize,
}

impl Frame {
    /// Takes a page apart; `None` where it has no shapes of a list.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let root = text.find("<html")? + "<html".len();
        let shapes = text.find("shell first")?;
        let (before, side) = element(text, shapes, "side-bar")?;
        let top = shapes + text[shapes..before].rfind("</div>")?;
        let (_, main) = element(text, side, "main")?;
        let end = text.rfind("</body>")?;
        Some(Self { text: text.to_owned(), root, top, side, main, end })
    }

    /// Returns the page up to where something comes. That answers may come with it, and in which
    /// language rows are drawn, stands on its root element, which `public/first.js` reads.
    pub(super) fn head(&self, words: &Words) -> String {
        let (root, rest) = (&self.text[..self.root], &self.text[self.root..self.top]);
        format!("{root} data-told=\"{}\"{rest}", words.code)
    }

    /// Returns the rest of it around the rows, and the answers at its end.
    pub(super) fn rest(&self, drawn: &Picture, answers: &str) -> String {
        let part = |from: usize, to: usize| &self.text[from..to];
        [
            &drawn.top,
            part(self.top, self.side),
            &drawn.side,
            part(self.side, self.main),
            &drawn.page,
            part(self.main, self.end),
            answers,
            part(self.end, self.text.len()),
        ]
        .concat()
    }
}

/// Finds where an element of a class begins behind a place, and where its content does.
fn element(text: &str, from: usize, class: &str) -> Option<(usize, usize)> {
    let rest = &text[from..];
    let names = [format!("class={class}"), format!("class=\"{class}\"")];
    let at = names.iter().find_map(|name| rest.find(name))?;
    let behind = at + rest[at..].find('>')? + 1;
    Some((from + at, from + behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use row_view::words::GERMAN;

    #[test]
    fn a_page_is_taken_apart_as_it_is_written_and_as_it_is_built() {
        let text = |text: &str| text.to_owned();
        let drawn = Picture { top: text("TOP"), side: text("SIDE"), page: text("ROWS") };
        for quote in ["\"", ""] {
            let page = format!(
                "<!doctype html><html lang=en><body><p class={quote}main{quote}>\
                 <div class=\"shell first\"><div class=top-bar><b></b></div>\
                 <div class={quote}side-bar{quote}></div><div class={quote}main{quote}>SHAPES</div>\
                 </div></body></html>"
            );
            let frame = Frame::of(&page).unwrap();
            let whole = frame.head(&GERMAN) + &frame.rest(&drawn, "ANSWERS");
            assert!(whole.starts_with("<!doctype html><html data-told=\"de\" lang=en><body>"));
            let rest = format!(
                "<b></b>TOP</div><div class={quote}side-bar{quote}>SIDE</div>\
                 <div class={quote}main{quote}>ROWSSHAPES</div></div>ANSWERS</body></html>"
            );
            assert!(whole.ends_with(&rest), "{whole}");
        }
        assert!(Frame::of("<html><body></body>").is_none());
        assert!(Frame::of("").is_none());
    }

    /// The page of this very project.
    #[test]
    fn the_dashboards_page_can_be_taken_apart() {
        let page = include_str!("../../../../index.html");
        let frame = Frame::of(page).unwrap();
        assert_eq!(frame.text[frame.main..].trim_start().find("<div class=\"page\""), Some(0));
    }
}
