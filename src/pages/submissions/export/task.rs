//! What the dialog's wish is to the worker, and what it costs.

use contract::{ListQuery, Plan};
use exporter::{
    plan::{Cost, cost},
    task::{SELECTION_MAX, Task},
};
use leptos::prelude::*;

use super::{job::Job, run::Stage};
use crate::{
    model::{
        export::{Scope, file_name},
        time::write_day,
    },
    pages::submissions::{calendar, list::Source},
    stores::tray::now_ms,
    ui::react,
};

impl Job {
    /// Returns the task that is asked for. Tracked.
    pub fn task(self) -> Option<Task> {
        let source = self.desk.source.get()?;
        let (environment, form) = (source.environment, source.form.clone());
        let (wish, filter) = (self.wish.get(), self.desk.filter.get());
        let managed = self.desk.session.is_managed();
        let plan = self.desk.session.session().map_or(Plan::Free, |one| one.account.plan);
        let fields = if managed { self.desk.fields.get() } else { Vec::new() };
        let day = calendar::today().map(write_day).unwrap_or_default();
        let scoped = wish.scope.filter(&filter);
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
            expected: self.expected(&Source { filter: scoped.clone(), ..source }),
            query: ListQuery { filter: scoped, ..ListQuery::default() }.write(),
            only,
            format: wish.format,
            safe: wish.safe,
            left_out: wish.leaves_out(managed),
            zone: wish.zone,
            plan,
            name: file_name(&self.desk.form_name(), &day, wish.format),
        })
    }

    /// Returns what the export costs, once that can be told. Tracked.
    pub fn cost(self) -> Option<Cost> {
        let task = self.task()?;
        let now_s = now_ms() / 1000;
        cost(&task, task.expected, self.count.rate().or_else(|| self.desk.list.rate()), now_s)
    }

    /// Returns how many there are in a scope, as the list counts them or the server was asked.
    fn expected(self, scoped: &Source) -> Option<u64> {
        if self.desk.source.with(|source| source.as_ref() == Some(scoped)) {
            self.desk.list.total().get()
        } else {
            self.count.of(scoped)
        }
    }

    /// Has the server asked how many there are, while the dialog is open: where pages are walked,
    /// nothing else tells what that takes.
    pub(super) fn count(self) {
        react(move || {
            let asks = self.run.open.get()
                && self.run.stage.with(|stage| *stage == Stage::Asking)
                && !self.desk.session.is_managed();
            let source = self.desk.source.get().filter(|_| asks);
            let scope = self.wish.with(|wish| wish.scope);
            let Some(source) = source.filter(|_| scope != Scope::Selected) else { return };
            let scoped = scope.filter(&source.filter);
            if scoped != source.filter {
                untrack(|| self.count.ask(Source { filter: scoped, ..source }));
            }
        });
    }
}
