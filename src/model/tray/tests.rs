//! What a deletion goes through, without a server and without a clock.

use super::*;

fn key(number: i64) -> Key {
    (Timestamp::from_micros(number).unwrap(), format!("sub_{number}").parse().unwrap())
}

pub(super) fn job(id: u64, numbers: impl IntoIterator<Item = i64>) -> Job {
    let form = "frm_1".parse().unwrap();
    let waiting = numbers.into_iter().map(key).collect();
    Job { waiting, ..Job::new(id, Environment::Live, form, GRACE_MS) }
}

pub(super) fn all(left: u64) -> Job {
    let filter = filter::read("search=a%20b&utm_source=x").filter;
    let before = Timestamp::from_micros(900).unwrap();
    Job { scope: Some(Scope { filter, before }), left, ..job(7, []) }
}

#[test]
fn nothing_goes_before_its_time_and_one_after_the_other_then() {
    let mut jobs = [job(1, [3, 2]), Job { due_ms: 0, ..job(2, [9]) }];
    assert_eq!(next(&jobs, GRACE_MS - 1), Some(Step::Delete(2, key(9))));
    jobs[1].gone(&key(9));
    assert!(jobs[1].is_over());
    assert_eq!(next(&jobs, GRACE_MS - 1), None);
    for number in [3, 2] {
        assert_eq!(next(&jobs, GRACE_MS), Some(Step::Delete(1, key(number))));
        jobs[0].gone(&key(number));
    }
    assert_eq!((next(&jobs, GRACE_MS), jobs[0].done, jobs[0].total()), (None, 2, 2));
}

#[test]
fn failures_are_named_and_five_in_a_row_stop_it() {
    let mut job = job(1, 0..20);
    for number in 0..4 {
        job.fail(&key(number), "why".to_owned(), false);
    }
    job.gone(&key(4));
    for number in 5..9 {
        job.fail(&key(number), "why".to_owned(), false);
        assert!(!job.stopped);
    }
    job.fail(&key(9), "why".to_owned(), false);
    assert!(job.stopped && !job.is_under_way());
    assert_eq!((job.failed.len(), job.open(), job.total()), (9, 10, 20));
    assert_eq!(next(std::slice::from_ref(&job), u64::MAX), None);
    assert_eq!(job.retry().len(), 9);
    assert_eq!((job.failed.len(), job.open(), job.is_under_way()), (0, 19, true));
    job.fail(&key(10), "refused".to_owned(), true);
    assert!(job.stopped);
}

#[test]
fn what_is_on_its_way_is_no_part_of_the_rest() {
    let mut job = job(1, [3, 2, 1]);
    job.sent = Some(key(3));
    assert_eq!(job.rest().collect::<Vec<_>>(), [&key(2), &key(1)]);
    job.sent = None;
    assert_eq!(job.rest().count(), 3);
}

/// Were each key looked for among all others, this would take minutes.
#[test]
fn what_another_tab_did_is_found_among_very_many() {
    let before = Job { sent: Some(key(99_999)), ..job(1, (0..100_000).rev()) };
    let lost = before.lost(Some(&job(1, (0..50_000).rev())));
    assert_eq!((lost.len(), &lost[0]), (49_999, &key(99_998)), "one is on its way");
    assert_eq!(before.lost(None).len(), 99_999);
    assert_eq!(before.lost(Some(&before)), []);
}

#[test]
fn one_that_failed_is_tried_first_and_tells_whether_the_rest_goes_on() {
    let mut job = job(1, 0..9);
    for number in 0..5 {
        job.fail(&key(number), "why".to_owned(), false);
    }
    assert!(job.stopped);
    assert_eq!(job.retry_one(&key(8).1), None, "it has not failed");
    assert_eq!(job.retry_one(&key(3).1), Some(key(3)));
    assert_eq!(next(std::slice::from_ref(&job), GRACE_MS), Some(Step::Delete(1, key(3))));
    job.fail(&key(3), "why".to_owned(), false);
    assert!(job.stopped, "what keeps one keeps the others");
    assert_eq!((job.failed.len(), job.open(), job.total()), (5, 4, 9));
    job.retry_one(&key(3).1);
    job.gone(&key(3));
    assert!(job.is_under_way(), "the rest goes on");
    assert_eq!((job.failed.len(), job.done, job.total()), (4, 1, 9));
}

#[test]
fn all_that_match_are_found_page_by_page_and_never_more_than_agreed_to() {
    let mut job = all(5);
    let find = |job: &Job| Some(Step::Find(7, job.scope.clone().unwrap()));
    assert_eq!(next(std::slice::from_ref(&job), GRACE_MS), find(&job));
    job.found((0..3).rev().map(key).collect());
    assert_eq!((job.left, job.waiting.len(), job.total()), (2, 3, 5));
    for number in 0..3 {
        job.gone(&key(number));
    }
    assert_eq!(next(std::slice::from_ref(&job), GRACE_MS), find(&job));
    job.found((10..20).map(key).collect());
    assert_eq!((job.left, job.waiting.len(), job.total()), (0, 2, 5));
    let mut fewer = all(5);
    fewer.found(Vec::new());
    assert!(fewer.is_over());
}

#[test]
fn those_that_failed_do_not_hide_the_older_ones() {
    let mut job = all(9);
    job.found(vec![key(8), key(8)]);
    job.fail(&key(8), "why".to_owned(), false);
    job.waiting.clear();
    job.found(vec![key(8)]);
    assert_eq!(job.scope.as_ref().unwrap().before.micros(), 9);
    assert!(job.waiting.is_empty() && job.left > 0, "older ones are looked for");
    job.found(vec![key(8)]);
    assert_eq!(job.left, 0, "there are none");
}

#[test]
fn what_is_written_is_read_back_and_nothing_else_is() {
    let check = |job: &Job| assert_eq!(Job::read(job.id, &job.write()).as_ref(), Some(job));
    check(&job(1, [5, 4]));
    check(&Job { done: 3, due_ms: 0, ..all(8) });
    check(&Job {
        scope: Some(Scope { filter: Filter::default(), ..all(1).scope.unwrap() }),
        ..all(1)
    });
    let mut failed = job(3, [5]);
    failed.fail(&key(5), "why".to_owned(), true);
    assert_eq!(Job::read(3, &failed.write()), Some(job(3, [5])), "it is tried again");
    let mut going = job(4, [7, 6, 5]);
    going.gone(&key(7));
    check(&Job { failures: 0, ..going });
    for text in
        ["", "live", "live frm_1 0 0 x ", "live frm_1 0 0 0 \nsub_1", "live frm_1 0 0 0 \n1 x y"]
    {
        assert_eq!(Job::read(1, text), None, "{text}");
    }
}

#[test]
fn what_was_on_its_way_is_unsure_until_it_has_gone_or_failed() {
    let left = Job { sent: Some(key(7)), ..job(4, [7, 6, 5]) };
    let mut going = Job::read(4, &left.write()).unwrap();
    assert_eq!((going.sent.as_ref(), &going.unsure), (None, &vec![key(7)]));
    assert_eq!(going.waiting, left.waiting, "it is asked for again");
    assert_eq!(Job::read(4, &going.write()).as_ref(), Some(&going), "left again");
    going.sent = Some(key(6));
    assert_eq!(going.doubtful().collect::<Vec<_>>(), [&key(7), &key(6)]);
    going.gone(&key(7));
    going.sent = None;
    assert_eq!(going.doubtful().count(), 0);
}
