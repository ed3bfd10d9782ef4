//! `sheaf audit`: verifies and exports the audit log.

use contract::audit::{Act, Action, Actor, AuditFilter, AuditFormat, Note, NotesCsv};
use store::StoreError;
use store::audit::{AuditReport, Chain, Whose};
use store::clock::{Clock as _, SystemClock};

use std::path::PathBuf;

use crate::args::{self, audit::Export};
use crate::config::{self, Data, Place};
use crate::error::{Error, Result};
use crate::{output, stores};

/// Entries per query.
const PORTION_ROWS: usize = 500;

/// Runs `sheaf audit`.
///
/// # Errors
/// Arguments that are invalid, a store that fails, or a log that was changed.
pub(crate) async fn run(data: &Data, args: args::Audit) -> Result<()> {
    match args {
        args::Audit::Verify { file, end } => {
            let wanted = end.iter().map(|end| (end.place, end.hash.clone())).collect();
            report(&verify(data, file, wanted).await?)
        }
        args::Audit::Export(args) => export(data, args).await,
    }
}

/// Verifies the named file, or else the configured store.
async fn verify(
    data: &Data,
    file: Option<PathBuf>,
    wanted: Vec<(i64, String)>,
) -> Result<AuditReport> {
    let file = match (file, data.place()?) {
        (None, Place::Database(_)) => return stores::verify_audit(data, wanted).await,
        (Some(file), _) => file,
        (None, Place::Directory(directory)) => config::existing_database(&directory)?,
    };
    let looked = tokio::task::spawn_blocking(move || store_sqlite::verify(&file, wanted)).await;
    Ok(looked.map_err(|error| StoreError::Database(error.into()))??)
}

fn report(report: &AuditReport) -> Result<()> {
    let rows: Vec<_> = report.chains.iter().map(row).collect();
    output::table(["ACCOUNT", "ENTRIES", "LAST", "STATE"], &rows)?;
    if report.chains.iter().any(|chain| chain.finding.is_some()) {
        return Err(Error::refused(
            "the audit log was changed; keep the data, and compare them with a backup",
        ));
    }
    match report.missing.first() {
        Some((place, hash)) => Err(Error::refused(format!(
            "the audit log does not contain the entry `{place}:{hash}`; it is not the log that was \
             verified earlier"
        ))),
        None => Ok(()),
    }
}

fn row(chain: &Chain) -> [String; 4] {
    let Chain { account, notes, end, finding } = chain;
    let account = if account.is_empty() { "(none)" } else { account };
    let state = finding.clone().unwrap_or_else(|| "whole".to_owned());
    [account.to_owned(), notes.to_string(), format!("{}:{}", end.0, end.1), state]
}

async fn export(data: &Data, args: Export) -> Result<()> {
    let store = stores::open_existing(data).await?;
    let account = match &args.account {
        Some(named) => Some(stores::account(store.as_ref(), named).await?.id),
        None => None,
    };
    let format = AuditFormat::from(args.format);
    let act = Act::new(SystemClock.now(), &Actor::system(), Action::AuditExported);
    let act = match &account {
        Some(account) => act.of(account),
        None => act,
    };
    store.note(act.with("format", format.as_str())).await?;
    let filter = AuditFilter { date_from: args.from, date_to: args.to, ..AuditFilter::default() };
    let whose = account.as_ref().map_or(Whose::Nobody, Whose::Account);
    let mut csv = NotesCsv::new().map_err(failed)?;
    let mut before = None;
    loop {
        let notes = store.list_notes(whose, &filter, before, PORTION_ROWS).await?.notes;
        print(&notes, format, &mut csv)?;
        before = notes.last().map(|note| note.place);
        if before.is_none() {
            return Ok(());
        }
    }
}

fn print(notes: &[Note], format: AuditFormat, csv: &mut NotesCsv) -> Result<()> {
    if format == AuditFormat::Ndjson {
        return notes.iter().try_for_each(output::json);
    }
    notes.iter().try_for_each(|note| csv.row(note)).map_err(failed)?;
    let bytes = csv.take().map_err(failed)?;
    output::bytes(&bytes)
}

fn failed(source: std::io::Error) -> Error {
    Error::io("cannot write the audit log")(source)
}
