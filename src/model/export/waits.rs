//! What of a form waits to be deleted, as an export takes it: the list does not show it, so the
//! file does not have it, either, as far as it is known what that is.

use contract::{Filter, SubmissionId};

use crate::model::{feed::Key, filter::is_dates_only, tray::Job};

/// What an export leaves out, and what it cannot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waits {
    /// The filter of the export, less what all of it waits.
    pub filter: Filter,
    /// What is left out of that one by one.
    pub without: Vec<SubmissionId>,
    /// How many are left out in all: at most, where a search says which match.
    pub out: u64,
    /// Whether it is exactly so many.
    pub is_exact: bool,
    /// How many more may be deleted, of which nobody knows yet which they are.
    pub within: u64,
}

impl Waits {
    /// Returns what waits under the filter of an export, of these decisions about its form.
    pub fn under<'a>(filter: &Filter, jobs: impl Iterator<Item = &'a Job> + Clone) -> Self {
        let is_exact = is_dates_only(filter);
        let mut waits = Self { filter: filter.clone(), is_exact, ..Self::default() };
        let keys = jobs.clone().flat_map(|job| job.waiting.iter());
        waits.out = keys.clone().filter(|key| is_within(filter, key)).count() as u64;
        for job in jobs.filter(|job| job.is_under_way()) {
            let Some(scope) = &job.scope else { continue };
            // A server may refuse a time that ends before it begins.
            let some_stay = filter.date_to.is_none_or(|to| scope.before < to);
            if scope.filter == *filter && some_stay {
                waits.filter.date_from = waits.filter.date_from.max(Some(scope.before));
                waits.out += job.left;
            } else {
                waits.within += job.left;
            }
        }
        let listed = keys.filter(|key| is_within(&waits.filter, key));
        waits.without = listed.map(|key| key.1.clone()).collect();
        waits
    }
}

fn is_within(filter: &Filter, (at, _): &Key) -> bool {
    filter.date_from.is_none_or(|from| *at >= from) && filter.date_to.is_none_or(|to| *at < to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{filter::read, tray::Scope};
    use contract::{Environment, Timestamp};

    fn at(day: &str) -> Timestamp {
        Timestamp::parse(day).unwrap()
    }

    fn of_keys(keys: &[(&str, &str)]) -> Job {
        let key = |(id, day): &(&str, &str)| (at(day), id.parse().unwrap());
        let waiting = keys.iter().map(key).collect();
        Job { waiting, ..Job::new(1, Environment::Live, "frm_1".parse().unwrap(), 0) }
    }

    fn of_all(query: &str, before: &str, left: u64) -> Job {
        let scope = Scope { filter: read(query).filter, before: at(before) };
        Job { scope: Some(scope), left, ..of_keys(&[("sub_9", "2026-01-02")]) }
    }

    #[track_caller]
    fn check(query: &str, jobs: &[Job], filter: &str, without: &[&str], out: u64, within: u64) {
        let waits = Waits::under(&read(query).filter, jobs.iter());
        assert_eq!(waits.filter, read(filter).filter);
        assert_eq!(waits.without.iter().map(SubmissionId::as_str).collect::<Vec<_>>(), without);
        assert_eq!((waits.out, waits.within), (out, within));
    }

    #[test]
    fn what_is_known_by_its_id_is_left_out_where_it_could_be() {
        let jobs = [of_keys(&[("sub_2", "2026-03-02"), ("sub_1", "2026-03-01")])];
        check("", &[], "", &[], 0, 0);
        check("", &jobs, "", &["sub_2", "sub_1"], 2, 0);
        check("search=x", &jobs, "search=x", &["sub_2", "sub_1"], 2, 0);
        assert!(!Waits::under(&read("search=x").filter, jobs.iter()).is_exact);
        let dates = "date_from=2026-03-02";
        check(dates, &jobs, dates, &["sub_2"], 1, 0);
        let dates = "date_to=2026-03-02";
        check(dates, &jobs, dates, &["sub_1"], 1, 0);
        assert!(Waits::under(&read(dates).filter, jobs.iter()).is_exact);
    }

    #[test]
    fn all_of_a_filter_are_left_out_of_the_same_and_told_of_another() {
        let jobs = [of_all("", "2026-03-01", 40), of_keys(&[("sub_3", "2026-04-01")])];
        check("", &jobs, "date_from=2026-03-01", &["sub_3"], 42, 0);
        check("search=x", &jobs, "search=x", &["sub_9", "sub_3"], 2, 40);
        let ended = "date_to=2026-03-01";
        check(ended, &[of_all(ended, "2026-03-01", 40)], ended, &["sub_9"], 1, 40);
        // Of what has stopped, nothing more goes.
        let stopped = Job { stopped: true, ..of_all("", "2026-03-01", 40) };
        check("", &[stopped], "", &["sub_9"], 1, 0);
    }
}
