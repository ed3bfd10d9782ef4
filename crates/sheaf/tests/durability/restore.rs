//! The drill: a server under load is backed up and lost; its copy, put into an empty directory,
//! answers as it did. And a large file that is damaged is told by its server.

use crate::sender::{FormUnderTest, Sender};
use crate::server::Server;
use crate::world::World;
use std::sync::atomic::{AtomicBool, Ordering};

const SENDERS: usize = 64;
/// So many submissions of each sender are acknowledged before the backup begins; none of these is
/// deleted.
const BEFORE: usize = 5;

#[test]
fn a_backup_made_under_load_answers_in_the_place_of_what_is_lost() {
    let world = World::with_account();
    let form = world.form("--field what --field more");
    world.run(&format!("form intake {form} --address-limit none --form-limit none"));
    let key = world.key("live");
    world.run(&format!("sample --form {form} --count 500 --seed 1"));
    let copy = world.path("copy.db");
    let mut senders: Vec<_> = (0..SENDERS).map(|n| Sender::new(format!("s{n}"))).collect();
    let server = Server::start(&world, "service");
    let target = FormUnderTest { address: &server.address, form: &form, key: &key };
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for sender in &mut senders {
            scope.spawn(|| (0..BEFORE).for_each(|_| sender.go_on(&target).unwrap()));
        }
    });
    let before: Vec<_> = senders.iter().flat_map(|sender| sender.taken.values().cloned()).collect();
    std::thread::scope(|scope| {
        for sender in &mut senders {
            let (target, stop) = (&target, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::SeqCst) {
                    sender.go_on(target).unwrap();
                }
            });
        }
        world.run(&format!("backup {}", copy.display()));
        stop.store(true, Ordering::SeqCst);
    });
    let after: usize = senders.iter().map(|sender| sender.taken.len()).sum();
    assert!(after > before.len(), "nobody wrote meanwhile");
    let whole = world.run(&format!("check {}", copy.display()));
    assert!(whole.contains("is whole: "), "{whole}");
    drop(server);

    std::fs::remove_dir_all(world.data()).unwrap();
    std::fs::create_dir(world.data()).unwrap();
    std::fs::rename(&copy, world.data().join("sheaf.db")).unwrap();
    let server = Server::start(&world, "service");
    let list = server.get(&format!("/v1/forms/{form}/submissions?limit=100"), &key).json();
    let total = usize::try_from(list["pagination"]["total"].as_u64().unwrap()).unwrap();
    assert!(whole.ends_with(&format!("{total} submissions")), "{whole} {total}");
    assert!((500 + before.len()..=500 + after).contains(&total), "{total}");
    for id in before {
        assert_eq!(server.get(&format!("/v1/submissions/{id}"), &key).status, 200, "{id}");
    }
    let target = FormUnderTest { address: &server.address, form: &form, key: &key };
    Sender::new("after".to_owned()).go_on(&target).unwrap();
}

#[test]
fn a_large_file_that_is_damaged_is_told_by_its_server_beside_its_work() {
    let world = World::with_account();
    let form = world.form("");
    let key = world.key("live");
    world.run(&format!("sample --form {form} --count 12000 --seed 1"));
    let file = world.data().join("sheaf.db");
    let mut bytes = std::fs::read(&file).unwrap();
    assert!(bytes.len() > 16 << 20, "{} bytes: looked through before the start", bytes.len());
    // A page of a tree: those that nobody uses are zero, and may say what they like.
    let page = usize::from(u16::from_be_bytes(bytes[16..18].try_into().unwrap()));
    let middle = bytes.len() / 2 / page * page;
    let used = bytes[middle..].chunks_exact_mut(page).find(|page| page[0] != 0).unwrap();
    used.fill(0xa5);
    std::fs::write(&file, bytes).unwrap();
    let mut server = Server::start(&world, "service");
    // It serves what it can meanwhile.
    assert_ne!(server.get(&format!("/v1/forms/{form}/submissions"), &key).status, 401);
    let told = server.logged("is damaged");
    assert!(told.contains("ERROR") && told.contains(file.to_str().unwrap()), "{told}");
    let found = world.command("check").output().unwrap();
    assert_eq!(found.status.code(), Some(1));
    assert!(!found.stdout.is_empty(), "no finding is named");
}
