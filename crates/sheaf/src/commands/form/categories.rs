//! `sheaf form categories`: the categories of a form and their keywords.

use contract::FormId;
use contract::audit::Action;
use contract::insight::Categories;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use store::Store;
use store::insight::default_categories;

use crate::error::{Error, Result, json_reason};
use crate::{audit_events, output, stores};

/// Maximum size of a category file, in bytes.
const FILE_BYTES_MAX: u64 = 256 * 1024;

/// Sets or resets the categories if requested; otherwise prints them.
///
/// # Errors
/// An unknown form, or a file that does not contain categories.
pub(super) async fn run(
    store: &dyn Store,
    form: &FormId,
    set: Option<&Path>,
    reset: bool,
    json: bool,
) -> Result<()> {
    let record = stores::find_form(store, form).await?;
    let event = audit_events::form_event(Action::CategoriesSet, &record);
    if let Some(path) = set {
        let categories = read_categories(path)?;
        let count = categories.as_slice().len();
        store.with_audit(event).set_categories(form, Some(categories)).await?;
        return output::print_line(format!("{count} categories apply to future analyses"));
    }
    if reset {
        store.with_audit(event.with_value("reset", true)).set_categories(form, None).await?;
        return output::print_line("the default categories apply to future analyses");
    }
    let form_categories = store.find_categories(form).await?;
    let categories = form_categories.unwrap_or_else(|| default_categories().as_ref().clone());
    if json {
        return output::print_json(&categories);
    }
    let row =
        |category: &contract::insight::Category| [category.name.clone(), category.words.join(", ")];
    let rows: Vec<_> = categories.as_slice().iter().map(row).collect();
    output::print_table(["CATEGORY", "WORDS"], &rows)
}

fn read_categories(path: &Path) -> Result<Categories> {
    let mut bytes = Vec::new();
    let mut take = |from: &mut dyn Read| from.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
    let text = if path.as_os_str() == "-" {
        take(&mut io::stdin().lock())
    } else {
        take(&mut File::open(path).map_err(Error::file(path))?)
    };
    text.map_err(Error::file(path))?;
    let name = path.display();
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let wrong = format!("the file `{name}` must have at most {FILE_BYTES_MAX} bytes");
        return Err(Error::invalid(wrong));
    }
    serde_json::from_slice(&bytes).map_err(|error| {
        let (reason, line, column) = (json_reason(&error), error.line(), error.column());
        Error::invalid(format!(
            "the file `{name}` does not contain a list of categories: {reason} at line {line} \
             column {column}"
        ))
    })
}
