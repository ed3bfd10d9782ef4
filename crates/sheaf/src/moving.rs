//! `sheaf move`: everything from a directory into a database, and the proof that it is there.

use serde::Serialize;
use service::store::moving::{self, Doing, FormProof, Inventory, Pace, Proof, Reached};

use crate::args;
use crate::config::{self, Data};
use crate::error::{Error, Result};
use crate::import::Progress;
use crate::output;

/// How much of a checksum a table shows.
const SHOWN_CHARS: usize = 16;

/// Moves everything, or goes on with that, and prints what both sides hold; or what there is.
///
/// # Errors
/// A directory or a database that cannot be used, and sides that differ.
pub(crate) async fn run(data: &Data, args: args::Move) -> Result<()> {
    let file = config::existing_database(&data.moved_from(args.from.as_deref()))?;
    let inventory = moving::inventory(&file).await?;
    if args.dry_run {
        return show_inventory(&inventory, args.json);
    }
    let setup = data.moved_to(args.to.as_deref())?;
    for (form, rows) in &inventory.unfinished {
        tracing::warn!(
            form,
            rows,
            "an import into the form has not ended; what it brought so far is not moved. Give it \
             again once everything is in the database"
        );
    }
    let mut progress: Option<(Doing, Progress)> = None;
    let told = |reached| draw(&mut progress, reached);
    let proof = moving::run(&file, &setup, Pace::default(), told).await?;
    drop(progress);
    show_proof(&proof, args.json)?;
    if proof.agrees() { Ok(()) } else { Err(Error::refused(difference(&proof))) }
}

fn draw(progress: &mut Option<(Doing, Progress)>, reached: Reached) {
    let Reached { doing, done, total } = reached;
    let new = || {
        let what = match doing {
            Doing::Moving => "moving",
            Doing::Indexing => "indexing",
            Doing::Comparing => "comparing",
        };
        (doing, Progress::new(what, "rows", total, done))
    };
    let (drawn, bar) = progress.get_or_insert_with(new);
    if *drawn != doing {
        (*drawn, *bar) = new();
    }
    bar.come(done);
}

/// What there is to move, as JSON.
#[derive(Serialize)]
struct Listed<'a> {
    tables: Vec<Counted<'a>>,
    forms: Vec<Counted<'a>>,
    unfinished_imports: Vec<Counted<'a>>,
}

#[derive(Serialize)]
struct Counted<'a> {
    name: &'a str,
    rows: u64,
}

fn show_inventory(inventory: &Inventory, is_json: bool) -> Result<()> {
    let Inventory { tables, forms, unfinished } = inventory;
    if is_json {
        let tables = tables.iter().map(|(name, rows)| Counted { name, rows: *rows }).collect();
        let (forms, unfinished_imports) = (counted(forms), counted(unfinished));
        return output::json(&Listed { tables, forms, unfinished_imports });
    }
    let rows: Vec<_> =
        tables.iter().map(|(name, rows)| [(*name).to_owned(), rows.to_string()]).collect();
    output::table(["TABLE", "ROWS"], &rows)?;
    output::line("")?;
    counts(["FORM", "SUBMISSIONS"], forms)?;
    if !unfinished.is_empty() {
        output::line("")?;
        counts(["UNFINISHED IMPORT", "NOT MOVED"], unfinished)?;
    }
    Ok(())
}

fn counted(all: &[(String, u64)]) -> Vec<Counted<'_>> {
    all.iter().map(|(name, rows)| Counted { name, rows: *rows }).collect()
}

fn counts(heads: [&str; 2], counts: &[(String, u64)]) -> Result<()> {
    let rows: Vec<_> = counts.iter().map(|(id, rows)| [id.clone(), rows.to_string()]).collect();
    output::table(heads, &rows)
}

/// Both sides, as JSON.
#[derive(Serialize)]
struct Proven<'a> {
    agrees: bool,
    #[serde(flatten)]
    proof: &'a Proof,
}

fn show_proof(proof: &Proof, is_json: bool) -> Result<()> {
    if is_json {
        return output::json(&Proven { agrees: proof.agrees(), proof });
    }
    let tables: Vec<_> = proof
        .tables
        .iter()
        .map(|it| {
            let rows = [it.source.rows, it.target.rows].map(|rows| rows.to_string());
            row(it.table, rows, &it.source.checksum, it.agrees())
        })
        .collect();
    output::table(["TABLE", "SOURCE", "TARGET", "CHECKSUM", "STATE"], &tables)?;
    output::line("")?;
    let forms: Vec<_> = proof.forms.iter().map(form).collect();
    output::table(["FORM", "SOURCE", "TARGET", "CHECKSUM", "STATE"], &forms)?;
    output::line("")?;
    let chains: Vec<_> = proof
        .chains
        .iter()
        .map(|it| {
            let account = if it.account.is_empty() { "(none)" } else { &it.account };
            [account.to_owned(), it.source.clone(), state(it.agrees())]
        })
        .collect();
    output::table(["AUDIT LOG OF", "LAST", "STATE"], &chains)
}

fn form(it: &FormProof) -> [String; 5] {
    let rows = [it.source.rows, it.target.rows].map(|rows| rows.to_string());
    row(&it.form_id, rows, &it.source.checksum, it.agrees())
}

fn row(name: &str, [source, target]: [String; 2], checksum: &str, agrees: bool) -> [String; 5] {
    let shown = checksum.get(..SHOWN_CHARS).unwrap_or(checksum).to_owned();
    [name.to_owned(), source, target, shown, state(agrees)]
}

fn state(agrees: bool) -> String {
    if agrees { "same" } else { "differs" }.to_owned()
}

/// Names the first thing that differs.
fn difference(proof: &Proof) -> String {
    let form = proof.forms.iter().find(|form| !form.agrees());
    let table = proof.tables.iter().find(|table| !table.agrees());
    let what = match (form, table) {
        (Some(form), _) => format!("the submissions of the form `{}`", form.form_id),
        (None, Some(table)) => format!("the table `{}`", table.table),
        (None, None) => "the ends of the audit log".to_owned(),
    };
    format!(
        "{what} differ between the directory and the database, which is not to be used so; look \
         through the directory with `sheaf check`, make the database anew, and move again"
    )
}
