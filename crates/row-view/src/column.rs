//! Columns of a table: title, width, and position in a narrow table or in the two-line card on a
//! phone.

/// Position of a column's cell if the row is shown as a card of two lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slot {
    /// First line, left.
    Title,
    /// First line, right.
    Aside,
    /// Second line, left.
    Text,
    /// Second line, right.
    Mark,
    /// Second line, left, if there is no text cell. Hidden in narrow tables.
    Spare,
    /// Hidden on phones and in narrow tables.
    #[default]
    Extra,
    /// Hidden on phones only.
    More,
}

impl Slot {
    /// Returns the value of `data-slot`, which `style/` uses to position the cell.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Aside => "aside",
            Self::Text => "text",
            Self::Mark => "mark",
            Self::Spare => "spare",
            Self::Extra => "extra",
            Self::More => "more",
        }
    }

    /// Returns whether narrow tables show the column.
    pub const fn is_in_narrow_table(self) -> bool {
        !matches!(self, Self::Spare | Self::Extra)
    }
}

/// Column of the submission list or of another table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    title: String,
    width_px: u32,
    /// Share of the remaining width, as a factor; 0 means a fixed width.
    share: u32,
    numeric: bool,
    slot: Slot,
}

impl Column {
    /// Creates a column with a title and a minimum width in px.
    pub fn new(title: impl Into<String>, width_px: u32) -> Self {
        Self { title: title.into(), width_px, share: 0, numeric: false, slot: Slot::Extra }
    }

    /// Sets the column's share of the remaining width.
    #[must_use]
    pub fn with_share(self, share: u32) -> Self {
        Self { share, ..self }
    }

    /// Sets a fixed width in px, without a share of the remaining width.
    #[must_use]
    pub fn with_width(self, width_px: u32) -> Self {
        Self { width_px, share: 0, ..self }
    }

    /// Aligns the cells to the right, with tabular figures.
    #[must_use]
    pub fn into_numeric(self) -> Self {
        Self { numeric: true, ..self }
    }

    /// Sets the position in the card on a phone.
    #[must_use]
    pub fn with_slot(self, slot: Slot) -> Self {
        Self { slot, ..self }
    }

    /// Returns the minimum width in px.
    pub fn width_px(&self) -> u32 {
        self.width_px
    }

    /// Returns the title in the header row.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the value of `data-slot`, see [`Slot::name`].
    pub fn slot_name(&self) -> &'static str {
        self.slot.name()
    }

    /// Returns the value of `data-align`: `end` if the cells are right-aligned.
    pub fn align(&self) -> Option<&'static str> {
        self.numeric.then_some("end")
    }
}

/// Returns the value of `grid-template-columns` for the columns.
pub fn grid_template(columns: &[Column]) -> String {
    grid_tracks(columns.iter())
}

/// Returns the value of `grid-template-columns` for a narrow table, which hides some columns.
pub fn narrow_grid_template(columns: &[Column]) -> String {
    grid_tracks(columns.iter().filter(|column| column.slot.is_in_narrow_table()))
}

fn grid_tracks<'a>(columns: impl Iterator<Item = &'a Column>) -> String {
    let track = |Column { width_px, share, .. }: &Column| match share {
        0 => format!("{width_px}px"),
        share => format!("minmax({width_px}px, {share}fr)"),
    };
    columns.map(track).collect::<Vec<_>>().join(" ")
}

/// Returns the minimum width of a row. Below it the table scrolls horizontally.
pub fn min_row_width(columns: &[Column]) -> String {
    format!("{}px", columns.iter().map(|column| column.width_px).sum::<u32>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_give_grid_templates() {
        let columns = [
            Column::new("When", 140).with_slot(Slot::Aside),
            Column::new("What", 240).with_share(3).with_slot(Slot::Title),
            Column::new("Where", 80),
        ];
        assert_eq!(grid_template(&columns), "140px minmax(240px, 3fr) 80px");
        assert_eq!(narrow_grid_template(&columns), "140px minmax(240px, 3fr)");
        assert_eq!(min_row_width(&columns), "460px");
        assert_eq!(grid_template(&[]), "");
    }
}
