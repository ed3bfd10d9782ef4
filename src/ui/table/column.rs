//! What a column is: title, width, and its place in the two-line card of a phone.

use leptos::prelude::*;

/// Where a column's cell stands when the row is a card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slot {
    /// First line, left.
    Lead,
    /// First line, right.
    Meta,
    /// Second line.
    Main,
    /// Left out.
    #[default]
    Extra,
}

impl Slot {
    const fn name(self) -> &'static str {
        match self {
            Self::Lead => "lead",
            Self::Meta => "meta",
            Self::Main => "main",
            Self::Extra => "extra",
        }
    }
}

/// A column of a [`Table`](super::Table).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    title: String,
    width_px: u32,
    grows: bool,
    numeric: bool,
    slot: Slot,
}

impl Column {
    /// Returns a column with a title and its least width in px.
    pub fn new(title: impl Into<String>, width_px: u32) -> Self {
        Self { title: title.into(), width_px, grows: false, numeric: false, slot: Slot::Extra }
    }

    /// Returns the column, taking a share of the room that is left.
    #[must_use]
    pub fn grows(self) -> Self {
        Self { grows: true, ..self }
    }

    /// Returns the column with its cells at the right, in figures of equal width.
    #[must_use]
    pub fn numeric(self) -> Self {
        Self { numeric: true, ..self }
    }

    /// Returns the column with its place in a phone's card.
    #[must_use]
    pub fn slot(self, slot: Slot) -> Self {
        Self { slot, ..self }
    }

    fn align(&self) -> Option<&'static str> {
        self.numeric.then_some("end")
    }

    pub(super) fn head(&self) -> impl IntoView + use<> {
        let (title, hover) = (self.title.clone(), self.title.clone());
        view! {
            <div class="grid-cell" role="columnheader" data-align=self.align() title=hover>
                {title}
            </div>
        }
    }

    fn cell(&self, content: AnyView) -> impl IntoView + use<> {
        view! {
            <div
                class="grid-cell"
                role="gridcell"
                data-align=self.align()
                data-slot=self.slot.name()
            >
                {content}
            </div>
        }
    }
}

/// Puts the contents of a row into cells, one for each column.
pub(super) fn cells(columns: &[Column], contents: Vec<AnyView>) -> impl IntoView + use<> {
    columns.iter().zip(contents).map(|(column, content)| column.cell(content)).collect_view()
}

/// Returns the value of `grid-template-columns` for these columns.
pub(super) fn template(columns: &[Column]) -> String {
    let tracks = columns.iter().map(|column| match column {
        Column { width_px, grows: true, .. } => format!("minmax({width_px}px, 1fr)"),
        Column { width_px, .. } => format!("{width_px}px"),
    });
    tracks.collect::<Vec<_>>().join(" ")
}

/// Returns the least width of a row, below which the table scrolls sideways.
pub(super) fn width(columns: &[Column]) -> String {
    format!("{}px", columns.iter().map(|column| column.width_px).sum::<u32>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_one_template_for_every_row() {
        let columns = [Column::new("When", 140), Column::new("What", 240).grows()];
        assert_eq!(template(&columns), "140px minmax(240px, 1fr)");
        assert_eq!(width(&columns), "380px");
        assert_eq!(template(&[]), "");
    }
}
