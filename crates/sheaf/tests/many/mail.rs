//! E-mail of several instances: each e-mail is sent once, by whichever instance leases it.

use crate::site::{INSTANCES, Site};
use crate::smtp_server::{ParsedMail, SmtpServer};
use crate::test_env::SOON;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Number of forms, of addresses per form, and of submissions per form.
const FORMS: usize = 12;
const ADDRESSES: usize = 2;
const SUBMISSIONS: usize = 25;
/// Maximum time until all e-mails are sent.
const WAIT_MAX: Duration = Duration::from_mins(2);

/// An address and the submission that it was notified of.
type Notified = (String, String);

#[test]
fn instances_share_emails_without_double_sends() {
    let smtp = SmtpServer::start();
    let site = Site::start(&format!("--smtp-url {} --mail-from forms@sheaf.example", smtp.url()));
    let forms: Vec<String> = (0..FORMS).map(|number| create_form(&site, number)).collect();
    let expected = send_submissions(&site, &forms);
    let begin = Instant::now();
    while site.run_sql("SELECT count(*) FROM pending_mails") != ["0"] {
        assert!(begin.elapsed() < WAIT_MAX, "not all e-mails were sent");
        std::thread::sleep(Duration::from_millis(200));
    }
    // An instance that still sends has a lease.
    let leases =
        "SELECT count(*) FROM notifications WHERE next_at > extract(epoch FROM now()) * 1e6";
    assert_eq!(site.run_sql(leases), ["0"]);
    let mut sent = Vec::new();
    while sent.len() < expected.len() {
        sent.extend(notified(&smtp.mail_within(SOON).expect("an e-mail is missing")));
    }
    sent.extend(
        std::iter::from_fn(|| smtp.mail_within(Duration::ZERO)).flat_map(|mail| notified(&mail)),
    );
    let distinct: BTreeSet<Notified> = sent.iter().cloned().collect();
    assert_eq!(distinct, expected);
    assert_eq!(sent.len(), expected.len(), "an e-mail was sent twice");
}

fn create_form(site: &Site, number: usize) -> String {
    let form = site.create_form();
    for address in addresses(number) {
        site.run_command(&format!("notification add --form {form} --email {address}"));
    }
    form
}

/// Returns the addresses that a form notifies.
fn addresses(form: usize) -> impl Iterator<Item = String> {
    (0..ADDRESSES).map(move |number| format!("{number}.{form}@example.org"))
}

/// Sends submissions to all instances at once. Returns the expected e-mails.
fn send_submissions(site: &Site, forms: &[String]) -> BTreeSet<Notified> {
    let send = |sender: usize| -> BTreeSet<Notified> {
        let mut expected = BTreeSet::new();
        for number in 0..SUBMISSIONS {
            for (index, form) in forms.iter().enumerate().skip(sender).step_by(INSTANCES) {
                let instance = &site.instances[(index + number) % INSTANCES];
                let body = format!("{{\"what\":\"{number}\"}}");
                let answer = instance.request("POST", &format!("/f/{form}"), &[], &body);
                assert_eq!(answer.status, 201, "{}", answer.text());
                let receipt: Value = serde_json::from_str(answer.text()).unwrap();
                let id = receipt["data"]["id"].as_str().unwrap();
                expected.extend(addresses(index).map(|address| (address, id.to_owned())));
            }
        }
        expected
    };
    std::thread::scope(|scope| {
        let senders: Vec<_> =
            (0..INSTANCES).map(|sender| scope.spawn(move || send(sender))).collect();
        senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect()
    })
}

/// Returns the recipient of an e-mail with each submission that it links. A digest links several.
fn notified(mail: &ParsedMail) -> BTreeSet<Notified> {
    let links = mail.text().split("/submissions/").skip(1);
    let ids = links.map(|rest| {
        rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
    });
    ids.map(|id| (mail.to[0].clone(), id.to_owned())).collect()
}
