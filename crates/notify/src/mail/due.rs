//! Which pending e-mails of a notification are due, and whether they share one e-mail.

use contract::Timestamp;
use contract::notification::Frequency;
use store::daily_limits::UtcDay;
use store::mail::PendingMail;

/// Maximum number of pending e-mails per lease of a notification, and of those that are leased with
/// their submission.
pub(crate) const PENDING_MAX: usize = 10_000;
pub(crate) const SUBMISSIONS_MAX: usize = 100;
/// Maximum number of e-mails that an address receives at once. More submissions share one e-mail.
const EACH_MAX: usize = 20;

/// Pending e-mails of a lease.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DueMails {
    /// Due ones with their submission.
    pub(crate) listed: Vec<PendingMail>,
    /// Numbers of further due e-mails. Their submissions were not leased, because there are many.
    pub(crate) more: Vec<i64>,
    /// Numbers of e-mails about submissions that are not listed any more.
    pub(crate) gone: Vec<i64>,
}

impl DueMails {
    /// Selects due e-mails: those from before `boundary`, or all.
    pub(crate) fn select(pending: Vec<PendingMail>, boundary: Option<Timestamp>) -> Self {
        let mut selected = Self { listed: Vec::new(), more: Vec::new(), gone: Vec::new() };
        for (index, mail) in pending.into_iter().enumerate() {
            let is_due = boundary.is_none_or(|boundary| mail.created_at < boundary);
            match mail.submission {
                None if index < SUBMISSIONS_MAX => selected.gone.push(mail.seq),
                _ if !is_due => {}
                None => selected.more.push(mail.seq),
                Some(_) => selected.listed.push(mail),
            }
        }
        selected
    }

    /// Returns the numbers of the due e-mails.
    pub(crate) fn seqs(&self) -> Vec<i64> {
        let listed = self.listed.iter().map(|mail| mail.seq);
        listed.chain(self.more.iter().copied()).collect()
    }

    /// Returns the number of submissions.
    pub(crate) fn total(&self) -> usize {
        self.listed.len() + self.more.len()
    }

    /// Returns whether the due e-mails share one.
    ///
    /// Those that are sent at once do if there are many, or if they wait since an earlier day:
    /// then the daily limit was reached, or the mail server could not be reached.
    pub(crate) fn is_digest(&self, every: Frequency, now: Timestamp) -> bool {
        let today = UtcDay::of(now);
        every != Frequency::Submission
            || self.total() > EACH_MAX
            || self.total() > 1
                && self.listed.iter().any(|mail| UtcDay::of(mail.created_at) < today)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: usize) -> Timestamp {
        Timestamp::parse(&format!("2026-03-01T{:02}:{:02}:00Z", minute / 60, minute % 60)).unwrap()
    }

    /// Returns one pending e-mail per minute.
    fn pending(count: usize) -> Vec<PendingMail> {
        let mail_at = |minute: usize| PendingMail {
            seq: i64::try_from(minute).unwrap(),
            created_at: at(minute),
            submission: (minute < SUBMISSIONS_MAX).then(|| format!("{{{minute}}}")),
        };
        (0..count).map(mail_at).collect()
    }

    fn counts(due: &DueMails) -> [usize; 3] {
        [due.listed.len(), due.more.len(), due.gone.len()]
    }

    #[test]
    fn all_are_due_without_boundary() {
        let due = DueMails::select(pending(250), None);
        assert_eq!((counts(&due), due.total()), ([100, 150, 0], 250));
        assert_eq!((due.listed[99].seq, due.more[0]), (99, 100));
        assert_eq!(due.seqs(), (0..250).collect::<Vec<_>>());
    }

    #[test]
    fn later_than_boundary_is_not_due() {
        let due = DueMails::select(pending(250), Some(at(50)));
        assert_eq!(counts(&due), [50, 0, 0]);
        let due = DueMails::select(pending(250), Some(at(150)));
        assert_eq!(counts(&due), [100, 50, 0]);
        assert_eq!(counts(&DueMails::select(pending(250), Some(at(0)))), [0, 0, 0]);
    }

    #[test]
    fn gone_submissions_are_never_due() {
        let mut mails = pending(250);
        for mail in &mut mails[40..60] {
            mail.submission = None;
        }
        let due = DueMails::select(mails, Some(at(50)));
        assert_eq!((counts(&due), due.gone[19]), ([40, 0, 20], 59));
    }

    #[test]
    fn many_submissions_share_one() {
        let check = |count, every, expected| {
            let due = DueMails::select(pending(count), None);
            assert_eq!(due.is_digest(every, at(300)), expected, "{count} {every}");
        };
        check(1, Frequency::Submission, false);
        check(20, Frequency::Submission, false);
        check(21, Frequency::Submission, true);
        check(150, Frequency::Submission, true);
        check(1, Frequency::Hour, true);
        check(1, Frequency::Day, true);
    }

    #[test]
    fn submissions_of_earlier_day_share_one() {
        let tomorrow = Timestamp::parse("2026-03-02T00:00:00Z").unwrap();
        let check = |count, expected| {
            let due = DueMails::select(pending(count), None);
            assert_eq!(due.is_digest(Frequency::Submission, tomorrow), expected, "{count}");
        };
        check(1, false);
        check(2, true);
    }
}
