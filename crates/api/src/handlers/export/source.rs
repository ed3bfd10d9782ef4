//! Reads the submissions of an export from the store, chunk by chunk.

use crate::Service;
use crate::error::{Error, Result};
use crate::middleware::auth::Caller;
use contract::triage::TriageColumns;
use contract::{ExportQuery, Filter, FormId, Sort};
use store::sorted::{POSITIONS_MAX, SortedRequest};
use store::{Chunk, Owner, Position, StoreError};

/// Query of an export, and its progress.
pub(super) struct ExportSource {
    service: Service,
    form: FormId,
    triage: TriageColumns,
    rows: Rows,
    /// Position after the last row that was read; `None` at both ends of the export.
    position: Option<Position>,
}

/// The submissions of an export.
enum Rows {
    /// The matches of a filter, newest first.
    Newest(Box<Filter>),
    /// The submissions at these positions, in their order.
    Sorted { positions: Vec<Position>, read: usize },
}

impl ExportSource {
    /// Opens an export. The fields of its filter and its order are resolved. For a sorted export,
    /// finds all positions.
    pub(super) async fn open(
        service: Service,
        caller: &Caller,
        form: FormId,
        query: ExportQuery,
    ) -> Result<Self> {
        let ExportQuery { filter, triage, sort, .. } = query;
        let rows = match sort {
            None => Rows::Newest(Box::new(filter)),
            Some(sort) => {
                let positions = find_positions(&service, caller, &form, filter, sort).await?;
                Rows::Sorted { positions, read: 0 }
            }
        };
        Ok(Self { service, form, triage, rows, position: None })
    }

    pub(super) fn service(&self) -> &Service {
        &self.service
    }

    pub(super) fn form(&self) -> &FormId {
        &self.form
    }

    /// Returns whether the chunk that was read last is the last one.
    pub(super) fn is_finished(&self) -> bool {
        self.position.is_none()
    }

    /// Reads the next chunk into the memory of a used one.
    pub(super) async fn read_chunk(&mut self, spent: Chunk) -> Result<Chunk, StoreError> {
        let store = self.service.store();
        let spent = spent.with_triage(self.triage);
        let chunk = match &mut self.rows {
            Rows::Newest(filter) => {
                let after = self.position.as_ref();
                store.export_submissions(&self.form, filter, after, spent).await?
            }
            Rows::Sorted { positions, read } => {
                let next = &positions[*read..];
                let next = &next[..next.len().min(POSITIONS_MAX)];
                let mut chunk = store.export_positions(&self.form, next, spent).await?;
                let last = chunk.next_position();
                let last = next.iter().position(|position| Some(position) == last);
                *read += last.map_or(next.len(), |index| index + 1);
                if *read < positions.len() && chunk.next_position().is_none() {
                    chunk.set_next_position(positions[*read - 1].clone());
                }
                chunk
            }
        };
        self.position = chunk.next_position().cloned();
        Ok(chunk)
    }
}

async fn find_positions(
    service: &Service,
    caller: &Caller,
    form: &FormId,
    filter: Filter,
    sort: Sort,
) -> Result<Vec<Position>> {
    let owner = Owner { account_id: caller.account.id.clone(), environment: caller.environment };
    let request =
        SortedRequest { owner, form: form.clone(), filter, sort, after: None, limit: usize::MAX };
    let found = service.store().find_sorted_positions(request).await?;
    found.ok_or_else(|| Error::not_found("form"))
}
