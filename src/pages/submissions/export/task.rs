//! Converts the options of the dialog into a task for the worker, and calculates its cost.

use contract::{ListQuery, Plan};
use export_worker::{
    plan::{Cost, cost},
    task::{SELECTION_MAX, Task},
};
use leptos::prelude::*;

use super::{job::Job, run::Stage};
use crate::{
    domain::{
        export::{Scope, file_name},
        time::write_day,
    },
    pages::submissions::{calendar, list::Source},
    ui::{react, time::now_ms},
};

impl Job {
    /// Returns the task for the worker. Tracked.
    pub fn task(self) -> Option<Task> {
        let source = self.list.source.get()?;
        let (environment, form) = (source.environment, source.form.clone());
        let wish = self.wish.get();
        let capabilities = self.list.session.capabilities();
        let plan = self.list.session.session().map_or(Plan::Free, |one| one.account.plan);
        let fields = if capabilities.form_fields { self.list.fields.get() } else { Vec::new() };
        let day = calendar::today().map(write_day).unwrap_or_default();
        let expected = self.expected();
        let filter = wish.scope.filter(&source.filter);
        let selected = wish.scope == Scope::Selected;
        let only = selected.then(|| wish.selected.iter().take(SELECTION_MAX).cloned().collect());
        Some(Task {
            account: self.list.session.session()?.account.id,
            environment,
            form,
            fields,
            managed: capabilities.filtered_exports,
            expected,
            query: ListQuery { filter, ..ListQuery::default() }.write(),
            only,
            format: wish.format,
            safe: wish.safe,
            left_out: wish.leaves_out(capabilities.form_fields),
            zone: wish.zone,
            plan,
            name: file_name(&self.list.form_name(), &day, wish.format),
        })
    }

    /// Returns the cost of the export, once it can be calculated. Tracked.
    pub fn cost(self) -> Option<Cost> {
        let task = self.task()?;
        let now_s = now_ms() / 1000;
        cost(&task, task.expected, self.count.rate().or_else(|| self.list.rows.rate()), now_s)
    }

    /// Returns the number of submissions in the scope: from the list, or from a count request.
    fn expected(self) -> Option<u64> {
        if self.is_beside_list() {
            self.count.of(&self.counted()?)
        } else {
            self.list.rows.total().get()
        }
    }

    /// Returns whether the scope has another filter than the list.
    fn is_beside_list(self) -> bool {
        let scope = self.wish.with(|wish| wish.scope);
        self.list.filter.with(|filter| scope.filter(filter) != *filter)
    }

    fn counted(self) -> Option<Source> {
        let source = self.list.source.get()?;
        let filter = self.wish.with(|wish| wish.scope).filter(&source.filter);
        Some(Source { filter, ..source })
    }

    /// Requests the number of submissions while the dialog is open and the export would walk pages.
    /// The cost depends on that number, and the list does not know it for another scope.
    pub(super) fn count(self) {
        react(move || {
            let asks = self.run.open.get()
                && self.run.stage.with(|stage| *stage == Stage::Asking)
                && !self.list.session.capabilities().filtered_exports;
            if asks
                && self.is_beside_list()
                && let Some(source) = self.counted()
            {
                untrack(|| self.count.ask(source));
            }
        });
    }
}
