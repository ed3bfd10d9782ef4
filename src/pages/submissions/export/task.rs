//! Converts the options of the dialog into a task for the worker, and calculates its cost.

use contract::{
    ListQuery, Plan, Sort,
    sort::SORTED_MATCHES_MAX,
    triage::{TriageColumns, TriageNames},
};
use export_worker::{
    plan::{ExportCost, export_cost},
    task::{ExportTask, SELECTION_MAX},
};
use leptos::prelude::*;

use super::{job::ExportJob, run::ExportState};
use crate::{
    domain::{
        export::{ExportScope, file_name},
        time::write_day,
    },
    pages::submissions::{calendar, list::ListSource},
    ui::{run_effect, time::now_ms},
};

impl ExportJob {
    /// Returns the task for the worker. Tracked.
    pub fn to_task(self) -> Option<ExportTask> {
        let source = self.list.source.get()?;
        let environment = source.environment;
        let form = source.form.clone()?;
        let options = self.options.get();
        let capabilities = self.list.session.capabilities();
        let plan = self.list.session.session().map_or(Plan::Free, |session| session.account.plan);
        let fields = if capabilities.form_fields { self.list.fields.get() } else { Vec::new() };
        let day = calendar::today().map(write_day).unwrap_or_default();
        let expected = self.expected_count();
        let filter = options.scope.narrow_filter(&source.filter);
        let sort = self.exported_sort();
        let selected = options.scope == ExportScope::Selected;
        let selected_ids =
            selected.then(|| options.selected_ids.iter().take(SELECTION_MAX).cloned().collect());
        Some(ExportTask {
            account: self.list.session.session()?.account.id,
            environment,
            form,
            fields,
            managed: capabilities.filtered_exports,
            expected,
            query: ListQuery { filter, sort, ..ListQuery::default() }.to_query_string(),
            selected_ids,
            format: options.format,
            safe: options.escape_formulas,
            left_out: options.effective_exclusions(capabilities.form_fields),
            triage: if capabilities.triage { options.triage } else { TriageColumns::default() },
            triage_names: TriageNames::default(),
            zone: options.zone,
            plan,
            name: file_name(&self.list.name(), &day, options.format),
        })
    }

    /// Returns the order of the export, which is that of the list if the server supports it for so
    /// many submissions; `None` for newest first, and while their number is unknown. Tracked.
    pub fn exported_sort(self) -> Option<Sort> {
        let sort = self.list.sort.get()?;
        let can_sort = self.list.session.capabilities().filtered_exports
            && self.expected_count().is_some_and(|rows| rows <= SORTED_MATCHES_MAX);
        can_sort.then_some(sort)
    }

    /// Returns the cost of the export, once it can be calculated. Tracked.
    pub fn cost(self) -> Option<ExportCost> {
        let task = self.to_task()?;
        let now_s = now_ms() / 1000;
        export_cost(
            &task,
            task.expected,
            self.count.rate().or_else(|| self.list.rows.rate_limit()),
            now_s,
        )
    }

    /// Returns the number of submissions in the scope: from the list, or from a count request.
    pub(super) fn expected_count(self) -> Option<u64> {
        let listed = self.list.rows.total().get().filter(|_| !self.differs_from_list());
        listed.or_else(|| self.count.count_of(&self.counted_source()?))
    }

    /// Returns whether the scope has another filter than the list.
    fn differs_from_list(self) -> bool {
        let scope = self.options.with(|options| options.scope);
        self.list.filter.with(|filter| scope.narrow_filter(filter) != *filter)
    }

    fn counted_source(self) -> Option<ListSource> {
        let source = self.list.source.get()?;
        let filter = self.options.with(|options| options.scope).narrow_filter(&source.filter);
        Some(ListSource { filter, ..source })
    }

    /// Requests the number of submissions while the dialog is open, if the export would walk pages
    /// or be sorted. Its cost or order depends on that number, and the list does not know it for
    /// another scope.
    pub(super) fn request_counts(self) {
        run_effect(move || {
            let asks = self.run.open.get()
                && self.run.state.with(|stage| *stage == ExportState::Idle)
                && (!self.list.session.capabilities().filtered_exports
                    || self.list.sort.with(Option::is_some));
            if asks
                && self.expected_count().is_none()
                && let Some(source) = self.counted_source()
            {
                untrack(|| self.count.request_count(source));
            }
        });
    }
}
