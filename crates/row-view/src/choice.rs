//! Which columns of a list are shown, in which order, and how wide, as a person chose and as it is
//! kept in a text. It knows neither what columns show nor where the text is kept.

/// Most columns that are kept.
const COLUMNS_MAX: usize = 200;
/// The narrowest and the widest that a column may be, in px.
pub const WIDTHS_PX: (u32, u32) = (64, 960);

/// A column, as it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// What it shows: letters that stand for themselves in a URL.
    pub id: String,
    /// Whether it is shown.
    pub shown: bool,
    /// Its width in px, where that was chosen.
    pub width_px: Option<u32>,
}

/// Reads a kept choice, `at,-source,fld_1:240`. What is malformed is left out.
pub fn parse(text: &str) -> Vec<Chosen> {
    let one = |part: &str| {
        let (name, width) = part.split_once(':').unwrap_or((part, ""));
        let id = name.strip_prefix('-').unwrap_or(name);
        let width_px = width.parse().ok().map(|px: u32| px.clamp(WIDTHS_PX.0, WIDTHS_PX.1));
        let column = Chosen { id: id.to_owned(), shown: !name.starts_with('-'), width_px };
        (!id.is_empty()).then_some(column)
    };
    text.split(',').take(COLUMNS_MAX).filter_map(one).collect()
}

/// Writes a choice as [`parse`] reads it.
pub fn write(columns: &[Chosen]) -> String {
    let one = |column: &Chosen| {
        let sign = if column.shown { "" } else { "-" };
        let width = column.width_px.map(|px| format!(":{px}")).unwrap_or_default();
        format!("{sign}{}{width}", column.id)
    };
    columns.iter().take(COLUMNS_MAX).map(one).collect::<Vec<_>>().join(",")
}

/// Returns every column that there is, given as id and whether it is shown without a choice: those
/// that were chosen in their order, each other one behind the one that it stands behind by itself.
pub fn arrange(there: &[(String, bool)], chosen: &[Chosen]) -> Vec<Chosen> {
    let known = |one: &&Chosen| there.iter().any(|(id, _)| *id == one.id);
    let mut columns: Vec<Chosen> = chosen.iter().filter(known).cloned().collect();
    for (place, (id, shown)) in there.iter().enumerate() {
        if columns.iter().all(|one| one.id != *id) {
            let before = place.checked_sub(1).map(|before| &there[before].0);
            let at = columns.iter().position(|one| Some(&one.id) == before).map_or(0, |at| at + 1);
            columns.insert(at, Chosen { id: id.clone(), shown: *shown, width_px: None });
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arranged(there: &str, chosen: &str) -> String {
        let there: Vec<_> =
            parse(there).into_iter().map(|column| (column.id, column.shown)).collect();
        write(&arrange(&there, &parse(chosen)))
    }

    #[track_caller]
    fn check(there: &str, chosen: &str, arrangement: &str) {
        assert_eq!(arranged(there, chosen), arrangement);
    }

    #[test]
    fn a_choice_is_kept_whatever_columns_come_and_go() {
        check("at,name,-device", "", "at,name,-device");
        check("at,name,-device", "device,-at:99,name:240", "device,-at:99,name:240");
        // A new field stands where the form has it; one that is gone leaves nothing.
        check("at,name,mail,-device", "device,name,gone,at", "device,name,mail,at");
        check("new,at", "at:70", "new,at:70");
        // Asked again, the answer is the same.
        let once = arranged("at,name,mail,-device", "device,name,at");
        check("at,name,mail,-device", &once, &once);
    }

    #[test]
    fn what_is_malformed_is_left_out() {
        assert_eq!(write(&parse(",-,a:x,b:1,c:99999,:4")), "a,b:64,c:960");
        assert_eq!(parse(""), []);
        assert_eq!(parse(&"a,".repeat(900)).len(), COLUMNS_MAX);
    }
}
