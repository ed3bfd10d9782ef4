//! The user's selection of columns: visibility, order and widths, and its text format for storage.
//!
//! The module knows neither the content of columns nor the place where the text is stored.

/// Maximum number of stored columns.
const COLUMNS_MAX: usize = 200;
/// Minimum and maximum width of a column, in px.
pub const WIDTHS_PX: (u32, u32) = (64, 960);

/// Column of a selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedColumn {
    /// Identifier of the column, which needs no escape in a URL.
    pub id: String,
    /// Whether the column is visible.
    pub shown: bool,
    /// Width in px, if the user set one.
    pub width_px: Option<u32>,
}

/// Parses a stored selection such as `at,-source,fld_1:240`. Malformed parts are skipped.
pub fn parse_selection(text: &str) -> Vec<SelectedColumn> {
    let parse_column = |part: &str| {
        let (name, width) = part.split_once(':').unwrap_or((part, ""));
        let id = name.strip_prefix('-').unwrap_or(name);
        let width_px = width.parse().ok().map(|px: u32| px.clamp(WIDTHS_PX.0, WIDTHS_PX.1));
        let column = SelectedColumn { id: id.to_owned(), shown: !name.starts_with('-'), width_px };
        (!id.is_empty()).then_some(column)
    };
    text.split(',').take(COLUMNS_MAX).filter_map(parse_column).collect()
}

/// Formats a selection for [`parse_selection`].
pub fn format_selection(columns: &[SelectedColumn]) -> String {
    let format_column = |column: &SelectedColumn| {
        let sign = if column.shown { "" } else { "-" };
        let width = column.width_px.map(|px| format!(":{px}")).unwrap_or_default();
        format!("{sign}{}{width}", column.id)
    };
    columns.iter().take(COLUMNS_MAX).map(format_column).collect::<Vec<_>>().join(",")
}

/// Returns all available columns in the order of the selection.
///
/// `there` has the identifier and the default visibility of each column. A column that is not in
/// the selection is placed after its default predecessor.
pub fn apply_selection(
    available: &[(String, bool)],
    chosen: &[SelectedColumn],
) -> Vec<SelectedColumn> {
    let is_available = |column: &&SelectedColumn| available.iter().any(|(id, _)| *id == column.id);
    let mut columns: Vec<SelectedColumn> = chosen.iter().filter(is_available).cloned().collect();
    for (index, (id, shown)) in available.iter().enumerate() {
        if columns.iter().all(|column| column.id != *id) {
            let before = index.checked_sub(1).map(|before| &available[before].0);
            let at =
                columns.iter().position(|column| Some(&column.id) == before).map_or(0, |at| at + 1);
            columns.insert(at, SelectedColumn { id: id.clone(), shown: *shown, width_px: None });
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arranged(available: &str, chosen: &str) -> String {
        let available: Vec<_> = parse_selection(available)
            .into_iter()
            .map(|column| (column.id, column.shown))
            .collect();
        format_selection(&apply_selection(&available, &parse_selection(chosen)))
    }

    #[track_caller]
    fn check(available: &str, chosen: &str, arrangement: &str) {
        assert_eq!(arranged(available, chosen), arrangement);
    }

    #[test]
    fn selection_survives_added_and_removed_columns() {
        check("at,name,-device", "", "at,name,-device");
        check("at,name,-device", "device,-at:99,name:240", "device,-at:99,name:240");
        // A new field is placed as in the form; a removed one is dropped.
        check("at,name,mail,-device", "device,name,gone,at", "device,name,mail,at");
        check("new,at", "at:70", "new,at:70");
        // Applying the result again changes nothing.
        let once = arranged("at,name,mail,-device", "device,name,at");
        check("at,name,mail,-device", &once, &once);
    }

    #[test]
    fn malformed_parts_are_skipped() {
        assert_eq!(format_selection(&parse_selection(",-,a:x,b:1,c:99999,:4")), "a,b:64,c:960");
        assert_eq!(parse_selection(""), []);
        assert_eq!(parse_selection(&"a,".repeat(900)).len(), COLUMNS_MAX);
    }
}
