//! What the dialog's wish is to the worker, and what it costs.

use std::collections::HashSet;

use contract::{ListQuery, Plan, SubmissionId};
use exporter::{
    plan::{Cost, cost},
    task::{SELECTION_MAX, Task},
};
use leptos::prelude::*;

use super::{job::Job, run::Stage};
use crate::{
    model::{
        export::{Scope, file_name, waits::Waits},
        time::write_day,
        tray,
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
        let wish = self.wish.get();
        let managed = self.desk.session.is_managed();
        let plan = self.desk.session.session().map_or(Plan::Free, |one| one.account.plan);
        let fields = if managed { self.desk.fields.get() } else { Vec::new() };
        let day = calendar::today().map(write_day).unwrap_or_default();
        let waits = self.waits()?;
        let expected = self.expected(&waits);
        let selected = wish.scope == Scope::Selected;
        let (only, without) = if selected {
            let without: HashSet<_> = waits.without.iter().collect();
            let stays = |id: &&SubmissionId| !without.contains(id);
            let ids = wish.selected.iter().filter(stays).take(SELECTION_MAX);
            (Some(ids.cloned().collect()), Vec::new())
        } else {
            (None, waits.without)
        };
        Some(Task {
            account: self.desk.session.session()?.account.id,
            environment,
            form,
            fields,
            managed,
            expected,
            query: ListQuery { filter: waits.filter, ..ListQuery::default() }.write(),
            only,
            without,
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

    /// Returns what waits to be deleted of what is asked for. Tracked.
    pub(super) fn waits(self) -> Option<Waits> {
        let Source { environment, form, filter } = self.desk.source.get()?;
        let scoped = self.wish.with(|wish| wish.scope).filter(&filter);
        let here = |job: &&tray::Job| job.environment == environment && job.form == form;
        Some(self.tray.jobs().with(|jobs| Waits::under(&scoped, jobs.iter().filter(here))))
    }

    /// Returns how many there are in the scope, as the list counts them or the server was asked,
    /// who counts what waits to be deleted as well.
    fn expected(self, waits: &Waits) -> Option<u64> {
        if !self.is_beside_list() {
            return self.desk.list.total().get();
        }
        let counted = self.count.of(&self.counted(waits)?)?;
        Some(counted.saturating_sub(waits.without.len() as u64))
    }

    /// Whether other submissions are asked for than the list counts.
    fn is_beside_list(self) -> bool {
        let scope = self.wish.with(|wish| wish.scope);
        self.desk.filter.with(|filter| scope.filter(filter) != *filter)
    }

    fn counted(self, waits: &Waits) -> Option<Source> {
        Some(Source { filter: waits.filter.clone(), ..self.desk.source.get()? })
    }

    /// Has the server asked how many there are, while the dialog is open: where pages are walked,
    /// nothing else tells what that takes.
    pub(super) fn count(self) {
        react(move || {
            let asks = self.run.open.get()
                && self.run.stage.with(|stage| *stage == Stage::Asking)
                && !self.desk.session.is_managed();
            if asks
                && self.is_beside_list()
                && let Some(source) = self.waits().and_then(|waits| self.counted(&waits))
            {
                untrack(|| self.count.ask(source));
            }
        });
    }
}
