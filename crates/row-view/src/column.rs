//! What a column is: title, width, and its place where there is little room: in a narrow table, and
//! in the two-line card of a phone. It draws nothing.

/// Where a column's cell stands when the row is a card of two lines.
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
    /// Second line, left, where the text is missing. Left out of narrow tables.
    Spare,
    /// Left out, of narrow tables too.
    #[default]
    Extra,
    /// Left out on a phone alone.
    More,
}

impl Slot {
    /// Returns the value of `data-slot`, by which `style/` places a cell.
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

    /// Returns whether it is shown where there is little room.
    pub const fn is_kept(self) -> bool {
        !matches!(self, Self::Spare | Self::Extra)
    }
}

/// A column of the list, or of any other table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    title: String,
    width_px: u32,
    /// Its share of the room that is left.
    share: u32,
    numeric: bool,
    slot: Slot,
}

impl Column {
    /// Returns a column with a title and its least width in px.
    pub fn new(title: impl Into<String>, width_px: u32) -> Self {
        Self { title: title.into(), width_px, share: 0, numeric: false, slot: Slot::Extra }
    }

    /// Returns the column, taking so many shares of the room that is left.
    #[must_use]
    pub fn grows(self, share: u32) -> Self {
        Self { share, ..self }
    }

    /// Returns the column with a width of its own in px, which the room that is left does not
    /// change.
    #[must_use]
    pub fn wide(self, width_px: u32) -> Self {
        Self { width_px, share: 0, ..self }
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

    /// Returns its least width in px.
    pub fn width_px(&self) -> u32 {
        self.width_px
    }

    /// Returns what stands over it.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns its place in the narrow table and on a phone.
    pub fn place(&self) -> &'static str {
        self.slot.name()
    }

    /// Returns the value of `data-align`: `end` where its cells are at the right.
    pub fn align(&self) -> Option<&'static str> {
        self.numeric.then_some("end")
    }
}

/// Returns the value of `grid-template-columns` for these columns.
pub fn template(columns: &[Column]) -> String {
    tracks(columns.iter())
}

/// Returns the same for a narrow table, which leaves some columns out.
pub fn narrow_template(columns: &[Column]) -> String {
    tracks(columns.iter().filter(|column| column.slot.is_kept()))
}

fn tracks<'a>(columns: impl Iterator<Item = &'a Column>) -> String {
    let track = |Column { width_px, share, .. }: &Column| match share {
        0 => format!("{width_px}px"),
        share => format!("minmax({width_px}px, {share}fr)"),
    };
    columns.map(track).collect::<Vec<_>>().join(" ")
}

/// Returns the least width of a row, below which the table scrolls sideways.
pub fn width(columns: &[Column]) -> String {
    format!("{}px", columns.iter().map(|column| column.width_px).sum::<u32>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_one_template_for_every_row() {
        let columns = [
            Column::new("When", 140).slot(Slot::Aside),
            Column::new("What", 240).grows(3).slot(Slot::Title),
            Column::new("Where", 80),
        ];
        assert_eq!(template(&columns), "140px minmax(240px, 3fr) 80px");
        assert_eq!(narrow_template(&columns), "140px minmax(240px, 3fr)");
        assert_eq!(width(&columns), "460px");
        assert_eq!(template(&[]), "");
    }
}
