//! `sheaf audit`: verifies and exports the audit log.

use contract::audit::{
    Action, Actor, AuditCsvWriter, AuditEntry, AuditEvent, AuditFilter, AuditFormat,
};
use store::StoreError;
use store::audit::{AuditReport, AuditScope, ChainReport};
use store::clock::{Clock as _, SystemClock};

use std::path::PathBuf;

use crate::args::{self, audit::Export};
use crate::config::{self, Data, DataLocation};
use crate::error::{Error, Result};
use crate::{output, stores};

/// Entries per query.
const BATCH_ROWS: usize = 500;

/// Runs `sheaf audit`.
///
/// # Errors
/// Arguments that are invalid, a store that fails, or a log that was changed.
pub(crate) async fn run(data: &Data, args: args::Audit) -> Result<()> {
    match args {
        args::Audit::Verify { file, end } => {
            let expected_ends = end.iter().map(|end| (end.number, end.hash.clone())).collect();
            print_report(&verify_log(data, file, expected_ends).await?)
        }
        args::Audit::Export(args) => export_log(data, args).await,
    }
}

/// Verifies the named file, or else the configured store.
async fn verify_log(
    data: &Data,
    file: Option<PathBuf>,
    expected_ends: Vec<(i64, String)>,
) -> Result<AuditReport> {
    let file = match (file, data.location()?) {
        (None, DataLocation::Database(_)) => {
            return stores::verify_audit(data, expected_ends).await;
        }
        (Some(file), _) => file,
        (None, DataLocation::Directory(directory)) => config::find_database(&directory)?,
    };
    let report =
        tokio::task::spawn_blocking(move || store_sqlite::verify(&file, expected_ends)).await;
    Ok(report.map_err(|error| StoreError::Database(error.into()))??)
}

fn print_report(report: &AuditReport) -> Result<()> {
    let rows: Vec<_> = report.chains.iter().map(report_row).collect();
    output::print_table(["ACCOUNT", "ENTRIES", "LAST", "STATE"], &rows)?;
    if report.chains.iter().any(|chain| chain.finding.is_some()) {
        return Err(Error::invalid(
            "the audit log was changed; keep the data, and compare them with a backup",
        ));
    }
    match report.missing.first() {
        Some((number, hash)) => Err(Error::invalid(format!(
            "the audit log does not contain the entry `{number}:{hash}`; it is not the log that \
             was verified earlier"
        ))),
        None => Ok(()),
    }
}

fn report_row(chain: &ChainReport) -> [String; 4] {
    let ChainReport { account, entries, end, finding } = chain;
    let account = if account.is_empty() { "(none)" } else { account };
    let state = finding.clone().unwrap_or_else(|| "whole".to_owned());
    [account.to_owned(), entries.to_string(), format!("{}:{}", end.0, end.1), state]
}

async fn export_log(data: &Data, args: Export) -> Result<()> {
    let store = stores::open_existing(data).await?;
    let account = match &args.account {
        Some(name) => Some(stores::find_account(store.as_ref(), name).await?.id),
        None => None,
    };
    let format = AuditFormat::from(args.format);
    let event = AuditEvent::new(SystemClock.now(), &Actor::system(), Action::AuditExported);
    let event = match &account {
        Some(account) => event.with_account(account),
        None => event,
    };
    store.write_audit(event.with_value("format", format.as_str())).await?;
    let filter = AuditFilter { date_from: args.from, date_to: args.to, ..AuditFilter::default() };
    let scope = account.as_ref().map_or(AuditScope::System, AuditScope::Account);
    let mut csv = AuditCsvWriter::new().map_err(write_error)?;
    let mut before = None;
    loop {
        let entries = store.list_audit_entries(scope, &filter, before, BATCH_ROWS).await?.entries;
        print_entries(&entries, format, &mut csv)?;
        before = entries.last().map(|note| note.place);
        if before.is_none() {
            return Ok(());
        }
    }
}

fn print_entries(
    entries: &[AuditEntry],
    format: AuditFormat,
    csv: &mut AuditCsvWriter,
) -> Result<()> {
    if format == AuditFormat::Ndjson {
        return entries.iter().try_for_each(output::print_json);
    }
    entries.iter().try_for_each(|note| csv.write_row(note)).map_err(write_error)?;
    let bytes = csv.take().map_err(write_error)?;
    output::print_bytes(&bytes)
}

fn write_error(source: std::io::Error) -> Error {
    Error::io("cannot write the audit log")(source)
}
