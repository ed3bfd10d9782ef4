//! What the dialog's wish is to the worker, and what it costs.

use contract::{ListQuery, Plan};
use exporter::{
    plan::{Cost, cost},
    task::{SELECTION_MAX, Task},
};
use leptos::prelude::*;

use super::job::Job;
use crate::{
    model::{
        export::{Scope, file_name},
        time::write_day,
    },
    pages::submissions::{calendar, list::Source},
};

impl Job {
    /// Returns the task that is asked for. Tracked.
    pub fn task(self) -> Option<Task> {
        let Source { environment, form, .. } = self.desk.source.get()?;
        let (wish, filter) = (self.wish.get(), self.desk.filter.get());
        let managed = self.desk.session.is_managed();
        let plan = self.desk.session.session().map_or(Plan::Free, |one| one.account.plan);
        let fields = if managed { self.desk.fields.get() } else { Vec::new() };
        let day = calendar::today().map(write_day).unwrap_or_default();
        let scoped = wish.scope.filter(&filter);
        let expected = (scoped == filter).then(|| self.desk.list.total().get()).flatten();
        let only = (wish.scope == Scope::Selected).then(|| {
            let mut ids = wish.selected.clone();
            ids.truncate(SELECTION_MAX);
            ids
        });
        Some(Task {
            account: self.desk.session.session()?.account.id,
            environment,
            form,
            fields,
            managed,
            query: ListQuery { filter: scoped, ..ListQuery::default() }.write(),
            only,
            format: wish.format,
            safe: wish.safe,
            left_out: wish.leaves_out(managed),
            zone: wish.zone,
            plan,
            expected,
            name: file_name(&self.desk.form_name(), &day, wish.format),
        })
    }

    /// Returns what the export costs, once that can be told. Tracked.
    pub fn cost(self) -> Option<Cost> {
        let task = self.task()?;
        cost(&task, task.expected, None)
    }
}
