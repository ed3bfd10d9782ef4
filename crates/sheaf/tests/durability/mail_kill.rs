//! Repeated `kill -9` between the commit of a submission and the e-mail about it: every
//! acknowledged submission arrives.

use crate::server::Server;
use crate::smtp_server::SmtpServer;
use crate::test_env::TestEnv;
use crate::webhook_kill::submit;
use std::collections::BTreeSet;
use std::time::Duration;

const KILLS: usize = 50;
const SUBMISSIONS_PER_KILL: usize = 2;

#[test]
fn killed_server_loses_no_mail() {
    let env = TestEnv::with_account();
    let smtp = SmtpServer::start();
    let form = env.form("--field a");
    env.run(&format!("notification add --form {form} --email a@b.example"));
    let serve = format!("service {}", smtp.options());
    let mut acknowledged = BTreeSet::new();
    let mut mails = Vec::new();
    let mut interrupted = 0;
    for kill in 0..KILLS {
        let mut server = Server::start(&env, &serve);
        for _ in 0..SUBMISSIONS_PER_KILL {
            acknowledged.insert(submit(&server, &form));
        }
        // Every second kill follows an e-mail, so that others are under way.
        if kill % 2 == 1 {
            mails.push(smtp.next_mail());
        }
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        mails.extend(std::iter::from_fn(|| smtp.mail_within(Duration::ZERO)));
        let is_missing = |id: &&String| !mails.iter().any(|mail| mail.text().contains(id.as_str()));
        interrupted += acknowledged.iter().filter(is_missing).count();
    }
    assert!(interrupted >= KILLS / 2, "{interrupted} e-mails were pending at a kill");
    assert_eq!(acknowledged.len(), KILLS * SUBMISSIONS_PER_KILL);
    let _server = Server::start(&env, &serve);
    // A digest has several submissions.
    while let Some(missing) =
        acknowledged.iter().find(|id| !mails.iter().any(|mail| mail.text().contains(id.as_str())))
    {
        let mail = smtp.mail_within(crate::test_env::SOON);
        mails.push(mail.unwrap_or_else(|| panic!("no e-mail about {missing}")));
    }
}
