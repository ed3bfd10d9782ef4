//! Restore drill: a server is backed up under load and lost, and its copy answers in an empty
//! directory. Also: a server logs that its large file is damaged.

use crate::sender::{FormUnderTest, SubmittingClient};
use crate::server::Server;
use crate::test_env::TestEnv;
use std::sync::atomic::{AtomicBool, Ordering};

const SENDERS: usize = 64;
/// Submissions of each sender that are acknowledged before the backup begins. Fewer than
/// `DELETE_EVERY` of `sender.rs`, so that all of them stay.
const SUBMISSIONS_BEFORE_BACKUP: usize = 5;

#[test]
fn backup_under_load_replaces_lost_data() {
    let env = TestEnv::with_account();
    let form = env.form("--field what --field more");
    env.run(&format!("form intake {form} --address-limit none --form-limit none"));
    let key = env.key("live");
    env.run(&format!("sample --form {form} --count 500 --seed 1"));
    let copy = env.path("copy.db");
    let mut senders: Vec<_> =
        (0..SENDERS).map(|n| SubmittingClient::new(format!("s{n}"))).collect();
    let server = Server::start(&env, "service");
    let target = FormUnderTest { address: &server.address, form: &form, key: &key };
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for sender in &mut senders {
            scope.spawn(|| {
                (0..SUBMISSIONS_BEFORE_BACKUP).for_each(|_| sender.send_next(&target).unwrap());
            });
        }
    });
    let before: Vec<_> =
        senders.iter().flat_map(|sender| sender.acknowledged.values().cloned()).collect();
    std::thread::scope(|scope| {
        for sender in &mut senders {
            let target = &target;
            let stop = &stop;
            scope.spawn(move || {
                while !stop.load(Ordering::SeqCst) {
                    sender.send_next(target).unwrap();
                }
            });
        }
        env.run(&format!("backup {}", copy.display()));
        stop.store(true, Ordering::SeqCst);
    });
    let after: usize = senders.iter().map(|sender| sender.acknowledged.len()).sum();
    assert!(after > before.len(), "no submission was written during the backup");
    let report = env.run(&format!("check {}", copy.display()));
    assert!(report.contains("is whole: "), "{report}");
    drop(server);

    std::fs::remove_dir_all(env.data()).unwrap();
    std::fs::create_dir(env.data()).unwrap();
    std::fs::rename(&copy, env.data().join("sheaf.db")).unwrap();
    let server = Server::start(&env, "service");
    let list = server.get(&format!("/v1/forms/{form}/submissions?limit=100"), &key).json();
    let total = usize::try_from(list["pagination"]["total"].as_u64().unwrap()).unwrap();
    assert!(report.ends_with(&format!("{total} submissions")), "{report} {total}");
    assert!((500 + before.len()..=500 + after).contains(&total), "{total}");
    for id in before {
        assert_eq!(server.get(&format!("/v1/submissions/{id}"), &key).status, 200, "{id}");
    }
    let target = FormUnderTest { address: &server.address, form: &form, key: &key };
    SubmittingClient::new("after".to_owned()).send_next(&target).unwrap();
}

#[test]
fn damaged_large_file_is_logged_by_running_server() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let key = env.key("live");
    env.run(&format!("sample --form {form} --count 12000 --seed 1"));
    let file = env.data().join("sheaf.db");
    let mut bytes = std::fs::read(&file).unwrap();
    assert!(
        bytes.len() > 16 << 20,
        "{} bytes: the server would check the file before it starts",
        bytes.len()
    );
    // Damage a page that is in use: unused pages are zero, and their content does not matter. The
    // page size is at offset 16 of the SQLite header.
    let page = usize::from(u16::from_be_bytes(bytes[16..18].try_into().unwrap()));
    let middle = bytes.len() / 2 / page * page;
    let used = bytes[middle..].chunks_exact_mut(page).find(|page| page[0] != 0).unwrap();
    used.fill(0xa5);
    std::fs::write(&file, bytes).unwrap();
    let mut server = Server::start(&env, "service");
    // During the check, the server answers the requests that it can.
    assert_ne!(server.get(&format!("/v1/forms/{form}/submissions"), &key).status, 401);
    let line = server.logged("is damaged");
    assert!(line.contains("ERROR") && line.contains(file.to_str().unwrap()), "{line}");
    let found = env.command("check").output().unwrap();
    assert_eq!(found.status.code(), Some(1));
    assert!(!found.stdout.is_empty(), "`sheaf check` printed no finding");
}
